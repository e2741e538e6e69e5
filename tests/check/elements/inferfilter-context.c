/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows that begin with samples from before their own: a model that outputs
 * twice its 50 samples shows what it got. */

#include <math.h>
#include <string.h>

#include "inference/base/npy.h"
#include "tests/check/support/stream.h"

#define LENGTH 50 /* of the model's window */

static GstClockTime
at (guint64 samples)
{
  return gst_util_uint64_scale (samples, GST_SECOND, TEST_RATE);
}

static GstHarness *
start (const char *more)
{
  g_autofree char *description = test_filter ("double-wave.xml", more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

/* Sample number i is i + 1. */
static void
push_ramp (GstHarness *h, gsize n, gsize part, GstClockTime begin)
{
  g_autofree float *samples = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    samples[i] = (float) (i + 1);
  fail_unless_equals_int (
      test_push_samples (h, samples, n, part, begin), GST_FLOW_OK);
}

/* Window @w of @own samples after @context, of a ramp of @n samples. */
static void
check_window (GstHarness *h, gsize w, gsize hop, gsize context, gsize n,
    GstClockTime begin)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  gsize from = w * hop, end = MIN (from + LENGTH - context, n);
  float got[LENGTH];

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), begin + at (from));
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (buffer), at (end) - at (from));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), from);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), end);
  fail_unless_equals_int (
      gst_buffer_extract (buffer, 0, got, sizeof got), sizeof got);
  for (gsize i = 0; i < LENGTH; i++) {
    gssize sample = (gssize) (from + i) - (gssize) context;
    gboolean exists = sample >= 0 && sample < (gssize) n;

    fail_unless_equals_float (got[i], exists ? 2.f * (float) (sample + 1) : 0);
  }
}

GST_START_TEST (test_windows)
{
  static const gsize parts[] = { 1, 33, 400 };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autoptr (TestHarness) h = start ("context=10");

    push_ramp (h, 210, parts[i], 0);
    gst_harness_push_event (h, gst_event_new_eos ());
    for (gsize w = 0; w < 6; w++)
      check_window (h, w, 40, 10, 210, 0);
    test_wait_eos (h);
    fail_unless (gst_harness_try_pull (h) == NULL);
  }
}
GST_END_TEST

/* A hop as well: windows overlap by more than the context. */
GST_START_TEST (test_hop)
{
  g_autoptr (TestHarness) h = start ("context=10 hop=1"); /* 16 samples */

  push_ramp (h, 100, 7, 0);
  for (gsize w = 0; w < 4; w++)
    check_window (h, w, 16, 10, 100, 0);
  fail_unless (gst_harness_try_pull (h) == NULL);
}
GST_END_TEST

/* A new sequence begins with zeros. */
GST_START_TEST (test_resets)
{
  g_autoptr (TestHarness) h = start ("model-info=context=10 tail=drop");

  push_ramp (h, 70, 70, 0);
  check_window (h, 0, 40, 10, 70, 0);
  test_flush (h);
  push_ramp (h, 90, 90, GST_SECOND);
  for (gsize w = 0; w < 2; w++)
    check_window (h, w, 40, 10, 90, GST_SECOND);
  push_ramp (h, 45, 45, 3 * GST_SECOND); /* DISCONT */
  check_window (h, 0, 40, 10, 45, 3 * GST_SECOND);
}
GST_END_TEST

/* As many samples leave as came, without the context. */
GST_START_TEST (test_media)
{
  g_autoptr (TestHarness) h = start ("context=10 output=media");

  push_ramp (h, 333, 20, 0);
  g_autoptr (GArray) got = test_finish_floats (h);
  fail_unless_equals_int (got->len, 333);
  for (guint i = 0; i < got->len; i++)
    fail_unless_equals_float (
        g_array_index (got, float, i), 2.f * (float) (i + 1));
}
GST_END_TEST

GST_START_TEST (test_latency)
{
  g_autoptr (TestHarness) with = start ("context=10");

  fail_unless_equals_uint64 (gst_harness_query_latency (with), at (40));
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  static const struct
  {
    const char *settings, *part;
  } wrong[] = { { "context=50", "a context of 50 samples leaves nothing" },
    { "context=10 hop=3", "a hop of 48 samples is longer" } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (TestHarness) h = start (wrong[i].settings);
    g_autofree char *error = test_pop_error (h);

    fail_unless (
        error != NULL && strstr (error, wrong[i].part) != NULL, "%s", error);
  }
}
GST_END_TEST

static InferTensor *
read_silero (const char *name)
{
  const char *shared = g_getenv ("INFER_SHARED");
  g_autofree char *path =
      g_build_filename (shared != NULL ? shared : SOURCE_ROOT "/../shared",
          "models/silero_vad_16k", name, NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  return infer_npy_read (path, NULL);
}

/* The probabilities that its own runtime gives for windows of 512 samples with
 * 64 before each. */
GST_START_TEST (test_silero)
{
  g_autoptr (InferTensor) input = read_silero ("inputs/input.seq.npy");
  g_autoptr (InferTensor) want = read_silero ("outputs/output.seq.npy");
  const char *shared = g_getenv ("INFER_SHARED");
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));

  if (input == NULL || want == NULL) {
    g_print ("skipped: no silero_vad_16k in the shared models\n");
    return;
  }
  guint n = (guint) input->shape.dims[0];
  for (guint i = 0; i < n; i++)
    g_array_append_vals (
        samples, (const float *) input->data + i * 576 + 64, 512);
  g_autofree char *folder = g_strdup_printf ("%s/models/silero_vad_16k",
      shared != NULL ? shared : SOURCE_ROOT "/../shared");
  g_autofree char *description =
      g_strdup_printf ("inferfilter context=64 model-info=sample_rate=16000 "
                       "model=%s/model_stateful.xml weights=%s/model.bin",
          folder, folder);
  g_autoptr (TestHarness) h = test_harness (description);
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  test_push_samples (
      h, (const float *) (gpointer) samples->data, samples->len, 1600, 0);
  g_autoptr (GArray) have = test_finish_floats (h);
  fail_unless_equals_int (have->len, n);
  for (guint i = 0; i < n; i++) {
    float a = g_array_index (have, float, i);
    float b = ((const float *) want->data)[i];

    fail_unless (fabsf (a - b) < 1e-4f, "%u: %g instead of %g", i, a, b);
    fail_unless_equals_int (a >= 0.5f, b >= 0.5f);
  }
}
GST_END_TEST

static Suite *
inferfilter_context_suite (void)
{
  return test_suite ("inferfilter-context", NULL, NULL, test_windows, test_hop,
      test_resets, test_media, test_latency, test_refused, test_silero, NULL);
}

GST_CHECK_MAIN (inferfilter_context)
