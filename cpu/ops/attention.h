/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention whose operands come as they lie before heads are transposed:
 *
 *     weights = softmax (drop (scale * q * k^T + mask))
 *     result = weights * v
 *
 * An operation of a class of its own, which only this backend makes
 * (cpu/passes/fuse/attention.c), with inputs q, k, v, the mask and what is
 * dropped. */

#pragma once

#include "cpu/base/step.h"

typedef struct
{
  /* Of q [batch…, L, E], k [batch…, S, E], v [batch…, S, Ev] and the result
   * [batch…, L, Ev], which have the same rank: dimension i of the matrices is
   * dimension order[…][i] of the value. */
  guint8 order[4][INFER_MAX_RANK];
  int rank;
  double scale;    /* 0: 1 / sqrt (E) */
  int scale_input; /* one f32 that it is multiplied by; -1: none */
  gboolean causal;
  int mask_input;      /* f32, added; -1: none */
  int drop_input;      /* boolean; -1: none */
  gboolean drop_where; /* where TRUE, scores are replaced … */
  float fill;          /* … by this value */
} CpuAttentionAttrs;

extern const InferOpClass cpu_attention_class;
extern const CpuOp cpu_op_fused_attention;
