/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preparing operands for the gemm kernels. */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

/* Floats that @k by @n take in panels. */
static inline gsize
cpu_gemm_packed_size (gsize k, gsize n)
{
  return (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL * k;
}

/* The element (k, j) of the operand is b[k * k_stride + j * n_stride]; columns
 * beyond @n become zero. */
void cpu_gemm_pack (float *packed, const float *b, gsize k, gsize n,
    gsize k_stride, gsize n_stride);

/* The same when running, faster. */
void cpu_gemm_pack_by (const CpuKernels *kernels, float *packed, const float *b,
    gsize k, gsize n, gsize k_stride, gsize n_stride);

/* What elements of a packed operand are. */
typedef enum
{
  CPU_GEMM_F32,
  CPU_GEMM_F16,
  CPU_GEMM_I8,     /* integers with a scale for each column */
  CPU_GEMM_DIGITS, /* the same, the other operand in digits */
  CPU_GEMM_BYTES,  /* the same, the other operand in bytes */
} CpuGemmType;

static inline gsize
cpu_gemm_type_size (CpuGemmType type)
{
  return type == CPU_GEMM_F32 ? 4 : type == CPU_GEMM_F16 ? 2 : 1;
}

/* The product @g by the kernel for b of @type, in blocks that fit the caches,
 * on the step's threads where it is large. */
void cpu_gemm_run (CpuStep *step, const CpuGemm *g, CpuGemmType type);

/* The same on the calling thread alone, whatever the step. */
void cpu_gemm_run_alone (
    const CpuKernels *kernels, const CpuGemm *g, CpuGemmType type);

/* In prepare: TRUE where constant in[@input] is worth being packed in half
 * floats: it loses nothing, is large, and the machine converts them as it reads
 * them. */
gboolean cpu_gemm_wants_f16 (CpuStep *step, guint input);

/* For pack functions: @floats packed floats (cpu_alloc) as @half says; @packed
 * is consumed.  NULL where memory is short. */
gpointer cpu_gemm_finish_pack (
    float *packed, gsize floats, gboolean half, gsize *bytes);

/* In prepare: constant in[@input], one matrix with strides as for
 * cpu_gemm_pack, packed as integers of 8 bits that are shifted and scaled for
 * each column (cpu/base/integers.h).  NULL where its values are none, it is
 * small, the machine is slow with them, or memory is short. */
gconstpointer cpu_gemm_integers (CpuStep *step, guint input, gsize k, gsize n,
    gsize k_stride, gsize n_stride);
/* In prepare: how many numbers together are made bytes (a_group of the product)
 * before they meet the weights in[@input], packed so; 0: none are, as
 * the configuration says, or weights are no bytes in the file, or the machine
 * is slow with them. */
gsize cpu_gemm_bytes_group (const CpuStep *step, guint input, gsize k);
/* In prepare: bytes of scratch that m rows of the product need. */
gsize cpu_gemm_integers_room (
    gconstpointer packed, gsize m, gsize k, gsize a_group);
/* The product @g, whose b is to be the packed matrix, and n, k and a_group as
 * before; @memory: of cpu_gemm_integers_room. */
void cpu_gemm_run_integers (
    CpuStep *step, CpuGemm *g, gconstpointer packed, gpointer memory);

/* For pack functions: an input's values as floats; *@copy (to g_free) is set
 * where they had to be converted.  NULL where memory is short. */
const float *cpu_gemm_floats (const CpuValue *value, float **copy);

G_END_DECLS
