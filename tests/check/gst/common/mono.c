/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/mono.h"

#include <math.h>
#include <string.h>

#define RATE 16000

typedef GstInferMono TestMono;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestMono, gst_infer_mono_free)

static const guint rates[] = { 8000, 11025, 16000, 22050, 32000, 44100, 48000,
  96000 };

static GstAudioInfo
make_info (guint rate, guint channels)
{
  GstAudioInfo info;

  gst_audio_info_set_format (
      &info, GST_AUDIO_FORMAT_F32, (int) rate, (int) channels, NULL);
  return info;
}

static GstInferMono *
make_mono (const GstAudioInfo *info)
{
  g_autoptr (GError) error = NULL;
  GstInferMono *mono = gst_infer_mono_new (info, RATE, &error);

  g_assert_no_error (error);
  return mono;
}

/* Frames @from to @to of @frames, in parts of at most @part. */
static void
read_part (GstInferMono *mono, const GstAudioInfo *info, float *frames,
    gsize from, gsize to, gsize part, GArray *out)
{
  gsize bpf = (gsize) info->bpf;

  while (from < to) {
    gsize n = MIN (part, to - from);
    g_autoptr (GstBuffer) buffer =
        gst_buffer_new_memdup ((const guint8 *) frames + from * bpf, n * bpf);
    g_autoptr (GError) error = NULL;
    GstInferSamples samples;

    gst_infer_samples_map (&samples, info, buffer, &error);
    g_assert_no_error (error);
    for (gsize at = 0; at < n; at += GST_INFER_MONO_BLOCK)
      gst_infer_mono_read (
          mono, &samples, at, MIN (n - at, GST_INFER_MONO_BLOCK), out);
    gst_infer_samples_unmap (&samples);
    from += n;
  }
}

/* As many samples as the time has; the same for any size of buffers, and after
 * a reset in the middle of something else. */
static void
test_chunks (void)
{
  static const gsize parts[] = { 1, 7, 480, 5000 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    GstAudioInfo info = make_info (rates[r], 2);
    gsize n = rates[r] / 4 + 13;
    g_autoptr (TestMono) mono = make_mono (&info);
    g_autofree float *frames = g_new (float, 2 * n);
    g_autoptr (GArray) want = NULL;

    for (gsize i = 0; i < 2 * n; i++)
      frames[i] = (float) g_test_rand_double_range (-1, 1);
    for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
      g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));

      read_part (mono, &info, frames, 0, n, parts[p], got);
      gst_infer_mono_finish (mono, got);
      g_assert_cmpuint (
          got->len, ==, gst_util_uint64_scale_ceil (n, RATE, rates[r]));
      if (want == NULL)
        want = g_array_ref (got);
      g_assert_cmpmem (got->data, got->len * sizeof (float), want->data,
          want->len * sizeof (float));
      g_autoptr (GArray) other = g_array_new (FALSE, FALSE, sizeof (float));
      read_part (mono, &info, frames, 0, 99, 33, other);
      gst_infer_mono_reset (mono);
    }
  }
}

/* Sample k is of the time k / rate, within half a sample: a slow sine. */
static void
test_place (void)
{
  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    GstAudioInfo info = make_info (rates[r], 1);
    gsize n = rates[r];
    g_autoptr (TestMono) mono = make_mono (&info);
    g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
    g_autofree float *frames = g_new (float, n);

    for (gsize i = 0; i < n; i++)
      frames[i] = (float) sin (2 * G_PI * 200 * (double) i / rates[r]);
    read_part (mono, &info, frames, 0, n, 480, got);
    gst_infer_mono_finish (mono, got);
    double most = 0;
    for (guint i = RATE / 10; i < RATE * 9 / 10; i++)
      most = MAX (most, fabs (g_array_index (got, float, i)
                              - sin (2 * G_PI * 200 * i / RATE)));
    g_test_message ("%u Hz: at most %g off", rates[r], most);
    g_assert_cmpfloat (most, <, 2 * G_PI * 200 / MIN (rates[r], RATE) / 2);
  }
}

/* The mean of the channels, as it is where the rates are equal. */
static void
test_channels (void)
{
  GstAudioInfo info = make_info (RATE, 2);
  g_autoptr (TestMono) mono = make_mono (&info);
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
  float frames[] = { 1, 0, 0.5f, 0.25f, -1, 1 };

  read_part (mono, &info, frames, 0, 3, 3, got);
  gst_infer_mono_finish (mono, got);
  g_assert_cmpuint (got->len, ==, 3);
  g_assert_cmpfloat (g_array_index (got, float, 0), ==, 0.5f);
  g_assert_cmpfloat (g_array_index (got, float, 1), ==, 0.375f);
  g_assert_cmpfloat (g_array_index (got, float, 2), ==, 0.f);
  g_assert_cmpuint (gst_infer_mono_delay (mono), ==, 0);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mono/chunks", test_chunks);
  g_test_add_func ("/mono/place", test_place);
  g_test_add_func ("/mono/channels", test_channels);
  return g_test_run ();
}
