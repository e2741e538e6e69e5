/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "inference/base/npy.h"
#include "tests/check/support/stream.h"

#define BANDS 40

static GstHarness *
start (const char *description)
{
  GstHarness *harness = test_harness (description);

  gst_harness_set_src_caps_str (harness, TEST_AUDIO_CAPS);
  return harness;
}

static void
assert_equal (GArray *a, GArray *b)
{
  fail_unless_equals_int (a->len, b->len);
  fail_unless (memcmp (a->data, b->data, a->len * sizeof (float)) == 0);
}

GST_START_TEST (test_reference)
{
  static const gsize parts[] = { 37, 160, 1600, 48000 };
  g_autofree char *npy =
      test_path ("tests/data/ref-af_kore-0-clean.features.npy");
  g_autoptr (InferTensor) want = infer_npy_read (npy, NULL);
  gsize n;

  fail_unless (want != NULL);
  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
    g_autoptr (TestHarness) h = start ("inferfeatures");

    fail_unless_equals_int (
        test_push_samples (h, samples, n, parts[p], 0), GST_FLOW_OK);
    g_autoptr (GArray) have = test_finish_floats (h);
    fail_unless_equals_int (have->len, n / 160 * BANDS);
    for (gsize i = 0; i < (gsize) want->shape.dims[0] * BANDS; i++)
      fail_unless (fabsf (((const float *) want->data)[i]
                          - g_array_index (have, float, i))
                   <= 1e-3f);
  }
}
GST_END_TEST

GST_START_TEST (test_s16)
{
  GstHarness *h = start ("inferfeatures"),
             *h16 = test_harness ("inferfeatures");
  gsize n;

  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  g_autofree gint16 *shorts = g_new (gint16, n);
  for (gsize i = 0; i < n; i++)
    shorts[i] = (gint16) (samples[i] * 32768.0f);
  gst_harness_set_src_caps_str (h16,
      "audio/x-raw, format=S16LE, layout=interleaved, rate=16000, channels=1");
  test_push_samples (h, samples, n, 1600, 0);
  g_autoptr (GArray) want = test_finish_floats (h);
  gst_harness_push (h16, gst_buffer_new_memdup (shorts, n * sizeof (gint16)));
  g_autoptr (GArray) have = test_finish_floats (h16);
  assert_equal (want, have);
  gst_harness_teardown (h);
  gst_harness_teardown (h16);
}
GST_END_TEST

/* Other formats, and planar, give the same. */
GST_START_TEST (test_s32)
{
  static const char *const layouts[] = { "interleaved", "non-interleaved" };
  gsize n;
  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  g_autofree gint32 *integers = g_new (gint32, n);
  g_autoptr (TestHarness) h = start ("inferfeatures");

  for (gsize i = 0; i < n; i++)
    integers[i] = (gint32) (samples[i] * 2147483648.0f);
  test_push_samples (h, samples, n, 1600, 0);
  g_autoptr (GArray) want = test_finish_floats (h);
  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    g_autofree char *caps = g_strdup_printf (
        "audio/x-raw, format=S32LE, layout=%s, rate=16000, channels=1",
        layouts[l]);
    g_autoptr (TestHarness) other = test_harness ("inferfeatures");

    gst_harness_set_src_caps_str (other, caps);
    gst_harness_push (
        other, gst_buffer_new_memdup (integers, n * sizeof (gint32)));
    g_autoptr (GArray) have = test_finish_floats (other);
    assert_equal (want, have);
  }
}
GST_END_TEST

GST_START_TEST (test_caps_and_times)
{
  g_autoptr (TestHarness) h = start ("inferfeatures frames=10");
  g_autofree float *samples = g_new0 (float, 4000);

  test_push_samples (h, samples, 4000, 37, GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    guint frames = i < 2 ? 10 : 5;

    fail_unless_equals_int64 (
        GST_BUFFER_PTS (buffer), GST_SECOND + i * 100 * GST_MSECOND);
    fail_unless_equals_int64 (
        GST_BUFFER_DURATION (buffer), frames * 10 * GST_MSECOND);
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (buffer), i * 10);
    fail_unless_equals_int (gst_buffer_get_size (buffer), frames * BANDS * 4);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), i == 0);
  }
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_has_field_typed (
      gst_caps_get_structure (caps, 0), "dimensions", G_TYPE_STRING));
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"),
      "40:5:1");
}
GST_END_TEST

/* A flush, a discontinuity or a new stream resets the window. */
GST_START_TEST (test_resets)
{
  GstHarness *h = start ("inferfeatures");
  gsize n;

  g_autofree float *samples = test_load_wav ("flite_slt-0-clean.wav", &n);
  test_push_samples (h, samples, n, 1600, 0);
  g_autoptr (GArray) alone = test_finish_floats (h);
  gst_harness_teardown (h);

  for (guint how = 0; how < 2; how++) {
    h = start ("inferfeatures");
    test_push_samples (h, samples + 5000, 7777, 333, 0);
    gsize before = how == 0 ? 0 : 7777 / 160 * BANDS;
    if (how == 0)
      test_flush (h);
    test_push_samples (h, samples, n, 333, 10 * GST_SECOND);
    g_autoptr (GArray) again = test_finish_floats (h);
    g_array_remove_range (again, 0, (guint) before);
    assert_equal (alone, again);
    gst_harness_teardown (h);
  }
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  GstHarness *h = test_harness ("inferfeatures");

  gst_harness_set_src_caps_str (h,
      "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1");
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, "16000 Hz") != NULL
                   && strstr (error, "rate=(int)8000") != NULL,
      "%s", error);
  gst_harness_teardown (h);

  g_autoptr (GstElement) element =
      gst_element_factory_make ("inferfeatures", NULL);
  gst_util_set_object_arg (G_OBJECT (element), "fft-size", "500");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
}
GST_END_TEST

GST_START_TEST (test_latency)
{
  g_autoptr (TestHarness) h = start ("inferfeatures frames=5");

  gst_harness_set_upstream_latency (h, 7 * GST_MSECOND);
  fail_unless_equals_int64 (gst_harness_query_latency (h), 57 * GST_MSECOND);
}
GST_END_TEST

/* The output of inferfilter for buffers of @frames frames: a line of times and
 * values for each window. */
static char *
run_model (guint frames, const float *samples, gsize n)
{
  g_autofree char *description = g_strdup_printf (
      "inferfeatures frames=%u ! inferfilter model=" SOURCE_ROOT
      "/pipelines/models/digits/digits.xml",
      frames);
  GstHarness *h = start (description);
  GString *text = g_string_new (NULL);
  GstBuffer *buffer;

  fail_unless_equals_int (
      test_push_samples (h, samples, n, 1000, 0), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  test_wait_eos (h);
  while ((buffer = gst_harness_try_pull (h)) != NULL) {
    gsize size = gst_buffer_get_size (buffer);
    g_autofree char *data = g_malloc (size);

    gst_buffer_extract (buffer, 0, data, size);
    g_autofree char *sum =
        g_compute_checksum_for_data (G_CHECKSUM_MD5, (guchar *) data, size);
    g_string_append_printf (text,
        "%" GST_TIME_FORMAT " %" GST_TIME_FORMAT " %d %s\n",
        GST_TIME_ARGS (GST_BUFFER_PTS (buffer)),
        GST_TIME_ARGS (GST_BUFFER_DURATION (buffer)),
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT), sum);
    gst_buffer_unref (buffer);
  }
  test_teardown (h);
  return g_string_free (text, FALSE);
}

/* A tail with fewer frames than a buffer has is neither a new sequence nor of
 * another pace: windows, states and times do not depend on `frames`. */
GST_START_TEST (test_tail_continues)
{
  static const guint frames[] = { 7, 64, 100, 1000 };
  gsize n;

  g_autofree float *samples = test_load_wav ("af_kore-0-clean.wav", &n);
  g_autofree char *want = run_model (1, samples, n);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    g_autofree char *have = run_model (frames[i], samples, n);
    gsize same = 0;

    while (have[same] != '\0' && have[same] == want[same])
      same++;
    fail_unless (have[same] == want[same],
        "frames=%u: %.100s instead of %.100s", frames[i], have + same,
        want + same);
  }
}
GST_END_TEST

/* The caps' frame rate is that of buffers, also of a shorter one. */
GST_START_TEST (test_tail_caps)
{
  g_autoptr (TestHarness) h = start ("inferfeatures frames=64");
  g_autofree float *samples = g_new0 (float, 100 * 160);
  int fps_n, fps_d;

  test_push_samples (h, samples, 100 * 160, 1600, 0);
  for (guint i = 0; i < 2; i++) {
    if (i == 1)
      gst_harness_push_event (h, gst_event_new_eos ());
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);

    fail_unless (gst_structure_get_fraction (
        gst_caps_get_structure (caps, 0), "framerate", &fps_n, &fps_d));
    fail_unless_equals_int (fps_n * (i == 0 ? 64 : 36), fps_d * 100);
  }
}
GST_END_TEST

/* Each kind against tests/data/make-features.py, which states its definition,
 * for buffers of many sizes; with times and latency. */
GST_START_TEST (test_kinds)
{
  static const struct
  {
    const char *settings, *reference;
    guint frames; /* in a buffer */
    guint delay;  /* samples from a buffer's first to its last */
  } kinds[] = { { "type=fbank", "fbank", 1, 400 },
    { "type=fbank snip-edges=false frames=7", "fbank-mirrored", 7, 1240 },
    { "type=mfcc frames=4", "mfcc", 4, 880 },
    { "type=whisper frames=30", "whisper", 30, 4800 },
    { "type=nemo frames=2", "nemo", 2, 360 } };
  static const gsize parts[] = { 1, 37, 1600, 8117 };
  const guint n = 8117;
  gsize all;

  g_autofree float *samples = test_load_wav ("bf_lily-1-snr10.wav", &all);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autofree char *relative =
        g_strdup_printf ("tests/data/features-%s.npy", kinds[k].reference);
    g_autofree char *path = test_path (relative);
    g_autofree char *description =
        g_strdup_printf ("inferfeatures %s", kinds[k].settings);
    g_autoptr (InferTensor) want = infer_npy_read (path, NULL);

    fail_unless (want != NULL);
    for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
      g_autoptr (TestHarness) h = start (description);
      float worst = 0;

      fail_unless_equals_uint64 (gst_harness_query_latency (h),
          gst_util_uint64_scale (kinds[k].delay, GST_SECOND, TEST_RATE));
      fail_unless_equals_int (
          test_push_samples (h, samples, n, parts[p], 0), GST_FLOW_OK);
      g_autoptr (GArray) have = test_finish_floats (h);
      fail_unless_equals_int (have->len, infer_shape_count (&want->shape));
      for (guint i = 0; i < have->len; i++)
        worst = MAX (worst, fabsf (((const float *) want->data)[i]
                                   - g_array_index (have, float, i)));
      fail_unless (worst <= 1e-4f, "%s: off by %g", description, worst);
    }
  }
}
GST_END_TEST

/* An utterance of Whisper's is [1, bands, frames]; the last one, filled with
 * zeros, lasts as long as its samples. */
GST_START_TEST (test_whisper_times)
{
  g_autoptr (TestHarness) h = start ("inferfeatures type=whisper frames=30");
  g_autofree float *samples = g_new0 (float, 8117);

  test_push_samples (h, samples, 8117, 100, GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), GST_SECOND + i * 300 * GST_MSECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer),
        i == 0 ? 300 * GST_MSECOND
               : gst_util_uint64_scale (8117, GST_SECOND, TEST_RATE)
                     - 300 * GST_MSECOND);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 30 * 80 * 4);
  }
  fail_unless (gst_harness_try_pull (h) == NULL);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"),
      "30:80:1");
}
GST_END_TEST

/* Of 30 s, as Whisper's own front end gives them. */
GST_START_TEST (test_whisper_reference)
{
  const char *env = g_getenv ("INFER_SHARED");
  const char *shared = env != NULL ? env : SOURCE_ROOT "/../shared";
  g_autofree char *wav =
      g_build_filename (shared, "speech", "wav", "beckett.wav", NULL);
  g_autofree char *npy = g_build_filename (shared, "models",
      "whisper_tiny_en_encoder", "inputs", "input_features.npy", NULL);
  float worst = 0;
  gsize n;

  if (!g_file_test (wav, G_FILE_TEST_EXISTS)
      || !g_file_test (npy, G_FILE_TEST_EXISTS)) {
    g_print ("skipped: no %s or no %s\n", wav, npy);
    return;
  }
  g_autoptr (InferTensor) want = infer_npy_read (npy, NULL);
  g_autofree float *samples = test_load_wav (wav, &n);
  g_autoptr (TestHarness) h = start ("inferfeatures type=whisper");
  test_push_samples (h, samples, n, 1600, 0);
  g_autoptr (GArray) have = test_finish_floats (h);
  fail_unless (have->len >= 80 * 3000);
  for (guint i = 0; i < 80 * 3000; i++)
    worst = MAX (worst, fabsf (((const float *) want->data)[i]
                               - g_array_index (have, float, i)));
  fail_unless (worst <= 1e-4f, "off by %g", worst);
}
GST_END_TEST

static Suite *
inferfeatures_suite (void)
{
  return test_suite ("inferfeatures", NULL, NULL, test_reference, test_s16,
      test_s32, test_caps_and_times, test_resets, test_refused, test_latency,
      test_tail_continues, test_tail_caps, test_kinds, test_whisper_times,
      test_whisper_reference, NULL);
}

GST_CHECK_MAIN (inferfeatures)
