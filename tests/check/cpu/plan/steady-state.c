/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A steady-state inference allocates nothing: counts every allocation of the
 * process while models run repeatedly.
 *
 * Usage: steady-state MODEL.xml… */

#include "infer/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 5
#define RUNS 200

static gint counting, count;

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

static void
note (void)
{
  if (g_atomic_int_get (&counting))
    g_atomic_int_inc (&count);
}

void *
malloc (size_t size)
{
  note ();
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  note ();
  return __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  note ();
  return __libc_realloc (old, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  note ();
  return __libc_memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  note ();
  *memory = __libc_memalign (alignment, size);
  return *memory != NULL ? 0 : ENOMEM;
}

/* For dynamic inputs: the model's own information, else 1. */
static gint64
default_dim (InferModel *model)
{
  const char *keys[] = { "samples_multiple", "frames_multiple" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = infer_model_get_info (model, keys[i]);

    if (value != NULL)
      return g_ascii_strtoll (value, NULL, 10);
  }
  return 1;
}

static InferRequest *
make_request (const char *path, GError **error)
{
  g_autoptr (InferModel) model = infer_model_load (path, NULL, error);
  g_autoptr (InferExecutable) executable = NULL;
  g_autoptr (InferRequest) request = NULL;

  if (model == NULL)
    return NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, error);
  if (runtime != NULL)
    executable = infer_executable_new (model, runtime, error);
  if (executable != NULL)
    request = infer_request_new (executable, error);
  if (request == NULL)
    return NULL;
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    for (int d = 0; d < shape.rank; d++)
      if (shape.dims[d] == INFER_DYNAMIC)
        shape.dims[d] = default_dim (model);
    if (infer_request_set_input_shape (request, i, &shape, error) == NULL)
      return NULL;
  }
  return g_steal_pointer (&request);
}

static gboolean
check (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = make_request (path, &error);
  gboolean ok = request != NULL;

  for (int i = 0; ok && i < WARM_UP; i++)
    ok = infer_request_infer (request, &error);
  g_atomic_int_set (&count, 0);
  g_atomic_int_set (&counting, 1);
  for (int i = 0; ok && i < RUNS; i++)
    ok = infer_request_infer (request, &error);
  g_atomic_int_set (&counting, 0);

  if (!ok) {
    fprintf (stderr, "%s: %s\n", path, error->message);
    return FALSE;
  }
  printf ("%s: %d allocations in %d inferences\n", path, count, RUNS);
  return count == 0;
}

int
main (int argc, char **argv)
{
  int failed = argc < 2;

  for (int i = 1; i < argc; i++)
    failed += !check (argv[i]);
  return failed != 0;
}
