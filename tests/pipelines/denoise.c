/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A real denoiser: the waveform model through output=media, and its core's
 * spectra through other/tensors, both compared with OpenVINO's results for the
 * same recording.
 *
 * usage: test-denoise MODELS; exit status 77 if gtcrn is missing. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/check/support/stream.h"

#define HOP 256
#define FRAME (2 * HOP)
#define BINS (HOP + 1)
#define TOLERANCE 1e-4f

static char *models;

static char *
path_of (const char *file)
{
  return g_build_filename (models, file, NULL);
}

/* Samples of outputs/enhanced.wav: the floats of chunk "data". */
static GArray *
load_enhanced (void)
{
  g_autofree char *path = path_of ("gtcrn_wave/outputs/enhanced.wav");
  g_autofree char *bytes = NULL;
  GArray *floats = g_array_new (FALSE, FALSE, sizeof (float));
  gsize size, at = 0;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  while (at + 8 < size && memcmp (bytes + at, "data", 4) != 0)
    at++;
  g_assert_cmpuint (at + 8, <, size);
  g_array_append_vals (
      floats, bytes + at + 8, (guint) ((size - at - 8) / sizeof (float)));
  return floats;
}

static float *
load_noisy (gsize *n)
{
  g_autofree char *path = path_of ("gtcrn_wave/inputs/noisy.wav");

  return test_load_wav (path, n);
}

static GstHarness *
start (const char *model, const char *more, const char *caps)
{
  g_autofree char *path = path_of (model);
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=\"%s\" %s", path, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* As many samples as in the input, equal to the reference without its delay. */
static void
test_wave (gconstpointer data)
{
  g_autoptr (GArray) want = load_enhanced ();
  gsize n, part = GPOINTER_TO_SIZE (data);
  g_autoptr (TestHarness) h =
      start ("gtcrn_wave/model.xml", "output=media", TEST_AUDIO_CAPS);

  g_autofree float *noisy = load_noisy (&n);
  g_assert_cmpint (
      test_push_samples (h, noisy, n, part > 0 ? part : n, GST_SECOND), ==,
      GST_FLOW_OK);
  g_autoptr (GstBuffer) first = gst_harness_pull (h);
  g_assert_cmpuint (GST_BUFFER_PTS (first), ==, GST_SECOND);
  g_assert_cmpuint (gst_buffer_get_size (first), ==, HOP * sizeof (float));
  g_autoptr (GArray) got = test_finish_floats (h);
  g_assert_cmpuint (got->len + HOP, ==, n);
  for (gsize i = 0; i + 2 * HOP < want->len && i < got->len; i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (got, float, i),
        g_array_index (want, float, i + 2 * HOP), TOLERANCE);
}

static GArray *
denoise (GstHarness *h, const float *samples, gsize n)
{
  g_assert_cmpint (test_push_samples (h, samples, n, 1600, 0), ==, GST_FLOW_OK);
  return test_finish_floats (h);
}

/* Output after a flush equals, bit for bit, that of a new stream. */
static void
test_seek (void)
{
  g_autoptr (TestHarness) fresh =
      start ("gtcrn_wave/model.xml", "output=media", TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) h =
      start ("gtcrn_wave/model.xml", "output=media nireq=4", TEST_AUDIO_CAPS);
  gsize n;

  g_autofree float *noisy = load_noisy (&n);
  g_autoptr (GArray) alone = denoise (fresh, noisy + 3333, 30000);
  test_push_samples (h, noisy + 20000, 30000, 1600, 0);
  test_flush (h);
  g_autoptr (GArray) after = denoise (h, noisy + 3333, 30000);
  g_assert_cmpuint (after->len, ==, 30000);
  g_assert_cmpmem (alone->data, alone->len * sizeof (float), after->data,
      after->len * sizeof (float));
}

/* --- spectra --- */

typedef struct
{
  float window[FRAME];
  float cosine[FRAME], sine[FRAME];
} Fourier;

static void
fourier_init (Fourier *f)
{
  for (int i = 0; i < FRAME; i++) {
    double angle = 2 * G_PI * i / FRAME;

    f->window[i] = (float) sqrt (0.5 - 0.5 * cos (angle));
    f->cosine[i] = (float) cos (angle);
    f->sine[i] = (float) sin (angle);
  }
}

static void
analyse (const Fourier *f, const float *frame, float *spectrum)
{
  for (int k = 0; k < BINS; k++) {
    float re = 0, im = 0;

    for (int i = 0; i < FRAME; i++) {
      float x = frame[i] * f->window[i];

      re += x * f->cosine[k * i % FRAME];
      im -= x * f->sine[k * i % FRAME];
    }
    spectrum[2 * k] = re;
    spectrum[2 * k + 1] = im;
  }
}

static void
synthesise (const Fourier *f, const float *spectrum, float *frame)
{
  for (int i = 0; i < FRAME; i++) {
    float sum = 0;

    for (int k = 0; k < BINS; k++) {
      float weight = k == 0 || k == BINS - 1 ? 1.0f : 2.0f;

      sum += weight
             * (spectrum[2 * k] * f->cosine[k * i % FRAME]
                 - spectrum[2 * k + 1] * f->sine[k * i % FRAME]);
    }
    frame[i] = sum / FRAME * f->window[i];
  }
}

static void
test_spectra (void)
{
  enum
  {
    FRAMES = 200
  };
  g_autoptr (GArray) want = load_enhanced ();
  g_autofree Fourier *f = g_new0 (Fourier, 1);
  float tail[HOP] = { 0 }, frame[FRAME] = { 0 }, spectrum[2 * BINS];
  g_autoptr (TestHarness) h = start ("gtcrn/model_stateful.xml", "",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)2:1:257:1, framerate=(fraction)125/2");
  gsize n;

  fourier_init (f);
  g_autofree float *noisy = load_noisy (&n);
  for (int t = 0; t < FRAMES; t++) {
    memcpy (frame, frame + HOP, HOP * sizeof (float));
    memcpy (frame + HOP, noisy + t * HOP, HOP * sizeof (float));
    analyse (f, frame, spectrum);
    g_assert_cmpint (
        gst_harness_push (h, gst_buffer_new_memdup (spectrum, sizeof spectrum)),
        ==, GST_FLOW_OK);
  }
  g_autoptr (GArray) got = test_finish_floats (h);
  g_assert_cmpuint (got->len, ==, FRAMES * 2 * BINS);
  for (int t = 0; t < FRAMES; t++) {
    synthesise (f, &g_array_index (got, float, t * 2 * BINS), frame);
    for (int i = 0; i < HOP; i++)
      g_assert_cmpfloat_with_epsilon (tail[i] + frame[i],
          g_array_index (want, float, t *HOP + i), TOLERANCE);
    memcpy (tail, frame + HOP, sizeof tail);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  models = argv[1];
  g_autofree char *wave = path_of ("gtcrn_wave/model.xml");
  g_autofree char *core = path_of ("gtcrn/model_stateful.xml");
  if (!g_file_test (wave, G_FILE_TEST_EXISTS)
      || !g_file_test (core, G_FILE_TEST_EXISTS)) {
    printf ("skipped: %s is not there\n", wave);
    return 77;
  }
  g_test_add_data_func ("/denoise/37", GSIZE_TO_POINTER (37), test_wave);
  g_test_add_data_func ("/denoise/160", GSIZE_TO_POINTER (160), test_wave);
  g_test_add_data_func ("/denoise/1600", GSIZE_TO_POINTER (1600), test_wave);
  g_test_add_data_func ("/denoise/whole", GSIZE_TO_POINTER (0), test_wave);
  g_test_add_func ("/denoise/seek", test_seek);
  g_test_add_func ("/denoise/spectra", test_spectra);
  return g_test_run ();
}
