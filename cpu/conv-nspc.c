/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv-nspc.h"

#include "cpu/posts.h"

#include <string.h>

/* Floats of a padded input that can be addressed with room to spare. */
#define MAX_PADDED (G_MAXSIZE / 64)

static gint64
gcd (gint64 a, gint64 b)
{
  while (b != 0) {
    gint64 t = a % b;

    a = b;
    b = t;
  }
  return a;
}

/* --- planning ----------------------------------------------------------------
 */

static CpuConvAxis
forward_axis (const CpuConvGeometry *g, guint d)
{
  return (CpuConvAxis){ .taps = g->k[d],
    .count = g->out[d],
    .k_step = 1,
    .begin = -g->pad[d],
    .step = g->dilation[d],
    .in_step = g->stride[d],
    .out_step = 1 };
}

/* Outputs @r, r + stride, …: the taps that fall upon an input, the last first,
 * so that the inputs come in ascending order. */
static CpuConvAxis
transposed_axis (const CpuConvGeometry *g, guint d, gint64 r)
{
  gint64 stride = g->stride[d], dilation = g->dilation[d];
  gint64 each = stride / gcd (stride, dilation);
  gint64 first = 0, last;
  CpuConvAxis axis = {
    .count = ((gsize) (g->out[d] - (gsize) r) - 1) / (gsize) stride + 1,
    .k_step = -each,
    .step = dilation * each / stride,
    .in_step = 1,
    .out_begin = (gsize) r,
    .out_step = (gsize) stride
  };

  while (first < each && (r + g->pad[d] - first * dilation) % stride != 0)
    first++;
  if (first >= each || first >= (gint64) g->k[d])
    return axis;
  axis.taps = (gsize) (((gint64) g->k[d] - 1 - first) / each + 1);
  last = first + (gint64) (axis.taps - 1) * each;
  axis.first_k = last;
  axis.begin = (r + g->pad[d] - last * dilation) / stride;
  return axis;
}

static void
plan_phases (CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize n[3], i = 0;

  for (guint d = 0; d < 3; d++)
    n[d] = g->transposed ? MIN ((gsize) g->stride[d], g->out[d]) : 1;
  conv->n_phases = (guint) cpu_volume (n);
  conv->phases = g_new0 (CpuConvPhase, conv->n_phases);
  for (gsize z = 0; z < n[0]; z++) {
    for (gsize y = 0; y < n[1]; y++) {
      for (gsize x = 0; x < n[2]; x++, i++) {
        gsize r[3] = { z, y, x };

        for (guint d = 0; d < 3; d++)
          conv->phases[i].axis[d] = g->transposed
                                        ? transposed_axis (g, d, (gint64) r[d])
                                        : forward_axis (g, d);
      }
    }
  }
}

/* What the phases read beyond the data; depthwise ones leave such taps out. */
static gboolean
plan_padding (CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize volume = g->batch * g->groups * g->ic;

  for (guint d = 0; d < 3; d++) {
    gint64 lo = 0, hi = (gint64) g->in[d] - 1;

    for (guint i = 0; i < conv->n_phases && !conv->depthwise; i++) {
      const CpuConvAxis *axis = &conv->phases[i].axis[d];

      if (axis->taps == 0)
        continue;
      lo = MIN (lo, axis->begin);
      hi = MAX (hi, (gint64) (axis->count - 1) * axis->in_step + axis->begin
                        + (gint64) (axis->taps - 1) * axis->step);
    }
    conv->lo[d] = (gsize) -lo;
    conv->padded[d] = (gsize) (hi - lo) + 1;
    if (conv->padded[d] != g->in[d])
      conv->pad = TRUE;
    if (__builtin_mul_overflow (volume, conv->padded[d], &volume)
        || volume > MAX_PADDED)
      return FALSE;
  }
  return TRUE;
}

static void
plan_segments (const CpuConvNspc *conv, CpuConvPhase *phase)
{
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *a = phase->axis;
  gsize channels = g->groups * g->ic;
  gboolean merge = g->groups == 1 && a[2].step == 1;
  gsize x_taps = merge && a[2].taps > 0 ? 1 : a[2].taps;
  gsize i = 0;

  phase->length = merge ? g->ic * a[2].taps : g->ic;
  phase->n_segments = a[0].taps * a[1].taps * x_taps;
  phase->segments = g_new (gsize, phase->n_segments + 1);
  for (gsize z = 0; z < a[0].taps; z++) {
    for (gsize y = 0; y < a[1].taps; y++) {
      for (gsize x = 0; x < x_taps; x++) {
        gsize at[3] = { z, y, x }, offset = 0;

        for (guint d = 0; d < 3; d++)
          offset = offset * conv->padded[d]
                   + (gsize) (a[d].begin + (gint64) conv->lo[d]
                              + (gint64) at[d] * a[d].step);
        phase->segments[i++] = offset * channels;
      }
    }
  }
}

static gboolean
is_flat (const CpuConvNspc *conv)
{
  for (guint d = 0; d < 3; d++) {
    if (conv->g.k[d] != 1 || conv->g.stride[d] != 1
        || conv->g.out[d] != conv->g.in[d])
      return FALSE;
  }
  return !conv->pad;
}

/* --- construction
 * ------------------------------------------------------------- */

static gsize
reserve (CpuConvNspc *conv, gsize floats)
{
  gsize at = conv->scratch;

  conv->scratch += (floats * sizeof (float) + 63) & ~(gsize) 63;
  return at;
}

static void
plan_scratch (CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (conv->pad || conv->plain)
    conv->fill_at = reserve (
        conv, g->batch * cpu_volume (conv->padded) * g->groups * g->ic);
  if (conv->plain) {
    gsize floats = g->batch * cpu_volume (g->out) * g->groups * g->oc;

    conv->out_at = reserve (conv, floats);
    if (conv->residual)
      conv->residual_at = reserve (conv, floats);
  }
  if (conv->weights == NULL)
    conv->weights_at = reserve (conv, conv->packed);
}

/* Where each input of a row makes outputs of its own, these are channels of
 * one: they lie together. */
static gsize
fold_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (!g->transposed || conv->depthwise || conv->plain || g->groups > 1
      || (gint64) g->k[2] != g->stride[2] || g->dilation[2] != 1
      || g->pad[2] != 0 || g->out[2] != g->in[2] * g->k[2]
      || g->oc * g->k[2] > 2 * conv->lanes)
    return 1;
  return g->k[2];
}

static float *
repeat (float **at, const float *from, gsize n, gsize times)
{
  float *to = *at;

  if (from == NULL)
    return NULL;
  for (gsize i = 0; i < times; i++)
    memcpy (to + i * n, from, n * sizeof *to);
  *at += n * times;
  return to;
}

/* Arrays of the epilogue for @n channels, @times over. */
static void
repeat_epilogue (CpuConvNspc *conv, gsize n, gsize times)
{
  CpuEpilogue *e = &conv->epilogue;
  float *arrays = g_new (float, 4 * n * times), *at = arrays;

  e->scale = repeat (&at, e->scale, n, times);
  e->bias = repeat (&at, e->bias, n, times);
  e->act.slopes = repeat (&at, e->act.slopes, n, times);
  e->last_act.slopes = repeat (&at, e->last_act.slopes, n, times);
  g_free (conv->owned);
  conv->owned = arrays;
}

static void
fold (CpuConvNspc *conv)
{
  CpuConvGeometry *g = &conv->g;
  const gsize times = conv->fold;

  if (times == 1)
    return;
  repeat_epilogue (conv, g->oc, times);
  g->oc *= times;
  g->out[2] = g->in[2];
  g->k[2] = 1;
  g->stride[2] = 1;
}

/* Pixels of a depthwise convolution that are computed as one, of as many
 * channels, where this leaves no vector half empty. */
static gsize
repeat_of (const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  const gsize lanes = conv->lanes, channels = g->groups;

  if (!conv->depthwise || g->transposed || g->stride[2] != 1
      || g->dilation[2] != 1)
    return 1;
  if (channels < lanes && lanes % channels == 0)
    return lanes / channels;
  return channels % lanes != 0 && 2 * channels % lanes == 0 ? 2 : 1;
}

/* What costs much, as the operation over whole rows; FALSE for the others. */
static gboolean
late_act (const CpuAct *act, CpuUnary *unary)
{
  static const struct
  {
    CpuActivation act;
    CpuUnary unary;
  } acts[] = {
    { CPU_ACT_SIGMOID, CPU_UNARY_SIGMOID },
    { CPU_ACT_TANH, CPU_UNARY_TANH },
    { CPU_ACT_SWISH, CPU_UNARY_SWISH },
    { CPU_ACT_ELU, CPU_UNARY_ELU },
    { CPU_ACT_GELU_ERF, CPU_UNARY_GELU_ERF },
    { CPU_ACT_GELU_TANH, CPU_UNARY_GELU_TANH },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (acts); i++)
    if (acts[i].act == act->kind) {
      *unary = acts[i].unary;
      return TRUE;
    }
  return FALSE;
}

/* A tile computes a vector of channels, even of one. */
static void
plan_late (CpuConvNspc *conv)
{
  CpuUnary unary;

  if (conv->depthwise || conv->residual != NULL || 2 * conv->g.oc > conv->lanes
      || !late_act (&conv->epilogue.act, &unary))
    return;
  conv->late = conv->epilogue.act;
  conv->epilogue.act = (CpuAct){ .kind = CPU_ACT_NONE };
}

CpuConvNspc *
cpu_conv_nspc_new (
    CpuStep *step, const CpuConvGeometry *geometry, CpuLayout layout)
{
  CpuConvNspc *conv;
  const CpuConvGeometry *g = geometry;

  if (step->out[0]->desc.type != INFER_TYPE_F32 || step->out[0]->n == 0
      || step->in[0]->n == 0 || step->in[1]->n == 0)
    return NULL;
  conv = g_new0 (CpuConvNspc, 1);
  conv->g = *geometry;
  conv->lanes = step->kernels->conv_lanes ();
  conv->depthwise = g->ic == 1 && g->oc == 1 && g->groups > 1;
  conv->plain = layout == CPU_LAYOUT_PLAIN
                && (cpu_volume (g->in) > 1 || cpu_volume (g->out) > 1);
  conv->owned = cpu_posts_epilogue (step, 1, &conv->epilogue, &conv->residual);
  conv->fold = fold_of (conv);
  fold (conv);
  conv->repeat = repeat_of (conv);
  if (conv->repeat > 1)
    repeat_epilogue (conv, g->groups, conv->repeat);
  plan_phases (conv);
  if (!plan_padding (conv)) {
    cpu_conv_nspc_free (conv);
    return NULL;
  }
  conv->flat = !conv->depthwise && is_flat (conv);
  for (guint i = 0; i < conv->n_phases && !conv->depthwise; i++)
    plan_segments (conv, &conv->phases[i]);
  plan_late (conv);
  if (step->in[1]->constant) {
    conv->scale = conv->epilogue.scale;
    conv->epilogue.scale = NULL;
  }
  if (!cpu_conv_nspc_prepare_weights (step, conv)) {
    cpu_conv_nspc_free (conv);
    return NULL;
  }
  plan_scratch (conv);
  cpu_step_need_scratch (step, conv->scratch);
  step->kernel = conv->depthwise ? "depthwise_f32"
                 : conv->flat    ? "pointwise_f32"
                 : g->transposed ? "transposed_f32"
                                 : "direct_f32";
  return conv;
}

void
cpu_conv_nspc_free (CpuConvNspc *conv)
{
  if (conv == NULL)
    return;
  for (guint i = 0; i < conv->n_phases; i++)
    g_free (conv->phases[i].segments);
  g_free (conv->phases);
  g_free (conv->owned);
  g_free (conv);
}

/* --- running
 * ------------------------------------------------------------------- */

/* [rows][cols] → [cols][rows], @pitch floats between source rows and @step
 * between target rows. */
static void
transpose (const CpuStep *step, float *dst, gsize dst_step, const float *src,
    gsize pitch, gsize rows, gsize cols)
{
  step->kernels->transpose_u32 ((guint32 *) (gpointer) dst, dst_step,
      (const guint32 *) (gconstpointer) src, pitch, rows, cols);
}

/* The padded input with channels last. */
static void
fill (
    const CpuStep *step, const CpuConvNspc *conv, const float *data, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->ic, volume = cpu_volume (g->in);
  gsize row = g->in[2] * channels, pitch = conv->padded[2] * channels;
  gsize before = conv->lo[2] * channels, after = pitch - before - row;

  for (gsize n = 0; n < g->batch; n++) {
    for (gsize z = 0; z < conv->padded[0]; z++) {
      for (gsize y = 0; y < conv->padded[1]; y++, to += pitch) {
        gsize iz = z - conv->lo[0], iy = y - conv->lo[1];
        gsize at;

        if (iz >= g->in[0] || iy >= g->in[1]) {
          memset (to, 0, pitch * sizeof *to);
          continue;
        }
        at = (iz * g->in[1] + iy) * g->in[2];
        memset (to, 0, before * sizeof *to);
        if (conv->plain)
          transpose (step, to + before, channels,
              data + n * channels * volume + at, volume, channels, g->in[2]);
        else
          memcpy (to + before, data + (n * volume + at) * channels,
              row * sizeof *to);
        memset (to + before + row, 0, after * sizeof *to);
      }
    }
  }
}

typedef struct
{
  const CpuStep *step;
  const CpuConvNspc *conv;
  const CpuConvPhase *phase;
  const float *in, *weights;
  float *out;
  const float *residual;
  gsize in_dims[3];                  /* of what `in` points at */
  gsize rows, pixels, chunk, chunks; /* of the phase */
} Work;

/* Where row @row of the phase begins, in pixels. */
static void
locate_row (const Work *work, gsize row, gsize *in, gsize *out, gsize *pos)
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

static void
offset_epilogue (CpuEpilogue *e, const CpuEpilogue *from, gsize c)
{
  *e = *from;
  if (e->bias)
    e->bias += c;
  if (e->scale)
    e->scale += c;
  if (e->act.slopes)
    e->act.slopes += c;
  if (e->last_act.slopes)
    e->last_act.slopes += c;
}

/* @pixels of a row from @x on, all output channels. */
static void
run_tiles (const Work *work, gsize in_row, gsize out_row, gsize x, gsize pixels)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *ax = &work->phase->axis[2];
  gsize ic = g->groups * g->ic, oc = g->groups * g->oc;
  const float *in = work->in + (in_row + x * (gsize) ax->in_step) * ic;
  gsize out = (out_row + x * ax->out_step) * oc;
  gsize length = work->phase->n_segments * work->phase->length;
  CpuConvTile tile = { .in_step = (gsize) ax->in_step * ic,
    .segments = work->phase->segments,
    .n_segments = work->phase->n_segments,
    .length = work->phase->length,
    .weights = work->weights + work->phase->weights_at,
    .pixels = pixels,
    .out_step = ax->out_step * oc };

  for (gsize group = 0; group < g->groups; group++) {
    tile.in = in + group * g->ic;
    for (gsize o = 0, width; o < g->oc; o += width) {
      gsize c = group * g->oc + o;

      width = cpu_conv_nspc_block (conv, o);
      tile.vectors = width / conv->lanes;
      tile.channels = MIN (width, g->oc - o);
      tile.out = work->out + out + c;
      offset_epilogue (&tile.epilogue, &conv->epilogue, c);
      tile.epilogue.residual = work->residual ? work->residual + out + c : NULL;
      work->step->kernels->conv_tile_f32 (&tile);
      tile.weights += length * width;
    }
  }
}

static void
tile_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;

  for (gsize i = begin; i < end; i++) {
    gsize x = i % work->chunks * work->chunk;
    gsize in, out, pos[2];

    if (work->conv->flat) {
      in = out = 0;
    } else {
      locate_row (work, i / work->chunks, &in, &out, pos);
    }
    run_tiles (work, in, out, x, MIN (work->chunk, work->pixels - x));
  }
}

/* The taps of output @q that read data: [*first, *last). */
static void
valid_taps (const CpuConvAxis *a, gsize in, gsize q, gsize *first, gsize *last)
{
  gint64 start = (gint64) q * a->in_step + a->begin;
  gint64 lo = start < 0 ? (-start + a->step - 1) / a->step : 0;
  gint64 hi =
      start >= (gint64) in ? 0 : ((gint64) in - start + a->step - 1) / a->step;

  hi = MIN (hi, (gint64) a->taps);
  *last = (gsize) MAX (hi, 0);
  *first = (gsize) MIN (lo, (gint64) *last);
}

static void
depthwise_row (const Work *work, gsize row)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvAxis *a = work->phase->axis;
  const gsize channels = conv->g.groups, all = channels * conv->repeat;
  CpuConvDepthwise it = { .in = work->in,
    .weights = work->weights + work->phase->weights_at,
    .column = channels,
    .columns = work->in_dims[2],
    .first = (ptrdiff_t) a[2].begin,
    .step = (gsize) a[2].in_step * conv->repeat,
    .dilation = (gsize) a[2].step,
    .pixels = (a[2].count + conv->repeat - 1) / conv->repeat,
    .channels = all,
    .out_step = a[2].out_step * all,
    .epilogue = conv->epilogue };
  gsize in, out, pos[2];

  locate_row (work, row, &in, &out, pos);
  it.in += in * channels;
  for (guint d = 0; d < 2; d++) {
    gsize unit = (d == 0 ? work->in_dims[1] : 1) * work->in_dims[2] * channels;
    gsize w_unit = (d == 0 ? a[1].taps : 1) * a[2].taps * all;
    gsize first, last;

    valid_taps (&a[d], work->in_dims[d], pos[d], &first, &last);
    it.n[d] = last - first;
    it.in_stride[d] = (gsize) a[d].step * unit;
    it.weight_stride[d] = w_unit;
    it.weights += first * w_unit;
    if (last > first)
      it.in += (a[d].begin + (gint64) first * a[d].step) * (gint64) unit;
  }
  it.n[2] = a[2].taps;
  it.last = all - (it.pixels * conv->repeat - a[2].count) * channels;
  it.out = work->out + out * channels;
  if (work->residual)
    it.epilogue.residual = work->residual + out * channels;
  work->step->kernels->conv_depthwise_f32 (&it);
}

static void
depthwise_range (gpointer data, gsize begin, gsize end, guint thread)
{
  for (gsize i = begin; i < end; i++)
    depthwise_row (data, i);
}

/* Pixels computed at a time: what they read stays in the first-level cache
 * while the weights of all output channels pass by; a multiple of 1 … 14. */
static gsize
chunk_pixels (const CpuConvNspc *conv, const CpuConvPhase *phase)
{
  gsize row = (gsize) phase->axis[2].in_step * conv->g.groups * conv->g.ic
              * sizeof (float) * MAX (phase->axis[1].taps, 1);
  gsize pixels = 24576 / MAX (row, 1) / 14 * 14;

  return CLAMP (pixels, 14, 112);
}

static void
run_phase (CpuStep *step, Work *work)
{
  const CpuConvNspc *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *a = work->phase->axis;
  gsize cost;

  if (a[0].count == 0 || a[1].count == 0 || a[2].count == 0)
    return;
  work->rows = g->batch * a[0].count * a[1].count;
  work->pixels = a[2].count;
  if (conv->flat) {
    work->pixels *= work->rows;
    work->rows = 1;
  }
  /* A thread's share is worth starting it: some 100 000 multiplications. */
  cost = cpu_conv_phase_taps (work->phase) * g->groups * g->ic * g->oc;
  if (conv->depthwise) {
    cpu_step_parallel (step, work->rows,
        1 + 100000 / MAX (cost * work->pixels, 1), depthwise_range, work);
    return;
  }
  work->chunk = MIN (chunk_pixels (conv, work->phase), work->pixels);
  work->chunks = (work->pixels + work->chunk - 1) / work->chunk;
  cpu_step_parallel (step, work->rows * work->chunks,
      1 + 100000 / MAX (cost * work->chunk, 1), tile_range, work);
}

/* [batch][rows][cols] → [batch][cols][rows] */
static void
swap (const CpuStep *step, float *to, const float *from, gsize batch,
    gsize rows, gsize cols)
{
  for (gsize n = 0; n < batch; n++)
    transpose (step, to + n * rows * cols, rows, from + n * rows * cols, cols,
        rows, cols);
}

typedef struct
{
  const CpuKernels *kernels;
  CpuUnary unary;
  const CpuAct *act;
  float *data;
} Late;

static void
late_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Late *late = data;
  float *at = late->data + begin;

  late->kernels->unary_f32 (
      late->unary, at, at, end - begin, late->act->alpha, late->act->beta);
}

static void
run_late (CpuStep *step, const CpuConvNspc *conv, float *data)
{
  Late late = { .kernels = step->kernels, .act = &conv->late, .data = data };

  if (late_act (&conv->late, &late.unary))
    cpu_step_parallel (step, step->out[0]->n, 16384, late_range, &late);
}

static float *
scratch_at (const CpuStep *step, gsize at)
{
  return (float *) (gpointer) ((char *) step->scratch + at);
}

void
cpu_conv_nspc_run (CpuStep *step, const CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->oc, volume = cpu_volume (g->out);
  Work work = { .step = step,
    .conv = conv,
    .in = step->in[0]->data,
    .out = step->out[0]->data,
    .weights = conv->weights,
    .residual = conv->residual ? conv->residual->data : NULL };

  memcpy (work.in_dims, conv->padded, sizeof work.in_dims);
  if (work.weights == NULL) {
    float *packed = scratch_at (step, conv->weights_at);

    cpu_conv_nspc_pack (conv, step->in[1]->data, packed);
    work.weights = packed;
  }
  if (conv->pad || conv->plain) {
    float *filled = scratch_at (step, conv->fill_at);

    fill (step, conv, work.in, filled);
    work.in = filled;
  }
  if (conv->plain) {
    work.out = scratch_at (step, conv->out_at);
    if (work.residual) {
      float *residual = scratch_at (step, conv->residual_at);

      swap (step, residual, work.residual, g->batch, channels, volume);
      work.residual = residual;
    }
  }
  for (guint i = 0; i < conv->n_phases; i++) {
    work.phase = &conv->phases[i];
    run_phase (step, &work);
  }
  run_late (step, conv, work.out);
  if (conv->plain)
    swap (step, step->out[0]->data, work.out, g->batch, volume, channels);
}
