/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/u8/private.h"

#include "cpu/base/integers.h"
#include "cpu/base/unpack.h"

#include <string.h>

static gsize
rounded_length (const CpuConvGeometry *g)
{
  return (cpu_u8_length (g) + 3) / 4 * 4;
}

CpuU8Weights
cpu_u8_weights (const CpuU8Head *head, const CpuConvGeometry *g)
{
  gsize n = cpu_u8_channels (g);
  CpuU8Weights w = { .head = head, .scale = (gconstpointer) (head + 1) };

  w.offset = w.scale + n;
  w.sums = (const gint32 *) (w.offset + n);
  w.integers = w.sums + n;
  return w;
}

/* Puts one tap of all channels, integers @first, … of a segment. */
static void
pack_tap (const CpuConvGeometry *g, const gint16 *tap, gint8 *to, gsize first,
    gsize width, int offset)
{
  const gsize volume = cpu_volume (g->k);
  gsize c = 0;

  for (; first % 4 == 0 && c + 4 <= g->ic; c += 4, tap += 4 * volume) {
    const gint8 quad[] = { (gint8) (tap[0] - offset),
      (gint8) (tap[volume] - offset), (gint8) (tap[2 * volume] - offset),
      (gint8) (tap[3 * volume] - offset) };

    memcpy (to + (first + c) * width, quad, sizeof quad);
  }
  for (; c < g->ic; c++, tap += volume)
    to[(first + c) / 4 * width * 4 + (first + c) % 4] = (gint8) (*tap - offset);
}

/* A segment is one tap or a row of taps. */
static void
pack_filter (const CpuConvGeometry *g, const gint16 *filter, gint8 *to,
    gsize width, int offset)
{
  const gsize taps = cpu_u8_merges (g) ? g->k[2] : 1;

  for (gsize s = 0; s < cpu_u8_segments (g); s++)
    for (gsize x = 0; x < taps; x++)
      pack_tap (g, filter + s * taps + x, to + s * rounded_length (g) * width,
          x * g->ic, width, offset);
}

typedef struct
{
  const CpuConvGeometry *g;
  float *scale, *offset;
  gint32 *sums;
  gint8 *integers;
  const CpuValue *filters;
  gint16 *filter; /* the integers of one channel */
  guint planes, lines;
} Packing;

/* From the file's own integers if it stores integers. */
static gboolean
find_filter (const Packing *p, gsize first, gsize n, CpuIntegers *found)
{
  const CpuUnpack *unpack = p->filters->unpack;
  const CpuLooseFloat *floats = p->filters->data;
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
  gint16 low = 0, high = 0;
  for (gsize i = 0; i < n; i++) {
    low = MIN (low, p->filter[i]);
    high = MAX (high, p->filter[i]);
  }
  found->low = low;
  found->high = high;
  return TRUE;
}

/* @left, the sum of at most so many 8-bit integers, @step apart. */
static void
pack_planes (const Packing *p, int left, gint8 *to, gsize step)
{
  for (guint plane = 0; plane < p->planes; plane++) {
    const int part = CLAMP (left, -128, 127);

    to[plane * step] = (gint8) part;
    left -= part;
  }
}

static void
pack_quads (const Packing *p, gsize c)
{
  const CpuConvGeometry *g = p->g;
  const CpuU8Quads q = cpu_u8_quads (g);
  const gsize terms = g->k[0] * q.groups * q.across;
  gint8 *to =
      p->integers + (c / LANES * p->planes * terms * LANES + c % LANES) * 4;

  for (gsize t = 0; t < cpu_volume (g->k); t++) {
    gsize x = t % g->k[2], y = t / g->k[2] % g->k[1], z = t / g->k[2] / g->k[1];
    gsize row = q.rows ? z * q.groups + y / 4 : z * q.groups + y;
    gsize term = row * q.across + (q.rows ? x : x / 4);

    pack_planes (p, p->filter[t], to + term * LANES * 4 + (q.rows ? y : x) % 4,
        terms * LANES * 4);
  }
}

/* As CpuConvWindowsU8 expects them. */
static void
pack_windows (const Packing *p, gsize c)
{
  const CpuConvGeometry *g = p->g;
  const gsize line = cpu_u8_channels (g) * CPU_U8_WINDOW * p->planes * 4;
  gint8 *to = p->integers
              + (c / LANES * CPU_U8_WINDOW * p->planes * LANES + c % LANES) * 4;

  for (gsize l = 0; l < p->lines; l++)
    for (gsize t = 0; t < cpu_volume (g->k); t++)
      pack_planes (p, p->filter[t],
          to + l * line + t % g->k[2] * p->planes * LANES * 4 + t / g->k[2] + l,
          LANES * 4);
}

static guint
count_planes (const CpuIntegers *found)
{
  return (guint) MAX (
      MAX ((found->high + 126) / 127, (-found->low + 127) / 128), 1);
}

static gboolean
pack_channel (const Packing *p, gsize group, gsize o, gboolean *any_offset)
{
  const CpuConvGeometry *g = p->g;
  gsize each = g->ic * cpu_volume (g->k);
  gsize at = group * cpu_u8_padded_oc (g) + o;
  const gint16 *filter = p->filter;
  gsize block = o / BLOCK * BLOCK;
  gsize width = MIN (BLOCK, cpu_u8_padded_oc (g) - block);
  gsize depth = cpu_u8_segments (g) * rounded_length (g);
  CpuIntegers found;
  gint32 sum = 0;
  int offset = 0;

  if (!find_filter (p, (group * g->oc + o) * each, each, &found)
      || found.high - found.low > 255)
    return FALSE;
  p->scale[at] = found.scale;
  if (p->lines > 0) {
    pack_windows (p, group);
  } else if (cpu_u8_is_depthwise (g)) {
    pack_quads (p, group);
  } else {
    if (found.low < -128 || found.high > 127)
      offset = found.low + 128;
    pack_filter (g, filter,
        p->integers + (group * cpu_u8_padded_oc (g) + block) * depth
            + (o - block) * 4,
        width, offset);
  }
  p->offset[at] = (float) offset;
  *any_offset = *any_offset || offset != 0;
  for (gsize t = 0; t < each; t++)
    sum += filter[t];
  p->sums[at] = sum - (gint32) each * offset;
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

/* Planes needed by the integers of all channels; 0: the weights are no
 * integers. */
static guint
find_planes (const Packing *p)
{
  gsize each = cpu_volume (p->g->k);
  guint planes = 1;
  CpuIntegers found;

  for (gsize c = 0; c < p->g->groups; c++) {
    if (!find_filter (p, c * each, each, &found)
        || found.high - found.low > 255)
      return 0;
    planes = MAX (planes, count_planes (&found));
  }
  return planes;
}

static gsize
count_integers (const CpuConvGeometry *g, guint planes, guint lines)
{
  const CpuU8Quads q = cpu_u8_quads (g);

  if (lines > 0)
    return cpu_u8_channels (g) * lines * CPU_U8_WINDOW * planes * 4;
  if (cpu_u8_is_depthwise (g))
    return cpu_u8_channels (g) * g->k[0] * q.groups * q.across * planes * 4;
  return cpu_u8_channels (g) * cpu_u8_segments (g) * rounded_length (g);
}

static gpointer
pack_all (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvGeometry *g = data;
  g_autofree gint16 *filter = g_try_new (gint16, g->ic * cpu_volume (g->k) + 1);
  gsize n = cpu_u8_channels (g);
  CpuU8Head *head;
  Packing p = { .g = g, .filters = step->in[input], .filter = filter };

  if (filter == NULL)
    return NULL;
  if (cpu_u8_is_depthwise (g))
    p.planes = find_planes (&p);
  if (p.planes == 1 || p.planes == 2)
    p.lines = (guint) cpu_u8_window_lines (step, g);
  *bytes = sizeof *head + n * 3 * sizeof (float)
           + count_integers (g, p.planes, p.lines);
  head = cpu_alloc_pack (*bytes);
  if (head == NULL)
    return NULL;
  memset (head, 0, *bytes);
  p.scale = (float *) (head + 1);
  p.offset = p.scale + n;
  p.sums = (gint32 *) (p.offset + n);
  p.integers = (gint8 *) (p.sums + n);
  head->planes = p.planes;
  head->lines = p.lines;
  head->found = !cpu_u8_is_depthwise (g) || p.planes > 0;
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

  if (filters->data != NULL || are_stored_integers (filters, data))
    return pack_all (step, input, data, bytes);
  filters->data = floats = g_try_new (float, filters->n);
  if (floats == NULL)
    return NULL;
  infer_compressed_floats (&filters->unpack->stored, 0, filters->n, floats);
  gpointer packed = pack_all (step, input, data, bytes);
  filters->data = NULL;
  return packed;
}

const CpuU8Head *
cpu_u8_pack (CpuStep *step, CpuConvGeometry *g)
{
  /* Besides these, packed weights depend on the filters' shape only. */
  gint64 params[] = { (gint64) g->groups, g->dilation[2], (gint64) g->k[0],
    (gint64) g->k[1], (gint64) g->k[2],
    (gint64) cpu_u8_window_lines (step, g) };

  return cpu_step_pack_stored (
      step, 1, "conv-levels", G_N_ELEMENTS (params), params, make_weights, g);
}
