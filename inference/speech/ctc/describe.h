/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads the description that a CTC model has of itself: rt_info model_info,
 * ONNX metadata_props, and preprocessor_config.json.  Errors name the file, the
 * key and its value. */

#pragma once

#include "infer/model.h"
#include "inference/media/features/features.h"
#include "inference/speech/folder.h"

/* @key of model_info, else of the metadata.  Without it *@value stays. */
gboolean ctc_describe_integer (const InferModel *model, const char *key,
    gint64 least, gint64 most, gint64 *value, GError **error);
gboolean ctc_describe_number (const InferModel *model, const char *key,
    double least, double most, double *value, GError **error);

/* Hz, and whether an utterance is brought to mean 0 and variance 1. */
gboolean ctc_describe_rate (const InferModel *model, const SpeechFolder *folder,
    const char *path, gint64 *rate, gboolean *unit_variance, GError **error);

/* The kind of its features; of @config, what it says of them. */
gboolean ctc_describe_features (const InferModel *model, const char *path,
    guint rate, const InferFeaturesKind **kind, InferFeaturesConfig *config,
    GError **error);
/* Whether each feature of an utterance is brought to mean 0 and variance 1. */
gboolean ctc_describe_per_feature (const InferModel *model);
/* A feature value of silence. */
float ctc_describe_pad (
    const InferFeaturesKind *kind, const InferFeaturesConfig *config);
