/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A network of a speech model's folder, and whether it fits the others. */

#pragma once

#include "infer/runtime.h"
#include "inference/speech/folder.h"
#include "inference/speech/text/vocabulary.h"

/* Loads @file of @folder, which must have at least so many inputs and outputs.
 * @what: whose it is, for messages, e.g. "a transducer's joiner".
 * (transfer full) */
InferModel *speech_network_load (const SpeechFolder *folder, const char *file,
    const char *what, guint inputs, guint outputs, InferRuntime *runtime,
    GError **error);

/* The value of @key that @model has: in model_info, which the user may set
 * (docs/model-info.md), else in the metadata of its exporter.  NULL: nothing.
 */
const char *speech_network_info (const InferModel *model, const char *key);

/* @model scores @classes; the first @n tokens of @vocabulary have names, and at
 * most @unnamed classes may lack one. */
gboolean speech_network_check_tokens (const InferModel *model, guint classes,
    const InferVocabulary *vocabulary, guint n, guint unnamed, GError **error);
