/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For convolution kernels: storing sums from registers, with bias, residual and
 * activation. */

#pragma once

#include "cpu/kernels/epilogue-vec.h"

/* Hides the origin of pointer @p from the compiler, so that it stays in a
 * register: otherwise gcc makes separate indices for everything read relative
 * to it, more than there are registers. */
#define KEEP(p) __asm__("" : "+r"(p))

/* The same for a vector that is to be loaded once. */
#if defined(__x86_64__) || defined(__i386__)
#define KEEP_VECTOR(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define KEEP_VECTOR(v) __asm__("" : "+w"(v))
#else
#define KEEP_VECTOR(v)
#endif

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

/* The same of @n ≤ VF_N / 2 floats. */
INLINE void
store_half (float *p, vf v, size_t n)
{
#if CPU_VEC_BYTES == 64
  if (n == VF_N / 2) {
    _mm256_storeu_ps (p, _mm512_castps512_ps256 ((__m512) v));
    return;
  }
#endif
  store_part (p, v, n);
}

/* Sums of some pixels, each a block of vectors of channels. */
typedef struct
{
  const CpuEpilogue *epilogue;
  size_t c;    /* the first channel of the block, for arrays of the epilogue */
  size_t last; /* channels of the last vector of the block */
  float *out;
  size_t step;           /* pixel step of `out` */
  const float *residual; /* nullable */
  size_t residual_step;
  size_t residual_channels; /* channels of the block with a residual */
  /* Nullable: instead of `residual`; for files that define LOAD_BF16. */
  const uint16_t *residual_bf16;
} CpuSums;

/* Initial sums: the bias of vector @v of @nv, or 0 if a scale is applied first.
 */
INLINE vf
sums_bias (const CpuSums *s, size_t v, size_t nv)
{
  const CpuEpilogue *e = s->epilogue;

  if (e->bias == NULL || e->scale != NULL)
    return vf_set (0);
  return load_part (e->bias + s->c + v * VF_N, v + 1 < nv ? VF_N : s->last);
}

/* The channels of vector @v that the residual has. */
INLINE size_t
residual_part (const CpuSums *s, size_t v)
{
  size_t rest =
      s->residual_channels > v * VF_N ? s->residual_channels - v * VF_N : 0;

  return rest < VF_N ? rest : VF_N;
}

/* Applies scale and bias from channel @first on, if the scale is not in the
 * weights; @last: channels of the last vector. */
static __attribute__ ((noinline)) void
sums_scale (const CpuEpilogue *e, size_t first, size_t last, vf *sums,
    size_t np, size_t nv)
{
  for (size_t v = 0; v < nv; v++) {
    const size_t c = first + v * VF_N, n = v + 1 < nv ? VF_N : last;
    const vf scale = load_part (e->scale + c, n);
    const vf bias = e->bias ? load_part (e->bias + c, n) : vf_set (0);

    for (size_t p = 0; p < np; p++)
      sums[p * nv + v] = sums[p * nv + v] * scale + bias;
  }
}

#define SUMS_ACT(kind)                                                         \
  case kind:                                                                   \
    for (size_t i = 0; i < n; i++)                                             \
      sums[i] = epilogue_plain (                                               \
          &(CpuAct){ kind, act->alpha, act->beta, NULL }, sums[i]);            \
    break;

/* Activations that need more than registers; the kind is a constant in each
 * loop. */
static __attribute__ ((noinline)) void
sums_act_any (const CpuAct *act, vf *sums, size_t n)
{
  switch (act->kind) {
    SUMS_ACT (CPU_ACT_SIGMOID)
    SUMS_ACT (CPU_ACT_TANH)
    SUMS_ACT (CPU_ACT_HSWISH_AFFINE)
    SUMS_ACT (CPU_ACT_HARD_SIGMOID)
    SUMS_ACT (CPU_ACT_SWISH)
    SUMS_ACT (CPU_ACT_ELU)
    SUMS_ACT (CPU_ACT_GELU_ERF)
    SUMS_ACT (CPU_ACT_GELU_TANH)
    SUMS_ACT (CPU_ACT_ABS)
    SUMS_ACT (CPU_ACT_SQUARE)
    default:
      break;
  }
}

/* RELU, CLAMP. */
INLINE void
sums_act_bounds (const CpuAct *act, vf *sums, size_t n)
{
  const vf lo = vf_set (act->kind == CPU_ACT_RELU ? 0 : act->alpha);

#pragma GCC unroll 28
  for (size_t i = 0; i < n; i++)
    sums[i] = vf_max (lo, sums[i]);
  if (act->kind == CPU_ACT_CLAMP) {
    const vf hi = vf_set (act->beta);

#pragma GCC unroll 28
    for (size_t i = 0; i < n; i++)
      sums[i] = vf_min (hi, sums[i]);
  }
}

/* HSWISH, HSWISH_AFFINE. */
INLINE void
sums_act_hswish (const CpuAct *act, vf *sums, size_t n)
{
  const int affine = act->kind == CPU_ACT_HSWISH_AFFINE;
  const CpuAct by = { .kind = CPU_ACT_HSWISH_AFFINE,
    .alpha = affine ? act->alpha : 1,
    .beta = affine ? act->beta : 0 };

#pragma GCC unroll 28
  for (size_t i = 0; i < n; i++)
    sums[i] = epilogue_plain (&by, sums[i]);
}

/* LEAKY_RELU, PRELU. */
INLINE void
sums_act_slopes (
    const CpuSums *s, const CpuAct *act, vf *sums, size_t np, size_t nv)
{
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    vf slope = act->kind == CPU_ACT_PRELU ? load_part (
                   act->slopes + s->c + v * VF_N, v + 1 < nv ? VF_N : s->last)
                                          : vf_set (act->alpha);

#pragma GCC unroll 14
    for (size_t p = 0; p < np; p++)
      sums[p * nv + v] = epilogue_negative (sums[p * nv + v], slope);
  }
}

/* The common activations; @np and @nv are constants, so that @sums is in
 * registers. */
INLINE void
sums_act (const CpuSums *s, const CpuAct *act, vf *sums, size_t np, size_t nv)
{
  if (act->kind == CPU_ACT_NONE)
    return;
  if (act->kind == CPU_ACT_RELU || act->kind == CPU_ACT_CLAMP) {
    sums_act_bounds (act, sums, np * nv);
    return;
  }
  if (act->kind == CPU_ACT_HSWISH) {
    const CpuAct hswish = { .kind = CPU_ACT_HSWISH };

#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = epilogue_plain (&hswish, sums[i]);
    return;
  }
  if (act->kind != CPU_ACT_PRELU && act->kind != CPU_ACT_LEAKY_RELU) {
    vf copy[28];

    /* Only the copy has its address taken. */
#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      copy[i] = sums[i];
    sums_act_any (act, copy, np * nv);
#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = copy[i];
    return;
  }
  sums_act_slopes (s, act, sums, np, nv);
}

INLINE void
sums_add_residual (const CpuSums *s, vf *sums, size_t np, size_t nv)
{
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    const float *from = s->residual + v * VF_N;
    size_t n = residual_part (s, v);

    if (n == VF_N) {
#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++, from += s->residual_step) {
        sums[p * nv + v] += vf_load (from);
        KEEP (from);
      }
    } else if (n > 0) {
#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++, from += s->residual_step) {
        sums[p * nv + v] += vf_load_tail (from, n);
        KEEP (from);
      }
    }
  }
}

#ifdef LOAD_BF16
INLINE void
sums_add_bf16 (const CpuSums *s, vf *sums, size_t np, size_t nv)
{
#pragma GCC unroll 4
  for (size_t v = 0; v < nv; v++) {
    const uint16_t *from = s->residual_bf16 + v * VF_N;
    const size_t n = residual_part (s, v);

    if (n > 0) {
#pragma GCC unroll 14
      for (size_t p = 0; p < np; p++)
        sums[p * nv + v] += LOAD_BF16 (from + p * s->residual_step, n);
    }
  }
}
#endif

/* Applies the epilogue to @sums, which began with `sums_bias`. */
INLINE void
sums_finish (const CpuSums *s, vf *sums, size_t np, size_t nv)
{
  const CpuEpilogue *e = s->epilogue;

  if (e->scale != NULL) {
    vf copy[28];

#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      copy[i] = sums[i];
    sums_scale (e, s->c, s->last, copy, np, nv);
#pragma GCC unroll 28
    for (size_t i = 0; i < np * nv; i++)
      sums[i] = copy[i];
  }
  sums_act (s, &e->act, sums, np, nv);
#ifdef LOAD_BF16
  if (s->residual_bf16) {
    sums_add_bf16 (s, sums, np, nv);
    sums_act (s, &e->last_act, sums, np, nv);
  }
#endif
  if (s->residual) {
    sums_add_residual (s, sums, np, nv);
    sums_act (s, &e->last_act, sums, np, nv);
  }
}

/* Stores results.  @half: the last vector has at most half its elements. */
INLINE void
sums_store_parts (
    const CpuSums *s, const vf *sums, size_t np, size_t nv, int half)
{
  float *out = s->out;

#pragma GCC unroll 14
  for (size_t p = 0; p < np; p++, out += s->step) {
    KEEP (out);
#pragma GCC unroll 4
    for (size_t v = 0; v + 1 < nv; v++)
      vf_store (out + v * VF_N, sums[p * nv + v]);
    if (half)
      store_half (out + (nv - 1) * VF_N, sums[p * nv + nv - 1], s->last);
    else
      store_part (out + (nv - 1) * VF_N, sums[p * nv + nv - 1], s->last);
  }
}

INLINE void
sums_store_all (const CpuSums *s, const vf *sums, size_t np, size_t nv)
{
  sums_store_parts (s, sums, np, nv, 0);
}

/* Applies the epilogue and stores the results. */
INLINE void
sums_store (const CpuSums *s, vf *sums, size_t np, size_t nv)
{
  sums_finish (s, sums, np, nv);
  sums_store_all (s, sums, np, nv);
}
