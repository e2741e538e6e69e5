/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads ONNX models. */

#pragma once

#include "infer/model.h"

/* The model in @bytes, whose weights are used where they are.  @mapped: they
 * are a mapped file.  @folder: of external data; NULL: there is none. (transfer
 * full) */
InferModel *onnx_model_read (GBytes *bytes, gboolean mapped, const char *folder,
    const char *path, GError **error);
