/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Variables stay on the device, programs in the cache.
 *
 * Argument: summator.xml, whose output is the sum of its inputs so far. */

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/ocl/faulty-opencl.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <stdio.h>

static InferModel *model;

/* The first element of the output. */
static float
add (TestSession *device, float number)
{
  g_autoptr (GError) error = NULL;
  InferTensor *in = infer_request_get_input (device->request, 0, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < in->size / sizeof (float); i++)
    ((float *) in->data)[i] = number;
  infer_request_infer (device->request, &error);
  g_assert_no_error (error);
  return *(float *) infer_request_get_output (device->request, 0, NULL)->data;
}

static float
value_of (InferStateSet *states)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) value =
      infer_state_get_value (infer_state_set_get (states, 0), &error);

  g_assert_no_error (error);
  return *(float *) value->data;
}

/* A step with tensors in shared memory transfers nothing. */
static void
test_transfers (void)
{
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", NULL);
  add (&device, 1);
  faulty_opencl_set (0, FALSE);
  for (guint i = 0; i < 10; i++)
    add (&device, 1);
  guint n = faulty_opencl_n_transfers ();
  g_assert_cmpuint (n, <=, 20);
  g_assert_cmpfloat (
      value_of (infer_request_get_states (device.request)), ==, 11);
  g_assert_cmpuint (faulty_opencl_n_transfers (), ==, n + 1);
  /* Fetched once; the device continues from its own copy. */
  value_of (infer_request_get_states (device.request));
  g_assert_cmpuint (faulty_opencl_n_transfers (), ==, n + 1);
  g_assert_cmpfloat (add (&device, 1), ==, 12);
  g_assert_cmpuint (faulty_opencl_n_transfers (), <=, n + 3);
  test_session_close (&device);
}

/* One sequence on two devices in turn, set by the caller, and copied. */
static void
test_moves (void)
{
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  g_autoptr (InferStateSet) copy = infer_state_set_new (model);
  g_autoptr (GError) error = NULL;
  TestSession cpu, opencl;

  test_session_open (&cpu, model, NULL, "CPU", NULL);
  test_session_open (&opencl, model, NULL, "OPENCL", NULL);
  infer_request_bind_states (cpu.request, set);
  infer_request_bind_states (opencl.request, set);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpfloat (
        add (i % 3 == 0 ? &cpu : &opencl, 2), ==, 2 * (float) (i + 1));
  infer_state_set_copy (copy, set, &error);
  g_assert_no_error (error);
  infer_state_set_reset (set);
  g_assert_cmpfloat (add (&opencl, 5), ==, 5);
  g_assert_cmpfloat (value_of (copy), ==, 20);
  g_autoptr (InferTensor) value =
      infer_state_get_value (infer_state_set_get (copy, 0), &error);
  infer_state_set_value (infer_state_set_get (set, 0), value, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (add (&opencl, 5), ==, 25);
  test_session_close (&cpu);
  test_session_close (&opencl);
}

/* A set that outlives the runtime still has its value. */
static void
test_outlives (void)
{
  g_autoptr (InferStateSet) set = infer_state_set_new (model);
  TestSession device;

  test_session_open (&device, model, NULL, "OPENCL", NULL);
  infer_request_bind_states (device.request, set);
  add (&device, 7);
  test_session_close (&device);
  g_assert_cmpfloat (value_of (set), ==, 7);
  g_clear_pointer (&set, infer_state_set_unref);
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
}

/* Attention over all steps so far. */
static InferModel *
growing_model (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "1,1,8");
  net_read (net, "cache", "1,?,8", NULL);
  net_build (net,
      "longer = Concat cache x axis=1; "
      "assign-cache = Assign longer variable_id=cache; "
      "scores = MatMul x longer transpose_a=false transpose_b=true; "
      "weights = SoftMax scores axis=2; "
      "sum = MatMul weights longer transpose_a=false transpose_b=false; "
      "y = Result sum");
  net_settle (net);
  return net;
}

static void
step_growing (TestSession *device, guint step)
{
  g_autoptr (GError) error = NULL;
  float *data = infer_request_get_input (device->request, 0, NULL)->data;

  for (guint i = 0; i < 8; i++)
    data[i] = (float) ((step * 5 + i * 3) % 13) / 8 - 0.75f;
  infer_request_infer (device->request, &error);
  g_assert_no_error (error);
}

/* Resident memory in pages. */
static gint64
resident_pages (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  words = g_strsplit (text, " ", 3);
  return g_ascii_strtoll (words[1], NULL, 10);
}

/* A growing cache stays on the device, and nothing is compiled for its length:
 * after a few steps compilation stops, and plans for earlier lengths are freed.
 * Each length writes a table of sizes. */
static void
test_growing (void)
{
  InferModel *before = model;
  TestSession cpu, opencl;
  guint compiled = 0, alive = 0;
  gint64 pages = 0;

  model = growing_model ();
  test_session_open (&cpu, model, NULL, "CPU", NULL);
  test_session_open (&opencl, model, NULL, "OPENCL", NULL);
  for (guint step = 0; step < 1000; step++) {
    if (step == 100) {
      infer_state_set_reset (infer_request_get_states (cpu.request));
      infer_state_set_reset (infer_request_get_states (opencl.request));
    }
    faulty_opencl_set (0, FALSE);
    step_growing (&opencl, step);
    g_assert_cmpuint (faulty_opencl_n_transfers (), <=, 3);
    if (step >= 70)
      compiled += faulty_opencl_n_sources ();
    if (step == 300) {
      alive = (guint) faulty_opencl_n_alive ();
      pages = resident_pages ();
    }
    step_growing (&cpu, step);
    const float *want = infer_request_get_output (cpu.request, 0, NULL)->data;
    const float *got = infer_request_get_output (opencl.request, 0, NULL)->data;
    for (guint i = 0; i < 8; i++)
      g_assert_cmpfloat_with_epsilon (got[i], want[i], 1e-5f);
  }
  g_assert_cmpuint (compiled, ==, 0);
  g_assert_cmpuint ((guint) faulty_opencl_n_alive (), <=, alive + 8);
  g_assert_cmpint (resident_pages () - pages, <, 2048);
  test_session_close (&cpu);
  test_session_close (&opencl);
  infer_model_unref (model);
  model = before;
}

/* The second time, no program is compiled. */
static void
test_cache (void)
{
  g_autofree char *folder = g_dir_make_tmp ("ocl-cache-XXXXXX", NULL);
  g_autofree char *config = g_strdup_printf ("CACHE_DIR=%s", folder);
  const char *name;
  guint compiled[2];

  for (guint i = 0; i < 2; i++) {
    TestSession device;

    faulty_opencl_set (0, FALSE);
    test_session_open (&device, model, NULL, "OPENCL", config);
    g_assert_cmpfloat (add (&device, 3), ==, 3);
    compiled[i] = faulty_opencl_n_sources ();
    test_session_close (&device);
  }
  g_assert_cmpuint (compiled[0], >, 0);
  g_assert_cmpuint (compiled[1], ==, 0);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (files)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);
  g_autoptr (GError) error = NULL;

  if (runtime == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  g_clear_pointer (&runtime, infer_runtime_unref);
  model = infer_model_load (argv[1], NULL, &error);
  g_assert_no_error (error);
  test_transfers ();
  test_moves ();
  test_outlives ();
  test_growing ();
  test_cache ();
  g_assert_cmpint (faulty_opencl_n_alive (), ==, 0);
  infer_model_unref (model);
  return 0;
}
