/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/u8/private.h"

#include "cpu/base/posts.h"

#include <math.h>
#include <string.h>

/* What the pixels that are computed at once read is to stay in the first cache.
 */
#define STRIP_BYTES 24576

/* --- what can be done --- */

/* The level of zero; FALSE where there is none. */
static gboolean
find_zero (const CpuQuant *quant, guint8 *zero)
{
  float level = -quant->out_low / quant->step;
  float whole = rintf (level);

  if (!(whole >= 0 && whole <= quant->top && fabsf (level - whole) < 1e-3f))
    return FALSE;
  *zero = (guint8) whole;
  return TRUE;
}

/* Dimensions of one element are as good as none, those that are left go to the
 * end: a row of many pixels is better than many of one. */
static void
squeeze (CpuConvGeometry *g)
{
  gint to = 2;

  for (gint d = 2; d >= 0; d--) {
    if (g->in[d] == 1 && g->out[d] == 1 && g->k[d] == 1 && g->pad[d] == 0)
      continue;
    g->in[to] = g->in[d];
    g->out[to] = g->out[d];
    g->k[to] = g->k[d];
    g->stride[to] = g->stride[d];
    g->dilation[to] = g->dilation[d];
    g->pad[to] = g->pad[d];
    to--;
  }
  for (; to >= 0; to--) {
    g->in[to] = g->out[to] = g->k[to] = 1;
    g->stride[to] = g->dilation[to] = 1;
    g->pad[to] = 0;
  }
}

/* So many products of 8 bits and 9 never overflow 32. */
#define MAX_PRODUCTS 32768

gboolean
cpu_conv_u8_can (CpuStep *step, const CpuQuant *quant)
{
  CpuConvGeometry g;
  const CpuU8Head *head;
  guint8 zero;

  if ((step->isa & CPU_ISA_VNNI) == 0 || !step->in[1]->constant
      || step->in[1]->desc.type != INFER_TYPE_F32 || step->in[1]->n == 0
      || step->in[0]->n == 0 || step->out[0]->n == 0
      || !find_zero (quant, &zero) || !cpu_conv_geometry (step, FALSE, &g, NULL)
      || g.ic * cpu_volume (g.k) > MAX_PRODUCTS)
    return FALSE;
  squeeze (&g);
  head = cpu_u8_pack (step, &g);
  return head != NULL && head->found;
}

gboolean
cpu_conv_u8_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other)
{
  gsize channels = (gsize) cpu_out_shape (step, 0)->dims[1];

  if (infer_op_is (op, &infer_op_prelu))
    return FALSE;
  if (other != NULL
      && (!other->constant || (other->n != 1 && other->n != channels)
          || infer_op_is (op, &infer_op_swish)
          || (step->n_posts > 0
              && step->posts[step->n_posts - 1].other == NULL)))
    return FALSE;
  return cpu_posts_can_absorb (step, 1, op, from, other);
}

/* --- construction --- */

static gboolean
plan_padding (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize volume = g->batch * g->groups * g->ic;

  for (guint d = 0; d < 3; d++) {
    gint64 hi = ((gint64) g->out[d] - 1) * g->stride[d]
                + ((gint64) g->k[d] - 1) * g->dilation[d] - g->pad[d];

    if (conv->depthwise && d == 2 && !cpu_u8_quads (g).rows) {
      /* the columns that the last quads begin with, and three more */
      hi += ((gint64) cpu_u8_quads (g).across * 4 - (gint64) g->k[2])
            * g->dilation[2];
      conv->columns = TRUE;
    }
    conv->lo[d] = (gsize) MAX (g->pad[d], 0);
    conv->padded[d] = conv->lo[d] + (gsize) MAX (hi + 1, (gint64) g->in[d]);
    conv->pad = conv->pad || conv->padded[d] != g->in[d];
    if (__builtin_mul_overflow (volume, conv->padded[d], &volume)
        || volume > G_MAXSIZE / 64)
      return FALSE;
  }
  return TRUE;
}

static void
plan_segments (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize x_taps = cpu_u8_merges (g) ? 1 : g->k[2], i = 0;
  gsize channels = g->groups * g->ic;

  conv->length = cpu_u8_length (g);
  conv->n_segments = cpu_u8_segments (g);
  conv->segments = g_new (gsize, conv->n_segments);
  for (gsize z = 0; z < g->k[0]; z++)
    for (gsize y = 0; y < g->k[1]; y++)
      for (gsize x = 0; x < x_taps; x++)
        conv->segments[i++] = ((z * (gsize) g->dilation[0] * conv->padded[1]
                                   + y * (gsize) g->dilation[1])
                                      * conv->padded[2]
                                  + x * (gsize) g->dilation[2])
                              * channels;
}

/* An activation that ends values at both sides ends levels as well: as
 * rounding never turns two numbers round. */
static void
plan_end (CpuConvU8 *conv, const CpuQuant *to)
{
  CpuQuantEnd *end = &conv->end;
  float lo = 0, hi = 0;

  end->start = conv->start;
  end->scale = conv->scale;
  end->bias = conv->bias;
  end->to = to;
  if (to == NULL)
    return;
  if (end->act.kind == CPU_ACT_CLAMP) {
    lo = rintf ((end->act.alpha - to->in_low) * to->in_scale);
    hi = rintf ((end->act.beta - to->in_low) * to->in_scale);
  } else if (end->act.kind == CPU_ACT_RELU) {
    lo = rintf ((0 - to->in_low) * to->in_scale);
    hi = to->top;
  } else if (end->act.kind == CPU_ACT_NONE) {
    hi = to->top;
  } else {
    return;
  }
  if (!(lo <= hi))
    return;
  end->plain = TRUE;
  end->low = CLAMP (lo, 0, to->top);
  end->high = CLAMP (hi, 0, to->top);
}

/* Arrays by padded channel, of what posts made of those by channel. */
static void
make_arrays (CpuConvU8 *conv, const CpuQuant *quant, const CpuQuant *to,
    const CpuEpilogue *epilogue)
{
  const CpuConvGeometry *g = &conv->g;
  gsize n = cpu_u8_channels (g);

  conv->start = g_new0 (gint32, n);
  conv->scale = g_new0 (float, n);
  conv->bias = g_new0 (float, n);
  conv->end.act = epilogue->act;
  plan_end (conv, to);
  for (gsize group = 0; group < g->groups; group++) {
    for (gsize o = 0; o < g->oc; o++) {
      gsize at = group * conv->padded_oc + o, c = group * g->oc + o;
      double scale = (double) conv->weights.scale[at] * quant->step;
      double bias = epilogue->bias ? epilogue->bias[c] : 0;

      scale *= epilogue->scale ? epilogue->scale[c] : 1;
      if (conv->end.plain) {
        scale *= to->in_scale;
        bias = (bias - to->in_low) * to->in_scale;
      }
      conv->start[at] = -conv->zero * conv->weights.sums[at];
      conv->scale[at] = (float) scale;
      conv->bias[at] = (float) bias;
    }
  }
}

/* Pixels of a product are one row, wherever they are. */
static gboolean
is_flat (const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;

  for (guint d = 0; d < 3; d++)
    if (g->k[d] != 1 || g->stride[d] != 1 || g->out[d] != g->in[d])
      return FALSE;
  return !conv->pad;
}

static void
plan_strip (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize pixel = g->groups * g->ic;
  gsize row = (gsize) g->stride[1] * conv->padded[2] * pixel;

  conv->flat = is_flat (conv);
  conv->strip = MAX (STRIP_BYTES / MAX (conv->flat ? pixel : row, 1), 1);
  if (conv->flat)
    conv->strip = MAX (conv->strip, 14);
}

static void
plan_scratch (CpuStep *step, CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize each = 0;

  if (conv->depthwise)
    each = cpu_u8_quads_room (conv);
  else if (conv->weights.head->offset)
    each = conv->strip * (conv->flat ? 1 : g->out[2]) * sizeof (float);
  conv->padded_at = (step->threads * each + 63) & ~(gsize) 63;
  if (conv->pad) /* and what tiles read behind the last segment */
    cpu_step_need_scratch (step,
        conv->padded_at
            + g->batch * cpu_volume (conv->padded) * g->groups * g->ic + 64);
  else if (conv->padded_at > 0)
    cpu_step_need_scratch (step, conv->padded_at);
}

CpuConvU8 *
cpu_conv_u8_new (CpuStep *step, const CpuConvGeometry *geometry)
{
  CpuConvU8 *conv = g_new0 (CpuConvU8, 1);
  const CpuQuant *quant = step->in[0]->form.quant;
  g_autofree gpointer arrays = NULL;
  const CpuValue *residual;
  CpuEpilogue epilogue;
  const CpuU8Head *head;

  conv->g = *geometry;
  squeeze (&conv->g);
  conv->depthwise = cpu_u8_is_depthwise (geometry);
  conv->padded_oc = cpu_u8_padded_oc (geometry);
  head = cpu_u8_pack (step, &conv->g);
  if (head == NULL || !head->found || !plan_padding (conv)) {
    cpu_conv_u8_free (conv);
    return NULL;
  }
  conv->weights = cpu_u8_weights (head, &conv->g);
  find_zero (quant, &conv->zero);
  if (conv->depthwise) {
    cpu_u8_plan_quads (conv);
  } else {
    plan_segments (conv);
    plan_strip (conv);
  }
  arrays = cpu_posts_epilogue (step, 1, &epilogue, &residual);
  g_assert (residual == NULL); /* never absorbed */
  make_arrays (conv, quant, step->out[0]->form.quant, &epilogue);
  plan_scratch (step, conv);
  step->kernel = conv->depthwise ? "depthwise_u8" : "direct_u8";
  return conv;
}

void
cpu_conv_u8_free (CpuConvU8 *conv)
{
  if (conv == NULL)
    return;
  g_free (conv->segments);
  g_free (conv->zeros);
  g_free (conv->start);
  g_free (conv->scale);
  g_free (conv->bias);
  g_free (conv);
}

/* --- running --- */

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

/* Bytes that are worth a thread. */
#define FILL_GRAIN 65536

/* The input with levels of zero around it. */
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
  const CpuStep *step;
  const CpuConvU8 *conv;
  const guint8 *in;
  guint8 *out;
  gsize size;  /* of an element of the output */
  float *sums; /* of the inputs of each pixel of a strip, by thread */
} Work;

/* @tile: the place, number and distance of pixels. */
static void
run_tile (const Work *work, CpuConvTileU8 *tile, gsize out, guint thread)
{
  const CpuConvU8 *conv = work->conv;
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
    tile->out = work->out + (out + group * g->oc) * work->size;
    tile->end = conv->end;
    tile->end.start += at;
    tile->end.scale += at;
    tile->end.bias += at;
    if (conv->weights.head->offset) {
      tile->offset = conv->weights.offset + at;
      work->step->kernels->conv_sums_u8 (tile, zeros, sums);
    }
    work->step->kernels->conv_tile_u8 (tile);
  }
}

/* Some rows of one image. */
static void
run_strip (
    const Work *work, gsize n, gsize z, gsize y, gsize rows, guint thread)
{
  const CpuConvU8 *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gsize in = g->groups * g->ic, out = g->groups * g->oc;
  /* Where nothing is padded, a window may begin beyond a lesser padding. */
  const gsize iz = z * (gsize) g->stride[0] + conv->lo[0] - (gsize) g->pad[0];
  const gsize iy = y * (gsize) g->stride[1] + conv->lo[1] - (gsize) g->pad[1];
  const gsize ix = conv->lo[2] - (gsize) g->pad[2];
  const gsize row = (n * conv->padded[0] + iz) * conv->padded[1] + iy;
  CpuConvTileU8 tile = {
    .in = work->in + (row * conv->padded[2] + ix) * in,
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
  const CpuConvU8 *conv = work->conv;
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
  const CpuConvU8 *conv = work->conv;
  const gsize in = conv->g.groups * conv->g.ic;
  const gsize out = conv->g.groups * conv->g.oc;

  for (gsize i = begin, pixels; i < end; i += pixels) {
    CpuConvTileU8 tile = {
      .in = work->in + i * in, .in_step = in, .rows = 1, .out_step = out
    };

    tile.pixels = pixels = MIN (conv->strip, end - i);
    run_tile (work, &tile, i * out, thread);
  }
}

/* Products that a thread is worth waking for. */
#define GRAIN 500000

void
cpu_conv_u8_run (CpuStep *step, const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize rows = g->batch * g->out[0] * g->out[1];
  gsize pixel = g->groups * g->oc * g->ic * cpu_volume (g->k);
  Work work = { .step = step,
    .conv = conv,
    .in = step->in[0]->data,
    .out = step->out[0]->data,
    .size = step->out[0]->form.quant ? 1 : sizeof (float),
    .sums = step->scratch };

  if (conv->pad && (!conv->depthwise || conv->columns)) {
    guint8 *padded = (guint8 *) step->scratch + conv->padded_at;

    fill (step, conv, work.in, padded);
    work.in = padded;
  }
  if (conv->depthwise)
    cpu_u8_run_quads (step, conv, work.in);
  else if (conv->flat)
    cpu_step_parallel (
        step, rows * g->out[2], GRAIN / MAX (pixel, 1) + 1, run_pixels, &work);
  else
    cpu_step_parallel (
        step, rows, GRAIN / MAX (pixel * g->out[2], 1) + 1, run_rows, &work);
}
