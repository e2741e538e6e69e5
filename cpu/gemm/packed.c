/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant that is packed once, as f32, or as f16 where that loses
 * nothing and there are few rows, or so many that making it f32 in each run
 * costs next to nothing. */

#include "cpu/base/scope.h"
#include "cpu/base/unpack.h"
#include "cpu/gemm/impl.h"

/* Rows from which on multiplications cost more than reading b. */
#define MANY_ROWS 16
/* Rows from which on converting b to f32 takes at most a fiftieth of the time.
 */
#define UNPACK_ROWS 96
/* Elements that a thread unpacks at a time. */
#define UNPACK_GRAIN ((gsize) 1 << 14)

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuMatMul *mm = problem;

  return mm->constant;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  return CPU_MATMUL_COST_PACKED;
}

/* Columns of compressed weights that become floats at a time. */
#define COLUMNS (2 * CPU_GEMM_PANEL)

/* Compressed weights [n][k]: no more of them than some columns are floats
 * before they are packed. */
static gpointer
pack_stored (const CpuKernels *kernels, const InferCompressed *stored, gsize k,
    gsize n, gsize *bytes)
{
  g_autoptr (CpuBorrowedFloats) floats =
      cpu_borrow (COLUMNS * k * sizeof *floats);

  *bytes = cpu_gemm_packed_size (k, n) * sizeof *floats;
  float *to = floats != NULL ? cpu_alloc_pack (*bytes) : NULL;
  for (gsize j = 0; to != NULL && j < n; j += COLUMNS) {
    const gsize columns = MIN (n - j, COLUMNS);

    cpu_unpack_floats (kernels, stored, j * k, columns * k, floats);
    cpu_gemm_pack_by (kernels, to + j * k, floats, k, columns, 1, k);
  }
  return to;
}

/* The weights of @b if they can be packed by columns; else NULL. */
static const InferCompressed *
stored_columns (const CpuValue *b, const gint64 of[5])
{
  const gsize k = (gsize) of[0], n = (gsize) of[1];

  return b->data == NULL && b->unpack != NULL && of[2] == 1 && of[3] == of[0]
                 && b->n == k * n && k % 2 == 0 && of[4] == CPU_GEMM_F32
             ? &b->unpack->stored
             : NULL;
}

/* @data: the numbers that are the pack's key. */
static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const gint64 *of = data;
  const InferCompressed *stored = stored_columns (step->in[input], of);
  const gsize k = (gsize) of[0], n = (gsize) of[1];
  const gsize matrix = k * n, each = cpu_gemm_packed_size (k, n);
  const CpuValue *b = step->in[input];
  const gsize matrices = b->n / MAX (matrix, 1);
  g_autoptr (CpuBorrowedFloats) copy = NULL;

  if (stored != NULL)
    return pack_stored (step->kernels, stored, k, n, bytes);
  const CpuLooseFloat *from = cpu_gemm_floats (step->kernels, b, &copy);
  const gsize all = MAX (matrices * each * sizeof (float), 1);
  float *to = of[4] == CPU_GEMM_F16 ? cpu_borrow (all) : cpu_alloc_pack (all);

  if (to == NULL || from == NULL) {
    (of[4] == CPU_GEMM_F16 ? cpu_return : cpu_free) (to);
    return NULL;
  }
  for (gsize i = 0; i < matrices; i++)
    cpu_gemm_pack_by (step->kernels, to + i * each, from + i * matrix, k, n,
        (gsize) of[2], (gsize) of[3]);
  return cpu_gemm_finish_pack (
      step->kernels, to, matrices * each, of[4] == CPU_GEMM_F16, bytes);
}

static const void *
find_matrix (const CpuMatMulPlan *plan, gsize p)
{
  const CpuMatMulDims *d = &plan->mm->dims;

  return (const char *) plan->packed
         + d->b_offsets[p] / (d->k * d->n) * plan->packed_step
               * cpu_gemm_type_size (plan->type);
}

typedef struct
{
  cpu_f16_to_f32_fn *convert;
  const guint16 *from;
  float *to;
  gsize n;
} Unpacking;

static void
unpack_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Unpacking *u = data;
  const gsize first = begin * UNPACK_GRAIN;

  u->convert (
      u->to + first, u->from + first, MIN (end * UNPACK_GRAIN, u->n) - first);
}

/* The packed matrix of product @p as f32 in @to, of packed_step elements. */
static void
unpack (CpuStep *step, const CpuMatMulPlan *plan, gsize p, float *to)
{
  Unpacking u = { step->kernels->f16_to_f32, find_matrix (plan, p), to,
    plan->packed_step };

  cpu_step_parallel (
      step, (u.n + UNPACK_GRAIN - 1) / UNPACK_GRAIN, 1, unpack_blocks, &u);
}

static CpuGemmType
set_b (CpuStep *step, const CpuMatMulPlan *plan, CpuGemm *g, gsize p)
{
  const gsize *offsets = plan->mm->dims.b_offsets;

  g->b = find_matrix (plan, p);
  if (!plan->unpacks) {
    cpu_gemm_set_order (step, g, plan->type);
    return plan->type;
  }
  float *unpacked = cpu_widen_more (&plan->widen, step);
  if (p == 0 || offsets[p] != offsets[p - 1])
    unpack (step, plan, p, unpacked);
  g->b = unpacked;
  return CPU_GEMM_F32;
}

static CpuGemmType
choose_type (CpuStep *step, gsize rows)
{
  return (rows < MANY_ROWS || rows >= UNPACK_ROWS)
                 && cpu_gemm_wants_f16 (step, 1)
             ? CPU_GEMM_F16
             : CPU_GEMM_F32;
}

gsize
cpu_matmul_b_room (const CpuStep *step, const CpuMatMulPlan *plan)
{
  const CpuMatMulDims *d = &plan->mm->dims;

  if (plan->strassen)
    return cpu_strassen_b_room (d->n, d->k, plan->unpacks, step->threads);
  return plan->unpacks ? cpu_scratch_add (0, plan->packed_step, sizeof (float))
                       : 0;
}

CpuStrassen
cpu_matmul_make_b (
    CpuStep *step, const CpuMatMulPlan *plan, gsize p, gpointer memory)
{
  const CpuMatMulDims *d = &plan->mm->dims;
  gconstpointer matrix = find_matrix (plan, p);
  CpuStrassen b = { .n = d->n, .k = d->k, .memory = memory };

  if (plan->strassen && plan->unpacks)
    b.f16 = matrix;
  else
    b.b = plan->unpacks ? memory : matrix;
  if (plan->strassen)
    cpu_strassen_fill (step, &b);
  else if (plan->unpacks)
    unpack (step, plan, p, memory);
  return b;
}

CpuMatMulPlan *
cpu_matmul_packed_plan (
    CpuStep *step, const CpuMatMul *mm, gboolean strassen, GError **error)
{
  const CpuMatMulDims *d = &mm->dims;
  const CpuGemmType type = choose_type (step, d->m);
  const CpuMatMulPlan shape = { .mm = mm,
    .type = type,
    .unpacks = type == CPU_GEMM_F16 && d->m >= UNPACK_ROWS,
    .packed_step = cpu_gemm_packed_size (d->k, d->n),
    .strassen = strassen };
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) d->b_k,
    (gint64) d->b_n, type };
  gsize room = cpu_matmul_b_room (step, &shape);
  gconstpointer packed = cpu_step_pack_stored (step, 1, CPU_PACK_GEMM,
      G_N_ELEMENTS (params), params, make_packed, params);

  if (strassen)
    room =
        cpu_scratch_add (room, step->threads, cpu_strassen_room (d->n, d->k));
  CpuMatMulPlan *plan =
      packed != NULL ? cpu_matmul_plan_new (step, mm, NULL, packed, room, error)
                     : NULL;

  if (plan == NULL)
    return NULL;
  plan->set_b = set_b;
  plan->type = shape.type;
  plan->unpacks = shape.unpacks;
  plan->packed_step = shape.packed_step;
  plan->strassen = strassen;
  return plan;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  CpuMatMulPlan *plan = cpu_matmul_packed_plan (step, problem, FALSE, error);

  if (plan != NULL)
    step->kernel = plan->unpacks                ? "gemm_f32_unpacked"
                   : plan->type == CPU_GEMM_F16 ? "gemm_f16_packed"
                                                : "gemm_f32_packed";
  return plan;
}

gboolean
cpu_matmul_run_packed (CpuStep *step, gconstpointer self, GError **error)
{
  const CpuMatMulPlan *plan = self;

  if (plan->first == NULL)
    return cpu_matmul_run (step, plan, error);
  cpu_matmul_run_pair (step, plan);
  return TRUE;
}

const CpuImpl cpu_matmul_impl_packed = {
  .name = "packed",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = cpu_matmul_run_packed,
  .free = g_free,
};
