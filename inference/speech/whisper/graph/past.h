/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Exports without variables, as optimum makes them: a decoder for the first
 * tokens of a text, whose outputs "present.L.decoder.key" and so on are its
 * caches, and one for each later token, which takes them as inputs
 * "past_key_values.L.decoder.key".  The former also gives the keys and values
 * of the cross-attention, "present.L.encoder.key". */

#pragma once

#include "inference/graph/model-private.h"

/* The two in one file, as branches of "use_cache_branch". */
gboolean whisper_past_is_merged (const InferModel *decoder);
/* *@first, *@next: (transfer full) */
gboolean whisper_past_split (const InferModel *merged, InferModel **first,
    InferModel **next, GError **error);

/* The keys and values of the cross-attention of all layers of @first.
 * INFER_ERROR_INVALID_MODEL: it lacks some, or @next is of another model.
 * (transfer full) (element-type InferPort) */
GArray *whisper_past_cross (
    const InferModel *first, const InferModel *next, GError **error);

/* The part of @first from "encoder_hidden_states" to the ports of
 * whisper_past_cross, for a batch of 1; *@ports (transfer full): these in it.
 * (transfer full) */
InferModel *whisper_past_tail (
    const InferModel *first, GArray **ports, GError **error);

/* @first with parameters in place of @cross; its outputs are the logits of the
 * last token and the caches, and the number of its tokens where @next wants
 * positions: the values of the variables *@states (transfer full) of
 * whisper_past_next.  (transfer full) */
InferModel *whisper_past_first (const InferModel *first, const InferModel *next,
    const GArray *cross, GStrv *states, GError **error);

/* @next with variables in place of the caches and an input WHISPER_BEAMS.
 * (transfer full) */
InferModel *whisper_past_next (const InferModel *next, GError **error);
