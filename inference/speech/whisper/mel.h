/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The log-mel frames of an utterance that are still needed. */

#pragma once

#include "inference/media/features/features.h"

typedef struct
{
  InferFeatures *features;
  guint bands, hop;
  GArray *rows;    /* (element-type float): [n, bands], not normalised */
  gsize first;     /* number of the first frame in @rows */
  guint64 samples; /* of the utterance so far */
  gboolean ended;
  gsize total;      /* with ended: frames */
  GByteArray *kept; /* what there was before the end */
  guint rows_kept;
} WhisperMel;

gboolean whisper_mel_open (
    WhisperMel *mel, guint rate, guint bands, guint hop, GError **error);
void whisper_mel_close (WhisperMel *mel);

void whisper_mel_reset (WhisperMel *mel);
void whisper_mel_push (WhisperMel *mel, const float *samples, gsize n);
/* The utterance ends: its last frames, as if zeros followed. */
void whisper_mel_finish (WhisperMel *mel);
/* It has not ended after all. */
void whisper_mel_reopen (WhisperMel *mel);

/* Frames since the beginning of the utterance. */
gsize whisper_mel_frames (const WhisperMel *mel);
/* Frames before number @first are not needed any more. */
void whisper_mel_drop (WhisperMel *mel, gsize first);

/* Copies frames [@from, @from + @n), n > 0, as the model was trained on them:
 * relative to the loudest.  Returns what that is, as log10 of its energy. */
float whisper_mel_read (
    const WhisperMel *mel, gsize from, gsize n, float *rows);
