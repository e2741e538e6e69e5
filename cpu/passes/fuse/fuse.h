/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fusion of patterns in a model's graph before it is compiled: operations of
 * this backend in place of several. */

#pragma once

#include "cpu/kernels/isa.h"
#include "inference/graph/graph.h"

/* A copy of @model, or itself where there was nothing to do. (transfer full) */
InferModel *cpu_fuse (const InferModel *model, CpuIsa isa, GError **error);

/* --- within: what is found in one graph --- */

typedef struct
{
  InferGraph *graph;
  CpuIsa isa;
  gboolean changed;
} CpuFusion;

/* attention.c: products around a SoftMax, and transposed operands. */
void cpu_fuse_attention (CpuFusion *fusion);

/* dynamic.c: products of what is quantised as it comes; in integers only
 * where the machine has an instruction for them. */
void cpu_fuse_dynamic (CpuFusion *fusion);
/* quantised.c: the same where the range is known. */
void cpu_fuse_quantised (CpuFusion *fusion);

/* recurrent.c: GRUs side by side. */
void cpu_fuse_recurrent (CpuFusion *fusion);

/* Readers of @old read output 0 of @op, which is added to the graph. (transfer
 * full) */
void cpu_fusion_replace (
    CpuFusion *fusion, InferOperation *old, InferOperation *op);
