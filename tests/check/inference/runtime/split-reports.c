/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors, names, timings, spans and dumps of split models. */

#include "infer/request.h"
#include "inference/base/trace.h"
#include "tests/check/support/net.h"
#include "tests/check/support/part-backend.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <string.h>

static void
test_refused (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter 1; t = Tanh x; s = Sigmoid t; y = Result s");
  PartSettings *settings = part_reset ();
  g_autoptr (GError) error = NULL;

  settings[0].runs = "Tanh";
  settings[1].runs = "";
  {
    g_autoptr (InferRuntime) runtime =
        infer_runtime_new ("HETERO:PART_A,PART_B", NULL, &error);
    g_assert_no_error (error);
    g_assert_null (infer_executable_new (net, runtime, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
    g_assert_cmpstr (error->message, ==,
        "net.xml: 1 operation cannot run on PART_A, PART_B: Sigmoid opset1 "
        "(PART_A: not known here; PART_B: not known here)");
    g_clear_error (&error);
  }
  settings[0].fail_compile = TRUE;
  {
    g_autoptr (InferRuntime) runtime = infer_runtime_new ("PART_A", NULL, NULL);
    g_assert_null (infer_executable_new (net, runtime, &error));
    g_assert_cmpstr (
        error->message, ==, "net.xml: part 0, on PART_A: told not to compile");
    g_clear_error (&error);
  }
  settings[0].fail_compile = FALSE;
  settings[0].fail_context = TRUE;
  g_autoptr (InferExecutable) executable =
      test_compile (net, "PART_A", "PERF_COUNT=YES");
  g_assert_null (infer_request_new (executable, &error));
  g_assert_cmpstr (error->message, ==,
      "net.xml: part 0, on PART_A: told to make no context");
}

static void
assert_no_device (const char *device, InferErrorCode code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_runtime_new (device, NULL, &error));
  g_assert_error (error, INFER_ERROR, (int) code);
  g_assert_true (g_str_has_prefix (error->message, message));
}

static void
test_names (void)
{
  PartSettings *settings = part_reset ();

  assert_no_device ("NPU", INFER_ERROR_NOT_FOUND,
      "no device 'NPU': this build has no such backend; there are: CPU");
  assert_no_device ("CPU.1", INFER_ERROR_NOT_FOUND,
      "no device 'CPU.1': its backend has 1; there are: CPU");
  assert_no_device ("HETERO:CPU,NPU", INFER_ERROR_NOT_FOUND,
      "device 'HETERO:CPU,NPU': no device 'NPU'");
  assert_no_device ("HETERO", INFER_ERROR_INVALID_ARGUMENT,
      "device 'HETERO': a list of devices is missing");
  assert_no_device ("MULTI:", INFER_ERROR_INVALID_ARGUMENT,
      "device 'MULTI:': a list of devices is missing");
  assert_no_device ("MULTI:CPU,cpu", INFER_ERROR_INVALID_ARGUMENT,
      "device 'MULTI:CPU,cpu': device CPU is listed twice");
  settings[0].n_devices = 0;
  assert_no_device ("PART_A", INFER_ERROR_NOT_FOUND, "no device 'PART_A'");
}

static void
test_timings (void)
{
  g_autoptr (InferModel) net = net_of (
      "x = Parameter ?,4; t = Tanh x; s = Softmax t axis=1; y = Result s");
  PartSettings *settings = part_reset ();
  const gint64 rows = 2;

  settings[0].runs = "Tanh";
  g_autoptr (InferRequest) request =
      test_request (net, "PART_A", "PERF_COUNT=YES");
  net_run (request, &rows, 1);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  g_assert_cmpuint (timings->len, ==, 2);
  g_assert_cmpstr (
      g_array_index (timings, InferOpTiming, 0).device, ==, "PART_A");
  g_assert_cmpstr (g_array_index (timings, InferOpTiming, 0).name, ==, "t");
  g_assert_cmpstr (g_array_index (timings, InferOpTiming, 1).device, ==, "CPU");
}

/* One span per part, named after its device. */
static void
test_trace (void)
{
  g_autoptr (InferModel) net =
      net_of ("x = Parameter ?,4; t = Tanh x; s = Sigmoid t; y = Result s");
  PartSettings *settings = part_reset ();
  g_autofree char *path = NULL, *text = NULL;
  const gint64 rows = 1;
  int file = g_file_open_tmp ("infer-trace-XXXXXX", &path, NULL);

  g_assert_cmpint (file, >=, 0);
  g_close (file, NULL);
  settings[0].runs = "Tanh";
  g_autoptr (InferRequest) request =
      test_request (net, "PART_A", "PERF_COUNT=YES");
  g_assert_true (infer_trace_start (path, NULL));
  net_run (request, &rows, 1);
  g_assert_true (infer_trace_stop (NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_unlink (path);
  g_assert_nonnull (strstr (text, "\"PART_A_net_Req0_Part0\""));
  g_assert_nonnull (strstr (text, "\"CPU_net_Req0_Part1\""));
  g_assert_nonnull (strstr (text, "\"PART_A_net_Req0_Start\""));
}

/* One number for all parts of an inference. */
static void
test_dump (void)
{
  static const char *const want[] = { "000000_s_out0.npy", "000000_t_out0.npy",
    "000001_s_out0.npy", "000001_t_out0.npy" };
  g_autoptr (InferModel) net =
      net_of ("x = Parameter ?,4; t = Tanh x; s = Sigmoid t; last = Tanh s; "
              "y = Result last");
  PartSettings *settings = part_reset ();
  g_autofree char *folder = g_dir_make_tmp ("infer-split-XXXXXX", NULL);
  g_autofree char *config = g_strdup_printf ("DUMP=^[st]$,DUMP_DIR=%s", folder);
  const gint64 rows = 1;

  settings[0].runs = "Tanh";
  g_autoptr (InferRequest) request = test_request (net, "PART_A", config);
  net_run (request, &rows, 1);
  net_run (request, &rows, 2);
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    g_autofree char *path = g_build_filename (folder, want[i], NULL);
    g_assert_cmpint (g_unlink (path), ==, 0);
    g_autofree char *other = g_strdup (path);
    memcpy (strstr (other, "out0"), "in0.npy", sizeof "in0.npy");
    g_assert_cmpint (g_unlink (other), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/split-reports/refused", test_refused);
  g_test_add_func ("/split-reports/names", test_names);
  g_test_add_func ("/split-reports/timings", test_timings);
  g_test_add_func ("/split-reports/trace", test_trace);
  g_test_add_func ("/split-reports/dump", test_dump);
  return g_test_run ();
}
