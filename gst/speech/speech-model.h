/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The speech models loaded in this process: elements that ask for the same one
 * share it, so that weights are loaded and packed once.  Any thread. */

#pragma once

#include "infer/speech.h"

typedef struct _GstInferSpeechModel GstInferSpeechModel;

/* Strings are nullable but @path.  Returns the model that is already loaded,
 * waits for one that is being loaded, or loads it; files that have changed
 * since are loaded again. */
GstInferSpeechModel *gst_infer_speech_model_get (const char *path,
    const char *kind, const char *device, const char *config, GError **error);
/* Frees it after its last user.  NULL is fine. */
void gst_infer_speech_model_release (GstInferSpeechModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (
    GstInferSpeechModel, gst_infer_speech_model_release)

InferSpeechModel *gst_infer_speech_model_peek (GstInferSpeechModel *model);
/* Elements that use it now. */
guint gst_infer_speech_model_count_users (GstInferSpeechModel *model);
