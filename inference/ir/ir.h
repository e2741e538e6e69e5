/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads OpenVINO IR. */

#pragma once

#include "inference/base/cache.h"
#include "infer/model.h"

/* As infer_model_load and infer_model_load_with (model-private.h).  (transfer
 * full) */
InferModel *infer_ir_load (const char *path, const char *weights_path,
    InferCache *cache, gboolean map, GError **error);

/* As infer_model_load_bytes.  (transfer full) */
InferModel *infer_ir_load_bytes (
    GBytes *xml, GBytes *weights, const char *name, GError **error);
