/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/pool/nspc.h"

#include <math.h>

typedef struct
{
  const CpuStep *step;
  const CpuPoolGeometry *g;
  const float *data;
  float *out;
} Work;

/* A window without elements: as in the reference. */
static void
fill_empty (const CpuPoolGeometry *g, float *out)
{
  for (gsize c = 0; c < g->channels; c++)
    out[c] = g->max ? -INFINITY : 0;
}

/* Number of complete windows of a row from @o on, at least one; @o is a
 * position in the last dimension. */
static gsize
count_whole (const CpuPoolGeometry *g, gsize o)
{
  gint64 first = (gint64) o * g->stride[2] - g->pad[2];
  gint64 room =
      (gint64) g->in[2] - 1 - ((gint64) g->k[2] - 1) * g->dilation[2] - first;

  if (first < 0 || room < 0)
    return 1;
  return (gsize) MIN (room / g->stride[2] + 1, (gint64) (g->out[2] - o));
}

/* Computes window @o and the equally shaped ones after it; returns how many. */
static gsize
pool_windows (const Work *work, gsize n, const gsize *o, float *out)
{
  const CpuPoolGeometry *g = work->g;
  gsize at[3], strides[3];
  CpuPoolBox box = { .out = out, .channels = g->channels, .max = g->max };

  strides[2] = g->channels;
  strides[1] = g->in[2] * strides[2];
  strides[0] = g->in[1] * strides[1];
  box.in = work->data + n * g->in[0] * strides[0];
  for (guint d = 0; d < 3; d++) {
    gsize first, last;

    cpu_pool_taps (g, d, o[d], &first, &last, &at[d]);
    box.n[d] = last - first;
    box.stride[d] = (gsize) g->dilation[d] * strides[d];
    box.in += at[d] * strides[d];
  }
  if (box.n[0] == 0 || box.n[1] == 0 || box.n[2] == 0) {
    fill_empty (g, out);
    return 1;
  }
  if (!g->max)
    box.scale = 1 / (float) cpu_pool_divisor (g, o);
  box.pixels = count_whole (g, o[2]);
  box.in_step = (gsize) g->stride[2] * strides[2];
  work->step->kernels->pool_box_f32 (&box);
  return box.pixels;
}

/* Rows of output pixels. */
static void
nspc_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuPoolGeometry *g = work->g;

  for (gsize row = begin; row < end; row++) {
    float *out = work->out + row * g->out[2] * g->channels;
    gsize o[3] = { row / g->out[1] % g->out[0], row % g->out[1], 0 };
    gsize n = row / g->out[1] / g->out[0];

    for (gsize done; o[2] < g->out[2]; o[2] += done) {
      done = pool_windows (work, n, o, out);
      out += done * g->channels;
    }
  }
}

void
cpu_pool_nspc_run (
    CpuStep *step, const CpuPoolGeometry *g, const float *data, float *out)
{
  Work work = { step, g, data, out };
  gsize cost = g->out[2] * g->channels * g->k[0] * g->k[1] * g->k[2];

  cpu_step_parallel (step, g->batch * g->out[0] * g->out[1],
      1 + 100000 / MAX (cost, 1), nspc_range, &work);
}

gboolean
cpu_pool_is_global_average (const CpuPoolGeometry *g)
{
  for (guint d = 0; d < 3; d++) {
    if (g->out[d] != 1 || g->k[d] != g->in[d] || g->dilation[d] != 1
        || g->pad[d] != 0)
      return FALSE;
  }
  return !g->max && g->exclude_pad;
}

static void
global_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  gsize size = work->g->in[0] * work->g->in[1] * work->g->in[2];

  for (gsize i = begin; i < end; i++)
    work->out[i] = work->step->kernels->reduce_f32 (
                       CPU_REDUCE_SUM, work->data + i * size, size)
                   / (float) size;
}

void
cpu_pool_global_average_run (
    CpuStep *step, const CpuPoolGeometry *g, const float *data, float *out)
{
  Work work = { step, g, data, out };
  gsize size = g->in[0] * g->in[1] * g->in[2];

  cpu_step_parallel (step, g->batch * g->channels, 1 + 100000 / MAX (size, 1),
      global_range, &work);
}
