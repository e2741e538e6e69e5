/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Large products of f32 with an eighth fewer multiplications
 * (cpu/kernels/strassen.h).  Blocks of rows are the even and the odd ones, so
 * that results do not depend on how rows are cut into parts of even numbers;
 * blocks of columns and of the depth are halves.  Errors are 1.4 times those of
 * sums of direct products. */

#pragma once

#include "cpu/gemm/gemm.h"

/* Whether a product of these sizes is faster so. */
gboolean cpu_strassen_pays (gsize m, gsize n, gsize k);

/* b of a product, and what is computed of it in each run. */
typedef struct
{
  const float *b;     /* packed: cpu_gemm_pack; NULL: as f16 */
  const guint16 *f16; /* the same */
  gsize n, k;
  float *memory; /* of cpu_strassen_b_room bytes */
} CpuStrassen;

/* Bytes; G_MAXSIZE: too many. */
gsize cpu_strassen_b_room (gsize n, gsize k, gboolean f16, guint threads);
/* Of working memory for one thread. */
gsize cpu_strassen_room (gsize n, gsize k);

/* In run: computes what is needed of b, on the step's threads. */
void cpu_strassen_fill (CpuStep *step, const CpuStrassen *s);

/* Computes rows of the product @g, whose a_k is 1 and which lacks b, on the
 * calling thread; an odd number of them only at its end, and three at least.
 * @memory: cpu_strassen_room bytes. */
void cpu_strassen_run_rows (const CpuKernels *kernels, const CpuStrassen *s,
    const CpuGemm *g, gpointer memory);

/* The same for all rows on the step's threads; @memory: for each of them. */
void cpu_strassen_run (
    CpuStep *step, const CpuStrassen *s, const CpuGemm *g, gpointer memory);
