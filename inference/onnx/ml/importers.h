/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every importer of ai.onnx.ml. */

#pragma once

#include "infer/error.h"
#include "inference/onnx/import.h"

#define ONNX(type, function, file) void onnx_import_##function (OnnxNode *n);
#include "inference/onnx/ml/import-list.h"
#undef ONNX
