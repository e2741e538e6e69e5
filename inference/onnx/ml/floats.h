/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists of numbers as constants. */

#pragma once

#include "inference/onnx/import.h"

/* Attribute @name as f32 [@rows, -1], or [-1] where @rows is 0; fails where it
 * is absent or does not fill the rows. */
InferPort onnx_ml_floats (OnnxNode *n, const char *name, gint64 rows);
