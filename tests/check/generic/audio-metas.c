/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Metas of audio: kept where the buffer passes, right on a part of it, and not
 * on what is computed of it. */

#include <gst/audio/audio.h>
#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define N 800 /* frames of a buffer */
#define REFERENCE (3600 * GST_SECOND)

static GstStaticCaps reference = GST_STATIC_CAPS ("timestamp/x-unix");

static guint
count (GstBuffer *buffer, GType api)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  while ((meta = gst_buffer_iterate_meta (buffer, &state)) != NULL)
    n += api == G_TYPE_NONE || meta->info->api == api;
  return n;
}

/* Buffer number @index: a second of silence, and noise from then on. */
static GstBuffer *
make_buffer (guint index, const GstAudioInfo *info)
{
  g_autofree float *samples = g_new0 (float, 2 * N);
  g_autoptr (GstCaps) clock = gst_static_caps_get (&reference);
  const gsize n = N * (gsize) info->channels;

  for (guint i = 0; i < n && index * N >= TEST_RATE; i++)
    samples[i] = i / 8 % 2 ? 0.9f : -0.9f;
  GstBuffer *buffer = gst_buffer_new_memdup (samples, n * sizeof (float));
  GST_BUFFER_PTS (buffer) =
      gst_util_uint64_scale (index * N, GST_SECOND, TEST_RATE);
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale (N, GST_SECOND, TEST_RATE);
  if (index == 0)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED)
    gst_buffer_add_audio_meta (buffer, info, N, NULL);
  gst_buffer_add_audio_level_meta (buffer, 40, TRUE);
  gst_buffer_add_audio_clipping_meta (buffer, GST_FORMAT_DEFAULT, 0, 10);
  gst_buffer_add_reference_timestamp_meta (buffer, clock,
      REFERENCE + GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer));
  return buffer;
}

static void
set_info (GstAudioInfo *info, int channels, GstAudioLayout layout)
{
  gst_audio_info_init (info);
  gst_audio_info_set_format (
      info, GST_AUDIO_FORMAT_F32, TEST_RATE, channels, NULL);
  info->layout = layout;
}

static GstHarness *
start (const char *description, const GstAudioInfo *info)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps (h, gst_audio_info_to_caps (info));
  return h;
}

GST_START_TEST (test_passed)
{
  GstAudioInfo info;

  for (int planar = 0; planar < 2; planar++) {
    set_info (&info, 2,
        planar ? GST_AUDIO_LAYOUT_NON_INTERLEAVED
               : GST_AUDIO_LAYOUT_INTERLEAVED);
    g_autoptr (TestHarness) h = start ("infervad", &info);
    GstBuffer *buffer = make_buffer (0, &info);
    const guint n = count (buffer, G_TYPE_NONE);

    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    fail_unless (got == buffer);
    fail_unless_equals_int (count (got, G_TYPE_NONE), n);
  }
}
GST_END_TEST

/* A part of a buffer that infervad lets through. */
static void
check_part (GstBuffer *part, gboolean planar)
{
  g_autoptr (GstCaps) clock = gst_static_caps_get (&reference);
  const GstReferenceTimestampMeta *time =
      gst_buffer_get_reference_timestamp_meta (part, clock);
  const GstAudioMeta *audio = gst_buffer_get_audio_meta (part);
  const gboolean whole = GST_BUFFER_DURATION (part) == 50 * GST_MSECOND;

  fail_unless (time != NULL);
  fail_unless_equals_clocktime (
      time->timestamp, REFERENCE + GST_BUFFER_PTS (part));
  fail_unless_equals_clocktime (time->duration, GST_BUFFER_DURATION (part));
  /* They are of the whole buffer. */
  fail_unless_equals_int (count (part, GST_AUDIO_LEVEL_META_API_TYPE), whole);
  fail_unless_equals_int (
      count (part, GST_AUDIO_CLIPPING_META_API_TYPE), whole);
  fail_unless_equals_int (audio != NULL, planar);
  if (planar)
    fail_unless_equals_int (
        audio->samples, gst_util_uint64_scale_round (
                            GST_BUFFER_DURATION (part), TEST_RATE, GST_SECOND));
}

GST_START_TEST (test_parts)
{
  GstAudioInfo info;

  for (int planar = 0; planar < 2; planar++) {
    set_info (&info, 2,
        planar ? GST_AUDIO_LAYOUT_NON_INTERLEAVED
               : GST_AUDIO_LAYOUT_INTERLEAVED);
    g_autoptr (TestHarness) h =
        start ("infervad gate=gap vad-model=" SOURCE_ROOT
               "/tests/data/silero-like.xml",
            &info);
    guint n_whole = 0, n_parts = 0;
    GstBuffer *buffer;

    for (guint i = 0; i < 3 * TEST_RATE / N; i++)
      fail_unless_equals_int (
          gst_harness_push (h, make_buffer (i, &info)), GST_FLOW_OK);
    gst_harness_push_event (h, gst_event_new_eos ());
    while ((buffer = gst_harness_try_pull (h)) != NULL) {
      const gboolean whole = GST_BUFFER_DURATION (buffer) == 50 * GST_MSECOND;

      n_whole += whole;
      n_parts += !whole;
      /* Only the first buffer, whole or part, has DISCONT. */
      fail_unless_equals_int (
          GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT),
          n_whole + n_parts == 1);
      check_part (buffer, planar);
      gst_buffer_unref (buffer);
    }
    fail_unless (n_whole > 0 && n_parts > 0, "%u %u", n_whole, n_parts);
  }
}
GST_END_TEST

/* Samples that a model computed have other levels and other bounds than the
 * input: its metas are dropped. */
GST_START_TEST (test_computed)
{
  g_autofree char *model = picture_model_copy ("mono", "f32", "1,?");
  g_autofree char *filter =
      g_strdup_printf ("inferfilter output=media window=5 model=%s "
                       "model-info=sample_rate=16000",
          model);
  const char *const descriptions[] = { filter, "inferfeatures" };
  GstAudioInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    for (int planar = 0; planar < 2; planar++) {
      set_info (&info, 1,
          planar ? GST_AUDIO_LAYOUT_NON_INTERLEAVED
                 : GST_AUDIO_LAYOUT_INTERLEAVED);
      g_autoptr (TestHarness) h = start (descriptions[i], &info);
      GstBuffer *buffer;
      guint n = 0;

      for (guint k = 0; k < 10; k++)
        fail_unless_equals_int (
            gst_harness_push (h, make_buffer (k, &info)), GST_FLOW_OK);
      gst_harness_push_event (h, gst_event_new_eos ());
      while ((buffer = gst_harness_try_pull (h)) != NULL) {
        fail_unless_equals_int (count (buffer, G_TYPE_NONE), 0);
        gst_buffer_unref (buffer);
        n++;
      }
      fail_unless (n > 0, "%s", descriptions[i]);
    }
}
GST_END_TEST

/* GstAudioMeta says how many samples are valid, of interleaved ones too. */
GST_START_TEST (test_fewer_samples)
{
  g_autofree char *model = picture_model_copy ("mono", "f32", "1,?");
  g_autofree char *filter =
      g_strdup_printf ("inferfilter output=media window=5 model=%s "
                       "model-info=sample_rate=16000",
          model);
  g_autofree float *samples = test_ramp (N);
  GstAudioInfo info;

  set_info (&info, 1, GST_AUDIO_LAYOUT_INTERLEAVED);
  g_autoptr (TestHarness) h = start (filter, &info);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer =
        gst_buffer_new_memdup (samples + i * 100, 200 * sizeof (float));

    gst_buffer_add_audio_meta (buffer, &info, 100, NULL);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, 400);
  for (guint i = 0; i < 400; i++)
    fail_unless_equals_float (
        g_array_index (floats, float, i), (float) (i + 1));
}
GST_END_TEST

static Suite *
audio_metas_suite (void)
{
  return test_suite ("audio-metas", NULL, picture_folder_clear, test_passed,
      test_parts, test_computed, test_fewer_samples, NULL);
}

GST_CHECK_MAIN (audio_metas)
