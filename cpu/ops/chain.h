/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A chain of element-wise operations that follow an element-wise f32 step:
 * applied tile by tile to what the step has just written, while it is in the
 * cache. */

#pragma once

#include "cpu/base/step.h"

#define CPU_CHAIN_TILE 2048 /* elements: 8 KiB */

typedef struct _CpuChain CpuChain;

/* For CpuOp.absorb. */
gboolean cpu_chain_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other);

/* Whether the operands of step->posts have the full shape, or are identical in
 * both layouts; else the step must use CPU_LAYOUT_PLAIN. */
gboolean cpu_chain_suits_nspc (const CpuStep *step);

/* The chain of step->posts, all admitted by cpu_chain_can_absorb; NULL: none.
 * (transfer full) g_free */
CpuChain *cpu_chain_new (const CpuStep *step);

/* Applies the chain to @n elements of the step's output, the first of which is
 * element @at.  NULL does nothing.  Any thread. */
void cpu_chain_apply (const CpuChain *chain, float *data, gsize at, gsize n);
