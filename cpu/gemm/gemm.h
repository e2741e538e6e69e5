/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preparing operands for the gemm kernels. */

#pragma once

#include "cpu/base/step.h"

/* Floats of a packed matrix of @k by @n. */
static inline gsize
cpu_gemm_packed_size (gsize k, gsize n)
{
  return (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL * k;
}

/* Packs a matrix whose element (k, j) is b[k * k_stride + j * n_stride];
 * columns beyond @n become zero. */
void cpu_gemm_pack (float *packed, const CpuLooseFloat *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride);

/* The same, faster, for use in `run`. */
void cpu_gemm_pack_by (const CpuKernels *kernels, float *packed,
    const CpuLooseFloat *b, gsize k, gsize n, gsize k_stride, gsize n_stride);

/* Types of elements of a packed operand. */
typedef enum
{
  CPU_GEMM_F32,
  CPU_GEMM_F16,
  CPU_GEMM_I8,     /* integers with a scale for each column */
  CPU_GEMM_DIGITS, /* CPU_GEMM_I8, the other operand as CpuDigits */
  CPU_GEMM_BYTES,  /* CPU_GEMM_I8, the other operand as CpuBytes */
} CpuGemmType;

static inline gsize
cpu_gemm_type_size (CpuGemmType type)
{
  return type == CPU_GEMM_F32 ? 4 : type == CPU_GEMM_F16 ? 2 : 1;
}

/* Sets whether the packed b of @g is read from first to last; before it is
 * computed in any of the ways below, since its sums depend on that. */
void cpu_gemm_set_order (const CpuStep *step, CpuGemm *g, CpuGemmType type);

/* Computes the product @g by the kernel for b of @type, in blocks that fit the
 * caches; large products on the step's threads. */
void cpu_gemm_run (CpuStep *step, const CpuGemm *g, CpuGemmType type);

/* The part of @g from @row and @column, of whole panels, on; @epilogue is
 * memory for its epilogue. */
CpuGemm cpu_gemm_part (const CpuGemm *g, CpuGemmType type, gsize row,
    gsize rows, gsize column, gsize columns, CpuEpilogue *epilogue);

/* Of what rows of a block are a multiple. */
#define CPU_GEMM_CUT_UNIT 24

/* Blocks of rows, as many for each of some threads; sizes differ by a unit, and
 * the last one has what is left, too. */
typedef struct
{
  gsize rows;
  gsize blocks; /* 0: fewer than a unit of rows */
} CpuRowCut;

/* @most: rows of a block but for the last, a multiple of the unit. */
CpuRowCut cpu_gemm_cut_rows (gsize rows, gsize most, gsize threads);
/* The first row of @block. */
gsize cpu_gemm_cut_row (const CpuRowCut *cut, gsize block);

/* @n products with the same b, of several steps, on the calling thread: a part
 * of b that stays in the cache is used for all before the next is read. */
void cpu_gemm_run_joint (const CpuKernels *kernels, const CpuGemm *products,
    guint n, CpuGemmType type);

/* Applies the epilogue of @g to what is in c; other members of @g change. */
void cpu_gemm_run_epilogue (CpuStep *step, CpuGemm *g);

/* cpu_gemm_run on the calling thread alone. */
void cpu_gemm_run_alone (
    const CpuKernels *kernels, const CpuGemm *g, CpuGemmType type);

/* In prepare: whether constant in[@input] is to be packed as f16: that loses
 * nothing, it is large, and the machine converts f16 as it reads. */
gboolean cpu_gemm_wants_f16 (CpuStep *step, guint input);

/* For pack functions: returns @floats packed floats (cpu_alloc_pack) as they
 * are, or if @f16 those that were borrowed as f16; consumes @packed.  NULL:
 * memory is short. */
gpointer cpu_gemm_finish_pack (const CpuKernels *kernels, float *packed,
    gsize floats, gboolean f16, gsize *bytes);

/* In prepare: constant in[@input], one matrix with strides as for
 * cpu_gemm_pack, packed as 8-bit integers with a scale and an offset for each
 * column (cpu/base/integers.h).  NULL: its values are no such integers, it is
 * small, the machine is slow with them, or memory is short. */
gconstpointer cpu_gemm_integers (CpuStep *step, guint input, gsize k, gsize n,
    gsize k_stride, gsize n_stride);
/* In prepare: group size of the dynamic int8 quantisation of activations
 * (a_group of the product) for weights in[@input]; 0: they are not quantised,
 * because of the configuration, because the file does not store the weights as
 * bytes, or because the machine is slow with them. */
gsize cpu_gemm_bytes_group (const CpuStep *step, guint input, gsize k);
/* In prepare: bytes of scratch that m rows of the product need. */
gsize cpu_gemm_integers_room (
    gconstpointer packed, gsize m, gsize k, gsize a_group);
/* Computes the product @g with the packed matrix as b; n, k and a_group as
 * before; @memory: cpu_gemm_integers_room bytes. */
void cpu_gemm_run_integers (
    CpuStep *step, CpuGemm *g, gconstpointer packed, gpointer memory);
/* Only completes @g for cpu_gemm_run; returns the type of b. */
CpuGemmType cpu_gemm_set_integers (
    CpuStep *step, CpuGemm *g, gconstpointer packed, gpointer memory);

/* For pack functions: an input's values as floats; *@copy (cpu_return) is set
 * if they had to be converted.  NULL: memory is short. */
const CpuLooseFloat *cpu_gemm_floats (
    const CpuKernels *kernels, const CpuValue *value, float **copy);
