/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The summator of OpenVINO's document on stateful models: its two utterances,
 * with a reset between them. */

#include "infer/request.h"
#include "tests/check/support/session.h"

static const char summator[] =
    "<?xml version=\"1.0\" ?>\n"
    "<net name=\"summator\" version=\"10\"><layers>"
    "<layer id=\"0\" name=\"init_value\" type=\"Const\" version=\"opset6\">"
    "<data element_type=\"f32\" offset=\"0\" shape=\"1,1\" size=\"4\"/>"
    "<output><port id=\"1\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"1\" name=\"read\" type=\"ReadValue\" version=\"opset6\">"
    "<data variable_id=\"id\"/>"
    "<input><port id=\"0\"><dim>1</dim><dim>1</dim></port></input>"
    "<output><port id=\"1\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"2\" name=\"input\" type=\"Parameter\" version=\"opset6\">"
    "<data element_type=\"f32\" shape=\"1,1\"/>"
    "<output><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"3\" name=\"add_sum\" type=\"Add\" version=\"opset6\">"
    "<input><port id=\"0\"><dim>1</dim><dim>1</dim></port>"
    "<port id=\"1\"><dim>1</dim><dim>1</dim></port></input>"
    "<output><port id=\"2\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"4\" name=\"save\" type=\"Assign\" version=\"opset6\">"
    "<data variable_id=\"id\"/>"
    "<input><port id=\"0\"><dim>1</dim><dim>1</dim></port></input></layer>"
    "<layer id=\"10\" name=\"add\" type=\"Add\" version=\"opset6\">"
    "<data axis=\"1\"/>"
    "<input><port id=\"0\"><dim>1</dim><dim>1</dim></port>"
    "<port id=\"1\"><dim>1</dim><dim>1</dim></port></input>"
    "<output><port id=\"2\" precision=\"FP32\"><dim>1</dim><dim>1</dim></port>"
    "</output></layer>"
    "<layer id=\"5\" name=\"output/sink_port_0\" type=\"Result\" "
    "version=\"opset6\">"
    "<input><port id=\"0\"><dim>1</dim><dim>1</dim></port></input></layer>"
    "</layers><edges>"
    "<edge from-layer=\"0\" from-port=\"1\" to-layer=\"1\" to-port=\"0\"/>"
    "<edge from-layer=\"2\" from-port=\"0\" to-layer=\"3\" to-port=\"1\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"3\" to-port=\"0\"/>"
    "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>"
    "<edge from-layer=\"3\" from-port=\"2\" to-layer=\"10\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"10\" to-port=\"1\"/>"
    "<edge from-layer=\"10\" from-port=\"2\" to-layer=\"5\" to-port=\"0\"/>"
    "</edges><meta_data><MO_version value=\"unknown version\"/>"
    "<cli_parameters></cli_parameters></meta_data></net>\n";

static InferRequest *
make_request (void)
{
  static const float zero = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) xml = g_bytes_new_static (summator, sizeof summator - 1);
  g_autoptr (GBytes) weights = g_bytes_new_static (&zero, sizeof zero);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, weights, "summator.xml", &error);
  g_assert_no_error (error);
  return test_request (model, "CPU", NULL);
}

static float
first (const InferTensor *tensor)
{
  g_assert_nonnull (tensor);
  return *(const float *) tensor->data;
}

static float
state_of (InferRequest *request)
{
  InferStateSet *states = infer_request_get_states (request);
  InferState *state = infer_state_set_find (states, "id", NULL);
  g_autoptr (InferTensor) value = infer_state_get_value (state, NULL);

  return first (value);
}

static void
step (InferRequest *request, float input, float state, float output)
{
  g_autoptr (GError) error = NULL;

  *(float *) infer_request_get_input (request, 0, NULL)->data = input;
  gboolean ok = infer_request_infer (request, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_cmpfloat (state_of (request), ==, state);
  g_assert_cmpfloat (
      first (infer_request_get_output (request, 0, NULL)), ==, output);
}

static void
test_utterances (void)
{
  g_autoptr (InferRequest) request = make_request ();
  InferStateSet *states = infer_request_get_states (request);

  g_assert_cmpuint (infer_state_set_n_states (states), ==, 1);
  g_assert_cmpfloat (state_of (request), ==, 0); /* of the constant */
  step (request, 1, 1, 1);
  step (request, 2, 3, 4);
  step (request, 3, 6, 9);
  infer_state_set_reset (states);
  g_assert_cmpfloat (state_of (request), ==, 0);
  step (request, 4, 4, 4);
  step (request, 5, 9, 13);
  step (request, 6, 15, 24);
}

/* As in the document: setting the state continues a sequence in another
 * request. */
static void
test_moved (void)
{
  g_autoptr (InferRequest) a = make_request ();
  g_autoptr (InferRequest) b = make_request ();
  g_autoptr (GError) error = NULL;

  step (a, 1, 1, 1);
  step (a, 2, 3, 4);
  step (b, 9, 9, 9);
  g_autoptr (InferTensor) value = infer_state_get_value (
      infer_state_set_get (infer_request_get_states (a), 0), &error);
  g_assert_no_error (error);
  g_assert_true (infer_state_set_value (
      infer_state_set_get (infer_request_get_states (b), 0), value, NULL));
  step (b, 3, 6, 9);
  step (a, 1, 4, 7);
  g_assert_true (infer_state_set_copy (
      infer_request_get_states (b), infer_request_get_states (a), NULL));
  step (b, 1, 5, 9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference-states/utterances", test_utterances);
  g_test_add_func ("/reference-states/moved", test_moved);
  return g_test_run ();
}
