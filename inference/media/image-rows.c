/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/image-rows.h"

void
infer_rows_blend_u8 (const guint8 *restrict above, const guint8 *restrict below,
    float weight, gsize n, float *restrict to)
{
  if (weight == 0) {
    for (gsize i = 0; i < n; i++)
      to[i] = (float) (int) above[i];
    return;
  }
  for (gsize i = 0; i < n; i++) {
    int up = above[i], low = below[i];
    to[i] = (float) up + weight * (float) (low - up);
  }
}

void
infer_rows_blend_u16 (const guint16 *restrict above,
    const guint16 *restrict below, float weight, gsize n, float *restrict to)
{
  for (gsize i = 0; i < n; i++) {
    int up = above[i], low = below[i];
    to[i] = (float) up + weight * (float) (low - up);
  }
}

void
infer_rows_blend_f32 (const float *restrict above, const float *restrict below,
    float weight, gsize n, float *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = above[i] + weight * (below[i] - above[i]);
}

void
infer_rows_pick (const float *restrict line, const gint32 *restrict first,
    gsize n, float *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = line[first[i]];
}

void
infer_rows_mix (const float *restrict line, const gint32 *restrict first,
    const gint32 *restrict second, const float *restrict weight, gsize n,
    float *restrict to)
{
  for (gsize i = 0; i < n; i++) {
    float a = line[first[i]];
    to[i] = a + weight[i] * (line[second[i]] - a);
  }
}

void
infer_rows_halve (const float *restrict line, gsize n, float *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = 0.5f * (line[2 * i] + line[2 * i + 1]);
}

void
infer_rows_take (
    const float *restrict line, guint step, gsize n, float *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = line[i * step];
}

#define GATHER(name, type)                                                     \
  void name (const char *above, const char *below, float down,                 \
      const gint32 *first, const gint32 *second, const float *weight, gsize n, \
      float *to)                                                               \
  {                                                                            \
    for (gsize i = 0; i < n; i++) {                                            \
      float a = LOAD (type, above, first), b = LOAD (type, above, second);     \
      float c = LOAD (type, below, first), d = LOAD (type, below, second);     \
      float left = a + down * (c - a), right = b + down * (d - b);             \
      to[i] = left + weight[i] * (right - left);                               \
    }                                                                          \
  }
#define LOAD(type, row, index)                                                 \
  ((float) *(const type *) (gconstpointer) ((row) + (index)[i]))

GATHER (infer_rows_gather_u8, guint8)
GATHER (infer_rows_gather_u16, guint16)
GATHER (infer_rows_gather_f32, float)

/* Two comparisons compile to one instruction each; CLAMP does not. */
static inline float
within_bytes (float value)
{
  value = value > 0.0f ? value : 0.0f;
  return value < 255.0f ? value : 255.0f;
}

void
infer_rows_rgb (const InferYuv *yuv, float *restrict y, float *restrict u,
    float *restrict v, gsize n)
{
  const InferYuv k = *yuv;

  for (gsize i = 0; i < n; i++) {
    float luma = y[i] * k.ky, blue = u[i], red = v[i];

    y[i] = within_bytes (luma + red * k.rv + k.r0);
    u[i] = within_bytes (luma + blue * k.gu + red * k.gv + k.g0);
    v[i] = within_bytes (luma + blue * k.bu + k.b0);
  }
}

void
infer_rows_scale (float factor, gsize n, float *x)
{
  for (gsize i = 0; i < n; i++)
    x[i] *= factor;
}

void
infer_rows_clamp (float a, float b, gsize n, float *x)
{
  for (gsize i = 0; i < n; i++)
    x[i] = within_bytes (a * x[i] + b);
}

void
infer_rows_luma (const float *r, const float *g, const float *b, float kr,
    float kg, float kb, gsize n, float *to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = kr * r[i] + kg * g[i] + kb * b[i];
}

void
infer_rows_store (const float *restrict row, float factor, float offset,
    gsize n, guint step, float *restrict to)
{
  if (step == 1) {
    for (gsize i = 0; i < n; i++)
      to[i] = row[i] * factor + offset;
    return;
  }
  for (gsize i = 0; i < n; i++)
    to[i * step] = row[i] * factor + offset;
}

void
infer_rows_round_u8 (const float *restrict from, gsize n, guint8 *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = (guint8) (int) (within_bytes (from[i]) + 0.5f);
}

void
infer_rows_round_i8 (const float *restrict from, gsize n, gint8 *restrict to)
{
  for (gsize i = 0; i < n; i++)
    to[i] = (gint8) ((int) (within_bytes (from[i] + 128.0f) + 0.5f) - 128);
}

/* Division by 255, exact for these products. */
void
infer_rows_mix_u8 (const guint8 *restrict from, const guint8 *restrict part,
    gsize n, guint8 *restrict to)
{
  for (gsize i = 0; i < n; i++) {
    guint16 sum = (guint16) (to[i] * (255 - part[i]) + from[i] * part[i] + 127);

    to[i] = (guint8) ((guint16) (sum + 1 + (sum >> 8)) >> 8);
  }
}
