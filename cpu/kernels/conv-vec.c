/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/epilogue-vec.h"

/* Pixels of the largest register tile of two vectors: its sums, two vectors of
 * weights and an input must fit into the registers. */
#if CPU_VEC_BYTES == 64
#define MAX_PIXELS 14
#else
#define MAX_PIXELS 6
#endif

#define INLINE static inline __attribute__ ((always_inline))

size_t
CPU_KERNEL (conv_lanes) (void)
{
  return VF_N;
}

/* @n ≤ VF_N floats. */
INLINE vf
load_part (const float *p, size_t n)
{
  return n == VF_N ? vf_load (p) : vf_load_tail (p, n);
}

INLINE void
store_part (float *p, vf v, size_t n)
{
  if (n == VF_N)
    vf_store (p, v);
  else
    vf_store_tail (p, v, n);
}

/* The epilogue of the vector of channels that begins at @c, @n of them. */
INLINE vf
finish (const CpuEpilogue *e, vf v, const float *residual, size_t c, size_t n)
{
  if (e->scale)
    v *= load_part (e->scale + c, n);
  if (e->bias)
    v += load_part (e->bias + c, n);
  v = epilogue_act (&e->act, v, e->act.slopes + c, n);
  if (residual)
    v = epilogue_act (
        &e->last_act, v + load_part (residual, n), e->last_act.slopes + c, n);
  return v;
}

/* @np pixels of @nv vectors, of which @channels count, by any epilogue. */
static __attribute__ ((noinline)) void
store_any (const CpuEpilogue *e, const vf *sums, size_t np, size_t nv,
    float *out, const float *residual, size_t step, size_t c, size_t channels)
{
  for (size_t p = 0; p < np; p++) {
    for (size_t v = 0; v < nv; v++) {
      size_t at = p * step + v * VF_N, rest = channels - v * VF_N;
      size_t n = rest < VF_N ? rest : VF_N;

      store_part (out + at,
          finish (e, sums[p * nv + v], residual ? residual + at : NULL,
              c + v * VF_N, n),
          n);
    }
  }
}

/* The same for the epilogues that most convolutions have, in line: @np and @nv
 * are constants.  FALSE: another one. */
INLINE int
store_simple (const CpuEpilogue *e, vf *sums, size_t np, size_t nv, float *out,
    size_t step, size_t c, size_t channels)
{
  size_t n = channels - (nv - 1) * VF_N;
  vf lo, hi;

  if (e->residual || e->scale || e->act.kind == CPU_ACT_PRELU
      || (e->act.kind != CPU_ACT_NONE && e->act.kind != CPU_ACT_RELU
          && e->act.kind != CPU_ACT_CLAMP))
    return 0;
  if (e->bias) {
    vf b0 = load_part (e->bias + c, nv > 1 ? VF_N : n);
    vf b1 = nv > 1 ? load_part (e->bias + c + VF_N, n) : b0;

#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] += i % nv == 0 ? b0 : b1;
  }
  if (e->act.kind != CPU_ACT_NONE) {
    lo = vf_set (e->act.kind == CPU_ACT_RELU ? 0 : e->act.alpha);
#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = vf_select (sums[i] < lo, lo, sums[i]);
  }
  if (e->act.kind == CPU_ACT_CLAMP) {
    hi = vf_set (e->act.beta);
#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = vf_select (sums[i] > hi, hi, sums[i]);
  }
#pragma GCC unroll 14
  for (size_t p = 0; p < np; p++) {
    if (nv > 1)
      vf_store (out + p * step, sums[p * nv]);
    store_part (out + p * step + (nv - 1) * VF_N, sums[p * nv + nv - 1], n);
  }
  return 1;
}

/* The sums of @np pixels × @nv vectors; both are constants where this is
 * inlined, so that @sum lives in registers. */
INLINE void
tile_sums (const CpuConvTile *t, const float *in, size_t np, size_t nv, vf *sum)
{
  const float *w = t->weights;
  size_t step = t->in_step;

#pragma GCC unroll 14
  for (size_t p = 0; p < np; p++)
    sum[p * nv] = sum[p * nv + nv - 1] = vf_set (0);
  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a = in + t->segments[s];
    const float *end = a + t->length;

    for (; a < end; a++, w += nv * VF_N) {
      vf w0 = vf_load (w), w1 = nv > 1 ? vf_load (w + VF_N) : w0;

#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++) {
        vf x = vf_set (a[p * step]);

        sum[p * nv] += x * w0;
        if (nv > 1)
          sum[p * nv + 1] += x * w1;
      }
    }
  }
}

INLINE void
tile_store (const CpuConvTile *t, size_t first, size_t np, size_t nv, vf *sum)
{
  const CpuEpilogue *e = &t->epilogue;
  size_t at = first * t->out_step;

  if (!store_simple (e, sum, np, nv, t->out + at, t->out_step, 0, t->channels))
    store_any (e, sum, np, nv, t->out + at,
        e->residual ? e->residual + at : NULL, t->out_step, 0, t->channels);
}

INLINE void
tile (const CpuConvTile *t, size_t first, size_t np, size_t nv)
{
  vf sum[MAX_PIXELS * 2];

  tile_sums (t, t->in + first * t->in_step, np, nv, sum);
  tile_store (t, first, np, nv, sum);
}

/* One pixel: four sums for each vector, so that they do not wait for each
 * other. */
INLINE void
tile_single (const CpuConvTile *t, size_t first, size_t nv)
{
  const float *in = t->in + first * t->in_step, *w = t->weights;
  vf sum[4][2] = { { { 0 } } };

  for (size_t s = 0; s < t->n_segments; s++) {
    const float *a = in + t->segments[s];
    size_t i = 0;

    for (; i + 4 <= t->length; i += 4, w += 4 * nv * VF_N) {
#pragma GCC unroll 4
      for (size_t j = 0; j < 4; j++) {
        sum[j][0] += a[i + j] * vf_load (w + j * nv * VF_N);
        if (nv > 1)
          sum[j][1] += a[i + j] * vf_load (w + j * nv * VF_N + VF_N);
      }
    }
    for (; i < t->length; i++, w += nv * VF_N) {
      sum[0][0] += a[i] * vf_load (w);
      if (nv > 1)
        sum[0][1] += a[i] * vf_load (w + VF_N);
    }
  }
  for (size_t v = 0; v < nv; v++)
    sum[0][v] = (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
  tile_store (t, first, 1, nv, sum[0]);
}

#define TILE(np, nv)                                                           \
  static void tile_##np##_##nv (const CpuConvTile *t, size_t first)            \
  {                                                                            \
    tile (t, first, np, nv);                                                   \
  }
#define TILES(np) TILE (np, 1) TILE (np, 2)

static void
tile_1_1 (const CpuConvTile *t, size_t first)
{
  tile_single (t, first, 1);
}

static void
tile_1_2 (const CpuConvTile *t, size_t first)
{
  tile_single (t, first, 2);
}

TILES (2)
TILES (3)
TILES (4)
TILES (5)
TILES (6)
#if MAX_PIXELS == 14
TILES (7)
TILES (8)
TILES (9)
TILES (10)
TILES (11)
TILES (12)
TILES (13)
TILES (14)
#endif

#define ENTRY(np)                                                              \
  {                                                                            \
    tile_##np##_1, tile_##np##_2                                               \
  }

void
CPU_KERNEL (conv_tile_f32) (const CpuConvTile *t)
{
  static void (*const tiles[][2]) (const CpuConvTile *, size_t) = {
    ENTRY (1),
    ENTRY (2),
    ENTRY (3),
    ENTRY (4),
    ENTRY (5),
    ENTRY (6),
#if MAX_PIXELS == 14
    ENTRY (7),
    ENTRY (8),
    ENTRY (9),
    ENTRY (10),
    ENTRY (11),
    ENTRY (12),
    ENTRY (13),
    ENTRY (14),
#endif
  };
  /* Nearly equal parts: a small rest would run at a fraction of the speed. */
  size_t n = (t->pixels + MAX_PIXELS - 1) / MAX_PIXELS;
  size_t first = 0;

  for (size_t i = 0; i < n; i++) {
    size_t np = (t->pixels - first + n - i - 1) / (n - i);

    tiles[np - 1][t->vectors - 1](t, first);
    first += np;
  }
}

/* --- depthwise ---------------------------------------------------------------
 */

/* Sums of @np pixels (a constant) of the vector of channels at @c. */
INLINE void
depthwise_sums (const CpuConvDepthwise *r, const size_t *taps, const float *in,
    const float *w, size_t np, size_t n, vf *sum)
{
  size_t step = r->in_step;

#pragma GCC unroll 8
  for (size_t p = 0; p < np; p++)
    sum[p] = vf_set (0);
  for (size_t z = 0; z < taps[0]; z++) {
    for (size_t y = 0; y < taps[1]; y++) {
      const float *a = in + z * r->in_stride[0] + y * r->in_stride[1];
      const float *b = w + z * r->weight_stride[0] + y * r->weight_stride[1];

      for (size_t x = 0; x < taps[2]; x++) {
        vf weight = load_part (b, n);

#pragma GCC unroll 8
        for (size_t p = 0; p < np; p++)
          sum[p] += load_part (a + p * step, n) * weight;
        a += r->in_stride[2];
        b += r->weight_stride[2];
      }
    }
  }
}

INLINE void
depthwise_pixels (const CpuConvDepthwise *r, const size_t *taps, size_t first,
    size_t np, size_t c, size_t n)
{
  const CpuEpilogue *e = &r->epilogue;
  size_t at = first * r->out_step + c;
  vf sum[8];

  depthwise_sums (
      r, taps, r->in + first * r->in_step + c, r->weights + c, np, n, sum);
  if (!store_simple (e, sum, np, 1, r->out + at, r->out_step, c, n))
    store_any (e, sum, np, 1, r->out + at,
        e->residual ? e->residual + at : NULL, r->out_step, c, n);
}

/* Few pixels of four vectors of channels: enough sums to hide how long each
 * addition takes, which one or two pixels of one vector are not. */
INLINE void
depthwise_wide (const CpuConvDepthwise *r, const size_t *taps, size_t first,
    size_t np, size_t c)
{
  const CpuEpilogue *e = &r->epilogue;
  const float *in = r->in + first * r->in_step + c;
  vf sum[8];

#pragma GCC unroll 8
  for (size_t i = 0; i < 4 * np; i++)
    sum[i] = vf_set (0);
  for (size_t z = 0; z < taps[0]; z++) {
    for (size_t y = 0; y < taps[1]; y++) {
      const float *a = in + z * r->in_stride[0] + y * r->in_stride[1];
      const float *b =
          r->weights + c + z * r->weight_stride[0] + y * r->weight_stride[1];

      for (size_t x = 0; x < taps[2]; x++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < 4; v++) {
          vf weight = vf_load (b + v * VF_N);

#pragma GCC unroll 2
          for (size_t p = 0; p < np; p++)
            sum[v * np + p] += vf_load (a + p * r->in_step + v * VF_N) * weight;
        }
        a += r->in_stride[2];
        b += r->weight_stride[2];
      }
    }
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; v++) {
    size_t cv = c + v * VF_N, at = first * r->out_step + cv;

    if (!store_simple (
            e, sum + v * np, np, 1, r->out + at, r->out_step, cv, VF_N))
      store_any (e, sum + v * np, np, 1, r->out + at,
          e->residual ? e->residual + at : NULL, r->out_step, cv, VF_N);
  }
}

/* Pixels from @p on, of one vector of channels. */
INLINE void
depthwise_channels (
    const CpuConvDepthwise *r, const size_t *taps, size_t p, size_t c, size_t n)
{
  for (; p + 4 <= r->pixels; p += 4)
    depthwise_pixels (r, taps, p, 4, c, n);
  for (; p + 2 <= r->pixels; p += 2)
    depthwise_pixels (r, taps, p, 2, c, n);
  for (; p < r->pixels; p++)
    depthwise_pixels (r, taps, p, 1, c, n);
}

INLINE void
depthwise_box (const CpuConvDepthwise *r, const size_t *taps)
{
  const size_t many = r->pixels & ~(size_t) 7;
  size_t c = 0;

  for (; c + VF_N <= r->channels; c += VF_N)
    for (size_t p = 0; p < many; p += 8)
      depthwise_pixels (r, taps, p, 8, c, VF_N);
  for (size_t p = 0; c < r->channels && p < many; p += 8)
    depthwise_pixels (r, taps, p, 8, c, r->channels - c);

  for (c = 0; c + 4 * VF_N <= r->channels; c += 4 * VF_N) {
    size_t p = many;

    for (; p + 2 <= r->pixels; p += 2)
      depthwise_wide (r, taps, p, 2, c);
    if (p < r->pixels)
      depthwise_wide (r, taps, p, 1, c);
  }
  for (; c + VF_N <= r->channels; c += VF_N)
    depthwise_channels (r, taps, many, c, VF_N);
  if (c < r->channels)
    depthwise_channels (r, taps, many, c, r->channels - c);
}

/* The commonest boxes, three by three and that at an edge, have loops of a
 * length that the compiler knows: a wrong guess costs as much as a tap. */
void
CPU_KERNEL (conv_depthwise_f32) (const CpuConvDepthwise *r)
{
  static const size_t inside[3] = { 1, 3, 3 }, at_side[3] = { 1, 3, 2 };

  if (r->n[0] == 1 && r->n[1] == 3 && r->n[2] == 3)
    depthwise_box (r, inside);
  else if (r->n[0] == 1 && r->n[1] == 3 && r->n[2] == 2)
    depthwise_box (r, at_side);
  else
    depthwise_box (r, r->n);
}

/* --- pooling
 * ------------------------------------------------------------------ */

/* Once NaN, always NaN: neither comparison holds for it. */
INLINE vf
larger (vf a, vf b)
{
  return vf_select ((b > a) | (b != b), b, a);
}

INLINE void
pool_channels (const CpuPoolBox *box, size_t c, size_t n)
{
  vf result = box->max ? load_part (box->in + c, n) : vf_set (0);

  for (size_t z = 0; z < box->n[0]; z++) {
    for (size_t y = 0; y < box->n[1]; y++) {
      const float *in = box->in + z * box->stride[0] + y * box->stride[1] + c;

      if (box->max) {
        for (size_t x = 0; x < box->n[2]; x++)
          result = larger (result, load_part (in + x * box->stride[2], n));
      } else {
        for (size_t x = 0; x < box->n[2]; x++)
          result += load_part (in + x * box->stride[2], n);
      }
    }
  }
  if (!box->max)
    result *= box->scale;
  store_part (box->out + c, result, n);
}

void
CPU_KERNEL (pool_box_f32) (const CpuPoolBox *box)
{
  size_t c = 0;

  for (; c + VF_N <= box->channels; c += VF_N)
    pool_channels (box, c, VF_N);
  if (c < box->channels)
    pool_channels (box, c, box->channels - c);
}
