/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention as a batch of products: attention.c prepares it and runs the batch,
 * attention-rows.c, attention-tiles.c and attention-bf16.c compute one of them.
 */

#pragma once

#include "cpu/base/widen.h"

typedef enum
{
  CPU_ATTENTION_Q,
  CPU_ATTENTION_K,
  CPU_ATTENTION_V,
  CPU_ATTENTION_OUT,
  CPU_ATTENTION_MASK, /* added to scores */
  CPU_ATTENTION_DROP, /* boolean: scores to be replaced */
  CPU_ATTENTION_OPERANDS
} CpuAttentionWhich;

/* An operand: a matrix for each product; strides and offsets in elements. */
typedef struct
{
  gsize *offsets;
  gsize row, column;
} CpuAttentionOperand;

/* How a product is computed. */
typedef enum
{
  CPU_ATTENTION_F64,
  CPU_ATTENTION_DOTS,  /* rows of scores, operands read in place */
  CPU_ATTENTION_ROWS,  /* rows of scores, keys and values packed in panels */
  CPU_ATTENTION_TILES, /* tiles of keys, packed in panels */
  CPU_ATTENTION_BF16,  /* rows of scores, all operands packed as bf16 */
} CpuAttentionMethod;

typedef struct
{
  CpuAttentionMethod method;
  CpuWiden widen;
  gsize batch, l, s, e, ev;
  CpuAttentionOperand operands[CPU_ATTENTION_OPERANDS];
  int mask_input, drop_input; /* -1: none */
  gboolean drop_where;        /* mask value for which scores are replaced */
  float fill;                 /* their replacement */
  gboolean causal;
  double scale;    /* 0: 1 / sqrt (e) */
  int scale_input; /* operand read instead; -1: none */
  gboolean fused;  /* the scale is this operand times `scale` */
  /* Working memory of a thread: offsets in elements; size in bytes. */
  gsize at_values, at_scores, at_mask, at_drop, at_q, at_weights, at_mean;
  gsize bytes;
} CpuAttention;

/* Computes one product.  Panels of keys and values are at `memory` and memory +
 * at_values. */
typedef struct
{
  CpuStep *step;
  const CpuAttention *a;
  const float *q, *k, *v, *mask; /* mask may be NULL */
  const guint8 *drop;            /* may be NULL */
  float scale;
  float *memory, *out;
} CpuAttentionProduct;

/* Bytes and offsets of working memory, for the f32 methods. */
gsize cpu_attention_rows_room (CpuAttention *a);
gsize cpu_attention_tiles_room (CpuAttention *a);

/* Makes weights of @keys values, not normalised, of row @i of scores; returns
 * their sum. */
float cpu_attention_weigh_row (
    const CpuAttentionProduct *p, float *row, gsize i, gsize keys);

/* --- attention-bf16.c --- */

gboolean cpu_attention_has_bf16 (const CpuStep *step, const CpuAttention *a);
gsize cpu_attention_bf16_room (CpuAttention *a);
void cpu_attention_bf16_keys (const CpuAttentionProduct *p);
void cpu_attention_bf16_values (const CpuAttentionProduct *p);
/* Computes all rows of a product whose keys and values are packed. */
void cpu_attention_bf16 (const CpuAttentionProduct *p);

/* --- attention-rows.c, attention-tiles.c --- */

/* Computes all rows of a product whose panels are packed. */
void cpu_attention_rows (const CpuAttentionProduct *p);

/* Whether the products can be computed in tiles. */
gboolean cpu_attention_has_tiles (const CpuAttention *a);
/* Rows of a product that are computed together. */
#define CPU_ATTENTION_BLOCK 48
/* Computes blocks [begin, end) of a product whose panels are packed. */
void cpu_attention_tiles (const CpuAttentionProduct *p, gsize begin, gsize end);
