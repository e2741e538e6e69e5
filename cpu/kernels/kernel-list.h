/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every version of every kernel, one line each; a later line is preferred.
 *
 *   KERNEL_VEC (name, file)  FILE.c, the portable version, and FILE-vec.c, one
 *                            over vector types for each instruction set
 *   KERNEL_U8 (name, file)   FILE.c and FILE-vnni.c, for each width of vectors;
 *                            FILE-neon.c for each of dotprod and i8mm
 *   KERNEL_X86 (name, file)  the same without FILE-neon.c
 *   KERNEL_F16 (name, file)  FILE.c and FILE-fp16.c or, on aarch64,
 *                            FILE-fp16-neon.c
 *   KERNEL_BF16 (name, file) FILE.c and FILE-bf16.c or, on aarch64,
 *                            FILE-bf16-neon.c
 *   KERNEL_AMX (name, file)  FILE-amx.c too, of a kernel of one of the others
 *
 * To add a kernel: its documented function type, cpu_NAME_fn, in kernels.h; the
 * two files, which Meson finds by this list; its line; and its check, a line in
 * tests/kernels/check-list.h. */

/* clang-format off */
#define KERNEL_VEC(name, file) \
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

/* 8-bit integers: faster than f32 only with an instruction for dot products. */
#define KERNEL_U8(name, file) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_AVXVNNI (name) \
  KERNEL_VNNI (name) \
  KERNEL_DOTPROD (name) \
  KERNEL_I8MM (name)
#if CPU_HAVE_AVXVNNI
#define KERNEL_AVXVNNI(name) \
  KERNEL (name, avxvnni, CPU_ISA_AVXVNNI) \
  KERNEL (name, evexvnni, CPU_ISA_AVXVNNI | CPU_ISA_EVEX)
#else
#define KERNEL_AVXVNNI(name)
#endif
#if CPU_HAVE_VNNI
#define KERNEL_VNNI(name) KERNEL (name, vnni, CPU_ISA_VNNI)
#else
#define KERNEL_VNNI(name)
#endif
#if CPU_HAVE_DOTPROD
#define KERNEL_DOTPROD(name) KERNEL (name, dotprod, CPU_ISA_DOTPROD)
#else
#define KERNEL_DOTPROD(name)
#endif
#if CPU_HAVE_I8MM
#define KERNEL_I8MM(name) KERNEL (name, i8mm, CPU_ISA_I8MM)
#else
#define KERNEL_I8MM(name)
#endif

#define KERNEL_X86(name, file) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_AVXVNNI (name) \
  KERNEL_VNNI (name)

/* f16: faster than f32 only where the machine computes in f16. */
#define KERNEL_F16(name, file) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_FP16 (name)
#if CPU_HAVE_FP16
#define KERNEL_FP16(name) KERNEL (name, fp16, CPU_ISA_FP16)
#else
#define KERNEL_FP16(name)
#endif

/* bf16: where the machine has dot products of it. */
#define KERNEL_BF16(name, file) \
  KERNEL (name, c, CPU_ISA_C) \
  KERNEL_DOT_BF16 (name)
#if CPU_HAVE_BF16
#define KERNEL_DOT_BF16(name) KERNEL (name, bf16, CPU_ISA_BF16)
#else
#define KERNEL_DOT_BF16(name)
#endif
#if CPU_HAVE_AMX
#define KERNEL_AMX(name, file) KERNEL (name, amx, CPU_ISA_AMX)
#else
#define KERNEL_AMX(name, file)
#endif

KERNEL_U8 (add_u8, quantized)
KERNEL_VEC (best_f32, search)
KERNEL_VEC (binary_f32, binary)
KERNEL_VEC (binary_rows_f32, binary)
KERNEL_VEC (blend_f32, blend)
KERNEL_U8 (bytes_f32, gemm-bytes)
KERNEL_BF16 (conv_depthwise_bf16, conv-depthwise)
KERNEL_F16 (conv_depthwise_f16, conv-depthwise)
KERNEL_VEC (conv_depthwise_f32, conv-depthwise)
KERNEL_VEC (conv_dots_f32, conv-dots)
KERNEL_VEC (conv_lanes, conv-tile)
KERNEL_BF16 (conv_tile_bf16, bf16-gemm)
KERNEL_AMX (conv_tile_bf16, bf16-gemm)
KERNEL_F16 (conv_tile_f16, f16-gemm)
KERNEL_VEC (conv_tile_f32, conv-tile)
KERNEL_U8 (conv_quads_u8, conv-u8)
KERNEL_U8 (conv_sums_u8, conv-u8)
KERNEL_U8 (conv_tile_u8, conv-u8)
KERNEL_AMX (conv_tile_u8, conv-u8)
KERNEL_X86 (conv_windows_u8, conv-windows-u8)
KERNEL_U8 (dequantize_u8, quantized)
KERNEL_U8 (digits_f32, gemm-digits)
KERNEL_VEC (dot_rows_f32, gemm)
KERNEL_BF16 (f16_to_bf16, bf16)
KERNEL_VEC (f16_to_f32, f16)
KERNEL_BF16 (f32_to_bf16, bf16)
KERNEL_VEC (f32_to_f16, f16)
KERNEL_VEC (fake_quantize_f32, fake-quantize)
KERNEL_VEC (fourier_back_f32, fourier)
KERNEL_VEC (fourier_columns_f32, fourier)
KERNEL_VEC (fourier_real_f32, fourier)
KERNEL_VEC (fourier_rows_f32, fourier)
KERNEL_U8 (gemm_bytes, gemm-bytes)
KERNEL_U8 (gemm_digits, gemm-digits)
KERNEL_VEC (gemm_f16, gemm)
KERNEL_VEC (gemm_f32, gemm)
KERNEL_VEC (gemm_i8, gemm)
KERNEL_U8 (gemm_levels, gemm-levels)
KERNEL_VEC (gemm_nibbles, gemm-nibbles)
KERNEL_VEC (gru_gates_f32, recurrent)
KERNEL_VEC (gru_linear_f32, recurrent)
KERNEL_VEC (gru_state_f32, recurrent)
KERNEL_VEC (gru_steps_f32, recurrent-steps)
KERNEL_VEC (i8_to_f32, bytes)
KERNEL_U8 (interleave_u8, quantized)
KERNEL_U8 (levels_f32, gemm-levels)
KERNEL_VEC (log_softmax_f32, softmax)
KERNEL_U8 (lookup_u8, lookup)
KERNEL_VEC (lstm_f32, recurrent)
KERNEL_VEC (lstm_steps_f32, lstm-steps)
KERNEL_VEC (moments_f32, moments)
KERNEL_BF16 (pairs_bf16, bf16)
KERNEL_VEC (pool_box_f32, pool)
KERNEL_BF16 (products_bf16, products)
KERNEL_VEC (products_f32, products)
KERNEL_U8 (quantize_u8, quantized)
KERNEL_VEC (reduce_f32, reduce)
KERNEL_VEC (rnn_f32, recurrent)
KERNEL_F16 (scale_f16, f16-gemm)
KERNEL_VEC (scores_f32, softmax)
KERNEL_VEC (softmax_f32, softmax)
KERNEL_VEC (strassen_result_f32, strassen)
KERNEL_VEC (strassen_sums_f32, strassen)
KERNEL_VEC (transpose_u32, transpose)
KERNEL_VEC (u8_to_f32, bytes)
KERNEL_VEC (unary_f32, unary)
KERNEL_VEC (unpack_nibbles, gemm-nibbles)
KERNEL_BF16 (weigh_bf16, weigh)
KERNEL_VEC (weigh_f32, weigh)
KERNEL_BF16 (weights_bf16, bf16)
KERNEL_VEC (winograd_input_f32, winograd)
KERNEL_VEC (winograd_line_input_f32, winograd)
KERNEL_VEC (winograd_line_output_f32, winograd)
KERNEL_VEC (winograd_output_f32, winograd)

#undef KERNEL_VEC
#undef KERNEL_AVX2
#undef KERNEL_AVX512
#undef KERNEL_U8
#undef KERNEL_X86
#undef KERNEL_AVXVNNI
#undef KERNEL_VNNI
#undef KERNEL_DOTPROD
#undef KERNEL_I8MM
#undef KERNEL_F16
#undef KERNEL_FP16
#undef KERNEL_BF16
#undef KERNEL_DOT_BF16
#undef KERNEL_AMX
/* clang-format on */
