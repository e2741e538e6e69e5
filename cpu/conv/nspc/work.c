/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/nspc/work.h"

#include <string.h>

void
cpu_conv_work_locate (
    const CpuConvWork *work, gsize row, gsize *in, gsize *out, gsize pos[2])
{
  const CpuConvGeometry *g = &work->conv->g;
  const CpuConvAxis *a = work->phase->axis;
  gsize y = row % a[1].count, z = row / a[1].count % a[0].count;
  gsize n = row / a[1].count / a[0].count;

  *in = ((n * work->in_dims[0] + z * (gsize) a[0].in_step) * work->in_dims[1]
            + y * (gsize) a[1].in_step)
        * work->in_dims[2];
  *out = ((n * g->out[0] + z * a[0].out_step + a[0].out_begin) * g->out[1]
             + y * a[1].out_step + a[1].out_begin)
             * g->out[2]
         + a[2].out_begin;
  pos[0] = z;
  pos[1] = y;
}

/* Grains of a row; a remainder of few pixels belongs to the last. */
static gsize
grains (const CpuConvWork *work)
{
  const gsize rest = work->pixels % work->grain;

  return MAX (work->pixels / work->grain + (rest > CPU_CONV_FEW ? 1 : 0), 1);
}

void
cpu_conv_work_set_chunks (CpuConvWork *work)
{
  work->chunks =
      MIN ((work->pixels + work->chunk - 1) / work->chunk, grains (work));
}

void
cpu_conv_work_chunk (const CpuConvWork *work, gsize i, gsize *x, gsize *pixels)
{
  /* Chunks are nearly equal: few pixels are summed in another order, which must
   * not depend on the number of threads. */
  const gsize chunk = i % work->chunks, n = grains (work);

  *x = n * chunk / work->chunks * work->grain;
  *pixels =
      (chunk + 1 < work->chunks ? n * (chunk + 1) / work->chunks * work->grain
                                : work->pixels)
      - *x;
}

guint16 *
cpu_conv_work_f16 (const CpuStep *step, const CpuConvNspc *conv, guint thread)
{
  char *at = (char *) step->scratch + conv->f16_at;

  return conv->f16_elements > 0
             ? (guint16 *) (gpointer) at
                   + thread * ((conv->f16_elements + 31) & ~(gsize) 31)
             : NULL;
}

/* Pieces per thread that share a loop fairly. */
#define FAIR 4

void
cpu_conv_work_cut (const CpuStep *step, CpuConvWork *work, gsize least)
{
  const gsize want = step->threads * FAIR;

  cpu_conv_work_set_chunks (work);
  if (step->threads == 1 || work->rows * work->chunks >= 2 * want)
    return;
  gsize parts = (want + work->rows - 1) / work->rows;
  while (parts > work->chunks && work->pixels / parts < least)
    parts--;
  parts = MIN (parts, grains (work));
  work->chunks = MAX (parts, work->chunks);
  work->chunk = (work->pixels + work->chunks - 1) / work->chunks;
}

/* Tiles of 512 bits are as fast with a few pixels less than the most. */
static gsize
grain_of (const CpuConvNspc *conv)
{
  return conv->lanes != 8 || conv->depthwise || conv->uses_f16 || conv->dot > 1
             ? 1
             : cpu_conv_nspc_tile (cpu_conv_nspc_block (conv, 0) / conv->lanes);
}

CpuConvWork
cpu_conv_work (const CpuStep *step, const CpuConvNspc *conv)
{
  CpuConvWork work = { .step = step,
    .conv = conv,
    .phase = &conv->phases[0],
    .in = step->in[0]->data,
    .out = step->out[0]->data,
    .weights = conv->weights };

  if (conv->residual != NULL && conv->residual->form.f16 != NULL)
    work.residual_bf16 = conv->residual->data;
  else if (conv->residual != NULL)
    work.residual = conv->residual->data;

  if (step->in[0]->form.f16 != NULL) {
    work.is_f16 = TRUE;
    work.is_bf16 = step->in[0]->form.f16->bf16;
    work.back = step->in[0]->form.f16->back;
  }

  memcpy (work.in_dims, conv->padded, sizeof work.in_dims);
  work.pixels = work.phase->axis[2].count;
  work.chunk = (work.pixels + conv->repeat - 1) / conv->repeat;
  work.grain = grain_of (conv);
  work.last = conv->g.oc;
  return work;
}
