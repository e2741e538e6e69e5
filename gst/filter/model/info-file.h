/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is said of a model beside its file: keys of `model_info` from
 * `<model>.modelinfo` and from text (docs/model-info.md). */

#pragma once

#include "infer/model.h"

G_BEGIN_DECLS

/* @model (transfer full) with what a file MODEL.xml.modelinfo or
 * MODEL.modelinfo next to it says, and on top of that @text (nullable):
 * "KEY=value;KEY=value".  Errors name the file and the key. */
InferModel *gst_infer_model_add_info (
    InferModel *model, const char *text, GError **error);

G_END_DECLS
