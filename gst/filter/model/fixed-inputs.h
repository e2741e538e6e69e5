/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inputs of a model that no buffer brings. */

#pragma once

#include "infer/model.h"

/* Makes constants of the inputs in @values ("INPUT=VALUE:…", NULL-terminated;
 * nullable), and of those that exporters are known to add beside the media:
 *
 *   orig_target_sizes  integers [N,2], RT-DETR, D-FINE, DEIM: the width and
 *                      height of the picture that the model takes
 *   sr                 an integer, silero-vad: sample_rate of model_info
 *
 * @model: (transfer full).  (transfer full) */
InferModel *gst_infer_model_fix_inputs (
    InferModel *model, const char *const *values, GError **error);
