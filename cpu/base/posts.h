/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Following operations that an epilogue can compute. */

#pragma once

#include "cpu/kernels/epilogue.h"
#include "cpu/base/step.h"

/* For CpuOp.absorb of steps whose output 0 is f32 with channels in dimension
 * @axis: whether an epilogue can do step->posts and then @op. */
gboolean cpu_posts_can_absorb (const CpuStep *step, guint axis,
    const InferOperation *op, guint from, const CpuValue *other);

/* The epilogue of step->posts, to all of which cpu_posts_can_absorb agreed.
 * @residual (out, nullable): the value whose data goes into `residual` when the
 * step runs.  Returns the memory of the arrays, g_free; NULL where memory is
 * short. */
gpointer cpu_posts_epilogue (const CpuStep *step, guint axis,
    CpuEpilogue *epilogue, const CpuValue **residual);

/* Arrays of an epilogue from channel @c on; `residual` stays where it is. */
static inline void
cpu_posts_skip_channels (CpuEpilogue *epilogue, gsize c)
{
  if (epilogue->bias != NULL)
    epilogue->bias += c;
  if (epilogue->scale != NULL)
    epilogue->scale += c;
  if (epilogue->act.slopes != NULL)
    epilogue->act.slopes += c;
  if (epilogue->last_act.slopes != NULL)
    epilogue->last_act.slopes += c;
}

/* For keys of packs that depend on @n more numbers. */
gint64 cpu_posts_hash (const float *values, gsize n);
