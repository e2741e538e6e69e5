/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Timings per operation, and operations that only re-label memory. */

#include "infer/request.h"
#include "tests/check/support/session.h"

#include <string.h>

static const char model_xml[] =
    "<?xml version=\"1.0\"?>\n"
    "<net name=\"timed\" version=\"11\"><layers>"
    "<layer id=\"0\" name=\"in\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"1,64\" element_type=\"f32\"/><output><port id=\"0\" "
    "precision=\"FP32\"><dim>1</dim><dim>64</dim></port></output></layer>"
    "<layer id=\"1\" name=\"tanh\" type=\"Tanh\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>64</dim></port>"
    "</input><output><port id=\"1\" precision=\"FP32\"><dim>1</dim>"
    "<dim>64</dim></port></output></layer>"
    "<layer id=\"2\" name=\"view\" type=\"Squeeze\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>64</dim></port>"
    "</input><output><port id=\"1\" precision=\"FP32\"><dim>64</dim></port>"
    "</output></layer>"
    "<layer id=\"3\" name=\"exp\" type=\"Exp\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>64</dim></port>"
    "</input><output><port id=\"1\" precision=\"FP32\"><dim>64</dim></port>"
    "</output></layer>"
    "<layer id=\"4\" name=\"out\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>64</dim></port></input>"
    "</layer></layers><edges>"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/>"
    "<edge from-layer=\"2\" from-port=\"1\" to-layer=\"3\" to-port=\"0\"/>"
    "<edge from-layer=\"3\" from-port=\"1\" to-layer=\"4\" to-port=\"0\"/>"
    "</edges></net>\n";

static const InferOpTiming *
find (GArray *timings, const char *type)
{
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);
    if (strcmp (timing->type, type) == 0)
      return timing;
  }
  g_error ("no timing of %s", type);
  return NULL;
}

static void
test_timings (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) xml = g_bytes_new_static (model_xml, sizeof model_xml - 1);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, NULL, "timed.xml", &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request =
      test_request (model, "CPU", "PERF_COUNT=YES");
  g_assert_true (infer_request_infer (request, &error));
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  const InferOpTiming *computed = find (timings, "Tanh");
  g_assert_cmpstr (computed->name, ==, "tanh");
  g_assert_cmpstr (computed->kernel, !=, "optimized out");
  g_assert_cmpuint (computed->ns, >, 0);
  const InferOpTiming *view = find (timings, "Squeeze");
  g_assert_cmpstr (view->name, ==, "view");
  g_assert_cmpstr (view->kernel, ==, "optimized out");
  g_assert_cmpuint (view->ns, ==, 0);
  guint64 all = 0;
  for (guint i = 0; i < timings->len; i++)
    all += g_array_index (timings, InferOpTiming, i).ns;
  g_assert_cmpuint (
      all, <=, infer_request_get_timings (request)[INFER_STAGE_START]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op-timings/timings", test_timings);
  return g_test_run ();
}
