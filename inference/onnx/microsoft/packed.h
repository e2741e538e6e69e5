/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights in blocks of a row, each with a scale and perhaps a zero point.  They
 * become what compressed weights are in IR, so that nothing is unpacked at
 * load. */

#pragma once

#include "inference/onnx/import.h"

typedef struct
{
  OnnxNode *n;
  InferType type; /* of codes */
  double zero;    /* where no zero points are given */
  gint64 rows, blocks, block;
} OnnxPacked;

/* 2, 4 or 8 bits in bytes; FALSE: another number. */
gboolean onnx_packed_set_bits (OnnxPacked *p, gint64 bits);

/* f32 [rows, blocks * block] of the constant input @codes with the inputs
 * @scales [rows, blocks] and @zeros (may be absent): zero points are numbers of
 * a real type, codes, or codes in bytes, whole bytes in each row. */
InferPort onnx_packed_weights (
    const OnnxPacked *p, guint codes, guint scales, guint zeros);
