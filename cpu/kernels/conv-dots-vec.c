/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

/* Broadcasts @m elements. */
INLINE vf
load_repeated (const float *p, size_t m)
{
#if CPU_VEC_BYTES == 64
  if (m == 16)
    return vf_load (p);
  if (m == 8)
    return (vf) _mm512_broadcast_f32x8 (_mm256_loadu_ps (p));
  return (vf) _mm512_broadcast_f32x4 (_mm_loadu_ps (p));
#elif CPU_VEC_BYTES == 32
  double pair;

  if (m == 8)
    return vf_load (p);
  if (m == 4)
    return (vf) _mm256_broadcast_ps ((const void *) p);
  memcpy (&pair, p, sizeof pair);
  return (vf) _mm256_set1_pd (pair);
#else
  if (m == 4)
    return vf_load (p);
  return (vf){ p[0], p[1], p[0], p[1] };
#endif
}

/* The same of @n < @m elements, and zeros. */
INLINE vf
load_repeated_tail (const float *p, size_t n, size_t m)
{
  const vf v = vf_load_tail (p, n);

#if CPU_VEC_BYTES == 64
  if (m == 8)
    return (vf) _mm512_broadcast_f32x8 (_mm512_castps512_ps256 ((__m512) v));
  if (m == 4)
    return (vf) _mm512_broadcast_f32x4 (_mm512_castps512_ps128 ((__m512) v));
#elif CPU_VEC_BYTES == 32
  if (m == 4)
    return (vf) _mm256_permute2f128_ps ((__m256) v, (__m256) v, 0);
  if (m == 2)
    return (vf) _mm256_broadcastsd_pd (_mm256_castpd256_pd128 ((__m256d) v));
#else
  if (m == 2)
    return __builtin_shufflevector (v, v, 0, 1, 0, 1);
#endif
  return v;
}

/* Place @i of the groups of @per elements of two vectors that are even, or odd.
 */
#define AT(i, per, odd) (2 * ((i) / (per)) + (odd)) * (per) + (i) % (per)
#define AT_4(i, per, odd)                                                      \
  AT (i, per, odd), AT (i + 1, per, odd), AT (i + 2, per, odd),                \
      AT (i + 3, per, odd)
#if CPU_VEC_BYTES == 64
#define EVERY_OTHER(a, b, per, odd)                                            \
  __builtin_shufflevector (a, b, AT_4 (0, per, odd), AT_4 (4, per, odd),       \
      AT_4 (8, per, odd), AT_4 (12, per, odd))
#elif CPU_VEC_BYTES == 32
#define EVERY_OTHER(a, b, per, odd)                                            \
  __builtin_shufflevector (a, b, AT_4 (0, per, odd), AT_4 (4, per, odd))
#else
#define EVERY_OTHER(a, b, per, odd)                                            \
  __builtin_shufflevector (a, b, AT_4 (0, per, odd))
#endif

/* Sums of adjacent elements, of @a and then of @b. */
INLINE vf
add_neighbours (vf a, vf b)
{
  return EVERY_OTHER (a, b, 1, 0) + EVERY_OTHER (a, b, 1, 1);
}

/* A vector for each of @np pixels: [channels][m].  All are constants after
 * inlining. */
INLINE void
dots_sums (const CpuConvTile *t, const float *in, size_t m, size_t np, vf *sum)
{
  const size_t step = t->in_step, bases = (np + 2) / 3;
  const float *w = t->weights;

#pragma GCC unroll 16
  for (size_t p = 0; p < np; p++)
    sum[p] = vf_set (0);
  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a[6];

#pragma GCC unroll 6
    for (size_t j = 0; j < bases; j++)
      a[j] = in + t->segments[s] + 3 * j * step;
    for (size_t k = m; k <= t->length; k += m, w += VF_N) {
      const vf weights = vf_load (w);

#pragma GCC unroll 16
      for (size_t p = 0; p < np; p++)
        sum[p] += load_repeated (a[p / 3] + p % 3 * step, m) * weights;
#pragma GCC unroll 6
      for (size_t j = 0; j < bases; j++) {
        a[j] += m;
        KEEP (a[j]);
      }
    }
    const size_t rest = t->length % m;
    if (rest > 0) {
      const vf weights = vf_load (w);

      w += VF_N;
#pragma GCC unroll 16
      for (size_t p = 0; p < np; p++)
        sum[p] +=
            load_repeated_tail (a[p / 3] + p % 3 * step, rest, m) * weights;
    }
  }
}

/* Groups of @per elements of @a and then of @b, to @even and @odd. */
INLINE void
split (vf a, vf b, size_t per, vf *even, vf *odd)
{
  switch (per) {
    case 1:
      *even = EVERY_OTHER (a, b, 1, 0);
      *odd = EVERY_OTHER (a, b, 1, 1);
      break;
    case 2:
      *even = EVERY_OTHER (a, b, 2, 0);
      *odd = EVERY_OTHER (a, b, 2, 1);
      break;
    default:
#if CPU_VEC_BYTES >= 32
      *even = EVERY_OTHER (a, b, 4, 0);
      *odd = EVERY_OTHER (a, b, 4, 1);
#else
      *even = a;
      *odd = b;
#endif
  }
}

/* Stores the halves of @np pixels of @channels each to two rows. */
INLINE void
store_rows (const CpuConvTile *t, size_t first, size_t channels, size_t np,
    const vf *sum)
{
  const size_t per = channels / 2, n = np * per;
  float *out = t->out + first * per;

#pragma GCC unroll 8
  for (size_t at = 0; at < n; at += VF_N, sum += 2) {
    const size_t some = n - at < VF_N ? n - at : VF_N;
    vf even, odd;

    split (sum[0], 2 * some > VF_N ? sum[1] : vf_set (0), per, &even, &odd);
    store_part (out + at, even, some);
    store_part (out + t->out_row + at, odd, some);
  }
}

INLINE void
dots (const CpuConvTile *t, size_t first, size_t m, size_t np)
{
  const size_t channels = VF_N / m, at = first * channels;
  const CpuEpilogue *e = &t->epilogue;
  const CpuSums target = { .epilogue = e,
    .last = np < m ? np * channels : VF_N,
    .out = t->out + at,
    .step = VF_N,
    .residual = e->residual ? e->residual + at : NULL,
    .residual_step = VF_N,
    .residual_channels = np < m ? np * channels : VF_N };
  const vf bias = sums_bias (&target, 0, 1);
  size_t n = np;
  vf sum[16];

  dots_sums (t, t->in + first * t->in_step, m, np, sum);
  /* Pixels are packed closer as their sums get shorter. */
#pragma GCC unroll 4
  for (size_t wide = m; wide > 1; wide /= 2, n = (n + 1) / 2)
#pragma GCC unroll 8
    for (size_t i = 0; i < (n + 1) / 2; i++)
      sum[i] = add_neighbours (
          sum[2 * i], 2 * i + 1 < n ? sum[2 * i + 1] : vf_set (0));
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++)
    sum[i] += bias;
  sums_finish (&target, sum, n, 1);
  if (t->rows == 2 && channels > 1)
    store_rows (t, first, channels, np, sum);
  else
    sums_store_all (&target, sum, n, 1);
}

#define DOTS(m, np)                                                            \
  static void dots_##m##_##np (const CpuConvTile *t, size_t first)             \
  {                                                                            \
    dots (t, first, m, np);                                                    \
  }
#define DOTS_124(m) DOTS (m, 1) DOTS (m, 2) DOTS (m, 4)
#if CPU_VEC_BYTES == 64
#define DOTS_OF(m) DOTS_124 (m) DOTS (m, 8) DOTS (m, 16)
#define ROW_OF(m)                                                              \
  {                                                                            \
    dots_##m##_1, dots_##m##_2, dots_##m##_4, dots_##m##_8, dots_##m##_16      \
  }
#elif CPU_VEC_BYTES == 32
#define DOTS_OF(m) DOTS_124 (m) DOTS (m, 8)
#define ROW_OF(m)                                                              \
  {                                                                            \
    dots_##m##_1, dots_##m##_2, dots_##m##_4, dots_##m##_8                     \
  }
#else
#define DOTS_OF(m) DOTS_124 (m)
#define ROW_OF(m)                                                              \
  {                                                                            \
    dots_##m##_1, dots_##m##_2, dots_##m##_4                                   \
  }
#endif

typedef void DotsFunc (const CpuConvTile *t, size_t first);

#if CPU_VEC_BYTES < 64
#define LEAST_LOG 1
DOTS_OF (2)
#else
#define LEAST_LOG 2
DOTS_OF (16)
#endif
DOTS_OF (4)
#if CPU_VEC_BYTES >= 32
DOTS_OF (8)
#endif

/* By the logarithms of m, less the least, and of pixels. */
static DotsFunc *const table[3][5] = {
#if CPU_VEC_BYTES < 64
  ROW_OF (2),
#endif
  ROW_OF (4),
#if CPU_VEC_BYTES >= 32
  ROW_OF (8),
#endif
#if CPU_VEC_BYTES == 64
  ROW_OF (16),
#endif
};

void
CPU_KERNEL (conv_dots_f32) (const CpuConvTile *t)
{
  DotsFunc *const *row = table[__builtin_ctzl (t->dot) - LEAST_LOG];
  int i = __builtin_ctzl (VF_N);

  for (size_t first = 0; first < t->pixels; first += (size_t) 1 << i) {
    while (t->pixels - first < (size_t) 1 << i)
      i--;
    row[i](t, first);
  }
}
