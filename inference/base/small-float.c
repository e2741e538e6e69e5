/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/small-float.h"

#include <math.h>
#include <string.h>

#include "infer/tensor.h"

static inline guint32
bits_of (float value)
{
  guint32 bits;
  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline float
float_of (guint32 bits)
{
  float value;
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Branch-free, so that loops over rows are vectorised.  Subnormals come from a
 * subtraction, which is exact under flush-to-zero too. */
static inline float
f16_to_f32 (guint16 code)
{
  guint32 magnitude = (guint32) (code & 0x7fff) << 13;
  guint32 sign = (guint32) (code & 0x8000) << 16;
  guint32 normal = magnitude + (112u << 23);
  guint32 special = magnitude + (224u << 23);
  guint32 small =
      bits_of (float_of (magnitude + (113u << 23)) - float_of (113u << 23));
  guint32 bits = magnitude >= (31u << 23) ? special
                 : magnitude < (1u << 23) ? small
                                          : normal;
  return float_of (bits | sign);
}

static inline guint16
f32_to_f16 (float value)
{
  guint32 bits = bits_of (value);
  guint32 sign = bits >> 16 & 0x8000;
  guint32 magnitude = bits & 0x7fffffff;
  guint32 special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  /* Adding 0.5 makes the FPU round at the last place of a subnormal f16. */
  guint32 small = bits_of (float_of (magnitude) + 0.5f) - 0x3f000000;
  guint32 normal =
      (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  guint32 code = magnitude >= 0x47800000  ? special
                 : magnitude < 0x38800000 ? small
                                          : normal;
  return (guint16) (code | sign);
}

float
infer_f16_to_f32 (guint16 code)
{
  return f16_to_f32 (code);
}

guint16
infer_f32_to_f16 (float value)
{
  return f32_to_f16 (value);
}

float
infer_bf16_to_f32 (guint16 bits)
{
  return float_of ((guint32) bits << 16);
}

guint16
infer_f32_to_bf16 (float value)
{
  guint32 bits = bits_of (value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (guint16) (bits >> 16 | 0x40);
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void
infer_f16_to_f32_n (float *dst, const guint16 *src, gsize n)
{
  for (gsize i = 0; i < n; i++)
    dst[i] = f16_to_f32 (src[i]);
}

void
infer_f32_to_f16_n (guint16 *dst, const float *src, gsize n)
{
  for (gsize i = 0; i < n; i++)
    dst[i] = f32_to_f16 (src[i]);
}

/* The quantiles of a normal distribution from QLoRA (arXiv 2305.14314,
 * appendix E). */
static const float nf4_values[16] = { -1.0f, -0.6961928009986877f,
  -0.5250730514526367f, -0.39491748809814453f, -0.28444138169288635f,
  -0.18477343022823334f, -0.09105003625154495f, 0.0f, 0.07958029955625534f,
  0.16093020141124725f, 0.24611230194568634f, 0.33791524171829224f,
  0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f };

static const float f4e2m1_values[8] = { 0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f,
  4.0f, 6.0f };

float
infer_nf4_to_f32 (guint code)
{
  return nf4_values[code & 15];
}

float
infer_f4e2m1_to_f32 (guint code)
{
  float value = f4e2m1_values[code & 7];
  return code & 8 ? -value : value;
}

float
infer_f8e4m3_to_f32 (guint8 code)
{
  guint exponent = code >> 3 & 15, mantissa = code & 7;
  float value = (code & 0x7f) == 0x7f ? NAN
                : exponent == 0
                    ? ldexpf ((float) mantissa, -9)
                    : ldexpf ((float) (8 + mantissa), (int) exponent - 10);
  return code & 0x80 ? -value : value;
}

float
infer_f8e5m2_to_f32 (guint8 code)
{
  return f16_to_f32 ((guint16) (code << 8));
}

float
infer_f8e8m0_to_f32 (guint8 code)
{
  return code == 0xff ? NAN : ldexpf (1.0f, code - 127);
}

guint
infer_f32_to_nf4 (float value)
{
  guint code = 0;
  while (code < 15 && value > (nf4_values[code] + nf4_values[code + 1]) / 2)
    code++;
  return code;
}

guint
infer_f32_to_f4e2m1 (float value)
{
  float magnitude = fabsf (value);
  guint code = 0;
  while (code < 7) {
    float middle = (f4e2m1_values[code] + f4e2m1_values[code + 1]) / 2;
    if (!(magnitude > middle || (magnitude == middle && code % 2 == 1)))
      break;
    code++;
  }
  return signbit (value) ? code | 8 : code;
}

guint8
infer_f32_to_f8e4m3 (float value)
{
  guint32 bits = bits_of (value), magnitude = bits & 0x7fffffff, code;
  if (magnitude < (121u << 23)) /* below 2^-6 */
    code = (guint32) rintf (float_of (magnitude) * 512.0f);
  else
    code = ((magnitude + 0x7ffff + (magnitude >> 20 & 1)) >> 20) - (120u << 3);
  return (guint8) (MIN (code, 0x7f) | (bits >> 24 & 0x80));
}

guint8
infer_f32_to_f8e5m2 (float value)
{
  guint32 bits = bits_of (value), magnitude = bits & 0x7fffffff, code;
  if (magnitude > 0x7f800000)
    code = 0x7e;
  else if (magnitude < (113u << 23)) /* below 2^-14 */
    code = (guint32) rintf (float_of (magnitude) * 65536.0f);
  else
    code = MIN (
        ((magnitude + 0xfffff + (magnitude >> 21 & 1)) >> 21) - (112u << 2),
        0x7c);
  return (guint8) (code | (bits >> 24 & 0x80));
}

guint8
infer_f32_to_f8e8m0 (float value)
{
  guint32 bits = bits_of (value), exponent = bits >> 23 & 0xff;
  guint32 mantissa = bits & 0x7fffff;
  if (exponent == 0xff)
    return 0xff;
  if (mantissa > 0x400000 || (mantissa == 0x400000 && (exponent & 1)))
    exponent++;
  return (guint8) MIN (exponent, 0xfe);
}

/* --- FNUZ: finite, one NaN, no negative zero (arXiv 2206.02915) --- */

#define FNUZ_NAN 0x80

/* @m bits of mantissa. */
static float
fnuz_to_f32 (guint8 code, int m, int bias)
{
  int exponent = (code & 0x7f) >> m, mantissa = code & ((1 << m) - 1);
  float value = exponent == 0 ? ldexpf ((float) mantissa, 1 - bias - m)
                              : ldexpf ((float) ((1 << m) + mantissa),
                                  exponent - bias - m);

  if (code == FNUZ_NAN)
    return NAN;
  return code & 0x80 ? -value : value;
}

static guint8
f32_to_fnuz (float value, int m, int bias)
{
  guint32 bits = bits_of (value), magnitude = bits & 0x7fffffff, code;
  int drop = 23 - m;

  if (magnitude >= 0x7f800000)
    return FNUZ_NAN;
  if (magnitude < (guint32) (128 - bias) << 23) /* below 2^(1 - bias) */
    code = (guint32) rintf (ldexpf (float_of (magnitude), bias - 1 + m));
  else
    code =
        ((magnitude + (1u << (drop - 1)) - 1 + (magnitude >> drop & 1)) >> drop)
        - ((guint32) (127 - bias) << m);
  if (code > 0x7f)
    return FNUZ_NAN;
  return (guint8) (code | (code > 0 ? bits >> 24 & 0x80 : 0));
}

float
infer_f8e4m3fnuz_to_f32 (guint8 code)
{
  return fnuz_to_f32 (code, 3, 8);
}

float
infer_f8e5m2fnuz_to_f32 (guint8 code)
{
  return fnuz_to_f32 (code, 2, 16);
}

guint8
infer_f32_to_f8e4m3fnuz (float value)
{
  return f32_to_fnuz (value, 3, 8);
}

guint8
infer_f32_to_f8e5m2fnuz (float value)
{
  return f32_to_fnuz (value, 2, 16);
}
