/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Features of a stream of samples: frames of `hop` samples each, computed from
 * `window` samples around them.  Frame i stands for the samples from hop * i
 * on. A kind (kind-list.h) says how a frame is computed, where its window lies,
 * and what stands for samples before and after the stream.  One thread at a
 * time. */

#pragma once

#include "infer/error.h"
#include "inference/media/features/config.h"

typedef struct _InferFeatures InferFeatures;

/* NULL: no kind has this number in kind-list.h. */
const InferFeaturesKind *infer_features_kind (int number);
const char *infer_features_kind_name (const InferFeaturesKind *kind);
const char *infer_features_kind_description (const InferFeaturesKind *kind);

/* Nothing is set: numbers 0, reals -1, what is TRUE or FALSE TRUE. */
InferFeaturesConfig infer_features_unset (void);
/* Sets what is not set as @kind has it, in time where it is for 16 kHz. */
void infer_features_fill (
    const InferFeaturesKind *kind, InferFeaturesConfig *config);

/* INFER_ERROR_INVALID_ARGUMENT if @config, all set, is out of these ranges. */
InferFeatures *infer_features_new (const InferFeaturesKind *kind,
    const InferFeaturesConfig *config, GError **error);
void infer_features_free (InferFeatures *features); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferFeatures, infer_features_free)

/* Values of a frame: at most 4096. */
guint infer_features_width (const InferFeatures *features);
/* TRUE: models want them band after band, [width, frames]. */
gboolean infer_features_bands_first (const InferFeatures *features);
/* From the first sample of a frame until it is complete, for the last of
 * @frames frames. */
guint64 infer_features_delay (const InferFeaturesKind *kind,
    const InferFeaturesConfig *config, guint frames);

/* Discards all samples: the next one starts a stream. */
void infer_features_reset (InferFeatures *features);

/* Takes samples in [-1, 1] until a frame is complete or all @n are taken.
 * Returns how many it took.  *@complete: @frame now holds `width` values, the
 * lowest band first. */
gsize infer_features_push (InferFeatures *features, const float *samples,
    gsize n, float *frame, gboolean *complete);
/* The stream ends: gives the next of the frames that this completes; FALSE:
 * there are no more, and a stream can begin. */
gboolean infer_features_finish (InferFeatures *features, float *frame);
/* Writes to @kept what there is of the stream, and goes on from there again. */
void infer_features_keep (const InferFeatures *features, GByteArray *kept);
void infer_features_restore (InferFeatures *features, const GByteArray *kept);

/* Normalises the @n frames of a whole utterance, @rows [@n, width], in place.
 */
void infer_features_normalize (
    const InferFeatures *features, float *rows, gsize n);

/* Brings @n values, @stride apart, to mean 0 and the deviation of a sample 1;
 * @least is added to the deviation. */
void infer_features_unit_variance (
    float *values, gsize n, gsize stride, double least);
/* Returns the samples taken since the first one of the next frame. */
guint64 infer_features_pending (const InferFeatures *features);
