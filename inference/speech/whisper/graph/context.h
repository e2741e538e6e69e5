/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The encoder for pieces shorter than those it was exported for. */

#pragma once

#include "inference/graph/model-private.h"

/* Rewrites @model, an encoder of [batch, bands, 2 * @positions], in place: its
 * length is open, its positional embedding becomes an input and *@embedding,
 * and shapes that state @positions leave it open.  FALSE: it has another form;
 * @model is then as exported, with a batch of 1. */
gboolean whisper_open_context (
    InferModel *model, gint64 positions, InferTensor **embedding);
