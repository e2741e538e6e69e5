/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cuts a decoder at the keys and values of its cross-attention. */

#pragma once

#include "inference/graph/model-private.h"

/* @copy: of the model that the ports of @cross (element-type InferPort) are of;
 * they become its parameters "cross.0" and so on. */
gboolean whisper_cut_cross (
    InferModel *copy, const GArray *cross, GError **error);

/* Output 0 becomes the logits of the last token alone, where they are a product
 * with a constant. */
gboolean whisper_cut_logits (InferModel *model, GError **error);
