/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stores weights in fewer bits, with the operations that decompress them, as
 * OpenVINO and NNCF write them. */

#pragma once

#include "infer/model.h"

typedef enum
{
  INFER_COMPRESS_F16,  /* every large f32 constant within f16's range */
  INFER_COMPRESS_INT8, /* weights of MatMul, convolutions and Gather: u8 codes
                          with a scale and a zero point for each channel */
  INFER_COMPRESS_INT4, /* weights of MatMul: u4 codes with a scale and a zero
                          point for each 128 inputs of a channel, or each
                          channel where 128 does not divide them; others: INT8
                        */
} InferCompression;

/* A new model.  (transfer full) */
InferModel *infer_model_compress (
    const InferModel *model, InferCompression compression, GError **error);
