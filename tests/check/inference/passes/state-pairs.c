/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inputs and outputs that are states, found by their names. */

#include <string.h>

#include "infer/request.h"
#include "inference/passes/state-names.h"
#include "tests/check/support/onnx.h"
#include "tests/check/support/session.h"

static void
test_names (void)
{
  static const struct
  {
    const char *input, *output;
    InferStateMatch match;
  } cases[] = {
    { "h", "hn", INFER_STATE_LIKELY },
    { "c", "cn", INFER_STATE_LIKELY },
    { "h0", "hn", INFER_STATE_LIKELY },
    { "state", "stateN", INFER_STATE_LIKELY },
    { "r1i", "r1o", INFER_STATE_LIKELY },
    { "conv_cache", "conv_cache_out", INFER_STATE_LIKELY },
    { "att_cache", "r_att_cache", INFER_STATE_LIKELY },
    { "in_cache0", "out_cache0", INFER_STATE_LIKELY },
    { "in_n_layer_self_k_cache", "out_n_layer_self_k_cache",
        INFER_STATE_LIKELY },
    { "input_states_1", "output_states_1", INFER_STATE_LIKELY },
    { "cached_key_0", "new_cached_key_0", INFER_STATE_SURE },
    { "processed_lens", "new_processed_lens", INFER_STATE_SURE },
    { "cache_last_channel", "cache_last_channel_next", INFER_STATE_SURE },
    { "cache_last_channel_len", "cache_last_channel_next_len",
        INFER_STATE_SURE },
    { "state0", "next_state0", INFER_STATE_SURE },
    { "past_key_values.0.key", "present.0.key", INFER_STATE_SURE },
    { "past_key_values.0.key", "present_key_values.0.key", INFER_STATE_SURE },
    { "past_key_self_0", "present_key_self_0", INFER_STATE_SURE },
    { "past_conv.0", "present_conv.0", INFER_STATE_SURE },
    { "past_key_values.0.key", "present.1.key", INFER_STATE_NO },
    { "past_key_values.0.key", "present.0.value", INFER_STATE_NO },
    { "h", "cn", INFER_STATE_NO },
    { "x", "xn", INFER_STATE_NO },
    { "x", "x_out", INFER_STATE_NO },
    { "input", "output", INFER_STATE_NO },
    { "input_1", "output_1", INFER_STATE_NO },
    { "image_in", "image_out", INFER_STATE_NO },
    { "token_ids", "next_token_ids", INFER_STATE_NO },
    { "mask", "mask_out", INFER_STATE_NO },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (infer_state_names_match (cases[i].input, cases[i].output)
        != cases[i].match)
      g_error ("%s and %s: %d", cases[i].input, cases[i].output,
          infer_state_names_match (cases[i].input, cases[i].output));
}

/* --- models --- */

#define BATCH_ROW ONNX_NAMED ("batch") ONNX_D (2)
/* h and x [batch,2] → hn = h + x, and others. */
#define SUM(more)                                                              \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("h") ONNX_I ("x"), ONNX_O ("hn"), "")  \
          ONNX_NODE ("Identity", ONNX_I ("hn"), ONNX_O ("y"), "") ONNX_INPUT ( \
              "x", ONNX_F32, BATCH_ROW) ONNX_INPUT ("h", ONNX_F32, BATCH_ROW)  \
              ONNX_OUTPUT ("y", ONNX_F32, BATCH_ROW)                           \
                  ONNX_OUTPUT ("hn", ONNX_F32, BATCH_ROW) more)

static InferModel *
tie (const char *text, const char *pairs)
{
  g_autoptr (InferModel) model = onnx_text_load (text);
  g_auto (GStrv) list = g_strsplit (pairs, ",", -1);
  g_autoptr (GError) error = NULL;
  InferModel *tied =
      infer_model_tie_states (model, (const char *const *) list, &error);

  g_assert_no_error (error);
  return tied;
}

static void
refuse (const char *text, const char *pairs, const char *part)
{
  g_autoptr (InferModel) model = onnx_text_load (text);
  g_auto (GStrv) list = g_strsplit (pairs, ",", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) tied =
      infer_model_tie_states (model, (const char *const *) list, &error);

  g_assert_null (tied);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in '%s'", part, error->message);
}

/* Element 0 of output 0 after a step in which all of input 0 is @x. */
static float
step (InferRequest *request, const char *shape, float x)
{
  g_autoptr (InferTensor) input = test_tensor (INFER_TYPE_F32, shape);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < infer_shape_count (&input->shape); i++)
    ((float *) input->data)[i] = x;
  g_assert_true (infer_request_set_input (request, 0, input, &error));
  g_assert_true (infer_request_infer (request, &error));
  g_assert_no_error (error);
  return *(const float *) infer_request_get_output (request, 0, NULL)->data;
}

static void
test_sum (void)
{
  g_autoptr (InferModel) model = tie (SUM (""), "auto");
  g_autoptr (InferRequest) request = test_request (model, "CPU", NULL);

  g_assert_cmpstr (infer_model_get_rt_info (model, "state_pairs"), ==, "h=hn");
  g_assert_cmpuint (infer_model_n_inputs (model), ==, 1);
  g_assert_cmpuint (infer_model_n_outputs (model), ==, 1);
  g_assert_cmpuint (infer_model_n_variables (model), ==, 1);
  g_assert_cmpfloat (step (request, "1,2", 1), ==, 1);
  g_assert_cmpfloat (step (request, "1,2", 2), ==, 3);
  infer_state_set_reset (infer_request_get_states (request));
  g_assert_cmpfloat (step (request, "1,2", 5), ==, 5);
}

/* --- attention caches --- */

/* past [batch,length,2], x [batch,1,2]: present = past and x, y its sum over
 * the length.  @past, @present: dims of the two. */
#define CACHE(past, present)                                                   \
  ONNX_MODEL (ONNX_NODE ("Concat",                                             \
      ONNX_I ("past_key_values.0.key") ONNX_I ("x"), ONNX_O ("present.0.key"), \
      ONNX_INT ("axis", 1)) ONNX_INITIALIZER ("axes", ONNX_I64, "1=1 7=1")     \
          ONNX_NODE ("ReduceSum", ONNX_I ("present.0.key") ONNX_I ("axes"),    \
              ONNX_O ("y"), "") ONNX_INPUT ("x", ONNX_F32,                     \
              ONNX_NAMED ("batch") ONNX_D (1) ONNX_D (2))                      \
              ONNX_INPUT ("past_key_values.0.key", ONNX_F32, past)             \
                  ONNX_OUTPUT ("y", ONNX_F32,                                  \
                      ONNX_NAMED ("batch") ONNX_D (1) ONNX_D (2))              \
                      ONNX_OUTPUT ("present.0.key", ONNX_F32, present))

static void
check_cache (const char *text)
{
  g_autoptr (InferModel) model = tie (text, "auto");
  g_autoptr (InferRequest) request = test_request (model, "CPU", NULL);
  InferStateSet *states = infer_request_get_states (request);
  const InferShape empty =
                       infer_shape_make (3, (gint64) 1, (gint64) 0, (gint64) 2),
                   two =
                       infer_shape_make (3, (gint64) 1, (gint64) 2, (gint64) 2);

  g_autoptr (InferTensor) before =
      infer_state_get_value (infer_state_set_get (states, 0), NULL);
  g_assert_nonnull (before);
  g_assert_true (infer_shape_equal (&before->shape, &empty));
  g_assert_cmpfloat (step (request, "1,1,2", 1), ==, 1);
  g_assert_cmpfloat (step (request, "1,1,2", 2), ==, 3);
  g_autoptr (InferTensor) after =
      infer_state_get_value (infer_state_set_get (states, 0), NULL);
  g_assert_true (infer_shape_equal (&after->shape, &two));
  infer_state_set_reset (states);
  g_assert_cmpfloat (step (request, "1,1,2", 7), ==, 7);
}

/* By the names of dims, and without. */
static void
test_cache (void)
{
  check_cache (CACHE (ONNX_NAMED ("batch") ONNX_NAMED ("past") ONNX_D (2),
      ONNX_NAMED ("batch") ONNX_NAMED ("past + 1") ONNX_D (2)));
  check_cache (CACHE (ONNX_NAMED ("a") ONNX_NAMED ("b") ONNX_D (2), ""));
}

/* Optimum's merged decoder: x + the encoder's key, which the first step makes
 * of x and later steps do not give. */
#define MERGED                                                                 \
  ONNX_MODEL (ONNX_NODE ("If", ONNX_I ("use_cache_branch"),                    \
      ONNX_O ("y") ONNX_O ("present.0.encoder.key"),                           \
      ONNX_GRAPH ("then_branch",                                               \
          ONNX_NODE ("Add",                                                    \
              ONNX_I ("x") ONNX_I ("past_key_values.0.encoder.key"),           \
              ONNX_O ("y2"), "") ONNX_INITIALIZER ("none", ONNX_F32,           \
              "1=0 1=2") ONNX_NODE ("Identity", ONNX_I ("none"),               \
              ONNX_O ("k2"), "") ONNX_OUTPUT ("y2", ONNX_F32, "")              \
              ONNX_OUTPUT ("k2", ONNX_F32, "")) ONNX_GRAPH ("else_branch",     \
          ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("x"), ONNX_O ("k1"), "")      \
              ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("k1"), ONNX_O ("y1"), "") \
                  ONNX_OUTPUT ("y1", ONNX_F32, "")                             \
                      ONNX_OUTPUT ("k1", ONNX_F32, "")))                       \
          ONNX_INPUT ("x", ONNX_F32, ONNX_NAMED ("n") ONNX_D (2))              \
              ONNX_INPUT ("past_key_values.0.encoder.key", ONNX_F32,           \
                  ONNX_NAMED ("m") ONNX_D (2))                                 \
                  ONNX_INPUT ("use_cache_branch", ONNX_BOOL, ONNX_D (1))       \
                      ONNX_OUTPUT ("y", ONNX_F32, ONNX_NAMED ("n") ONNX_D (2)) \
                          ONNX_OUTPUT ("present.0.encoder.key", ONNX_F32,      \
                              ONNX_NAMED ("k") ONNX_D (2)))

static void
test_merged (void)
{
  g_autoptr (InferModel) model = tie (MERGED, "auto");
  g_autoptr (InferRequest) request = test_request (model, "CPU", NULL);

  g_assert_cmpuint (infer_model_n_inputs (model), ==, 1);
  g_assert_cmpuint (infer_model_n_variables (model), ==, 2);
  for (guint round = 0; round < 2; round++) {
    g_assert_cmpfloat (step (request, "1,2", 10), ==, 30);
    g_assert_cmpfloat (step (request, "1,2", 1), ==, 21);
    g_assert_cmpfloat (step (request, "1,2", 2), ==, 22);
    infer_state_set_reset (infer_request_get_states (request));
  }
}

/* --- refused --- */

static void
test_refused (void)
{
  refuse (SUM (ONNX_NODE ("Abs", ONNX_I ("hn"), ONNX_O ("h_out"), "")
                  ONNX_OUTPUT ("h_out", ONNX_F32, BATCH_ROW)),
      "auto", "may be 'hn' or 'h_out'");
  refuse (ONNX_MODEL (ONNX_NODE ("Relu", ONNX_I ("input"), ONNX_O ("output"),
              "") ONNX_INPUT ("input", ONNX_F32, ONNX_D (2))
                  ONNX_OUTPUT ("output", ONNX_F32, ONNX_D (2))),
      "auto", "inputs: 'input'; outputs: 'output'");
  refuse (
      ONNX_MODEL (ONNX_NODE ("Flatten", ONNX_I ("cache"), ONNX_O ("new_cache"),
          "") ONNX_INPUT ("cache", ONNX_F32, ONNX_D (2) ONNX_D (3) ONNX_D (4))
              ONNX_OUTPUT ("new_cache", ONNX_F32, ONNX_D (2) ONNX_D (12))),
      "auto", "the input is f32 [2,3,4], the output f32 [2,12]");
  refuse (SUM (""), "h=hn,h=y", "its input is that of another pair");
  refuse (SUM (""), "h=hn,x=hn", "its output is that of another pair");
}

/* A pair that is given beside "auto" is not looked for. */
static void
test_given_first (void)
{
  g_autoptr (InferModel) model =
      tie (SUM (ONNX_NODE ("Abs", ONNX_I ("hn"), ONNX_O ("h_out"), "")
                   ONNX_OUTPUT ("h_out", ONNX_F32, BATCH_ROW)),
          "auto,h=h_out");

  g_assert_cmpstr (
      infer_model_get_rt_info (model, "state_pairs"), ==, "h=h_out");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/state-pairs/names", test_names);
  g_test_add_func ("/state-pairs/sum", test_sum);
  g_test_add_func ("/state-pairs/cache", test_cache);
  g_test_add_func ("/state-pairs/merged", test_merged);
  g_test_add_func ("/state-pairs/refused", test_refused);
  g_test_add_func ("/state-pairs/given-first", test_given_first);
  return g_test_run ();
}
