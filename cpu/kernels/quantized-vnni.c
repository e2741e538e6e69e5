/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantising, dequantising and adding u8, with conversions of width that vector
 * types cannot express. */

#include "cpu/kernels/quantized-vnni.inc"

INLINE vf
from_bytes (const uint8_t *src, Lanes lanes)
{
  return vf_of (load_u8 (src, lanes));
}

void
CPU_KERNEL (quantize_u8) (
    uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  const Levels l = levels_of (q);
  size_t i = 0;

  for (; i + 4 * VF_N <= n; i += 4 * VF_N) {
    vi v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
      v[k] = to_levels (&l, vf_load (src + i + k * VF_N));
    vi_store (dst + i, pack_bytes (v[0], v[1], v[2], v[3]));
  }
  for (; i < n; i += VF_N) {
    const Lanes lanes = first_lanes (n - i);

    store_bytes (dst + i, to_levels (&l, load_floats (src + i, lanes)), lanes);
  }
}

void
CPU_KERNEL (dequantize_u8) (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i += VF_N) {
    const Lanes lanes = first_lanes (n - i);

    store_floats (
        dst + i, from_bytes (src + i, lanes) * q->step + q->out_low, lanes);
  }
}

INLINE vi
sum_levels (const Sum *s, const uint8_t *a, const uint8_t *b, Lanes lanes)
{
  vf v = from_bytes (b, lanes) * s->b + s->offset;

  v = from_bytes (a, lanes) * s->a + v;
  return round_clamped (v, s->top);
}

void
CPU_KERNEL (add_u8) (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  const Sum s = sum_of (qa, qb, to);
  size_t i = 0;

  for (; i + 4 * VF_N <= n; i += 4 * VF_N) {
    vi v[4];

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
      v[k] = sum_levels (
          &s, a + i + k * VF_N, b + i + k * VF_N, first_lanes (VF_N));
    vi_store (dst + i, pack_bytes (v[0], v[1], v[2], v[3]));
  }
  for (; i < n; i += VF_N) {
    const Lanes lanes = first_lanes (n - i);

    store_bytes (dst + i, sum_levels (&s, a + i, b + i, lanes), lanes);
  }
}

void
CPU_KERNEL (interleave_u8) (uint8_t *dst, const uint8_t *const *src, size_t n)
{
  size_t i = 0;

  for (; i + CPU_VEC_BYTES <= n; i += CPU_VEC_BYTES)
    interleave (dst, src, i, CPU_VEC_BYTES);
  if (i < n)
    interleave (dst, src, i, n - i);
}
