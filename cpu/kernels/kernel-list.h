/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every version of every kernel, one line each; a later line is preferred.
 * KERNEL_VEC (name) stands for the portable version and one over vector types
 * at each instruction set.
 *
 * To add a kernel: its documented function type in kernels.h, the portable
 * version cpu/kernels/FILE.c, the version over vector types
 * cpu/kernels/FILE-vec.c, both in cpu/kernels/meson.build, its line here, and
 * tests/kernels/check-FILE.c.  A version for one instruction set is a line
 * KERNEL (name, avx2, CPU_ISA_AVX2) below. */

/* clang-format off */
#define KERNEL_VEC(name) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL (name, base, CPU_ISA_BASE) \
  KERNEL_AVX2 (name) \
  KERNEL_AVX512 (name)
#if CPU_HAVE_AVX2
#define KERNEL_AVX2(name) KERNEL (name, avx2, CPU_ISA_AVX2)
#else
#define KERNEL_AVX2(name)
#endif
#if CPU_HAVE_AVX512
#define KERNEL_AVX512(name) KERNEL (name, avx512, CPU_ISA_AVX512)
#else
#define KERNEL_AVX512(name)
#endif

/* Of numbers of 8 bits: worth it only where their products are one instruction.
 */
#define KERNEL_U8(name) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_VNNI (name)
#if CPU_HAVE_VNNI
#define KERNEL_VNNI(name) KERNEL (name, vnni, CPU_ISA_VNNI)
#else
#define KERNEL_VNNI(name)
#endif

/* Of half floats: worth it only where the machine computes with them. */
#define KERNEL_F16(name) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_FP16 (name)
#if CPU_HAVE_FP16
#define KERNEL_FP16(name) KERNEL (name, fp16, CPU_ISA_FP16)
#else
#define KERNEL_FP16(name)
#endif

KERNEL_U8 (add_u8)
KERNEL_VEC (best_f32)
KERNEL_VEC (binary_f32)
KERNEL_VEC (binary_rows_f32)
KERNEL_VEC (blend_f32)
KERNEL_U8 (bytes_f32)
KERNEL_F16 (conv_depthwise_f16)
KERNEL_VEC (conv_depthwise_f32)
KERNEL_VEC (conv_dots_f32)
KERNEL_VEC (conv_lanes)
KERNEL_F16 (conv_tile_f16)
KERNEL_VEC (conv_tile_f32)
KERNEL_U8 (conv_quads_u8)
KERNEL_U8 (conv_sums_u8)
KERNEL_U8 (conv_tile_u8)
KERNEL_U8 (dequantize_u8)
KERNEL_U8 (digits_f32)
KERNEL_VEC (dot_rows_f32)
KERNEL_VEC (f16_to_f32)
KERNEL_VEC (f32_to_f16)
KERNEL_VEC (fake_quantize_f32)
KERNEL_U8 (gemm_bytes)
KERNEL_U8 (gemm_digits)
KERNEL_VEC (gemm_f16)
KERNEL_VEC (gemm_f32)
KERNEL_VEC (gemm_i8)
KERNEL_VEC (gru_gates_f32)
KERNEL_VEC (gru_linear_f32)
KERNEL_VEC (gru_state_f32)
KERNEL_VEC (i8_to_f32)
KERNEL_U8 (interleave_u8)
KERNEL_VEC (log_softmax_f32)
KERNEL_VEC (lstm_f32)
KERNEL_VEC (moments_f32)
KERNEL_VEC (pool_box_f32)
KERNEL_U8 (quantize_u8)
KERNEL_VEC (reduce_f32)
KERNEL_VEC (rnn_f32)
KERNEL_F16 (scale_f16)
KERNEL_VEC (scores_f32)
KERNEL_VEC (softmax_f32)
KERNEL_VEC (transpose_u32)
KERNEL_VEC (u8_to_f32)
KERNEL_VEC (unary_f32)
KERNEL_VEC (weigh_f32)
KERNEL_VEC (winograd_input_f32)
KERNEL_VEC (winograd_output_f32)

#undef KERNEL_VEC
#undef KERNEL_AVX2
#undef KERNEL_AVX512
#undef KERNEL_U8
#undef KERNEL_VNNI
#undef KERNEL_F16
#undef KERNEL_FP16
/* clang-format on */
