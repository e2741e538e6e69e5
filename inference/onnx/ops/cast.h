/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/onnx/import.h"

/* As Cast does, with the node's attributes `saturate` and `round_mode`. */
InferPort onnx_cast (OnnxNode *n, InferPort x, InferType type);
