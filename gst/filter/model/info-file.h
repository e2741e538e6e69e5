/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keys of `model_info` that are not in the model's file: from
 * `<model>.modelinfo` and from text (docs/model-info.md). */

#pragma once

#include "infer/model.h"

/* Adds to @model (transfer full) the keys of MODEL.xml.modelinfo or
 * MODEL.modelinfo beside its file, then those of @text (nullable):
 * "KEY=value;KEY=value".  Errors name the file and the key. */
InferModel *gst_infer_model_add_info (
    InferModel *model, const char *text, GError **error);
