/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads ONNX models. */

#pragma once

#include "infer/model.h"

/* The model in the file @bytes, whose weights are used where they are. @mapped:
 * it is mapped.  @folder: of external data.  (transfer full) */
InferModel *onnx_model_read (GBytes *bytes, gboolean mapped, const char *folder,
    const char *path, GError **error);

/* The model in @bytes.  @weights: its external data; nullable.  @path: for
 * messages.  (transfer full) */
InferModel *onnx_model_read_bytes (
    GBytes *bytes, GBytes *weights, const char *path, GError **error);
