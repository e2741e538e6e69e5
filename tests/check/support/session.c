/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/session.h"

#include <string.h>

InferTensor *
test_tensor (InferType type, const char *shape)
{
  g_autoptr (GError) error = NULL;
  InferTensor *tensor = NULL;
  InferShape dims;

  if (infer_shape_parse (shape, &dims, NULL, NULL, &error))
    tensor = infer_tensor_new (type, &dims, &error);
  g_assert_no_error (error);
  return tensor;
}

static InferRuntime *
open_runtime (const char *isa, const char *device, const char *config)
{
  g_autofree char *before = g_strdup (g_getenv ("INFER_CPU_ISA"));
  g_autoptr (GError) error = NULL;

  if (isa != NULL)
    g_setenv ("INFER_CPU_ISA", isa, TRUE);
  InferRuntime *runtime = infer_runtime_new (device, config, &error);
  g_assert_no_error (error);
  if (isa != NULL && before != NULL)
    g_setenv ("INFER_CPU_ISA", before, TRUE);
  else if (isa != NULL)
    g_unsetenv ("INFER_CPU_ISA");
  return runtime;
}

static InferExecutable *
compile (InferModel *model, InferRuntime *runtime)
{
  g_autoptr (GError) error = NULL;
  InferExecutable *executable = infer_executable_new (model, runtime, &error);

  g_assert_no_error (error);
  return executable;
}

static InferRequest *
make_request (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = infer_request_new (executable, &error);

  g_assert_no_error (error);
  return request;
}

void
test_fill (float *data, gsize n, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
}

float *
test_numbers (gsize n, guint32 seed)
{
  float *numbers = g_new (float, n);

  test_fill (numbers, n, seed);
  return numbers;
}

InferExecutable *
test_compile (InferModel *model, const char *device, const char *config)
{
  g_autoptr (InferRuntime) runtime = open_runtime (NULL, device, config);

  return compile (model, runtime);
}

InferRequest *
test_request (InferModel *model, const char *device, const char *config)
{
  g_autoptr (InferRuntime) runtime = open_runtime (NULL, device, config);

  return test_request_on (runtime, model);
}

InferRequest *
test_request_on (InferRuntime *runtime, InferModel *model)
{
  g_autoptr (InferExecutable) executable = compile (model, runtime);

  return make_request (executable);
}

void
test_session_open (TestSession *session, InferModel *model, const char *isa,
    const char *device, const char *config)
{
  session->runtime = open_runtime (isa, device, config);
  session->executable = compile (model, session->runtime);
  session->request = make_request (session->executable);
}

void
test_session_close (TestSession *session)
{
  g_clear_pointer (&session->request, infer_request_free);
  g_clear_pointer (&session->executable, infer_executable_unref);
  g_clear_pointer (&session->runtime, infer_runtime_unref);
}

InferTensor *
test_session_input (TestSession *session, guint i)
{
  g_autoptr (GError) error = NULL;
  InferTensor *input = infer_request_get_input (session->request, i, &error);

  g_assert_no_error (error);
  return input;
}

void
test_session_infer (TestSession *session)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (session->request, &error);
  g_assert_no_error (error);
}

InferTensor *
test_session_output (TestSession *session, guint i)
{
  return infer_tensor_ref (
      infer_request_get_output (session->request, i, NULL));
}

char *
test_session_kernel (TestSession *session, const char *name)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (session->request);

  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->name, name) == 0)
      return g_strdup (timing->kernel);
  }
  return NULL;
}
