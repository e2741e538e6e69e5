/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/u8/private.h"

#include <string.h>

typedef struct
{
  const CpuConvU8 *conv;
  const guint8 *data;
  guint8 *to;
} Fill;

static void
fill_rows (gpointer user_data, gsize begin, gsize end, guint thread)
{
  const Fill *fill = user_data;
  const CpuConvU8 *conv = fill->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->ic;
  gsize row = g->in[2] * channels, pitch = conv->padded[2] * channels;
  gsize before = conv->lo[2] * channels, after = pitch - before - row;

  for (gsize i = begin; i < end; i++) {
    guint8 *to = fill->to + i * pitch;
    gsize pixel;

    if (!cpu_conv_row_at (g, conv->padded, conv->lo, i, &pixel)) {
      memset (to, conv->zero, pitch);
      continue;
    }
    memset (to, conv->zero, before);
    memcpy (to + before, fill->data + pixel * channels, row);
    memset (to + before + row, conv->zero, after);
  }
}

/* Bytes per thread from which on waking it pays. */
#define FILL_GRAIN 65536

/* Pads the input with quantised zeros. */
static void
fill (CpuStep *step, const CpuConvU8 *conv, const guint8 *data, guint8 *to)
{
  const CpuConvGeometry *g = &conv->g;
  Fill fill = { conv, data, to };
  gsize pitch = conv->padded[2] * g->groups * g->ic;

  cpu_step_parallel (step, g->batch * conv->padded[0] * conv->padded[1],
      1 + FILL_GRAIN / MAX (pitch, 1), fill_rows, &fill);
}

typedef struct
{
  CpuU8Run run;
  float *sums; /* of the inputs of each pixel of a strip, by thread */
} Work;

/* @tile: the place, number and distance of pixels. */
static void
run_tile (const Work *work, CpuConvTileU8 *tile, gsize out, guint thread)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const guint8 *in = tile->in;
  gsize depth = conv->n_segments * ((conv->length + 3) / 4) * 4;
  gsize strip = conv->strip * (conv->flat ? 1 : g->out[2]);
  float *sums = conv->weights.head->offset ? work->sums + thread * strip : NULL;
  gint32 zeros = (gint32) (conv->zero * g->ic * cpu_volume (g->k));

  tile->segments = conv->segments;
  tile->n_segments = conv->n_segments;
  tile->length = conv->length;
  tile->channels = g->oc;
  tile->sums = sums;
  for (gsize group = 0; group < g->groups; group++) {
    gsize at = group * conv->padded_oc;

    tile->in = in + group * g->ic;
    tile->weights = (const gint8 *) conv->weights.integers + at * depth;
    tile->out = work->run.out + (out + group * g->oc) * work->run.size;
    tile->end = conv->end;
    tile->end.start += at;
    tile->end.scale += at;
    tile->end.bias += at;
    if (conv->weights.head->offset) {
      tile->offset = conv->weights.offset + at;
      work->run.step->kernels->conv_sums_u8 (tile, zeros, sums);
    }
    work->run.step->kernels->conv_tile_u8 (tile);
  }
}

/* Some rows of one image. */
static void
run_strip (
    const Work *work, gsize n, gsize z, gsize y, gsize rows, guint thread)
{
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize in = g->groups * g->ic, out = g->groups * g->oc;
  /* Without padding in memory, windows begin at an offset. */
  const gsize iz = z * (gsize) g->stride[0] + conv->lo[0] - (gsize) g->pad[0];
  const gsize iy = y * (gsize) g->stride[1] + conv->lo[1] - (gsize) g->pad[1];
  const gsize ix = conv->lo[2] - (gsize) g->pad[2];
  const gsize row = (n * conv->padded[0] + iz) * conv->padded[1] + iy;
  CpuConvTileU8 tile = {
    .in = work->run.in + (row * conv->padded[2] + ix) * in,
    .in_step = (gsize) g->stride[2] * in,
    .in_row = (gsize) g->stride[1] * conv->padded[2] * in,
    .pixels = g->out[2],
    .rows = rows,
    .out_step = out,
    .out_row = g->out[2] * out,
  };

  run_tile (work, &tile,
      ((n * g->out[0] + z) * g->out[1] + y) * g->out[2] * out, thread);
}

static void
run_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuConvU8 *conv = work->run.conv;
  const CpuConvGeometry *g = &conv->g;

  for (gsize i = begin, rows; i < end; i += rows) {
    gsize y = i % g->out[1], z = i / g->out[1] % g->out[0];

    rows = MIN (MIN (conv->strip, g->out[1] - y), end - i);
    run_strip (work, i / g->out[1] / g->out[0], z, y, rows, thread);
  }
}

static void
run_pixels (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuConvU8 *conv = work->run.conv;
  const gsize in = conv->g.groups * conv->g.ic;
  const gsize out = conv->g.groups * conv->g.oc;

  for (gsize i = begin, pixels; i < end; i += pixels) {
    CpuConvTileU8 tile = {
      .in = work->run.in + i * in, .in_step = in, .rows = 1, .out_step = out
    };

    tile.pixels = pixels = MIN (conv->strip, end - i);
    run_tile (work, &tile, i * out, thread);
  }
}

/* Products per thread from which on waking it pays. */
#define GRAIN 500000

gboolean
cpu_u8_run (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuConvU8 *conv = self;
  const CpuConvGeometry *g = &conv->g;
  gsize rows = g->batch * g->out[0] * g->out[1];
  gsize pixel = g->groups * g->oc * g->ic * cpu_volume (g->k);
  Work work = { .run = { .step = step,
                    .conv = conv,
                    .in = step->in[0]->data,
                    .out = step->out[0]->data,
                    .size = step->out[0]->form.quant ? 1 : sizeof (float) },
    .sums = step->scratch };

  if (cpu_u8_copies_input (conv)) {
    guint8 *padded = (guint8 *) step->scratch + conv->padded_at;

    fill (step, conv, work.run.in, padded);
    work.run.in = padded;
  }
  if (cpu_u8_has_windows (conv))
    cpu_u8_run_windows (step, &work.run);
  else if (conv->depthwise)
    cpu_u8_run_quads (step, &work.run);
  else if (conv->flat)
    cpu_step_parallel (
        step, rows * g->out[2], GRAIN / MAX (pixel, 1) + 1, run_pixels, &work);
  else
    cpu_step_parallel (
        step, rows, GRAIN / MAX (pixel * g->out[2], 1) + 1, run_rows, &work);
  return TRUE;
}
