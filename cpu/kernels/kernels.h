/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hot loops of the CPU backend: plain C types, no allocation, no failure. A
 * kernel is a function type here, a portable version in FILE.c, which is the
 * reference, and a version over vector types in FILE-vec.c that is compiled for
 * each instruction set.  kernel-list.h lists all versions. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/kernels/isa.h"
#include "cpu/kernels/config.h"
#include "cpu/kernels/gemm.h"
#include "cpu/kernels/f16-gemm.h"
#include "cpu/kernels/loose.h"
#include "cpu/kernels/quantized.h"
#include "cpu/kernels/recurrent.h"
#include "cpu/kernels/conv.h"
#include "cpu/kernels/fourier.h"
#include "cpu/kernels/strassen.h"
#include "cpu/kernels/weigh.h"
#include "cpu/kernels/winograd.h"

typedef enum
{
  CPU_REDUCE_SUM,
  CPU_REDUCE_PROD,
  CPU_REDUCE_MAX,
  CPU_REDUCE_MIN,
  CPU_REDUCE_SUM_ABS,
  CPU_REDUCE_SUM_SQUARES,
} CpuReduce;

/* Reduces src[0 … n); the order of operations is free.  n == 0: the neutral
 * element (0, 1, -inf, +inf).  NaN if any element is. */
typedef float cpu_reduce_f32_fn (CpuReduce what, const float *src, size_t n);

/* Functions of a value x and two parameters a, b. */
typedef enum
{
  CPU_UNARY_COPY,
  CPU_UNARY_ABS,
  CPU_UNARY_NEG,
  CPU_UNARY_SIGN, /* -1, 0, 1 */
  CPU_UNARY_FLOOR,
  CPU_UNARY_CEIL,
  CPU_UNARY_RINT,  /* ties to even */
  CPU_UNARY_ROUND, /* ties away from zero */
  CPU_UNARY_SQRT,
  CPU_UNARY_SQUARE,
  CPU_UNARY_RECIPROCAL,
  CPU_UNARY_AFFINE, /* a x + b */
  CPU_UNARY_RELU,
  CPU_UNARY_LEAKY, /* a x for x < 0 */
  CPU_UNARY_CLAMP, /* to [a, b] */
  CPU_UNARY_EXP,
  CPU_UNARY_LOG,
  CPU_UNARY_TANH,
  CPU_UNARY_SIGMOID,
  CPU_UNARY_ERF,
  CPU_UNARY_SWISH,    /* x sigmoid (a x) */
  CPU_UNARY_HSIGMOID, /* clamp (x + 3, 0, 6) / 6 */
  CPU_UNARY_HSWISH,
  CPU_UNARY_HARD_SIGMOID, /* clamp (a x + b, 0, 1) */
  CPU_UNARY_GELU_ERF,
  CPU_UNARY_GELU_TANH,
  CPU_UNARY_MISH,
  CPU_UNARY_ELU,  /* a (exp (x) - 1) for x < 0 */
  CPU_UNARY_SELU, /* b times elu with a */
  CPU_UNARY_SOFTPLUS,
  CPU_UNARY_SOFTSIGN,
  CPU_UNARY_SIN,
  CPU_UNARY_COS,
  CPU_UNARY_TAN,
  CPU_UNARY_ASIN,
  CPU_UNARY_ACOS,
  CPU_UNARY_ATAN,
  CPU_UNARY_SINH,
  CPU_UNARY_COSH,
  CPU_UNARY_ASINH,
  CPU_UNARY_ACOSH,
  CPU_UNARY_ATANH,
  CPU_UNARY_ERFINV,
} CpuUnary;

/* dst[i] = what (src[i]); dst may be src.  NaN gives NaN. */
typedef void cpu_unary_f32_fn (
    CpuUnary what, float *dst, const float *src, size_t n, float a, float b);

typedef enum
{
  CPU_BINARY_ADD,
  CPU_BINARY_SUB,
  CPU_BINARY_MUL,
  CPU_BINARY_DIV,
  CPU_BINARY_MAX,
  CPU_BINARY_MIN,
  CPU_BINARY_SQUARED_DIFFERENCE,
  CPU_BINARY_POW,
  CPU_BINARY_MOD,       /* remainder with the sign of the dividend */
  CPU_BINARY_FLOOR_MOD, /* with the sign of the divisor */
  CPU_BINARY_PRELU,     /* a b for a < 0, else a */
} CpuBinary;

/* dst[i] = a[i * a_step] what b[i * b_step]; steps are 0 or 1, not both 0.  dst
 * may be a or b (where its step is 1). */
typedef void cpu_binary_f32_fn (CpuBinary what, float *dst, const float *a,
    size_t a_step, const float *b, size_t b_step, size_t n);

/* The same over rows that are contiguous in dst; row r of an operand begins r
 * times its row step after the first. */
typedef struct
{
  float *dst;
  const float *a, *b;
  size_t a_row, a_step, b_row, b_step;
  size_t rows, n;
} CpuBinaryRows;

typedef void cpu_binary_rows_f32_fn (CpuBinary what, const CpuBinaryRows *rows);

/* One axis of an interpolation: row i of dst is the sum over k < taps of
 * weight[i taps + k] times row index[i taps + k] of src; rows have `inner`
 * elements.  A row whose weight is 0 is not read. */
typedef struct
{
  float *dst;
  const float *src;
  const int64_t *index;
  const double *weight;
  size_t taps, rows, inner;
} CpuBlend;

typedef void cpu_blend_f32_fn (const CpuBlend *blend);

/* Over one row of n >= 1; dst may be src. */
typedef void cpu_softmax_f32_fn (float *dst, const float *src, size_t n);
typedef void cpu_log_softmax_f32_fn (float *dst, const float *src, size_t n);

/* Scaling and masking of scores: scale * x + mask[i], or @fill where drop[i] is
 * not 0. */
typedef struct
{
  float scale, fill;
  const float *mask; /* NULL: nothing is added */
  const uint8_t
      *drop; /* NULL: none; one vector beyond the row must be readable */
} CpuScores;

/* Replaces n >= 1 scaled and masked scores x[i] by exp (x[i] - m), m the
 * largest. Returns their sum. */
typedef float cpu_scores_f32_fn (float *row, size_t n, const CpuScores *scores);

/* See weigh.h. */
typedef void cpu_weigh_f32_fn (const CpuWeigh *weigh);
typedef void cpu_weigh_bf16_fn (const CpuWeighBf16 *weigh);

/* The operation FakeQuantize with one range: quantises [in_low, in_high] and
 * maps to [out_low, out_high]; dst may be src. */
typedef void cpu_fake_quantize_f32_fn (float *dst, const float *src, size_t n,
    float in_low, float in_high, float out_low, float out_high, float levels);

/* IEEE half precision; round to nearest even, infinities and NaN kept. */
typedef void cpu_f16_to_f32_fn (float *dst, const uint16_t *src, size_t n);
typedef void cpu_f32_to_f16_fn (uint16_t *dst, const float *src, size_t n);
/* The integers as f32. */
typedef void cpu_i8_to_f32_fn (float *dst, const int8_t *src, size_t n);
typedef void cpu_u8_to_f32_fn (float *dst, const uint8_t *src, size_t n);

/* The mean of src[0 … n), n >= 1, and the mean of squared differences from it.
 */
typedef void cpu_moments_f32_fn (
    const float *src, size_t n, float *mean, float *variance);

/* The largest or, if @min, smallest element of each of @n columns, and the
 * first of @rows ≥ 1 rows that holds it; rows are @stride elements apart.  NaN
 * is the largest of all. */
typedef void cpu_best_f32_fn (float *best, int32_t *at, const float *src,
    size_t rows, size_t stride, size_t n, bool min);

/* See quantized.h; element-wise; dst may be a source of the same type. */
typedef void cpu_quantize_u8_fn (
    uint8_t *dst, const float *src, size_t n, const CpuQuant *q);
typedef void cpu_dequantize_u8_fn (
    float *dst, const uint8_t *src, size_t n, const CpuQuant *q);
typedef void cpu_add_u8_fn (uint8_t *dst, const uint8_t *a, const CpuQuant *qa,
    const uint8_t *b, const CpuQuant *qb, size_t n, const CpuQuant *to);
/* dst[i * 4 + j] = src[j][i], j < 4 */
typedef void cpu_interleave_u8_fn (
    uint8_t *dst, const uint8_t *const *src, size_t n);
typedef void cpu_conv_tile_u8_fn (const CpuConvTileU8 *tile);
/* For each pixel, row by row: the sum over s, i of in[p * in_step + segments[s]
 * + i], less @zeros. */
typedef void cpu_conv_sums_u8_fn (
    const CpuConvTileU8 *tile, int32_t zeros, float *sums);
typedef void cpu_conv_quads_u8_fn (const CpuConvQuadsU8 *row);
/* On x86-64 only; elsewhere conv_quads_u8 is faster. */
typedef void cpu_conv_windows_u8_fn (const CpuConvWindowsU8 *lines);

/* See gemm.h. */
typedef void cpu_gemm_f32_fn (const CpuGemm *gemm);
typedef void cpu_gemm_f16_fn (const CpuGemm *gemm); /* b is f16 */
typedef void cpu_gemm_i8_fn (const CpuGemm *gemm);  /* b is scaled integers */
typedef void cpu_gemm_digits_fn (
    const CpuGemm *gemm); /* b is scaled integers, a is CpuDigits */
typedef void cpu_gemm_bytes_fn (
    const CpuGemm *gemm); /* b is scaled integers, a is CpuBytes */
typedef void cpu_gemm_nibbles_fn (const CpuGemmNibbles *gemm);
/* The k rows of the first panel of b as floats, to[k * 16 + j]; a and c are not
 * used. */
typedef void cpu_unpack_nibbles_fn (float *to, const CpuGemmNibbles *gemm);
typedef void cpu_gemm_levels_fn (const CpuGemmLevels *gemm);
/* to[i] = rint (src[i] / scale) + zero, within 0 … 255, minus 128.  Returns
 * their sum.  n < 2^15; NaN, and everything if @scale is 0, becomes -128. */
typedef int32_t cpu_levels_f32_fn (
    int8_t *to, const float *src, size_t n, float scale, int32_t zero);
/* Converts src[0 … n), n < 2^15; exact to 2^-30 of the largest magnitude. */
typedef void cpu_digits_f32_fn (CpuDigits *to, const float *src, size_t n);
/* Quantises src[0 … n), n < 2^15, in groups of @group, a multiple of 32: the
 * largest magnitude of each is 127 times its scale; groups below 1e-36 become
 * zero. */
typedef void cpu_bytes_f32_fn (
    CpuBytes *to, const float *src, size_t n, size_t group);

/* How fast products are: adds up as many as it returns for each of @rounds, in
 * registers, and stores 16 sums, which are @rounds times a constant of the
 * version. */
typedef size_t cpu_products_f32_fn (float *sums, size_t rounds);
typedef size_t cpu_products_bf16_fn (float *sums, size_t rounds);

/* y[i] = sum over j < k of a[i * a_row + j] * x[j] */
typedef void cpu_dot_rows_f32_fn (float *y, const float *a, size_t a_row,
    const float *x, size_t rows, size_t k);

/* LSTM, gates f i c o: with sigmoid s,
 * c' = s (f) * c + s (i) * tanh (c gate), h' = s (o) * tanh (c'). */
typedef void cpu_lstm_f32_fn (
    const CpuGates *gates, const float *c, float *c_out, float *h_out);

/* GRU with linear_before_reset, gates z r h:
 * h' = (1 - s (z)) * tanh (x.h + s (r) * r.h) + s (z) * h.
 * The clamp is on the whole argument of tanh. */
typedef void cpu_gru_linear_f32_fn (
    const CpuGates *gates, const float *h, float *h_out);

/* GRU, first half, gates z r: @z becomes s (z), @rh s (r) * h. */
typedef void cpu_gru_gates_f32_fn (
    const CpuGates *gates, const float *h, float *z, float *rh);

/* GRU, second half: x and r are the sums of gate h alone:
 * h' = (1 - z) * tanh (x + r) + z * h. */
typedef void cpu_gru_state_f32_fn (
    const CpuGates *gates, const float *z, const float *h, float *h_out);

/* All steps of @n sequences, each of the same number of units.  The clamp is as
 * in gru_linear_f32. */
typedef void cpu_gru_steps_f32_fn (const CpuGruSteps *sequences, size_t n);

/* All steps, each as by lstm_f32. */
typedef void cpu_lstm_steps_f32_fn (const CpuLstmSteps *s);

/* h' = tanh (x + r) */
typedef void cpu_rnn_f32_fn (const CpuGates *gates, float *h_out);

/* dst[c * dst_stride + r] = src[r * src_stride + c]; strides in elements.  The
 * sides do not overlap. */
typedef void cpu_transpose_u32_fn (uint32_t *dst, size_t dst_stride,
    const CpuLooseWord *src, size_t src_stride, size_t rows, size_t cols);

/* A table with a member for each kernel. */
typedef struct
{
#define KERNEL_MEMBER_c(name) cpu_##name##_fn *name;
#define KERNEL_MEMBER_base(name)
#define KERNEL_MEMBER_avx2(name)
#define KERNEL_MEMBER_avx512(name)
#define KERNEL_MEMBER_avxvnni(name)
#define KERNEL_MEMBER_evexvnni(name)
#define KERNEL_MEMBER_vnni(name)
#define KERNEL_MEMBER_dotprod(name)
#define KERNEL_MEMBER_i8mm(name)
#define KERNEL_MEMBER_bf16(name)
#define KERNEL_MEMBER_fp16(name)
#define KERNEL_MEMBER_amx(name)
#define KERNEL(name, suffix, needs) KERNEL_MEMBER_##suffix (name)
#include "cpu/kernels/kernel-list.h"
#undef KERNEL
#undef KERNEL_MEMBER_c
#undef KERNEL_MEMBER_base
#undef KERNEL_MEMBER_avx2
#undef KERNEL_MEMBER_avx512
#undef KERNEL_MEMBER_avxvnni
#undef KERNEL_MEMBER_evexvnni
#undef KERNEL_MEMBER_vnni
#undef KERNEL_MEMBER_dotprod
#undef KERNEL_MEMBER_i8mm
#undef KERNEL_MEMBER_bf16
#undef KERNEL_MEMBER_fp16
#undef KERNEL_MEMBER_amx
} CpuKernels;

/* Declares every version. */
#define KERNEL(name, suffix, needs) cpu_##name##_fn cpu_##name##_##suffix;
#include "cpu/kernels/kernel-list.h"
#undef KERNEL

/* Fills in the fastest version of each kernel that @isa allows. */
void cpu_kernels_init (CpuKernels *kernels, CpuIsa isa);
