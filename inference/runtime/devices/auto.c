/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/auto.h"

#include "infer/error.h"

static gboolean
runs_whole (const InferExecutable *executable, const InferRuntime *member)
{
  InferPlace place = infer_runtime_place (member);
  guint n;
  g_autoptr (GPtrArray) lines G_GNUC_UNUSED = infer_graph_unsupported (
      infer_model_get_graph (executable->compiled), &place, 1, &n);

  return n == 0;
}

/* The next member after @index that can run the model, or n_members. */
static guint
next_capable (const InferExecutable *executable, guint index)
{
  const InferRuntime *runtime = executable->runtime;

  while (index < runtime->n_members
         && !runs_whole (executable, runtime->members[index]))
    index++;
  return index;
}

static gboolean
try_member (InferExecutable *executable, guint index, GError **error)
{
  InferExecutable *member = infer_executable_new_member (
      executable, executable->runtime->members[index], error);

  if (member == NULL)
    return FALSE;
  executable->members[index] = member;
  g_atomic_pointer_set (&executable->current, member);
  infer_executable_expect_sequences (
      member, (guint) g_atomic_int_get (&executable->sequences));
  return TRUE;
}

/* From the best down; a failure is a warning, since requests run on another
 * member. */
static void *
compile_rest (void *data)
{
  InferExecutable *executable = data;
  const InferRuntime *runtime = executable->runtime;

  for (guint i = next_capable (executable, 0);
       i < executable->host && !g_atomic_int_get (&executable->stopping);
       i = next_capable (executable, i + 1)) {
    g_autoptr (GError) error = NULL;

    if (try_member (executable, i, &error))
      break;
    g_warning ("%s: %s is not used: %s", runtime->name,
        runtime->members[i]->name, error->message);
  }
  pthread_mutex_lock (&executable->lock);
  executable->compiling = FALSE;
  pthread_cond_broadcast (&executable->settled);
  pthread_mutex_unlock (&executable->lock);
  return NULL;
}

static guint
find_host (const InferRuntime *runtime)
{
  guint index = 0;

  while (index < runtime->n_members
         && runtime->members[index]->backend != infer_backends ()[0])
    index++;
  return index;
}

static gboolean
fail_all (const InferExecutable *executable, GError **error)
{
  const InferRuntime *runtime = executable->runtime;
  InferPlace places[INFER_MAX_DEVICES];
  guint n;

  for (guint i = 0; i < runtime->n_members; i++)
    places[i] = infer_runtime_place (runtime->members[i]);
  g_autoptr (GPtrArray) lines =
      infer_graph_unsupported (infer_model_get_graph (executable->compiled),
          places, runtime->n_members, &n);
  g_ptr_array_add (lines, NULL);
  g_autofree char *all = g_strjoinv (", ", (GStrv) lines->pdata);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "none of the devices of %s runs the whole model; operations that none "
      "knows: %s",
      runtime->name, n > 0 ? all : "none, HETERO would split it");
}

/* Without a CPU among the devices: the first member that compiles. */
static gboolean
compile_first (InferExecutable *executable, guint index, GError **error)
{
  const InferRuntime *runtime = executable->runtime;
  g_autoptr (GError) first = NULL;

  for (; index < runtime->n_members;
       index = next_capable (executable, index + 1))
    if (try_member (executable, index, first != NULL ? NULL : &first))
      return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

gboolean
infer_auto_compile (InferExecutable *executable, GError **error)
{
  const InferRuntime *runtime = executable->runtime;
  const guint best = next_capable (executable, 0);
  guint host = find_host (runtime);

  executable->is_auto = TRUE;
  executable->n_members = runtime->n_members;
  executable->host = runtime->n_members;
  if (best == runtime->n_members)
    return fail_all (executable, error);
  if (host == runtime->n_members
      || !runs_whole (executable, runtime->members[host]))
    return compile_first (executable, best, error);
  executable->host = host;
  if (!try_member (executable, host, error))
    return FALSE;
  if (best < host) {
    executable->compiling = TRUE;
    executable->has_thread =
        pthread_create (&executable->thread, NULL, compile_rest, executable)
        == 0;
    if (!executable->has_thread)
      compile_rest (executable);
  }
  return TRUE;
}

void
infer_auto_stop (InferExecutable *executable)
{
  g_atomic_int_set (&executable->stopping, TRUE);
  if (executable->has_thread)
    pthread_join (executable->thread, NULL);
  executable->has_thread = FALSE;
}

void
infer_auto_settle (InferExecutable *executable)
{
  pthread_mutex_lock (&executable->lock);
  while (executable->compiling)
    pthread_cond_wait (&executable->settled, &executable->lock);
  pthread_mutex_unlock (&executable->lock);
}

gboolean
infer_auto_leave (InferExecutable *executable, const InferExecutable *member,
    const GError *cause)
{
  InferExecutable *host = executable->host < executable->n_members
                              ? executable->members[executable->host]
                              : NULL;

  if (host == NULL || member == host)
    return FALSE;
  if (g_atomic_pointer_compare_and_exchange (
          &executable->current, (InferExecutable *) (gsize) member, host))
    g_warning ("%s: back to %s: %s", executable->runtime->name,
        infer_executable_get_device (host), cause->message);
  return TRUE;
}
