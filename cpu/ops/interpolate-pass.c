/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/interpolate.h"

/* A part is some of outer × out. */
#define PASS(type)                                                             \
  static void pass_##type (                                                    \
      gpointer data, gsize begin, gsize end, guint thread)                     \
  {                                                                            \
    const CpuInterpolatePass *pass = data;                                     \
    const InferInterpolateTable *table = pass->table;                          \
    const gsize inner = pass->inner, taps = table->taps;                       \
    const gsize n_in = (gsize) table->in, n_out = (gsize) table->out;          \
                                                                               \
    for (gsize r = begin; r < end; r++) {                                      \
      const gsize at = r % n_out * taps;                                       \
      const type *src = (const type *) pass->src + r / n_out * n_in * inner;   \
      type *dst = (type *) pass->dst + r * inner;                              \
                                                                               \
      for (gsize k = 0; k < taps; k++) {                                       \
        const type weight = (type) table->weight[at + k];                      \
        const type *from = src + (gsize) table->index[at + k] * inner;         \
                                                                               \
        if (k == 0)                                                            \
          for (gsize i = 0; i < inner; i++)                                    \
            dst[i] = weight != 0 ? weight * from[i] : 0;                       \
        else if (weight != 0)                                                  \
          for (gsize i = 0; i < inner; i++)                                    \
            dst[i] += weight * from[i];                                        \
      }                                                                        \
    }                                                                          \
  }

PASS (double)

static void
pass_float (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuInterpolatePass *pass = data;
  const InferInterpolateTable *table = pass->table;
  const gsize n_in = (gsize) table->in, n_out = (gsize) table->out;
  gsize rows;

  for (gsize r = begin; r < end; r += rows) {
    const gsize at = r % n_out;
    CpuBlend blend = { .src = (const float *) pass->src
                              + r / n_out * n_in * pass->inner,
      .dst = (float *) pass->dst + r * pass->inner,
      .index = table->index + at * table->taps,
      .weight = table->weight + at * table->taps,
      .taps = table->taps,
      .inner = pass->inner };

    rows = MIN (n_out - at, end - r);
    if (pass->chain != NULL)
      rows = MIN (rows, CPU_CHAIN_TILE / MAX (pass->inner, 1) + 1);
    blend.rows = rows;
    pass->kernels->blend_f32 (&blend);
    cpu_chain_apply (
        pass->chain, blend.dst, r * pass->inner, rows * pass->inner);
  }
}

void
cpu_interpolate_pass_run (
    CpuStep *step, const CpuInterpolatePass *pass, gsize outer, InferType type)
{
  cpu_step_parallel (step, outer * (gsize) pass->table->out,
      CPU_INTERPOLATE_GRAIN / MAX (pass->inner, 1) + 1,
      type == INFER_TYPE_F64 ? pass_double : pass_float,
      (gpointer) (gsize) pass);
}
