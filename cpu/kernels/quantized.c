/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/quantized-c.h"

static float
value (const CpuQuant *q, uint8_t x)
{
  return (float) x * q->step + q->out_low;
}

void
cpu_quantize_u8_c (uint8_t *dst, const float *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = quantize_c (q, src[i]);
}

void
cpu_dequantize_u8_c (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = value (q, src[i]);
}

void
cpu_add_u8_c (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = quantize_c (to, value (qa, a[i]) + value (qb, b[i]));
}

void
cpu_interleave_u8_c (uint8_t *dst, const uint8_t *const *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < 4; j++)
      dst[i * 4 + j] = src[j][i];
}
