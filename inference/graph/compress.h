/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stores weights in fewer bits, with the operations that decompress them, as
 * OpenVINO and NNCF write them. */

#pragma once

#include "infer/model.h"

typedef enum
{
  INFER_COMPRESS_F16,  /* every large f32 constant within f16's range */
  INFER_COMPRESS_INT8, /* weights of MatMul, Convolution and Gather: u8 codes
                          with a scale and a zero point for each channel */
} InferCompression;

/* A new model.  (transfer full) */
InferModel *infer_model_compress (
    const InferModel *model, InferCompression compression, GError **error);
