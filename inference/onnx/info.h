/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies the metadata of an ONNX file into rt_info. */

#pragma once

#include "infer/model.h"
#include "inference/onnx/wire.h"

/* An entry of metadata_props: "metadata/KEY". */
gboolean onnx_read_metadata (
    InferModel *model, OnnxSpan message, GError **error);

/* The names of the dims of inputs and outputs: "input_dims/NAME" is
 * "batch,?,time", with "?" where there is none. */
void onnx_read_dim_names (InferModel *model, OnnxSpan graph);
