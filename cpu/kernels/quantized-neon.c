/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantising, dequantising and adding u8: NEON, whose conversions of width
 * vector types cannot express. */

#include "cpu/kernels/quantized-neon.inc"

#define STEP 16

INLINE void
quantize (uint8_t *dst, const float *src, const Levels *l)
{
  int32x4_t v[QUARTERS];

#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++)
    v[q] = to_levels (l, vf_load (src + q * VF_N));
  vst1q_u8 (dst, pack_bytes (v));
}

void
CPU_KERNEL (quantize_u8) (
    uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  const Levels l = levels_of (q);
  size_t i = 0;

  for (; i + STEP <= n; i += STEP)
    quantize (dst + i, src + i, &l);
  if (i < n) {
    float from[STEP] = { 0 };
    uint8_t to[STEP];

    memcpy (from, src + i, (n - i) * sizeof *from);
    quantize (to, from, &l);
    memcpy (dst + i, to, n - i);
  }
}

INLINE void
dequantize (vf *to, const uint8_t *src, const CpuQuant *q)
{
  from_bytes (to, vld1q_u8 (src));
#pragma GCC unroll 4
  for (size_t i = 0; i < QUARTERS; i++)
    to[i] = to[i] * q->step + q->out_low;
}

void
CPU_KERNEL (dequantize_u8) (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  vf v[QUARTERS];
  size_t i = 0;

  for (; i + STEP <= n; i += STEP) {
    dequantize (v, src + i, q);
    store_some (dst + i, v, STEP);
  }
  if (i < n) {
    uint8_t from[STEP] = { 0 };

    memcpy (from, src + i, n - i);
    dequantize (v, from, q);
    store_some (dst + i, v, n - i);
  }
}

INLINE void
add (uint8_t *dst, const uint8_t *a, const uint8_t *b, const Sum *s)
{
  vf x[QUARTERS], y[QUARTERS];
  int32x4_t v[QUARTERS];

  from_bytes (x, vld1q_u8 (a));
  from_bytes (y, vld1q_u8 (b));
#pragma GCC unroll 4
  for (size_t q = 0; q < QUARTERS; q++) {
    const vf sum = x[q] * s->a + (y[q] * s->b + s->offset);

    v[q] = vcvtnq_s32_f32 (vminq_f32 ((float32x4_t) sum, (float32x4_t) s->top));
  }
  vst1q_u8 (dst, pack_bytes (v));
}

void
CPU_KERNEL (add_u8) (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  const Sum s = sum_of (qa, qb, to);
  size_t i = 0;

  for (; i + STEP <= n; i += STEP)
    add (dst + i, a + i, b + i, &s);
  if (i < n) {
    uint8_t x[STEP] = { 0 }, y[STEP] = { 0 };

    memcpy (x, a + i, n - i);
    memcpy (y, b + i, n - i);
    add (x, x, y, &s);
    memcpy (dst + i, x, n - i);
  }
}

void
CPU_KERNEL (interleave_u8) (uint8_t *dst, const uint8_t *const *src, size_t n)
{
  size_t i = 0;

  for (; i + STEP <= n; i += STEP) {
    const uint8x16x4_t rows = { { vld1q_u8 (src[0] + i), vld1q_u8 (src[1] + i),
        vld1q_u8 (src[2] + i), vld1q_u8 (src[3] + i) } };

    vst4q_u8 (dst + i * 4, rows);
  }
  for (; i < n; i++)
    for (size_t j = 0; j < 4; j++)
      dst[i * 4 + j] = src[j][i];
}
