/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gio/gio.h>

#include "infer/runtime.h"

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"

static void
test_devices (void)
{
  g_auto (GStrv) devices = infer_runtime_list_devices ();

  g_assert_true (g_strv_contains ((const char *const *) devices, "CPU"));
  for (guint i = 0; devices[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (InferRuntime) runtime =
        infer_runtime_new (devices[i], NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (infer_runtime_get_device (runtime), ==, devices[i]);
  }
}

static void
test_names (void)
{
  static const char *const good[] = { NULL, "CPU", "cpu", "CPU.0" };
  static const char *const bad[] = { "", "CP", "CPU0", "CPU.", "CPU.1",
    "CPU.-1", "CPU.0x0", "CPU.99999999999", "NPU", "CPU:", "CPU:no such" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (InferRuntime) runtime = infer_runtime_new (good[i], NULL, NULL);
    g_assert_nonnull (runtime);
    g_assert_cmpstr (infer_runtime_get_device (runtime), ==, "CPU");
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *pattern = g_strdup_printf ("*'%s'*CPU*", bad[i]);

    g_assert_null (infer_runtime_new (bad[i], NULL, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
    g_assert_true (g_pattern_match_simple (pattern, error->message));
  }
}

/* By a part of the device's description. */
static void
test_own_names (void)
{
  static const struct
  {
    const char *text, *device;
  } cases[] = {
    { "FAKE:Blue Pipe 3000", "FAKE.1" },
    { "fake:bLUE", "FAKE.1" },
    { "FAKE:pipe", "FAKE.0" },
    { "FAKE:3000", "FAKE.0" },
    { "MULTI:FAKE:blue,FAKE:red", "MULTI:FAKE.1,FAKE.0" },
  };
  g_autofree char *own = infer_runtime_describe_device ("CPU", NULL);
  g_autofree char *upper = g_ascii_strup (own, -1);
  g_autofree char *cpu = g_strconcat ("CPU:", upper, NULL);
  g_autofree char *pattern = g_strdup_printf ("*'CPU:no such'*CPU (%s)*", own);
  g_autoptr (GError) error = NULL;

  fake_reset ();
  infer_backend_add (&fake_device);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (InferRuntime) runtime =
        infer_runtime_new (cases[i].text, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (infer_runtime_get_device (runtime), ==, cases[i].device);
  }
  g_autoptr (InferRuntime) runtime = infer_runtime_new (cpu, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (infer_runtime_get_device (runtime), ==, "CPU");
  g_assert_null (infer_runtime_new ("CPU:no such", NULL, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_true (g_pattern_match_simple (pattern, error->message));
}

static void
test_config (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_runtime_new ("CPU", "NUM_STREAMS=many", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, "NUM_STREAMS=3", &error);
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (infer_executable_optimal_requests (executable), >, 3);
}

/* All unsupported operations are listed at once, each kind once. */
static void
test_unsupported (void)
{
  FakeSettings *settings = fake_reset ();
  infer_backend_add (&fake_cpu);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("HETERO:FAKECPU.0", NULL, NULL);
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (GError) error = NULL;

  settings->refused = "Add ReadValue";
  g_assert_null (infer_executable_new (model, runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
      "fake.xml: 2 operations cannot run on FAKECPU.0: "
      "ReadValue opset6 (refused), Add opset6 (refused)");
  fake_reset ();
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  g_assert_nonnull (executable);
}

/* By the thread's current GCancellable. */
static void
test_cancelled (void)
{
  fake_reset ();
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (GCancellable) cancel = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_push_current (cancel);
  g_autoptr (InferExecutable) first =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  g_cancellable_cancel (cancel);
  g_assert_null (infer_executable_new (model, runtime, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&error);
  static const char text[] = "<net name='n' version='11'><layers><layer id='0' "
                             "name='x' type='Parameter' version='opset1'/>"
                             "</layers><edges/></net>";
  g_autoptr (GBytes) xml = g_bytes_new_static (text, sizeof text - 1);
  g_assert_null (infer_model_load_bytes (xml, NULL, "net", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_cancellable_pop_current (cancel);
  g_clear_error (&error);
  g_autoptr (InferExecutable) second =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
}

static void
test_query (void)
{
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = infer_runtime_query ("CPU", model, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_strv_length (lines), ==, 0);
  g_assert_null (infer_runtime_query ("NPU", model, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
}

/* One model on two runtimes, held by its executables. */
static void
test_two_runtimes (void)
{
  fake_reset ();
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  InferExecutable *executables[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (InferRuntime) runtime =
        infer_runtime_new_for_backend (&fake_device, i, NULL, NULL);
    executables[i] = infer_executable_new (model, runtime, NULL);
  }
  g_assert_cmpint (fake_n_objects (), ==, 4);
  InferExecutable *other = infer_executable_for_runtime (
      executables[0], infer_executable_get_runtime (executables[1]), NULL);
  g_assert_true (other != executables[0] && other != executables[1]);
  g_assert_cmpint (fake_n_objects (), ==, 5);
  g_assert_true (infer_executable_for_runtime (
                     other, infer_executable_get_runtime (other), NULL)
                 == other);
  infer_executable_unref (other);
  infer_executable_unref (other);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (InferRequest) request = infer_request_new (executables[i], NULL);
    g_autofree char *device = g_strdup_printf ("FAKE.%u", i);

    g_assert_cmpstr (infer_runtime_get_device (
                         infer_executable_get_runtime (executables[i])),
        ==, device);
    g_assert_true (infer_executable_get_model (executables[i]) == model);
    *(float *) infer_request_get_input (request, 0, NULL)->data = 5;
    g_assert_true (infer_request_infer (request, NULL));
    g_assert_cmpfloat (
        *(float *) infer_request_get_output (request, 0, NULL)->data, ==, 5);
    infer_executable_unref (executables[i]); /* the request holds a reference */
  }
  g_assert_cmpint (fake_n_objects (), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runtime/devices", test_devices);
  g_test_add_func ("/runtime/names", test_names);
  g_test_add_func ("/runtime/own-names", test_own_names);
  g_test_add_func ("/runtime/config", test_config);
  g_test_add_func ("/runtime/unsupported", test_unsupported);
  g_test_add_func ("/runtime/cancelled", test_cancelled);
  g_test_add_func ("/runtime/query", test_query);
  g_test_add_func ("/runtime/two-runtimes", test_two_runtimes);
  return g_test_run ();
}
