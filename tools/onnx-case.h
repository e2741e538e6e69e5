/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A case in the layout of ONNX's backend tests: a directory with model.onnx and
 * test_data_set_<n>/{input,output}_<k>.pb. */

#pragma once

#include "infer/runtime.h"

gboolean onnx_case_is (const char *dir);

/* Runs all data sets of the case and compares as ONNX's own runner does:
 * rtol 1e-3 and atol 1e-7, or what the case's data.json says. */
gboolean onnx_case_check (
    const char *dir, InferRuntime *runtime, GError **error);
