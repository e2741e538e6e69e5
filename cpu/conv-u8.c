/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv-u8.h"

#include "cpu/integers.h"
#include "cpu/posts.h"
#include "cpu/unpack.h"

#include <math.h>
#include <string.h>

#define LANES CPU_U8_LANES
#define BLOCK ((gsize) 2 * LANES)

/* Packed weights: this, then by padded channel scale, offset, sum of integers,
 * then the integers. */
typedef struct
{
  gboolean found; /* else there is nothing behind */
  gboolean offset;
  char pad[56];
} Head;

typedef struct
{
  const Head *head;
  const float *scale, *offset;
  const gint32 *sums;
  gconstpointer integers;
} Weights;

struct _CpuConvU8
{
  CpuConvGeometry g;
  gboolean depthwise, pad;
  gsize lo[3], padded[3]; /* the padded input; lo: what is before the data */
  guint8 zero;
  gsize *segments, n_segments, length;
  gsize padded_oc; /* of one group, as arrays have it */
  gsize padded_at; /* bytes of scratch before the padded input */
  Weights weights;
  gint32 *start; /* this and the two below: by padded channel */
  float *scale, *bias;
  CpuAct act;
};

/* --- weights -----------------------------------------------------------------
 */

static gboolean
is_depthwise (const CpuConvGeometry *g)
{
  return g->ic == 1 && g->oc == 1 && g->groups > 1;
}

static gsize
padded_oc (const CpuConvGeometry *g)
{
  return is_depthwise (g) ? 1 : (g->oc + LANES - 1) / LANES * LANES;
}

/* Taps along x and the channels of one group lie side by side where there is
 * one group and no gap. */
static gboolean
merges (const CpuConvGeometry *g)
{
  return g->groups == 1 && g->dilation[2] == 1;
}

static gsize
segment_length (const CpuConvGeometry *g)
{
  return merges (g) ? g->ic * g->k[2] : g->ic;
}

static gsize
count_segments (const CpuConvGeometry *g)
{
  return g->k[0] * g->k[1] * (merges (g) ? 1 : g->k[2]);
}

static gsize
rounded_length (const CpuConvGeometry *g)
{
  return (segment_length (g) + 3) / 4 * 4;
}

static Weights
weights_at (const Head *head, const CpuConvGeometry *g)
{
  gsize n = g->groups * padded_oc (g);
  Weights w = { .head = head, .scale = (gconstpointer) (head + 1) };

  w.offset = w.scale + n;
  w.sums = (const gint32 *) (w.offset + n);
  w.integers = w.sums + n;
  return w;
}

/* Integer @i of segment @s of a filter's channel, from its tap and channel. */
static gsize
filter_at (const CpuConvGeometry *g, gsize s, gsize i)
{
  gsize x = merges (g) ? i / g->ic : s % g->k[2];
  gsize row = merges (g) ? s : s / g->k[2];

  return (i % g->ic * g->k[0] * g->k[1] + row) * g->k[2] + x;
}

static void
pack_filter (const CpuConvGeometry *g, const gint16 *filter, gint8 *to,
    gsize width, int offset)
{
  gsize length = segment_length (g), rounded = rounded_length (g);

  for (gsize s = 0; s < count_segments (g); s++)
    for (gsize i = 0; i < length; i++)
      to[(s * rounded / 4 + i / 4) * width * 4 + i % 4] =
          (gint8) (filter[filter_at (g, s, i)] - offset);
}

typedef struct
{
  const CpuConvGeometry *g;
  float *scale, *offset;
  gint32 *sums;
  gpointer integers;
  const CpuValue *filters;
  gint16 *filter; /* the integers of one channel */
} Packing;

/* From the file's own integers where it has them. */
static gboolean
find_filter (const Packing *p, gsize first, gsize n, CpuIntegers *found)
{
  const CpuUnpack *unpack = p->filters->unpack;
  const float *floats = p->filters->data;
  int zero;

  if (floats != NULL) {
    if (!cpu_integers_find (floats + first, n, 1, found))
      return FALSE;
    for (gsize i = 0; i < n; i++)
      p->filter[i] = (gint16) cpu_integers_of (found, floats[first + i]);
    return TRUE;
  }
  infer_compressed_integers (
      &unpack->stored, first, 1, n, &found->scale, &zero);
  if (unpack->stored.codes->type == INFER_TYPE_U8)
    for (gsize i = 0; i < n; i++)
      p->filter[i] =
          (gint16) (((const guint8 *) unpack->stored.codes->data)[first + i]
                    - zero);
  else
    for (gsize i = 0; i < n; i++)
      p->filter[i] =
          (gint16) (((const gint8 *) unpack->stored.codes->data)[first + i]
                    - zero);
  found->low = found->high = 0;
  for (gsize i = 0; i < n; i++) {
    found->low = MIN (found->low, p->filter[i]);
    found->high = MAX (found->high, p->filter[i]);
  }
  return TRUE;
}

static gboolean
pack_channel (const Packing *p, gsize group, gsize o, gboolean *any_offset)
{
  const CpuConvGeometry *g = p->g;
  gsize each = g->ic * cpu_volume (g->k), at = group * padded_oc (g) + o;
  const gint16 *filter = p->filter;
  gsize block = o / BLOCK * BLOCK, width = MIN (BLOCK, padded_oc (g) - block);
  gsize depth = count_segments (g) * rounded_length (g);
  CpuIntegers found;
  int offset = 0;

  if (!find_filter (p, (group * g->oc + o) * each, each, &found)
      || found.high - found.low > 255)
    return FALSE;
  p->scale[at] = found.scale;
  if (is_depthwise (g)) {
    for (gsize t = 0; t < each; t++) {
      ((gint32 *) p->integers)[t * g->groups + group] = filter[t];
      p->sums[at] += filter[t];
    }
    return TRUE;
  }
  if (found.low < -128 || found.high > 127)
    offset = found.low + 128;
  p->offset[at] = (float) offset;
  *any_offset = *any_offset || offset != 0;
  for (gsize t = 0; t < each; t++)
    p->sums[at] += filter[t] - offset;
  pack_filter (g, filter,
      (gint8 *) p->integers + (group * padded_oc (g) + block) * depth
          + (o - block) * 4,
      width, offset);
  return TRUE;
}

static gboolean
are_stored_integers (const CpuValue *filters, const CpuConvGeometry *g)
{
  const gsize each = g->ic * cpu_volume (g->k);
  float scale;
  int zero;

  for (gsize c = 0; c < g->groups * g->oc; c++)
    if (!infer_compressed_integers (
            &filters->unpack->stored, c * each, 1, each, &scale, &zero))
      return FALSE;
  return TRUE;
}

static gpointer
pack_all (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvGeometry *g = data;
  g_autofree gint16 *filter = g_new (gint16, g->ic * cpu_volume (g->k) + 1);
  gsize n = g->groups * padded_oc (g);
  gsize integers = is_depthwise (g)
                       ? n * cpu_volume (g->k) * sizeof (gint32)
                       : n * count_segments (g) * rounded_length (g);
  Head *head;
  Weights w;
  Packing p = { .g = g, .filters = step->in[input], .filter = filter };

  *bytes = sizeof *head + n * 3 * sizeof (float) + integers;
  head = cpu_alloc (*bytes);
  if (head == NULL)
    return NULL;
  memset (head, 0, *bytes);
  w = weights_at (head, g);
  p.scale = (float *) (head + 1);
  p.offset = p.scale + n;
  p.sums = (gint32 *) (p.offset + n);
  p.integers = p.sums + n;
  g_assert (p.integers == w.integers);
  head->found = TRUE;
  for (gsize group = 0; group < g->groups && head->found; group++)
    for (gsize o = 0; o < g->oc && head->found; o++)
      head->found = pack_channel (&p, group, o, &head->offset);
  return head;
}

static gpointer
make_weights (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  CpuValue *filters = step->in[input];
  g_autofree float *floats = NULL;
  gpointer packed;

  if (filters->data != NULL || are_stored_integers (filters, data))
    return pack_all (step, input, data, bytes);
  filters->data = floats = g_try_new (float, filters->n);
  if (floats == NULL)
    return NULL;
  infer_compressed_floats (&filters->unpack->stored, 0, filters->n, floats);
  packed = pack_all (step, input, data, bytes);
  filters->data = NULL;
  return packed;
}

static const Head *
pack_weights (CpuStep *step, CpuConvGeometry *g)
{
  /* The geometry of filters is in their shape, but for these. */
  gint64 params[] = { (gint64) g->groups, g->dilation[2] };

  return cpu_step_pack_stored (
      step, 1, "conv-u8", G_N_ELEMENTS (params), params, make_weights, g);
}

/* --- what can be done --------------------------------------------------------
 */

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

/* So many products of 8 bits and 9 never overflow 32. */
#define MAX_PRODUCTS 32768

gboolean
cpu_conv_u8_can (CpuStep *step, const CpuQuant *quant)
{
  CpuConvGeometry g;
  const Head *head;
  guint8 zero;

  if ((step->isa & CPU_ISA_VNNI) == 0 || !step->in[1]->constant
      || step->in[1]->desc.type != INFER_TYPE_F32 || step->in[1]->n == 0
      || step->in[0]->n == 0 || step->out[0]->n == 0
      || !find_zero (quant, &zero) || !cpu_conv_geometry (step, FALSE, &g, NULL)
      || g.ic * cpu_volume (g.k) > MAX_PRODUCTS)
    return FALSE;
  head = pack_weights (step, &g);
  return head != NULL && head->found;
}

gboolean
cpu_conv_u8_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other)
{
  gsize channels = (gsize) cpu_out_shape (step, 0)->dims[1];

  if (strcmp (op->klass->type, "PReLU") == 0)
    return FALSE;
  if (other != NULL
      && (!other->constant || (other->n != 1 && other->n != channels)
          || g_ascii_strcasecmp (op->klass->type, "Swish") == 0
          || (step->n_posts > 0
              && step->posts[step->n_posts - 1].other == NULL)))
    return FALSE;
  return cpu_posts_can_absorb (step, 1, op, from, other);
}

/* --- construction ------------------------------------------------------------
 */

static gboolean
plan_padding (CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize volume = g->batch * g->groups * g->ic;

  for (guint d = 0; d < 3; d++) {
    gint64 hi = ((gint64) g->out[d] - 1) * g->stride[d]
                + ((gint64) g->k[d] - 1) * g->dilation[d] - g->pad[d];

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
  gsize x_taps = merges (g) ? 1 : g->k[2], i = 0;
  gsize channels = g->groups * g->ic;

  conv->length = segment_length (g);
  conv->n_segments = count_segments (g);
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

/* Arrays by padded channel, of what posts made of those by channel. */
static void
make_arrays (
    CpuConvU8 *conv, const CpuQuant *quant, const CpuEpilogue *epilogue)
{
  const CpuConvGeometry *g = &conv->g;
  gsize n = g->groups * conv->padded_oc;

  conv->start = g_new0 (gint32, n);
  conv->scale = g_new0 (float, n);
  conv->bias = g_new0 (float, n);
  for (gsize group = 0; group < g->groups; group++) {
    for (gsize o = 0; o < g->oc; o++) {
      gsize at = group * conv->padded_oc + o, c = group * g->oc + o;
      float more = epilogue->scale ? epilogue->scale[c] : 1;

      conv->start[at] = -conv->zero * conv->weights.sums[at];
      conv->scale[at] = conv->weights.scale[at] * quant->step * more;
      conv->bias[at] = epilogue->bias ? epilogue->bias[c] : 0;
    }
  }
}

static void
plan_scratch (CpuStep *step, CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;

  if (conv->weights.head->offset)
    conv->padded_at =
        (step->threads * g->out[2] * sizeof (float) + 63) & ~(gsize) 63;
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
  const CpuQuant *quant = step->in[0]->quant;
  g_autofree gpointer arrays = NULL;
  const CpuValue *residual;
  CpuEpilogue epilogue;
  const Head *head;

  conv->g = *geometry;
  conv->depthwise = is_depthwise (geometry);
  conv->padded_oc = padded_oc (geometry);
  head = pack_weights (step, &conv->g);
  if (head == NULL || !head->found || !plan_padding (conv)) {
    cpu_conv_u8_free (conv);
    return NULL;
  }
  conv->weights = weights_at (head, &conv->g);
  find_zero (quant, &conv->zero);
  plan_segments (conv);
  arrays = cpu_posts_epilogue (step, 1, &epilogue, &residual);
  g_assert (residual == NULL); /* never absorbed */
  conv->act = epilogue.act;
  make_arrays (conv, quant, &epilogue);
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
  g_free (conv->start);
  g_free (conv->scale);
  g_free (conv->bias);
  g_free (conv);
}

/* --- running -----------------------------------------------------------------
 */

/* The input with levels of zero around it. */
static void
fill (const CpuConvU8 *conv, const guint8 *data, guint8 *to)
{
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups * g->ic;
  gsize row = g->in[2] * channels, pitch = conv->padded[2] * channels;
  gsize before = conv->lo[2] * channels, after = pitch - before - row;

  for (gsize n = 0; n < g->batch; n++) {
    for (gsize z = 0; z < conv->padded[0]; z++) {
      for (gsize y = 0; y < conv->padded[1]; y++, to += pitch) {
        gsize iz = z - conv->lo[0], iy = y - conv->lo[1];

        if (iz >= g->in[0] || iy >= g->in[1]) {
          memset (to, conv->zero, pitch);
          continue;
        }
        memset (to, conv->zero, before);
        memcpy (to + before, data + ((n * g->in[0] + iz) * g->in[1] + iy) * row,
            row);
        memset (to + before + row, conv->zero, after);
      }
    }
  }
}

typedef struct
{
  const CpuStep *step;
  const CpuConvU8 *conv;
  const guint8 *in;
  guint8 *out;
  gsize size;  /* of an element of the output */
  float *sums; /* of the inputs of each pixel of a row, by thread */
  CpuQuantEnd end;
} Work;

static CpuQuantEnd
end_at (const Work *work, gsize c)
{
  CpuQuantEnd end = work->end;

  end.start += c;
  end.scale += c;
  end.bias += c;
  return end;
}

static void
tile_row (const Work *work, const guint8 *in, gsize out, guint thread)
{
  const CpuConvU8 *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  const gint8 *weights = conv->weights.integers;
  gsize depth = conv->n_segments * ((conv->length + 3) / 4) * 4;
  CpuConvTileU8 tile = { .in_step = (gsize) g->stride[2] * g->groups * g->ic,
    .segments = conv->segments,
    .n_segments = conv->n_segments,
    .length = conv->length,
    .pixels = g->out[2],
    .out_step = g->groups * g->oc };
  gint32 zeros = (gint32) (conv->zero * g->ic * cpu_volume (g->k));

  for (gsize group = 0; group < g->groups; group++) {
    tile.in = in + group * g->ic;
    if (conv->weights.head->offset) {
      float *sums = work->sums + thread * g->out[2];

      work->step->kernels->conv_sums_u8 (&tile, zeros, sums);
      tile.sums = sums;
    }
    for (gsize o = 0; o < conv->padded_oc; o += BLOCK) {
      gsize width = MIN (BLOCK, conv->padded_oc - o);
      gsize at = group * conv->padded_oc + o;

      tile.weights = weights + at * depth;
      tile.vectors = width / LANES;
      tile.channels = MIN (width, g->oc - o);
      tile.out = work->out + (out + group * g->oc + o) * work->size;
      tile.end = end_at (work, at);
      tile.offset =
          conv->weights.head->offset ? conv->weights.offset + at : NULL;
      work->step->kernels->conv_tile_u8 (&tile);
    }
  }
}

static void
depthwise_row (const Work *work, const guint8 *in, gsize out)
{
  const CpuConvU8 *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;
  gsize channels = g->groups;
  CpuConvDepthwiseU8 row = { .in = in,
    .weights = conv->weights.integers,
    .out = work->out + out * work->size,
    .in_step = (gsize) g->stride[2] * channels,
    .out_step = channels,
    .pixels = g->out[2],
    .channels = channels,
    .end = work->end };

  for (guint d = 0; d < 3; d++)
    row.n[d] = g->k[d];
  row.in_stride[2] = (gsize) g->dilation[2] * channels;
  row.in_stride[1] = (gsize) g->dilation[1] * conv->padded[2] * channels;
  row.in_stride[0] =
      (gsize) g->dilation[0] * conv->padded[1] * conv->padded[2] * channels;
  work->step->kernels->conv_depthwise_u8 (&row);
}

static void
run_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Work *work = data;
  const CpuConvU8 *conv = work->conv;
  const CpuConvGeometry *g = &conv->g;

  for (gsize i = begin; i < end; i++) {
    gsize y = i % g->out[1], z = i / g->out[1] % g->out[0];
    gsize n = i / g->out[1] / g->out[0];
    /* Where nothing is padded, a window may begin beyond a lesser padding. */
    gsize iz = z * (gsize) g->stride[0] + conv->lo[0] - (gsize) g->pad[0];
    gsize iy = y * (gsize) g->stride[1] + conv->lo[1] - (gsize) g->pad[1];
    gsize ix = conv->lo[2] - (gsize) g->pad[2];
    const guint8 *in =
        work->in
        + (((n * conv->padded[0] + iz) * conv->padded[1] + iy) * conv->padded[2]
              + ix)
              * g->groups * g->ic;
    gsize out = i * g->out[2] * g->groups * g->oc;

    if (conv->depthwise)
      depthwise_row (work, in, out);
    else
      tile_row (work, in, out, thread);
  }
}

void
cpu_conv_u8_run (CpuStep *step, const CpuConvU8 *conv)
{
  const CpuConvGeometry *g = &conv->g;
  gsize rows = g->batch * g->out[0] * g->out[1];
  gsize work_of_row = g->out[2] * g->groups * g->oc * g->ic * cpu_volume (g->k);
  Work work = { .step = step,
    .conv = conv,
    .in = step->in[0]->data,
    .out = step->out[0]->data,
    .size = step->out[0]->quant ? 1 : sizeof (float),
    .end = { .start = conv->start,
        .scale = conv->scale,
        .bias = conv->bias,
        .act = conv->act,
        .to = step->out[0]->quant } };

  work.sums = step->scratch;
  if (conv->pad) {
    guint8 *padded = (guint8 *) step->scratch + conv->padded_at;

    fill (conv, work.in, padded);
    work.in = padded;
  }
  cpu_step_parallel (
      step, rows, 500000 / MAX (work_of_row, 1) + 1, run_rows, &work);
}
