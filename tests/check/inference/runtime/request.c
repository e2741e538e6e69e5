/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

#include <string.h>

#include "infer/error.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"
#include "tests/check/support/session.h"

static InferRequest *
make (const InferBackend *backend, const char *shape, const char *state)
{
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      fake_executable (backend, 0, NULL, shape, state);
  g_autoptr (GError) error = NULL;
  InferRequest *request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  return request;
}

static void
fill (InferTensor *tensor, float first)
{
  gsize n = infer_shape_count (&tensor->shape);

  for (gsize i = 0; i < n; i++)
    ((float *) tensor->data)[i] = first + (float) i;
}

static void
assert_values (const InferTensor *tensor, guint n, const float *values)
{
  g_assert_cmpuint (infer_shape_count (&tensor->shape), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (((const float *) tensor->data)[i], ==, values[i]);
}

static void
assert_infers (InferRequest *request)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_request_infer (request, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
assert_argument_error (const GError *error, const char *pattern)
{
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_test_message ("%s", error->message);
  g_assert_true (g_pattern_match_simple (pattern, error->message));
}

static void
test_own_tensors (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  InferTensor *in = infer_request_get_input (request, 0, NULL);

  fill (in, 1);
  assert_infers (request);
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  assert_values (out, 6, (const float[]){ 1, 2, 3, 4, 5, 6 });
  g_assert_true (in == infer_request_get_input (request, 0, NULL));
  const void *memory = out->data;
  fill (in, 5);
  assert_infers (request);
  g_assert_true (infer_request_get_output (request, 0, NULL)->data == memory);
  assert_values (out, 6, (const float[]){ 5, 6, 7, 8, 9, 10 });
}

static void
test_taken_output (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  InferTensor *in = infer_request_get_input (request, 0, NULL);

  fill (in, 1);
  assert_infers (request);
  g_autoptr (InferTensor) taken = infer_request_take_output (request, 0, NULL);
  fill (in, 5);
  assert_infers (request);
  assert_values (taken, 6, (const float[]){ 1, 2, 3, 4, 5, 6 });
  const InferTensor *next = infer_request_get_output (request, 0, NULL);
  g_assert_true (next->data != taken->data);
  assert_values (next, 6, (const float[]){ 5, 6, 7, 8, 9, 10 });

  infer_request_free (infer_request_ref (request));
  assert_infers (request);

  g_assert_true (infer_request_set_output (request, 0, taken, NULL));
  assert_infers (request);
  g_autoptr (InferTensor) same = infer_request_take_output (request, 0, NULL);
  g_assert_true (same == taken);
  assert_infers (request);
  assert_values (taken, 6, (const float[]){ 5, 6, 7, 8, 9, 10 });
}

static void
test_stages (gconstpointer data)
{
  const InferBackend *backend = data;
  static gboolean (*const stages[]) (InferRequest *, GError **) = {
    infer_request_preprocess, infer_request_upload, infer_request_start,
    infer_request_wait, infer_request_download, infer_request_postprocess
  };
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  const guint64 *timings = infer_request_get_timings (request);

  settings->delay_us[INFER_STAGE_UPLOAD] = 2000;
  settings->delay_us[INFER_STAGE_START] = 3000;
  settings->delay_us[INFER_STAGE_WAIT] = 4000;
  settings->delay_us[INFER_STAGE_DOWNLOAD] = 5000;
  fill (infer_request_get_input (request, 0, NULL), 1);
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    g_assert_true (stages[i](request, NULL));
  assert_values (infer_request_get_output (request, 0, NULL), 6,
      (const float[]){ 1, 2, 3, 4, 5, 6 });
  for (InferStage stage = 0; stage < INFER_STAGE_CALLBACK; stage++) {
    gboolean there = backend->wait != NULL || stage == INFER_STAGE_START;

    g_assert_cmpuint (
        timings[stage], >=, there ? settings->delay_us[stage] * 1000ull : 0);
    g_assert_cmpuint (timings[stage], <, 1000000000);
    if (stage != INFER_STAGE_PREPROCESS && stage != INFER_STAGE_POSTPROCESS)
      g_assert_cmpuint (fake_count (stage), ==, there);
  }
  g_assert_cmpuint (infer_count_from_stages (INFER_COUNT_EXECUTE, timings), ==,
      timings[INFER_STAGE_START] + timings[INFER_STAGE_WAIT]);
  static const char *const names[INFER_N_COUNTS] = { "1. input preprocessing",
    "2. input transfer to a device", "3. execution time",
    "4. output transfer from a device", "5. output postprocessing" };
  for (InferCount count = 0; count < INFER_N_COUNTS; count++)
    g_assert_cmpstr (infer_count_name (count), ==, names[count]);
}

static void
test_start_needs_preprocess (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_request_start (request, &error));
  assert_argument_error (error, "fake.xml: *preprocess*");
}

/* f32 input from u8, integer output: both are converted. */
static void
test_conversion (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  g_autoptr (InferTensor) bytes = test_tensor (INFER_TYPE_U8, "2,3");
  g_autoptr (InferTensor) ints = test_tensor (INFER_TYPE_I64, "2,3");

  for (guint8 i = 0; i < 6; i++)
    ((guint8 *) bytes->data)[i] = (guint8) (250 + i);
  g_assert_true (infer_request_set_input (request, 0, bytes, NULL));
  g_assert_true (infer_request_set_output (request, 0, ints, NULL));
  for (guint run = 0; run < 2; run++) {
    memset (ints->data, 0, ints->size);
    assert_infers (request);
    for (guint i = 0; i < 6; i++)
      g_assert_cmpint (((gint64 *) ints->data)[i], ==, 250 + i);
  }
  g_assert_true (infer_request_get_output (request, 0, NULL) == ints);
}

static void
test_given_output (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  g_autoptr (InferTensor) out = test_tensor (INFER_TYPE_F32, "2,3");
  gpointer memory = out->data;

  fill (infer_request_get_input (request, 0, NULL), 3);
  g_assert_true (infer_request_set_output (request, 0, out, NULL));
  assert_infers (request);
  g_assert_true (out->data == memory);
  assert_values (out, 6, (const float[]){ 3, 4, 5, 6, 7, 8 });
  g_assert_true (infer_request_set_output (request, 0, NULL, NULL));
  fill (infer_request_get_input (request, 0, NULL), 0);
  assert_infers (request);
  assert_values (out, 6, (const float[]){ 3, 4, 5, 6, 7, 8 });
}

static void
test_in_place (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", "2,3");
  g_autoptr (InferTensor) both = test_tensor (INFER_TYPE_F32, "2,3");

  fill (both, 1);
  g_assert_true (infer_request_set_input (request, 0, both, NULL));
  g_assert_true (infer_request_set_output (request, 0, both, NULL));
  assert_infers (request);
  assert_infers (request);
  assert_values (both, 6, (const float[]){ 2, 4, 6, 8, 10, 12 });
}

/* A tensor of floats that begins at @bytes. */
static InferTensor *
wrap (guint8 *bytes, const char *text)
{
  g_autoptr (GError) error = NULL;
  InferShape shape;
  gsize size;

  g_assert_true (infer_shape_parse (text, &shape, NULL, NULL, NULL));
  g_assert_true (infer_tensor_bytes (INFER_TYPE_F32, &shape, &size));
  InferTensor *tensor = infer_tensor_new_wrapped (
      INFER_TYPE_F32, &shape, bytes, size, NULL, NULL, &error);
  g_assert_no_error (error);
  return tensor;
}

/* Elements at odd addresses: whole tensors, parts of a batch, regions, and
 * results. */
static void
test_unaligned (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  static const float values[] = { 1, 2, 3, 4, 5, 6 };
  static const float inner[] = { 2, 3, 5, 6 };
  guint8 in[sizeof values + 1], out[sizeof values + 1];
  g_autoptr (InferTensor) whole = wrap (in + 1, "2,3");
  g_autoptr (InferTensor) first = wrap (in + 1, "1,3");
  g_autoptr (InferTensor) second = wrap (in + 1 + 3 * sizeof (float), "1,3");
  g_autoptr (InferTensor) result = wrap (out + 1, "2,3");
  InferTensor *parts[] = { first, second };

  memcpy (in + 1, values, sizeof values);
  g_assert_true (infer_request_set_input (request, 0, whole, NULL));
  assert_infers (request);
  assert_values (infer_request_get_output (request, 0, NULL), 6, values);
  g_assert_true (infer_request_set_output (request, 0, result, NULL));
  assert_infers (request);
  g_assert_cmpmem (out + 1, sizeof values, values, sizeof values);
  memset (out, 0, sizeof out);
  g_assert_true (infer_request_set_input_batch (request, 0, parts, 2, NULL));
  assert_infers (request);
  g_assert_cmpmem (out + 1, sizeof values, values, sizeof values);

  g_autoptr (InferRequest) small = make (backend, "2,2", NULL);
  const InferShape square = infer_shape_make (2, (gint64) 2, (gint64) 2);
  g_autoptr (InferTensor) roi =
      infer_tensor_new_roi (whole, (const gint64[]){ 0, 1 }, &square, NULL);
  g_assert_true (infer_request_set_input (small, 0, roi, NULL));
  assert_infers (small);
  assert_values (infer_request_get_output (small, 0, NULL), 4, inner);
}

static void
test_roi (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  InferShape part = infer_shape_make (2, (gint64) 2, (gint64) 3);
  g_autoptr (InferTensor) base = test_tensor (INFER_TYPE_F32, "4,5");
  g_autoptr (InferTensor) roi =
      infer_tensor_new_roi (base, (const gint64[]){ 1, 2 }, &part, NULL);

  fill (base, 0);
  g_assert_true (infer_request_set_input (request, 0, roi, NULL));
  assert_infers (request);
  assert_values (infer_request_get_output (request, 0, NULL), 6,
      (const float[]){ 7, 8, 9, 12, 13, 14 });
}

static void
test_mixed_axes (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  g_autoptr (InferTensor) in = test_tensor (INFER_TYPE_F32, "2,3");
  g_autoptr (GError) error = NULL;

  in->dense = FALSE;
  in->strides[0] = 4;
  in->strides[1] = 8;
  g_assert_false (infer_request_set_input (request, 0, in, &error));
  assert_argument_error (error, "fake.xml: input 'in': *axes*");
}

static void
test_batch (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "3,2", NULL);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 2);
  InferTensor *parts[3];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 3; i++) {
    parts[i] = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
    fill (parts[i], 10 * (float) i);
  }
  g_assert_true (infer_request_set_input_batch (request, 0, parts, 3, NULL));
  assert_infers (request);
  assert_values (infer_request_get_output (request, 0, NULL), 6,
      (const float[]){ 0, 1, 10, 11, 20, 21 });
  g_assert_false (infer_request_set_input_batch (request, 0, parts, 2, &error));
  assert_argument_error (error, "fake.xml: input 'in' has the shape *2,2*");
  for (guint i = 0; i < 3; i++)
    infer_tensor_unref (parts[i]);
}

static void
test_wrong_shapes (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "2,3", NULL);
  InferShape shape = infer_shape_make (2, (gint64) 3, (gint64) 2);
  g_autoptr (InferTensor) wrong =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_request_set_input (request, 0, wrong, &error));
  assert_argument_error (
      error, "fake.xml: input 'in' has the shape ?2,3?*?3,2?*");
  g_clear_error (&error);
  g_assert_false (infer_request_set_output (request, 0, wrong, &error));
  assert_argument_error (error, "fake.xml: output 'out' *");
  g_clear_error (&error);
  g_assert_null (infer_request_get_input (request, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_clear_error (&error);
  /* Changes the tensor's shape after it was set. */
  shape = infer_shape_make (2, (gint64) 2, (gint64) 3);
  g_assert_true (infer_tensor_reshape (wrong, INFER_TYPE_F32, &shape, NULL));
  g_assert_true (infer_request_set_input (request, 0, wrong, NULL));
  shape.dims[0] = 1;
  g_assert_true (infer_tensor_reshape (wrong, INFER_TYPE_F32, &shape, NULL));
  g_assert_false (infer_request_infer (request, &error));
  assert_argument_error (error, "fake.xml: input 'in' *");
}

static void
test_dynamic (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "?,2", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_request_get_input (request, 0, &error));
  assert_argument_error (error, "fake.xml: input 'in' *");
  g_clear_error (&error);
  g_assert_false (infer_request_infer (request, &error));
  assert_argument_error (error, "fake.xml: input 'in' *");
  g_clear_error (&error);
  g_assert_null (infer_request_get_output (request, 0, &error));
  assert_argument_error (error, "fake.xml: output 'out' *");
  for (gint64 n = 4; n >= 0; n--) {
    InferShape shape = infer_shape_make (2, n, (gint64) 2);
    InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);
    fill (in, 1);
    assert_infers (request);
    const InferTensor *out = infer_request_get_output (request, 0, NULL);
    g_assert_true (infer_shape_equal (&out->shape, &shape));
    if (n > 0)
      g_assert_cmpfloat (((float *) out->data)[2 * n - 1], ==, (float) (2 * n));
  }
}

/* An output tensor for unknown shapes gets the result's shape and keeps its
 * type. */
static void
test_dynamic_output (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "?,2", NULL);
  InferShape shape = infer_shape_make (2, (gint64) 0, (gint64) 2);
  g_autoptr (InferTensor) out = infer_tensor_new (INFER_TYPE_F64, &shape, NULL);

  g_assert_true (infer_request_set_output (request, 0, out, NULL));
  shape.dims[0] = 2;
  fill (infer_request_set_input_shape (request, 0, &shape, NULL), 1);
  assert_infers (request);
  g_assert_cmpint (out->shape.dims[0], ==, 2);
  g_assert_cmpfloat (((double *) out->data)[3], ==, 4);
}

static void
run_value (InferRequest *request, float in, float expected)
{
  fill (infer_request_get_input (request, 0, NULL), in);
  assert_infers (request);
  assert_values (infer_request_get_output (request, 0, NULL), 1, &expected);
}

static void
test_states (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "1,1", "1,1");
  InferStateSet *set = infer_request_get_states (request);
  InferState *state = infer_state_set_find (set, "sum", NULL);

  run_value (request, 1, 1);
  run_value (request, 2, 3);
  infer_state_reset (state);
  run_value (request, 3, 3);
  g_autoptr (InferTensor) value = infer_state_get_value (state, NULL);
  assert_values (value, 1, (const float[]){ 3 });
  ((float *) value->data)[0] = 100;
  g_assert_true (infer_state_set_value (state, value, NULL));
  run_value (request, 1, 101);
}

/* One sequence through two requests; their own sets are not changed. */
static void
test_bound_states (gconstpointer backend)
{
  g_autoptr (InferRequest) a = make (backend, "1,1", "1,1");
  g_autoptr (InferRequest) b = make (backend, "1,1", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferStateSet) set = infer_state_set_new (model);

  run_value (a, 7, 7);
  infer_request_bind_states (a, set);
  infer_request_bind_states (b, set);
  run_value (a, 1, 1);
  run_value (b, 2, 3);
  run_value (a, 3, 6);
  infer_request_bind_states (a, NULL);
  run_value (a, 1, 8);
  run_value (b, 1, 7);
}

static void
test_foreign_states (gconstpointer backend)
{
  g_autoptr (InferRequest) request = make (backend, "1,1", "1,1");
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  g_autoptr (GError) error = NULL;

  infer_request_bind_states (request, set);
  g_assert_false (infer_request_infer (request, &error));
  assert_argument_error (error, "fake.xml has 1 variables*");
}

static void
test_failing_step (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferRequest) request = make (backend, "1,1", "1,1");

  run_value (request, 1, 1);
  for (InferStage stage = INFER_STAGE_UPLOAD; stage <= INFER_STAGE_WAIT;
       stage++) {
    const InferBackend *vtable = backend;
    g_autoptr (GError) error = NULL;

    if (vtable->wait == NULL && stage != INFER_STAGE_START)
      continue;
    settings->fail_stage = (int) stage;
    g_assert_false (infer_request_infer (request, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_DEVICE);
  }
  settings->fail_stage = FAKE_NEVER;
  run_value (request, 2, 3);
}

static void
test_counts (gconstpointer backend)
{
  fake_reset ();
  {
    g_autoptr (InferExecutable) executable =
        fake_executable (backend, 0, NULL, "1,1", NULL);
    InferRequest *a = infer_request_new (executable, NULL);
    InferRequest *b = infer_request_new (executable, NULL);

    g_assert_cmpuint (infer_executable_n_requests (executable), ==, 2);
    g_assert_true (infer_request_get_executable (a) == executable);
    infer_request_free (a);
    infer_request_free (b);
    infer_request_free (NULL);
    g_assert_cmpuint (infer_executable_n_requests (executable), ==, 0);
  }
  g_assert_cmpint (fake_n_objects (), ==, 0);
}

int
main (int argc, char **argv)
{
  static const FakeCase cases[] = { { "own-tensors", test_own_tensors },
    { "taken-output", test_taken_output }, { "stages", test_stages },
    { "start-needs-preprocess", test_start_needs_preprocess },
    { "conversion", test_conversion }, { "given-output", test_given_output },
    { "in-place", test_in_place }, { "unaligned", test_unaligned },
    { "roi", test_roi }, { "mixed-axes", test_mixed_axes },
    { "batch", test_batch }, { "wrong-shapes", test_wrong_shapes },
    { "dynamic", test_dynamic }, { "dynamic-output", test_dynamic_output },
    { "states", test_states }, { "bound-states", test_bound_states },
    { "foreign-states", test_foreign_states },
    { "failing-step", test_failing_step }, { "counts", test_counts } };

  g_test_init (&argc, &argv, NULL);
  fake_add_cases ("/request", cases, G_N_ELEMENTS (cases));
  return g_test_run ();
}
