/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Filters in the order in which the kernels read them. */

#include "cpu/base/scope.h"
#include "cpu/conv/nspc/conv.h"
#include "cpu/base/posts.h"

#include <string.h>

static const CpuLooseFloat *
filter_at (const CpuConvNspc *conv, const CpuLooseFloat *filters, gsize group,
    gsize o, gsize i)
{
  const CpuConvGeometry *g = &conv->g;
  const gsize oc = g->oc / conv->fold;
  gsize channel = g->transposed ? (group * g->ic + i) * oc + o % oc
                                : (group * g->oc + o) * g->ic + i;

  /* Only one group is folded: g->k has lost its last dim. */
  return filters + channel * cpu_volume (g->k) * conv->fold
         + (conv->fold > 1 ? o / oc : 0);
}

static gsize
tap_at (
    const CpuConvGeometry *g, const CpuConvAxis *a, gsize z, gsize y, gsize x)
{
  gint64 kz = a[0].first_k + (gint64) z * a[0].k_step;
  gint64 ky = a[1].first_k + (gint64) y * a[1].k_step;
  gint64 kx = a[2].first_k + (gint64) x * a[2].k_step;

  return ((gsize) kz * g->k[1] + (gsize) ky) * g->k[2] + (gsize) kx;
}

static float
scale_of (const CpuConvNspc *conv, gsize channel)
{
  return conv->scale ? conv->scale[channel] : 1;
}

/* Packs one tap of a depthwise phase: a filter element of each channel. */
static float *
pack_channels (
    const CpuConvNspc *conv, const CpuLooseFloat *filters, gsize tap, float *to)
{
  const CpuConvGeometry *g = &conv->g;

  for (gsize i = 0; i < conv->repeat; i++)
    for (gsize c = 0; c < g->groups; c++)
      *to++ = filters[c * cpu_volume (g->k) + tap] * scale_of (conv, c);
  return to;
}

/* An element of each of @n output channels, and zeros. */
static void
finish_outputs (
    const CpuConvNspc *conv, gsize first, gsize n, gsize width, float *to)
{
  for (gsize o = 0; o < n && conv->scale; o++)
    to[o] *= conv->scale[first + o];
  for (gsize o = n; o < width; o++)
    to[o] = 0;
}

/* Floats that are transposed at a time: they stay in the first-level cache. */
#define TRANSPOSED 4096

static gboolean
can_transpose (const CpuConvNspc *conv, gsize width)
{
  return !conv->g.transposed && conv->fold == 1 && width <= TRANSPOSED;
}

/* transpose_block of filters of one tap or one input channel: their elements
 * keep their order. */
static float *
transpose_rows (const CpuKernels *kernels, const CpuConvNspc *conv,
    const CpuLooseFloat *filters, gsize first, gsize n, gsize width, float *to)
{
  const gsize filter = conv->g.ic * cpu_volume (conv->g.k);

  kernels->transpose_u32 ((gpointer) to, width,
      (gconstpointer) (filters + first * filter), filter, n, filter);
  for (gsize r = 0; r < filter && (conv->scale != NULL || n < width); r++)
    finish_outputs (conv, first, n, width, to + r * width);
  return to + filter * width;
}

/* pack_block for forward convolutions that are not folded. */
static float *
transpose_block (const CpuKernels *kernels, const CpuConvNspc *conv,
    const CpuLooseFloat *filters, gsize first, gsize n, gsize width, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  const gsize volume = cpu_volume (g->k), filter = g->ic * volume;
  const gsize each = TRANSPOSED / width;
  gsize channel = 0, tap = 0;
  float rows[TRANSPOSED];

  if (volume == 1 || g->ic == 1)
    return transpose_rows (kernels, conv, filters, first, n, width, to);
  for (gsize at = 0, some; at < filter; at += some) {
    some = MIN (each, filter - at);
    kernels->transpose_u32 ((gpointer) rows, width,
        (gconstpointer) (filters + first * filter + at), filter, n, some);
    for (gsize r = 0; r < some; r++) {
      float *row = memcpy (to + (tap * g->ic + channel) * width,
          rows + r * width, n * sizeof *rows);

      finish_outputs (conv, first, n, width, row);
      if (++tap == volume) {
        tap = 0;
        channel++;
      }
    }
  }
  return to + filter * width;
}

#define MOST_LANES 16

/* Transposes each vector: [element][channel] → [element / dot][channel][dot],
 * after zeros have filled up the last of a segment.  Returns the end. */
static float *
transpose_dots (const CpuConvNspc *conv, const CpuConvPhase *phase, float *from)
{
  const gsize dot = conv->dot, oc = conv->g.oc;
  const gsize length = phase->length * oc;
  const gsize padded = (phase->length + dot - 1) / dot * dot * oc;
  float *end = from + phase->n_segments * padded;
  float transposed[MOST_LANES];

  for (gsize s = phase->n_segments; s-- > 0 && padded > length;) {
    memmove (from + s * padded, from + s * length, length * sizeof *from);
    memset (from + s * padded + length, 0, (padded - length) * sizeof *from);
  }
  for (float *at = from; at < end; at += dot * oc) {
    for (gsize o = 0; o < oc; o++)
      for (gsize i = 0; i < dot; i++)
        transposed[o * dot + i] = at[i * oc + o];
    memcpy (at, transposed, dot * oc * sizeof *at);
  }
  return end;
}

/* One block of output channels [begin, begin + width): [tap][ic][width]. */
static float *
pack_block (const CpuConvNspc *conv, const CpuConvPhase *phase,
    const CpuLooseFloat *filters, gsize group, gsize begin, gsize width,
    float *to)
{
  const CpuConvGeometry *g = &conv->g;
  const CpuConvAxis *a = phase->axis;

  for (gsize z = 0; z < a[0].taps; z++) {
    for (gsize y = 0; y < a[1].taps; y++) {
      for (gsize x = 0; x < a[2].taps; x++) {
        gsize tap = tap_at (g, a, z, y, x);

        for (gsize i = 0; i < g->ic; i++)
          for (gsize o = begin; o < begin + width; o++)
            *to++ = o < g->oc ? filter_at (conv, filters, group, o,
                                    i)[tap * conv->fold]
                                    * scale_of (conv, group * g->oc + o)
                              : 0;
      }
    }
  }
  return to;
}

void
cpu_conv_nspc_pack (const CpuKernels *kernels, const CpuConvNspc *conv,
    const CpuLooseFloat *filters, float *to)
{
  const CpuConvGeometry *g = &conv->g;
  gsize padded = cpu_conv_nspc_padded_oc (conv);

  for (guint i = 0; i < conv->n_phases; i++) {
    const CpuConvPhase *phase = &conv->phases[i];
    const CpuConvAxis *a = phase->axis;

    if (conv->depthwise) {
      for (gsize z = 0; z < a[0].taps; z++)
        for (gsize y = 0; y < a[1].taps; y++)
          for (gsize x = 0; x < a[2].taps; x++)
            to = pack_channels (conv, filters, tap_at (g, a, z, y, x), to);
      continue;
    }
    for (gsize group = 0; group < g->groups; group++)
      for (gsize o = 0, width; o < padded; o += width) {
        float *begin = to;

        width = cpu_conv_nspc_block (conv, o);
        if (can_transpose (conv, width))
          to = transpose_block (kernels, conv, filters, group * g->oc + o,
              MIN (width, g->oc - o), width, to);
        else
          to = pack_block (conv, phase, filters, group, o, width, to);
        if (conv->dot > 1)
          to = transpose_dots (conv, phase, begin);
      }
  }
}

static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvNspc *conv = data;
  float *packed;

  *bytes = conv->packed * sizeof *packed;
  packed = cpu_alloc_pack (*bytes);
  if (packed)
    cpu_conv_nspc_pack (step->kernels, conv, step->in[input]->data, packed);
  return packed;
}

guint
cpu_conv_nspc_pack_params (const CpuConvNspc *conv, gint64 params[16])
{
  const CpuConvGeometry *g = &conv->g;

  memset (params, 0, 16 * sizeof *params);
  params[0] = g->transposed ? (gint64) conv->fold : 0;
  params[0] += (gint64) (conv->fours + 1000000 * conv->threes) * 1000000;
  params[1] = (gint64) g->groups;
  params[2] =
      (gint64) (conv->lanes + 1000 * conv->repeat + 1000000 * conv->dot);
  params[3] = conv->scale ? cpu_posts_hash (conv->scale, g->groups * g->oc) : 0;
  /* The taps of a transposed convolution's phases depend on these. */
  for (guint d = 0; d < 3 && g->transposed; d++) {
    params[4 + d] = g->stride[d];
    params[7 + d] = g->dilation[d];
    params[10 + d] = g->pad[d];
    params[13 + d] = MIN ((gint64) g->out[d], g->stride[d]);
  }
  return 16;
}

gboolean
cpu_conv_nspc_prepare_weights (CpuStep *step, CpuConvNspc *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gint64 params[16];

  conv->packed = 0;
  for (guint i = 0; i < conv->n_phases; i++) {
    CpuConvPhase *phase = &conv->phases[i];

    phase->weights_at = conv->packed;
    conv->packed += conv->depthwise
                        ? cpu_conv_phase_taps (phase) * g->groups * conv->repeat
                        : cpu_conv_phase_length (conv, phase) * g->groups
                              * cpu_conv_nspc_padded_oc (conv);
  }
  if (!step->in[1]->constant)
    return TRUE;
  guint n = cpu_conv_nspc_pack_params (conv, params);
  conv->weights = cpu_step_pack_loose (
      step, 1, CPU_PACK_CONV, n, params, make_packed, conv);
  return conv->weights != NULL;
}
