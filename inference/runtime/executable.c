/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/config.h"
#include "inference/runtime/runtime-private.h"

#include <string.h>

#include "inference/runtime/devices/auto.h"
#include "inference/runtime/devices/hetero.h"
#include "inference/runtime/executor-private.h"
#include "inference/base/mapping.h"
#include "inference/base/pass-log.h"
#include "inference/graph/model-private.h"
#include "inference/passes/pass.h"

/* Whole on the first device that runs all of it, else split. */

static gboolean
compile_whole (InferExecutable *executable, InferRuntime *where, GError **error)
{
  executable->where = where;
  executable->backend = where->backend;
  executable->code =
      where->backend->compile (where->scope, executable->compiled, error);
  return executable->code != NULL;
}

static gboolean
compile_parts (InferExecutable *executable, InferRuntime *const *runtimes,
    guint n, GError **error)
{
  InferPlace places[INFER_MAX_PLACES];

  for (guint i = 0; i < n; i++)
    places[i] = infer_runtime_place (runtimes[i]);
  executable->backend = &infer_hetero_backend;
  executable->code = infer_hetero_compile (
      executable->compiled, places, n, executable->runtime->config.dump, error);
  return executable->code != NULL;
}

/* @compiled, and @shared (nullable; its shared constants): (transfer full) */
static gboolean
compile_on (InferExecutable *executable, InferRuntime *const *runtimes, guint n,
    GError **error)
{
  InferPlace first = infer_runtime_place (runtimes[0]);
  guint n_unsupported;
  g_autoptr (GPtrArray) lines G_GNUC_UNUSED = infer_graph_unsupported (
      infer_model_get_graph (executable->compiled), &first, 1, &n_unsupported);

  return n_unsupported == 0 ? compile_whole (executable, runtimes[0], error)
                            : compile_parts (executable, runtimes, n, error);
}

static gboolean
compile_plain (InferExecutable *executable, GError **error)
{
  GError *cause = NULL;
  InferRuntime *runtimes[] = { executable->runtime,
    infer_runtime_get_fallback (executable->runtime, &cause) };

  if (cause != NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  return compile_on (executable, runtimes, runtimes[1] != NULL ? 2 : 1, error);
}

static gboolean
compile (InferExecutable *executable, GError **error)
{
  InferRuntime *runtime = executable->runtime;

  switch (runtime->kind) {
    case INFER_DEVICE_PLAIN:
      return compile_plain (executable, error);
    case INFER_DEVICE_HETERO:
      return compile_on (
          executable, runtime->members, runtime->n_members, error);
    case INFER_DEVICE_AUTO:
      return infer_auto_compile (executable, error);
    case INFER_DEVICE_MULTI:
      return infer_multi_compile (executable, error);
  }
  g_return_val_if_reached (FALSE);
}

InferExecutable *
infer_executable_new_with_code (InferModel *model, InferRuntime *runtime,
    const InferBackend *backend, gpointer code)
{
  g_autofree char *name = infer_model_label (model);
  g_autofree char *label = g_strdup_printf ("%s_%s", runtime->name, name);
  InferExecutable *executable = g_new0 (InferExecutable, 1);

  executable->refs = 1;
  pthread_mutex_init (&executable->lock, NULL);
  pthread_cond_init (&executable->settled, NULL);
  executable->runtime = infer_runtime_ref (runtime);
  executable->backend = backend;
  executable->code = code;
  executable->model = infer_model_ref (model);
  executable->label = g_intern_string (label);
  return executable;
}

/* @compiled and @shared (nullable), its constants on @runtime: (transfer full)
 */
/* Inputs and outputs of known shapes, which every request has. */
static gboolean
check_memory (
    const InferModel *model, const InferConfig *config, GError **error)
{
  const guint n = infer_model_n_inputs (model);
  gsize sum = 0, bytes;

  for (guint i = 0; i < n + infer_model_n_outputs (model); i++) {
    const InferDesc *desc = i < n ? infer_model_input_desc (model, i)
                                  : infer_model_output_desc (model, i - n);

    if (infer_type_size (desc->type) > 0 && infer_shape_is_static (&desc->shape)
        && infer_tensor_bytes (desc->type, &desc->shape, &bytes))
      sum = sum <= G_MAXSIZE - bytes ? sum + bytes : G_MAXSIZE;
  }
  return infer_config_allows (config, sum, "inputs and outputs", error);
}

static InferExecutable *
executable_new (InferModel *model, InferModel *compiled, GPtrArray *shared,
    InferRuntime *runtime, GError **error)
{
  g_autoptr (InferExecutable) executable =
      infer_executable_new_with_code (model, runtime, NULL, NULL);

  executable->compiled = compiled;
  executable->shared = shared;
  if (!check_memory (model, &runtime->config, error)
      || !compile (executable, error))
    return NULL;
  /* A HETERO executable may be on a single device. */
  g_autofree char *name = infer_model_label (model);
  g_autofree char *label =
      g_strdup_printf ("%s_%s", infer_executable_get_device (executable), name);
  executable->label = g_intern_string (label);
  return g_steal_pointer (&executable);
}

/* For `infer-model info --passes`. */
static void
log_pass (const InferPass *pass, guint before, guint after, gboolean changed,
    gpointer data)
{
  g_autofree char *text = g_strdup_printf (
      "graph %-16s %4u -> %4u operations\n", pass->name, before, after);

  if (changed)
    infer_pass_log_add (text);
}

/* Devices that share a model need not support the same compressed weights. */
static InferModel *
run_passes (InferModel *model, const InferRuntime *runtime, GError **error)
{
  const InferPassOptions options = { .cache = runtime->config.cache,
    .as_stored =
        runtime->kind == INFER_DEVICE_PLAIN && runtime->backend->reads_stored,
    .observe = infer_pass_log_wanted () ? log_pass : NULL };

  return infer_passes_run (model, &options, error);
}

/* --- files that were cut short --- */

/* The reader limits the depth of bodies. */
static gboolean
check_constants (const InferGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op->value != NULL && !infer_mapping_check (op->value->data, error))
      return FALSE;
    for (guint b = 0; b < op->n_bodies; b++)
      if (!check_constants (op->bodies[b].graph, error))
        return FALSE;
  }
  return TRUE;
}

static gboolean
check_files (const InferModel *model, const InferModel *compiled,
    const InferRuntime *runtime, GError **error)
{
  const InferCache *cache = runtime->config.cache;

  return check_constants (model->graph, error)
         && (compiled == NULL || check_constants (compiled->graph, error))
         && (cache == NULL
             || infer_mapping_check_folder (
                 infer_cache_get_folder (cache), error));
}

gboolean
infer_executable_check_files (InferExecutable *executable, GError **error)
{
  const guint faults = infer_mapping_faults ();

  if (faults == __atomic_load_n (&executable->checked_faults, __ATOMIC_RELAXED))
    return TRUE;
  if (!check_files (
          executable->model, executable->compiled, executable->runtime, error))
    return FALSE;
  __atomic_store_n (&executable->checked_faults, faults, __ATOMIC_RELAXED);
  return TRUE;
}

/* --- making one --- */

InferExecutable *
infer_executable_new (InferModel *model, InferRuntime *runtime, GError **error)
{
  g_return_val_if_fail (model != NULL && runtime != NULL, NULL);

  GError *failure = NULL;
  InferExecutable *executable = NULL;
  InferModel *compiled = run_passes (model, runtime, &failure);
  if (compiled != NULL) {
    executable = executable_new (model, compiled,
        infer_constants_share (runtime->constants, compiled), runtime,
        &failure);
    if (executable == NULL)
      g_prefix_error (&failure, "%s: ", infer_model_get_path (model));
  }
  /* Instead of what was found in a file that was cut short. */
  GError *cut = NULL;
  if (infer_mapping_faults () > 0
      && !check_files (model, executable != NULL ? executable->compiled : NULL,
          runtime, &cut)) {
    g_clear_pointer (&executable, infer_executable_unref);
    g_clear_error (&failure);
    failure = cut;
  }
  if (failure != NULL)
    g_propagate_error (error, failure);
  return executable;
}

InferExecutable *
infer_executable_new_member (
    InferExecutable *parent, InferRuntime *runtime, GError **error)
{
  return executable_new (
      parent->model, infer_model_ref (parent->compiled), NULL, runtime, error);
}

InferExecutable *
infer_executable_choose (InferExecutable *executable)
{
  if (executable->n_members == 0)
    return executable;
  return executable->is_auto ? g_atomic_pointer_get (&executable->current)
                             : infer_multi_choose (executable);
}

void
infer_executable_settle (InferExecutable *executable)
{
  infer_auto_settle (executable);
}

InferExecutable *
infer_executable_for_runtime (
    InferExecutable *executable, InferRuntime *runtime, GError **error)
{
  if (executable->runtime == runtime)
    return infer_executable_ref (executable);
  return infer_executable_new (executable->model, runtime, error);
}

InferExecutable *
infer_executable_ref (InferExecutable *executable)
{
  g_return_val_if_fail (executable != NULL, NULL);
  g_atomic_int_inc (&executable->refs);
  return executable;
}

void
infer_executable_unref (InferExecutable *executable)
{
  g_return_if_fail (executable != NULL);
  if (!g_atomic_int_dec_and_test (&executable->refs))
    return;
  infer_auto_stop (executable);
  for (guint i = 0; i < executable->n_members; i++)
    g_clear_pointer (&executable->members[i], infer_executable_unref);
  g_clear_pointer (&executable->task_executor, infer_executor_unref);
  if (executable->code != NULL)
    executable->backend->executable_free (executable->code);
  g_clear_pointer (&executable->compiled, infer_model_unref);
  if (executable->shared != NULL)
    infer_constants_release (
        executable->runtime->constants, executable->shared);
  g_clear_pointer (&executable->model, infer_model_unref);
  infer_runtime_unref (executable->runtime);
  pthread_cond_destroy (&executable->settled);
  pthread_mutex_destroy (&executable->lock);
  g_free (executable);
}

InferExecutor *
infer_executable_get_task_executor (InferExecutable *executable, GError **error)
{
  const InferRuntime *runtime = executable->runtime;

  pthread_mutex_lock (&executable->lock);
  if (executable->task_executor == NULL) {
    g_autofree char *name = g_strdup_printf ("infer-%s", runtime->name);
    executable->task_executor =
        infer_executor_new_pinned_pool (name, runtime->config.streams,
            runtime->config.pinning ? runtime->config.threads : 0);
  }
  InferExecutor *executor = executable->task_executor;
  pthread_mutex_unlock (&executable->lock);
  if (executor == NULL)
    infer_fail (error, INFER_ERROR_FAILED,
        "%s: no thread for inferences can be started; are there too many?",
        infer_model_get_path (executable->model));
  return executor;
}

const char *
infer_executable_get_device (InferExecutable *executable)
{
  if (executable->is_auto)
    executable = g_atomic_pointer_get (&executable->current);
  return executable->where != NULL ? executable->where->name
                                   : executable->runtime->name;
}

static void
list_operations (
    GArray *list, const InferModel *model, const char *device, guint part)
{
  const GPtrArray *operations = infer_model_get_graph (model)->operations;

  for (guint i = 0; i < operations->len; i++) {
    const InferOperation *op = operations->pdata[i];
    InferPlacedOperation placed = { op->name, op->klass->type, device, part };

    if (op->value == NULL && strcmp (placed.type, "Parameter") != 0
        && strcmp (placed.type, "Result") != 0)
      g_array_append_val (list, placed);
  }
}

static void
list_executable (GArray *list, InferExecutable *executable)
{
  if (executable->backend != &infer_hetero_backend) {
    list_operations (list, executable->compiled,
        infer_executable_get_device (executable), 0);
    return;
  }
  const InferSplitModel *split = infer_hetero_get_split (executable->code);
  for (guint p = 0; p < split->parts->len; p++)
    list_operations (list, ((const InferPart *) split->parts->pdata[p])->model,
        infer_hetero_place_name (executable->code, p), p);
}

GArray *
infer_executable_get_operations (InferExecutable *executable)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (InferPlacedOperation));

  if (executable->is_auto)
    list_executable (list, g_atomic_pointer_get (&executable->current));
  else if (executable->n_members == 0)
    list_executable (list, executable);
  else
    for (guint i = 0; i < executable->n_members; i++)
      list_executable (list, executable->members[i]);
  return list;
}

static void
expect (InferExecutable *executable, guint n)
{
  InferExecutor *executor =
      infer_executable_get_task_executor (executable, NULL);
  g_autofree char *name =
      g_strdup_printf ("infer-%s", executable->runtime->name);

  if (executor != NULL && !executable->runtime->config.streams_given)
    infer_executor_grow_pool (executor, name, MIN (n, g_get_num_processors ()));
}

void
infer_executable_expect_sequences (InferExecutable *executable, guint n)
{
  if (n == 0)
    return;
  if (executable->is_auto) {
    /* Executables compiled later read the number. */
    g_atomic_int_set (&executable->sequences, (gint) n);
    expect (g_atomic_pointer_get (&executable->current), n);
  } else if (executable->n_members == 0) {
    expect (executable, n);
  } else {
    for (guint i = 0; i < executable->n_members; i++)
      expect (executable->members[i], n);
  }
}

InferModel *
infer_executable_get_model (InferExecutable *executable)
{
  return executable->model;
}

InferRuntime *
infer_executable_get_runtime (InferExecutable *executable)
{
  return executable->runtime;
}

guint
infer_executable_n_requests (InferExecutable *executable)
{
  return (guint) g_atomic_int_get (&executable->n_requests);
}

int
infer_executable_guest_room (InferExecutable *executable)
{
  if (executable->n_members > 0 && !executable->is_auto)
    return -1;
  InferExecutor *executor = infer_executable_get_task_executor (
      infer_executable_choose (executable), NULL);
  return executor != NULL ? infer_executor_get_room (executor) : -1;
}

guint
infer_executable_get_backlog (InferExecutable *executable, guint own)
{
  if (executable->n_members > 0 && !executable->is_auto)
    return 0;
  InferExecutor *executor = infer_executable_get_task_executor (
      infer_executable_choose (executable), NULL);
  return executor != NULL ? infer_executor_get_backlog (executor, own) : 0;
}

/* One more than streams: it is prepared while they compute.  A device that
 * computes by itself needs one for upload and one for download. */
static guint
optimal_for (const InferRuntime *runtime, gboolean waits)
{
  guint streams = runtime->config.streams;

  return waits ? MAX (streams + 1, 3) : streams + 1;
}

guint
infer_executable_optimal_requests (InferExecutable *executable)
{
  const InferRuntime *runtime = executable->runtime;
  guint n = 0;

  if (executable->n_members == 0)
    return optimal_for (runtime, executable->backend->wait != NULL);
  for (guint i = 0; i < executable->n_members; i++) {
    const InferRuntime *member = runtime->members[i];

    /* AUTO: any member may be used in the end. */
    if (executable->is_auto)
      n = MAX (n, optimal_for (member, member->backend->wait != NULL));
    else
      n += infer_executable_optimal_requests (executable->members[i]);
  }
  return n;
}
