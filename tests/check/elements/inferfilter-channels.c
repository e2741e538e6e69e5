/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Raw audio of any number of channels, format and layout, with models that
 * output their input. */

#include <gst/audio/audio.h>
#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

/* [1, 2, T] and [1, T, 2]: output equals input. */
GST_START_TEST (test_stereo)
{
  static const char *const dims[] = { "1,2,?", "1,?,2", "1,2,64" };

  for (guint i = 0; i < G_N_ELEMENTS (dims); i++) {
    g_autofree char *model = picture_model_copy ("stereo", "f32", dims[i]);
    g_autofree char *description =
        g_strdup_printf ("inferfilter output=media window=5 model=%s "
                         "model-info=sample_rate=16000;channels=2",
            model);
    g_autoptr (TestHarness) h = test_harness (description);
    g_autofree float *samples = test_ramp (2 * 300);

    gst_harness_set_src_caps_str (h,
        "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, "
        "channels=2, channel-mask=(bitmask)3");
    for (guint k = 0; k < 300; k += 50)
      gst_harness_push (
          h, gst_buffer_new_memdup (samples + 2 * k, 100 * sizeof (float)));
    g_autoptr (GArray) floats = test_finish_floats (h);
    fail_unless_equals_int (floats->len, 600);
    for (guint k = 0; k < 600; k++)
      fail_unless_equals_float (
          g_array_index (floats, float, k), (float) (k + 1));
  }
}
GST_END_TEST

/* 1/128 apart, so that they are exact in 8 bits. */
static double
value_of (guint channel, guint frame)
{
  return ((int) ((frame * 7 + channel * 50) % 255) - 127) / 128.0;
}

/* @n frames of 3 channels; planar: the channels in reverse order, with gaps.
 * They begin @at bytes behind an address that is aligned. */
static GstBuffer *
make_audio (const GstAudioInfo *info, guint n, guint at)
{
  gboolean planar = info->layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  gsize width = (gsize) GST_AUDIO_INFO_WIDTH (info) / 8, offsets[3];
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, at + 3 * (n + 5) * width, NULL);
  GstMapInfo map;

  gst_buffer_resize (buffer, at, -1);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0xee, map.size);
  for (guint c = 0; c < 3; c++) {
    offsets[c] = (2 - c) * (n + 5) * width + 2 * width;
    for (guint i = 0; i < n; i++) {
      double value = value_of (c, i);
      gint32 integer = (gint32) (value * 2147483648.0);
      gboolean s32 = info->finfo->unpack_format == GST_AUDIO_FORMAT_S32;

      info->finfo->pack_func (info->finfo, GST_AUDIO_PACK_FLAG_NONE,
          s32 ? (gpointer) &integer : (gpointer) &value,
          map.data + (planar ? offsets[c] + i * width : (3 * i + c) * width),
          1);
    }
  }
  gst_buffer_unmap (buffer, &map);
  if (planar)
    gst_buffer_add_audio_meta (buffer, info, n, offsets);
  else
    gst_buffer_set_size (buffer, (gssize) (3 * n * width));
  return buffer;
}

static GstHarness *
start_three (const GstAudioInfo *info)
{
  g_autofree char *model = picture_model_copy ("three", "f32", "1,3,?");
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=media window=5 model=%s "
                       "model-info=sample_rate=16000;channels=3",
          model);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps (h, gst_audio_info_to_caps (info));
  return h;
}

/* All formats and layouts that the CAPS query lists. */
GST_START_TEST (test_formats)
{
  static const GstAudioLayout layouts[] = { GST_AUDIO_LAYOUT_INTERLEAVED,
    GST_AUDIO_LAYOUT_NON_INTERLEAVED };
  guint known = 0;

  for (int f = GST_AUDIO_FORMAT_S8; f <= GST_AUDIO_FORMAT_F64BE; f++)
    for (guint l = 0; l < 2; l++) {
      GstAudioInfo info;

      gst_audio_info_init (&info);
      gst_audio_info_set_format (&info, (GstAudioFormat) f, TEST_RATE, 3, NULL);
      info.layout = layouts[l];
      g_autoptr (TestHarness) h = start_three (&info);
      g_autoptr (GstCaps) all = gst_pad_peer_query_caps (h->srcpad, NULL);
      g_autoptr (GstCaps) caps = gst_audio_info_to_caps (&info);
      if (!gst_caps_is_subset (caps, all))
        continue;
      known++;
      for (guint k = 0; k < 3; k++)
        fail_unless_equals_int (
            gst_harness_push (h, make_audio (&info, 130, k)), GST_FLOW_OK);
      g_autoptr (GArray) floats = test_finish_floats (h);
      fail_unless (floats->len == 3 * 3 * 130, "%s %u: %u", info.finfo->name, l,
          floats->len);
      for (guint i = 0; i < floats->len; i++)
        fail_unless (g_array_index (floats, float, i)
                         == (float) value_of (i % 3, i / 3 % 130),
            "%s: value %u is %g", info.finfo->name, i,
            g_array_index (floats, float, i));
    }
  fail_unless_equals_int (known, 2 * 18);
}
GST_END_TEST

/* Planar audio tells by a meta where its channels are. */
GST_START_TEST (test_wrong_planes)
{
  static const char *const parts[] = { "no GstAudioMeta",
    "says 2 channels of S16LE, the caps 3 of F32LE", "shorter" };
  GstAudioInfo info, other;

  gst_audio_info_init (&info);
  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_F32, TEST_RATE, 3, NULL);
  info.layout = GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  gst_audio_info_init (&other);
  gst_audio_info_set_format (&other, GST_AUDIO_FORMAT_S16, TEST_RATE, 2, NULL);
  other.layout = GST_AUDIO_LAYOUT_NON_INTERLEAVED;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autoptr (TestHarness) h = start_three (&info);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 3 * 4 * 100, NULL);

    if (i == 1)
      gst_buffer_add_audio_meta (buffer, &other, 100, NULL);
    if (i == 2) {
      gst_buffer_add_audio_meta (buffer, &info, 100, NULL);
      gst_buffer_set_size (buffer, 1000);
    }
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
    g_autofree char *error = test_pop_error (h);
    fail_unless (
        error != NULL && strstr (error, parts[i]) != NULL, "%s", error);
  }
}
GST_END_TEST

/* More than two channels: their positions leave as they came, or none do. */
GST_START_TEST (test_channel_mask)
{
  static const char *const masks[] = { "0x0", "0x33", "0x603" };
  g_autofree char *model = picture_model_copy ("four", "f32", "1,4,?");

  for (guint i = 0; i < G_N_ELEMENTS (masks); i++) {
    g_autofree char *description =
        g_strdup_printf ("inferfilter output=media window=5 model=%s "
                         "model-info=sample_rate=16000;channels=4",
            model);
    g_autofree char *text = g_strdup_printf (
        "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=4,"
        " channel-mask=(bitmask)%s",
        masks[i]);
    g_autoptr (TestHarness) h = test_harness (description);
    g_autoptr (GstCaps) want = gst_caps_from_string (text);
    g_autofree float *samples = test_ramp (4 * 80);
    GstAudioInfo info;

    gst_harness_set_src_caps_str (h, text);
    gst_harness_push (
        h, gst_buffer_new_memdup (samples, 4 * 80 * sizeof (float)));
    gst_buffer_unref (gst_harness_pull (h));
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
    fail_unless (gst_caps_is_equal (caps, want));
    fail_unless (gst_audio_info_from_caps (&info, caps));
  }
}
GST_END_TEST

static Suite *
inferfilter_channels_suite (void)
{
  return test_suite ("inferfilter-channels", NULL, picture_folder_clear,
      test_stereo, test_channel_mask, test_formats, test_wrong_planes, NULL);
}

GST_CHECK_MAIN (inferfilter_channels)
