/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "cpu/kernels/kernels.h"

static float
widen (uint16_t half)
{
  uint32_t sign = (uint32_t) (half & 0x8000) << 16;
  int exponent = half >> 10 & 31;
  uint32_t fraction = half & 0x3ff, bits;
  float value;

  if (exponent == 0) {
    value = ldexpf ((float) fraction, -24);
    return sign ? -value : value;
  }
  bits = sign | fraction << 13;
  bits |= exponent == 31 ? 0x7f800000u : (uint32_t) (exponent + 112) << 23;
  if (exponent == 31 && fraction != 0)
    bits |= 0x400000; /* quiet */
  memcpy (&value, &bits, sizeof value);
  return value;
}

static uint16_t
narrow (float value)
{
  uint32_t bits, sign;
  float magnitude = fabsf (value);

  memcpy (&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000;
  if (isnan (value))
    return (uint16_t) (sign | 0x7e00 | (bits >> 13 & 0x3ff));
  if (magnitude >= 65520.0f)
    return (uint16_t) (sign | 0x7c00);
  if (magnitude < 6.103515625e-5f) /* 2^-14: a multiple of 2^-24 */
    return (uint16_t) (sign | (uint32_t) rintf (ldexpf (magnitude, 24)));
  bits &= 0x7fffffff;
  bits += 0xfff + (bits >> 13 & 1);
  return (uint16_t) (sign | ((bits >> 13) - (112 << 10)));
}

void
cpu_f16_to_f32_c (float *dst, const uint16_t *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = widen (src[i]);
}

void
cpu_f32_to_f16_c (uint16_t *dst, const float *src, size_t n)
{
  for (size_t i = 0; i < n; i++)
    dst[i] = narrow (src[i]);
}
