/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/f16-c.h"
#include "cpu/kernels/kernels.h"

#include <string.h>

static uint16_t
rounded (float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  if ((bits & 0x7f800000) == 0)
    return (uint16_t) (bits >> 16 & 0x8000);
  if (isnan (value))
    return (uint16_t) (bits >> 16 | 0x40);
  return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float
cpu_f32_to_bf16_c (uint16_t *dst, const float *src, size_t n)
{
  float largest = 0;

  for (size_t i = 0; i < n; i++) {
    dst[i] = rounded (src[i]);
    if (isfinite (src[i]) && fabsf (src[i]) > largest)
      largest = fabsf (src[i]);
  }
  return largest;
}

void
cpu_f16_to_bf16_c (uint16_t *dst, const uint16_t *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = rounded (widened_c (src + i));
}

void
cpu_pairs_bf16_c (uint16_t *dst, const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    dst[2 * i] = rounded (a[i]);
    dst[2 * i + 1] = b ? rounded (b[i]) : 0;
  }
}

float
cpu_weights_bf16_c (uint16_t *dst, const float *scores, size_t n, float scale)
{
  float most = -INFINITY, sum = 0;

  for (size_t i = 0; i < n; i++)
    if (scores[i] * scale > most)
      most = scores[i] * scale;
  for (size_t i = 0; i < n; i++) {
    const float weight = exp2f (scores[i] * scale - most);

    dst[i] = rounded (weight);
    sum += weight;
  }
  return sum;
}
