/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/mel.h"

#include <math.h>
#include <string.h>

#define FEATURES_WHISPER 3 /* in features/kind-list.h */

gboolean
whisper_mel_open (
    WhisperMel *mel, guint rate, guint bands, guint hop, GError **error)
{
  const InferFeaturesKind *kind = infer_features_kind (FEATURES_WHISPER);
  InferFeaturesConfig config = infer_features_unset ();

  config.sample_rate = rate;
  config.bands = bands;
  config.hop = hop;
  /* An utterance of any length: the ends of windows are found by the caller. */
  config.block = G_MAXINT32;
  infer_features_fill (kind, &config);
  *mel = (WhisperMel){ .bands = bands, .hop = config.hop };
  mel->rows = g_array_new (FALSE, FALSE, sizeof (float));
  mel->kept = g_byte_array_new ();
  mel->features = infer_features_new (kind, &config, error);
  return mel->features != NULL;
}

void
whisper_mel_close (WhisperMel *mel)
{
  g_clear_pointer (&mel->features, infer_features_free);
  g_clear_pointer (&mel->rows, g_array_unref);
  g_clear_pointer (&mel->kept, g_byte_array_unref);
}

void
whisper_mel_reset (WhisperMel *mel)
{
  infer_features_reset (mel->features);
  g_array_set_size (mel->rows, 0);
  mel->first = 0;
  mel->samples = 0;
  mel->ended = FALSE;
}

/* Space for the next frame, at the end of the rows. */
static float *
next_row (WhisperMel *mel)
{
  guint n = mel->rows->len;

  g_array_set_size (mel->rows, n + mel->bands);
  return &g_array_index (mel->rows, float, n);
}

void
whisper_mel_push (WhisperMel *mel, const float *samples, gsize n)
{
  mel->samples += n;
  while (n > 0) {
    gboolean complete;
    gsize taken = infer_features_push (
        mel->features, samples, n, next_row (mel), &complete);

    if (!complete)
      g_array_set_size (mel->rows, mel->rows->len - mel->bands);
    samples += taken;
    n -= taken;
  }
}

void
whisper_mel_finish (WhisperMel *mel)
{
  gsize total = (gsize) (mel->samples / mel->hop);

  if (mel->ended)
    return;
  infer_features_keep (mel->features, mel->kept);
  mel->rows_kept = mel->rows->len;
  while (whisper_mel_frames (mel) < total
         && infer_features_finish (mel->features, next_row (mel)))
    ;
  mel->ended = TRUE;
  /* A frame that samples of the utterance complete may be one too many. */
  mel->total = total;
}

void
whisper_mel_reopen (WhisperMel *mel)
{
  if (!mel->ended)
    return;
  infer_features_restore (mel->features, mel->kept);
  g_array_set_size (mel->rows, mel->rows_kept);
  mel->ended = FALSE;
}

gsize
whisper_mel_frames (const WhisperMel *mel)
{
  gsize frames = mel->first + mel->rows->len / mel->bands;

  return mel->ended ? MIN (frames, MAX (mel->total, mel->first)) : frames;
}

void
whisper_mel_drop (WhisperMel *mel, gsize first)
{
  gsize n = MIN (first, whisper_mel_frames (mel)) - MIN (first, mel->first);

  if (first <= mel->first || n == 0)
    return;
  g_array_remove_range (mel->rows, 0, (guint) n * mel->bands);
  mel->first += n;
}

float
whisper_mel_read (const WhisperMel *mel, gsize from, gsize n, float *rows)
{
  gsize count = n * mel->bands;
  float most = -INFINITY;

  memcpy (rows,
      &g_array_index (mel->rows, float, (from - mel->first) * mel->bands),
      count * sizeof *rows);
  for (gsize i = 0; i < count; i++)
    most = MAX (most, rows[i]);
  infer_features_normalize (mel->features, rows, n);
  return most;
}
