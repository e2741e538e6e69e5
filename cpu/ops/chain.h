/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations that follow an element-wise f32 step are done tile by
 * tile on what it has just written, while that is in the cache. */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

#define CPU_CHAIN_TILE 2048 /* elements: 8 KiB */

typedef struct _CpuChain CpuChain;

/* For CpuOp.absorb. */
gboolean cpu_chain_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other);

/* Whether the operands of step->posts are of the full shape, or lie the same in
 * both layouts: else the step must be of CPU_LAYOUT_PLAIN. */
gboolean cpu_chain_suits_nspc (const CpuStep *step);

/* Of step->posts, to all of which cpu_chain_can_absorb agreed; NULL: none.
 * (transfer full) g_free */
CpuChain *cpu_chain_new (const CpuStep *step);

/* Does it all to @n elements of the step's output, of which the first is number
 * @at in memory.  NULL does nothing.  Any thread. */
void cpu_chain_apply (const CpuChain *chain, float *data, gsize at, gsize n);

G_END_DECLS
