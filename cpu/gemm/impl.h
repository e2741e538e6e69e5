/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of MatMul: each is a CpuImpl whose problem is a CpuMatMul.
 */

#pragma once

#include "cpu/base/impl.h"
#include "cpu/base/widen.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/matmul.h"
#include "cpu/gemm/strassen.h"

/* Costs, in the order of the rule. */
enum
{
  CPU_MATMUL_COST_DOT = 1, /* one column, or one row of an unpacked b */
  CPU_MATMUL_COST_STRASSEN,
  CPU_MATMUL_COST_PACKED,
  CPU_MATMUL_COST_DOT_PACKABLE,
  CPU_MATMUL_COST_DIRECT_FEW_ROWS,
  CPU_MATMUL_COST_PACK,
  CPU_MATMUL_COST_DIRECT,
};

typedef struct
{
  CpuMatMulDims dims;
  gboolean constant; /* b is, and not empty */
  /* The absorbed posts; `arrays` NULL: none. */
  gpointer arrays;
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
} CpuMatMul;

/* A product of f32 as implementations prepare it; a and c, and b unless it is
 * packed, are converted from and to other real types. */
typedef struct _CpuMatMulPlan CpuMatMulPlan;

/* Computes product @p of a batch.  @g lacks b only; cpu_matmul_b tells where an
 * unpacked b lies. */
typedef void (*CpuMatMulFunc) (
    CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p);
/* Where product @p is one of gemm.h with a packed b: completes @g for
 * cpu_gemm_run, and returns the type of b. */
typedef CpuGemmType (*CpuMatMulSetB) (
    CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p);

struct _CpuMatMulPlan
{
  const CpuMatMul *mm;
  CpuMatMulFunc func;  /* NULL: set_b is there */
  CpuMatMulSetB set_b; /* NULL: func is there */
  CpuWiden widen;
  gconstpointer packed; /* b, nullable */
  gsize packed_step;    /* elements of one packed matrix */
  CpuGemmType type;     /* of those elements */
  gboolean unpacks;     /* packed.c: they become f32 in scratch memory */
  gboolean strassen;    /* the product is one of strassen.h */
  gsize a_group; /* int8: elements of a that share a scale, or 0; int4: of b */
  const CpuStep *first; /* pair.c: the fused step that computes a */
  const CpuMatMulPlan *first_plan;
};

/* By rule dot products are faster than packing b. */
gboolean cpu_matmul_prefers_dot (const CpuMatMul *mm);

/* f16 weights are faster on this machine, and the configuration allows them. */
gboolean cpu_matmul_wants_f16 (const CpuStep *step, const CpuMatMul *mm);

/* In prepare: @func: NULL for one that gets set_b.  @packed: b, else NULL;
 * @more: bytes of scratch that the product needs (cpu_widen_more).  To be freed
 * with g_free. */
CpuMatMulPlan *cpu_matmul_plan_new (CpuStep *step, const CpuMatMul *mm,
    CpuMatMulFunc func, gconstpointer packed, gsize more, GError **error);

/* CpuImpl.run of a plan: its `func` or `set_b` for each product. */
gboolean cpu_matmul_run (CpuStep *step, gconstpointer self, GError **error);
/* CpuImpl.run of a plan of cpu_matmul_packed_plan, fused or not. */
gboolean cpu_matmul_run_packed (
    CpuStep *step, gconstpointer self, GError **error);
/* CpuOp.run_joint of steps with @plans. */
gboolean cpu_matmul_run_joint (
    CpuStep *const *steps, const CpuMatMulPlan *const *plans, guint n);
const float *cpu_matmul_b (
    const CpuStep *step, const CpuMatMulPlan *plan, gsize p);

/* In prepare: a plan with set_b; b is packed as f32, or as f16 that becomes f32
 * in each run or when it is read.  @strassen: with room for cpu_matmul_b_room,
 * then for cpu_strassen_run. */
CpuMatMulPlan *cpu_matmul_packed_plan (
    CpuStep *step, const CpuMatMul *mm, gboolean strassen, GError **error);
/* Bytes for what must be computed of b in each run. */
gsize cpu_matmul_b_room (const CpuStep *step, const CpuMatMulPlan *plan);
/* In run: b of product @p as f32, or as cpu_strassen_run needs it; parts that
 * are computed, on the step's threads, lie in @memory. */
CpuStrassen cpu_matmul_make_b (
    CpuStep *step, const CpuMatMulPlan *plan, gsize p, gpointer memory);

/* For CpuOp: @producer, a product too, writes in[0] of @step: some rows of both
 * are computed at a time, so that they stay in the cache.  FALSE: not worth it,
 * or another case. */
gboolean cpu_matmul_fuse (CpuStep *step, const CpuImplUse *use,
    CpuStep *producer, const CpuImplUse *first);
/* pair.c: runs what was fused. */
void cpu_matmul_run_pair (CpuStep *step, const CpuMatMulPlan *plan);

/* For CpuOp.share: @first is the implementation of the earlier step. */
gboolean cpu_matmul_share (
    CpuStep *step, const CpuImplUse *use, const CpuImplUse *first);

/* For CpuOp: whether a value is read, and the result can be written, as bf16.
 */
gboolean cpu_matmul_reads_bf16 (
    const CpuStep *step, const CpuImplUse *use, const CpuValue *value);
gboolean cpu_matmul_gives_bf16 (const CpuStep *step, const CpuImplUse *use);

#define IMPL(name, file) extern const CpuImpl cpu_matmul_impl_##name;
#include "cpu/gemm/impl-list.h"
#undef IMPL
