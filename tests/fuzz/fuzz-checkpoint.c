/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Checkpoints of sequences, as any client may send them to infer-serve: what is
 * taken is written, read and written again as the same bytes, and the model
 * runs with it. */

#include "tests/fuzz/support/fuzz.h"

#include <string.h>

#include "infer/request.h"
#include "tools/serve/states.h"

static InferExecutable *
find_executable (void)
{
  static InferExecutable *executable;
  g_autoptr (GError) error = NULL;

  if (executable != NULL)
    return executable;
  g_autoptr (InferModel) model = infer_model_load (
      SOURCE_ROOT "/pipelines/models/digits/digits.xml", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("CPU", "INFERENCE_NUM_THREADS=1", &error);
  g_assert_no_error (error);
  executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

/* The values may not be what the model's operations take. */
static void
run (InferExecutable *executable, InferStateSet *states)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  const InferShape shape =
      infer_shape_make (3, (gint64) 1, (gint64) 2, (gint64) 40);

  g_assert_no_error (error);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, &error);
  g_assert_no_error (error);
  memset (in->data, 0, in->size);
  infer_request_bind_states (request, states);
  g_assert_true (infer_request_infer (request, &error) == (error == NULL));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  InferExecutable *executable = find_executable ();
  g_autoptr (GError) error = NULL;
  g_autoptr (InferStateSet) states = serve_states_read (
      infer_executable_get_model (executable), data, size, &error);
  gsize length, again_length;

  g_assert_true ((states == NULL) == (error != NULL));
  if (states == NULL)
    return 0;
  g_autofree guint8 *bytes = serve_states_write (states, &length, &error);
  g_assert_no_error (error);
  g_autoptr (InferStateSet) back = serve_states_read (
      infer_executable_get_model (executable), bytes, length, &error);
  g_assert_no_error (error);
  g_autofree guint8 *again = serve_states_write (back, &again_length, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (again, again_length, bytes, length);
  run (executable, states);
  return 0;
}
