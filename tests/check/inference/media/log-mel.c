/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/features/features.h"
#include "inference/media/features/kind.h"

#include <math.h>

#include "inference/base/npy.h"
#include "tests/check/support/folder.h"

#define BANDS 40

static InferFeaturesConfig
default_config (void)
{
  InferFeaturesConfig config = infer_features_unset ();

  infer_features_fill (&infer_features_log_mel, &config);
  return config;
}

/* All frames, with the samples pushed @part at a time. */
static GArray *
run (InferFeatures *features, const float *samples, gsize n, gsize part)
{
  GArray *frames = g_array_new (FALSE, FALSE, BANDS * sizeof (float));

  for (gsize at = 0; at < n; at += part) {
    gsize left = MIN (part, n - at), done = 0;

    while (done < left) {
      float frame[BANDS];
      gboolean complete;

      done += infer_features_push (
          features, samples + at + done, left - done, frame, &complete);
      if (complete)
        g_array_append_val (frames, frame);
    }
  }
  return frames;
}

static void
test_reference (void)
{
  InferFeaturesConfig config = default_config ();
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_log_mel, &config, NULL);
  g_autofree char *wav = g_build_filename (
      SOURCE_ROOT, "pipelines/recordings/af_kore-0-clean.wav", NULL);
  g_autofree char *npy = g_build_filename (
      SOURCE_ROOT, "tests/data/ref-af_kore-0-clean.features.npy", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) expected = infer_npy_read (npy, &error);
  static const gsize parts[] = { 1, 37, 160, 1600, 48000 };
  gsize n;

  g_assert_no_error (error);
  g_autofree float *samples = test_read_wav (wav, &n);
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
    const float *want = expected->data, *have;
    float worst = 0;

    infer_features_reset (features);
    g_autoptr (GArray) frames = run (features, samples, n, parts[p]);
    g_assert_cmpuint (frames->len, ==, n / config.hop);
    g_assert_cmpuint (frames->len, >=, expected->shape.dims[0]);
    have = (const float *) (gpointer) frames->data;
    for (gsize i = 0; i < (gsize) expected->shape.dims[0] * BANDS; i++)
      worst = MAX (worst, fabsf (want[i] - have[i]));
    g_assert_cmpfloat (worst, <=, 1e-4f);
    g_assert_cmpuint (infer_features_pending (features), ==, n % config.hop);
  }
}

static void
test_silence (void)
{
  InferFeaturesConfig config = default_config ();
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_log_mel, &config, NULL);
  static const float zeros[1600];
  g_autoptr (GArray) frames = run (features, zeros, 1600, 100);

  g_assert_cmpuint (frames->len, ==, 10);
  for (guint i = 0; i < 10 * BANDS; i++)
    g_assert_cmpfloat_with_epsilon (
        ((const float *) (gpointer) frames->data)[i], -13.8155106, 1e-5);
}

static void
test_reset (void)
{
  InferFeaturesConfig config = default_config ();
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_log_mel, &config, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GArray) first = NULL, second = NULL;
  float samples[1000];

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    samples[i] = (float) g_rand_double_range (random, -1, 1);
  first = run (features, samples, G_N_ELEMENTS (samples), 1000);
  infer_features_reset (features);
  second = run (features, samples, G_N_ELEMENTS (samples), 7);
  g_assert_cmpmem (first->data, first->len * BANDS * sizeof (float),
      second->data, second->len * BANDS * sizeof (float));
}

static void
test_bad_config (void)
{
  static const struct
  {
    guint fft, hop;
    double fmax;
  } cases[] = { { 500, 160, 7600 }, { 512, 0, 7600 }, { 512, 401, 7600 },
    { 256, 160, 7600 }, { 512, 160, 9000 }, { 512, 160, 10 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferFeaturesConfig config = default_config ();
    g_autoptr (GError) error = NULL;

    config.fft = cases[i].fft;
    config.hop = cases[i].hop;
    config.fmax = cases[i].fmax;
    g_assert_null (
        infer_features_new (&infer_features_log_mel, &config, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log-mel/reference", test_reference);
  g_test_add_func ("/log-mel/silence", test_silence);
  g_test_add_func ("/log-mel/reset", test_reset);
  g_test_add_func ("/log-mel/bad-config", test_bad_config);
  return g_test_run ();
}
