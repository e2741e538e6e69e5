/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elementary functions over vectors, for the *-vec.c files.  Special values are
 * as in the C library: NaN stays, exp (-inf) = 0, log (0) = -inf, log (-1) =
 * NaN.
 *
 * Polynomial coefficients: interpolation in the Chebyshev points of the
 * interval named, computed in rational arithmetic from the function's
 * definition. */

#pragma once

#include <math.h>

#include "cpu/kernels/vec.h"

/* ln 2 in two parts (Cody and Waite): products of the first with integers below
 * 2^15 are exact. */
#define VF_LN2_HI 0.693359375f
#define VF_LN2_LO -2.12194440e-4f

/* exp (r) - 1 for |r| <= ln 2 / 2, absolute error 8e-9. */
static inline vf
vf_expm1_reduced (vf r)
{
  vf p = r * 1.392617612e-3f + 8.363173075e-3f;

  p = p * r + 4.166655466e-2f;
  p = p * r + 1.666657703e-1f;
  p = p * r + 5.0e-1f;
  return p * (r * r) + r;
}

/* x = *n ln 2 + result, |result| <= ln 2 / 2; |x| < 2^20. */
static inline vf
vf_exp_reduce (vf x, vi *n)
{
  const vf magic = vf_set (12582912.0f); /* 1.5 * 2^23: rounds to integers */
  vf t = x * 1.44269504f + magic;
  vf k = t - magic;

  *n = (vi) t - (vi) magic;
  return (x - k * VF_LN2_HI) - k * VF_LN2_LO;
}

/* exp (x) = result 2^*k, the result in [0.7, 1.42]; |x| < 2^20. */
static inline vf
vf_exp_fraction (vf x, vf *k)
{
  const vf magic = vf_set (12582912.0f); /* 1.5 * 2^23: rounds to integers */
  vf n = (x * 1.44269504f + magic) - magic;
  vf r = (x - n * VF_LN2_HI) - n * VF_LN2_LO;
  vf p = r * 1.392617612e-3f + 8.363173075e-3f;

  *k = n;
  p = p * r + 4.166655466e-2f;
  p = p * r + 1.666657703e-1f;
  p = p * r + 5.0e-1f;
  p = p * r + 1.0f;
  return p * r + 1.0f;
}

/* 2^n for n in [-126, 127]. */
static inline vf
vf_exp2_int (vi n)
{
  return (vf) ((n + 127) << 23);
}

/* At most 2 ulp, denormal results within one unit of the smallest. */
static inline vf
vf_exp (vf x)
{
#if CPU_VEC_BYTES == 64
  vf k, r;

  x = vf_max (vf_set (-104.0f), vf_min (vf_set (89.0f), x));
  r = vf_exp_fraction (x, &k);
  return (vf) _mm512_scalef_ps ((__m512) r, (__m512) k);
#else
  vi n, half;
  vf r;

  x = vf_max (vf_set (-104.0f), vf_min (vf_set (89.0f), x));
  r = vf_expm1_reduced (vf_exp_reduce (x, &n)) + 1.0f;
  half = n >> 1;
  return r * vf_exp2_int (half) * vf_exp2_int (n - half);
#endif
}

/* exp (x) for x <= 0; results below the smallest normal number may become 0,
 * since denormals take a hundred times as long. */
static inline vf
vf_exp_negative (vf x)
{
  vf k, r;
#if CPU_VEC_BYTES == 64
  r = vf_exp_fraction (x, &k);
  return (vf) _mm512_maskz_scalef_ps (
      _mm512_cmp_ps_mask ((__m512) x, _mm512_set1_ps (-87.0f), _CMP_NLT_UQ),
      (__m512) r, (__m512) k);
#else
  vi tiny = x < -87.0f;

  r = vf_exp_fraction (vf_max (vf_set (-87.0f), x), &k);
  r *= vf_exp2_int ((vi) (k + 12582912.0f) - (vi) vf_set (12582912.0f));
  return (vf) ((vi) r & ~tiny);
#endif
}

/* 2^x, |x| <= 1/2: relative error 3e-7. */
static inline vf
vf_exp2_reduced (vf x)
{
  vf p = x * 1.338130254e-3f + 9.666368515e-3f;

  p = p * x + 5.550381014e-2f;
  p = p * x + 2.402234904e-1f;
  p = p * x + 6.931471806e-1f;
  return p * x + 1.0f;
}

/* 2^x for x < 128; results below the smallest normal number may become 0;
 * relative error 3e-7. */
static inline vf
vf_exp2_fast (vf x)
{
#if CPU_VEC_BYTES == 64
  const vf k = (vf) _mm512_roundscale_ps (
      (__m512) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);

  return (vf) _mm512_maskz_scalef_ps (
      _mm512_cmp_ps_mask ((__m512) x, _mm512_set1_ps (-126.0f), _CMP_NLT_UQ),
      (__m512) vf_exp2_reduced (x - k), (__m512) k);
#else
  const vf magic = vf_set (12582912.0f); /* 1.5 * 2^23: rounds to integers */
  const vi tiny = x < -126.0f;

  x = vf_max (vf_set (-126.0f), x);
  vf t = x + magic, k = t - magic;
  vf p = vf_exp2_reduced (x - k) * vf_exp2_int ((vi) t - (vi) magic);

  return (vf) ((vi) p & ~tiny);
#endif
}

/* exp (x) - 1, x <= 88: relative error 4e-7. */
static inline vf
vf_expm1 (vf x)
{
  vi n;
  vf r, scale;

  x = vf_select (x < -30.0f, vf_set (-30.0f), x);
  x = vf_select (x > 88.0f, vf_set (88.0f), x);
  r = vf_expm1_reduced (vf_exp_reduce (x, &n));
  scale = vf_exp2_int (n);
  return r * scale + (scale - 1.0f);
}

/* log of positive, normal @x that is e more in the exponent: ln x + e ln 2. */
static inline vf
vf_log_normal (vf x, vf e)
{
  /* x = m 2^k, m in [sqrt 0.5, sqrt 2); s = (m - 1) / (m + 1) */
  vi bits = (vi) ((vu) x - 0x3f3504f3u);
  vi k = bits >> 23;
  vf m = (vf) ((bits & 0x7fffff) + 0x3f3504f3);
  vf f = m - 1.0f;
  vf s = f / (m + 1.0f);
  vf z = s * s;
  vf half = 0.5f * f * f;
  vf r = z * 2.334194339e-1f + 2.855039696e-1f;

  r = r * z + 4.000012559e-1f;
  r = (r * z + 6.666666655e-1f) * z;
  e += __builtin_convertvector(k, vf);
  return e * VF_LN2_HI - ((half - (s * (half + r) + e * VF_LN2_LO)) - f);
}

/* At most 2 ulp. */
static inline vf
vf_log (vf x)
{
  vi tiny = x < 1.17549435e-38f;
  vf scaled = vf_select (tiny, x * 8388608.0f, x);
  vf r =
      vf_log_normal (scaled, vf_select (tiny, vf_set (-23.0f), vf_set (0.0f)));

  r = vf_select (x == INFINITY, x, r);
  r = vf_select (x == 0.0f, vf_set (-INFINITY), r);
  r = vf_select (x < 0.0f, vf_set (NAN), r);
  return vf_select (x != x, x, r);
}

/* log (1 + u) for u in [0, 1]: relative error 2e-7. */
static inline vf
vf_log1p_unit (vf u)
{
  vf y = u + 1.0f;

  /* corrects the rounding of the addition by the first term of the series */
  return vf_log_normal (y, vf_set (0.0f)) + (u - (y - 1.0f)) / y;
}

/* 1 / d for d in [1, 6e37]: relative error 1.2e-7. */
static inline vf
vf_inverse (vf d)
{
#if CPU_VEC_BYTES == 64
  vf r = (vf) _mm512_rcp14_ps ((__m512) d);

  return (1.0f - d * r) * r + r; /* a Newton step instead of a slow division */
#else
  return 1.0f / d;
#endif
}

/* Coefficients of x², x^4… of the quotient of polynomials that is tanh (x) / x;
 * the first ones are 1. */
#define VF_TANH_P1 1.337971369e-1f
#define VF_TANH_P2 3.494028973e-3f
#define VF_TANH_P3 2.058337142e-5f
#define VF_TANH_P4 1.331889289e-8f
#define VF_TANH_Q1 4.671302896e-1f
#define VF_TANH_Q2 2.587105330e-2f
#define VF_TANH_Q3 3.283082882e-4f
#define VF_TANH_Q4 7.761951510e-7f

/* tanh (x) for |x| <= 10.  Relative error 4e-7.  A minimax quotient of
 * polynomials of x², whose own error is 2e-8 up to 9.02, from where on the
 * nearest float is 1; at 10 it is so much above 1 that the result is 1. */
static inline vf
vf_tanh_within_10 (vf x)
{
  vf z = x * x;
  vf p = z * VF_TANH_P4 + VF_TANH_P3;
  vf q = z * VF_TANH_Q4 + VF_TANH_Q3;

  p = p * z + VF_TANH_P2;
  q = q * z + VF_TANH_Q2;
  p = p * z + VF_TANH_P1;
  q = q * z + VF_TANH_Q1;
  p = p * z + 1.0f;
  q = q * z + 1.0f;
  p = p * x * vf_inverse (q);
  return vf_max (vf_set (-1.0f), vf_min (vf_set (1.0f), p));
}

/* Relative error 4e-7, exactly 1 from 10 on. */
static inline vf
vf_tanh (vf x)
{
  return vf_tanh_within_10 (
      vf_max (vf_set (-10.0f), vf_min (vf_set (10.0f), x)));
}

/* Relative error 4e-7; 0 below -87. */
static inline vf
vf_sigmoid (vf x)
{
  vf r = vf_inverse (vf_exp (vf_min (vf_set (87.0f), -x)) + 1.0f);

  return vf_select (x < -87.0f, vf_set (0.0f), r);
}

/* Absolute error 2e-7. */
static inline vf
vf_erf (vf x)
{
  vf a = vf_abs (x), z = x * x, p, q;

  p = z * 7.875875050e-5f + -8.016864283e-4f; /* erf (x) / x for |x| <= 1 */
  p = p * z + 5.189087423e-3f;
  p = p * z + -2.685421201e-2f;
  p = p * z + 1.128359472e-1f;
  p = p * z + -3.761262667e-1f;
  p = p * z + 1.128379166f;
  p = p * x;
  a = vf_min (vf_set (4.1f), a);
  q = a * 1.591706217e-6f
      + -4.518101702e-5f; /* log (1 - erf (x)) in [1, 4.1] */
  q = q * a + 5.895989284e-4f;
  q = q * a + -4.726724976e-3f;
  q = q * a + 2.633027460e-2f;
  q = q * a + -1.099244810e-1f;
  q = q * a + -6.319870659e-1f;
  q = q * a + -1.130141460f;
  q = q * a + 2.979374616e-4f;
  q = vf_copysign (1.0f - vf_exp_negative (q), x);
  return vf_select (z > 1.0f, q, p);
}

/* x times the normal distribution's function of it: absolute error 7e-7, 3e-7
 * of the result above -1. */
static inline vf
vf_gelu (vf x)
{
  /* (distribution - 1/2) / x for |x| <= 5.3, u in [-1, 1] with its square */
  vf u = vf_min (vf_set (28.09f), x * x) * 7.119971520e-2f - 1.0f, p;

  p = u * 3.284624328e-04f + -7.925399028e-04f;
  p = p * u + 5.896685753e-04f;
  p = p * u + -1.012328686e-03f;
  p = p * u + 3.310829888e-03f;
  p = p * u + -5.944955371e-03f;
  p = p * u + 8.721792562e-03f;
  p = p * u + -1.313370052e-02f;
  p = p * u + 1.895833472e-02f;
  p = p * u + -2.531180691e-02f;
  p = p * u + 3.207489028e-02f;
  p = p * u + -3.958744192e-02f;
  p = p * u + 4.926440358e-02f;
  p = p * u + -6.651855191e-02f;
  p = p * u + 1.333925606e-01f;
  return x * vf_min (vf_set (1.0f), vf_max (vf_set (0.0f), p * x + 0.5f));
}

/* The same by tanh: 1 + tanh (y) = 2 sigmoid (2 y). */
static inline vf
vf_gelu_tanh (vf x)
{
  return x * vf_sigmoid ((x * x * x * 0.044715f + x) * 1.59576912f);
}

/* max (x, 0) + log (1 + exp (-|x|)) */
static inline vf
vf_softplus (vf x)
{
  vf r = vf_log1p_unit (vf_exp (-vf_abs (x)));

  r += vf_select (x > 0.0f, x, vf_set (0.0f));
  return vf_select (x != x, x, r);
}

/* To the nearest integer, ties to even. */
static inline vf
vf_rint (vf x)
{
#if CPU_VEC_BYTES == 64
  return (vf) _mm512_roundscale_ps (
      (__m512) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif CPU_VEC_BYTES == 32
  return (vf) _mm256_round_ps (
      (__m256) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const vf big = vf_set (8388608.0f); /* 2^23 */
  vf a = vf_abs (x);
  vf r = vf_copysign ((a + big) - big, x);

  return vf_select (a < big, r, x);
#endif
}

static inline vf
vf_floor (vf x)
{
  vf r = vf_rint (x);

  return vf_copysign (vf_select (r > x, r - 1.0f, r), x);
}

static inline vf
vf_ceil (vf x)
{
  return -vf_floor (-x);
}

/* Ties away from zero. */
static inline vf
vf_round (vf x)
{
  vf a = vf_abs (x), r = vf_rint (a);

  r = vf_select (a - r == 0.5f, r + 1.0f, r);
  return vf_copysign (r, x);
}
