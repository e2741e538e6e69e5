/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The input of a convolution, with channels last and zeros around it. */

#include "cpu/conv/nspc/work.h"
#include "cpu/base/f16-gemm.h"

#include <string.h>

/* [rows][cols] → [cols][rows], @pitch floats between source rows and @step
 * between target rows. */
static void
transpose (const CpuStep *step, float *dst, gsize dst_step, const float *src,
    gsize pitch, gsize rows, gsize cols)
{
  step->kernels->transpose_u32 ((guint32 *) (gpointer) dst, dst_step,
      (const guint32 *) (gconstpointer) src, pitch, rows, cols);
}

typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const float *data;
  const guint16 *f16; /* nullable: instead of `data` */
  gboolean is_bf16;   /* it is stored as bf16 */
  char *to;
  gsize unit; /* bytes of an element: 2: f16 */
  float scale;
  float *largest;    /* largest magnitude of each row, unscaled */
  float *transposed; /* rows that threads first make of plain data */
} Fill;

/* The data of row @i, from @pixel on. */
static void
fill_data (const Fill *f, char *to, gsize i, gsize pixel, guint thread)
{
  const CpuConvNspc *conv = f->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->ic, volume = cpu_volume (g->in);
  gsize row = g->in[2] * channels;
  const gsize first = pixel * channels;

  if (f->f16 && conv->bf16 && !f->is_bf16) {
    f->step->kernels->f16_to_bf16 (
        (guint16 *) (gpointer) to, f->f16 + first, row);
    return;
  }
  if (f->f16) {
    memcpy (to, f->f16 + first, row * sizeof *f->f16);
    return;
  }
  const float *from = f->data + first;
  if (conv->plain) {
    float *transposed = f->unit == sizeof (float)
                            ? (float *) (gpointer) to
                            : f->transposed + thread * row;
    gsize image = i / conv->padded[1] / conv->padded[0] * volume;

    transpose (f->step, transposed, channels,
        f->data + image * channels + pixel - image, volume, channels, g->in[2]);
    from = transposed;
  } else if (f->unit == sizeof (float)) {
    memcpy (to, from, row * sizeof *from);
  }
  if (f->unit != sizeof (float) && conv->bf16)
    f->largest[i] =
        f->step->kernels->f32_to_bf16 ((guint16 *) (gpointer) to, from, row);
  else if (f->unit != sizeof (float))
    f->largest[i] = f->step->kernels->scale_f16 (
        (guint16 *) (gpointer) to, from, row, f->scale);
}

static void
fill_rows (gpointer user_data, gsize begin, gsize end, guint thread)
{
  const Fill *fill = user_data;
  const CpuConvNspc *conv = fill->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize pixel = g->groups * g->ic * fill->unit;
  gsize row = g->in[2] * pixel, pitch = conv->padded[2] * pixel;
  gsize before = conv->lo[2] * pixel, after = pitch - before - row;

  for (gsize i = begin; i < end; i++) {
    char *to = fill->to + i * pitch;
    gsize at;

    if (!cpu_conv_row_at (g, conv->padded, conv->lo, i, &at)) {
      memset (to, 0, pitch);
      if (fill->largest)
        fill->largest[i] = 0;
      continue;
    }
    memset (to, 0, before);
    fill_data (fill, to + before, i, at, thread);
    memset (to + before + row, 0, after);
  }
}

/* Floats copied per thread from which on waking it pays. */
#define MOVE_GRAIN 16384

/* Makes the padded input with channels last. */
static void
fill (CpuStep *step, const CpuConvNspc *conv, Fill *f)
{
  const CpuConvGeometry *g = &conv->g;
  gsize pitch = conv->padded[2] * g->groups * g->ic;

  cpu_step_parallel (step, g->batch * conv->padded[0] * conv->padded[1],
      1 + MOVE_GRAIN / MAX (pitch, 1), fill_rows, f);
}

/* The same as f16 in one scale; returns its inverse. */
static float
fill_f16 (CpuStep *step, const CpuConvNspc *conv, Fill *f, float *largest)
{
  const gsize rows = conv->g.batch * conv->padded[0] * conv->padded[1];
  float back = 1;

  *largest = 0;
  f->unit = sizeof (guint16);
  f->scale = 1;
  f->largest = cpu_conv_scratch (step, conv->f16_at);
  f->transposed = f->largest + rows;
  fill (step, conv, f);
  for (gsize i = 0; i < rows; i++)
    *largest = MAX (*largest, f->largest[i]);
  if (!conv->bf16 && !cpu_f16_fits (*largest, &f->scale, &back))
    fill (step, conv, f);
  return back;
}

float
cpu_conv_nspc_fill (CpuStep *step, const CpuConvNspc *conv, float *largest)
{
  const CpuF16Scale *f16 = step->in[0]->form.f16;
  Fill f = { .step = step,
    .conv = conv,
    .data = step->in[0]->data,
    .to = (char *) step->scratch + conv->fill_at,
    .unit = sizeof (float) };

  if (f16 != NULL) {
    f.f16 = step->in[0]->data;
    f.is_bf16 = f16->bf16;
    f.unit = sizeof *f.f16;
    fill (step, conv, &f);
    return f16->back;
  }
  if (conv->uses_f16 && !conv->flat)
    return fill_f16 (step, conv, &f, largest);
  fill (step, conv, &f);
  return 1;
}
