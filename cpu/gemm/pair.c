/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two products, one of which reads what the other writes: some rows of both at
 * a time. */

#include "cpu/gemm/impl.h"

/* Rows that come from one product into the next through the cache, at most, but
 * for those that are left at the end. */
#define PAIR_ROWS 96
/* Elements between the two from which on they would leave it. */
#define LEAST_PAIR (1 << 19)

/* One of the two products. */
typedef struct
{
  const CpuStep *step;
  const CpuMatMulPlan *plan;
  CpuStrassen b;
} Product;

typedef struct
{
  Product first, second;
  char *memory;
  gsize room; /* bytes of it for each thread */
  CpuRowCut cut;
} Pair;

static gsize
rows_room (const CpuMatMulPlan *plan)
{
  const CpuMatMulDims *d = &plan->mm->dims;

  return plan->strassen ? cpu_strassen_room (d->n, d->k) : 0;
}

/* Bytes for the rows between the products, for each thread. */
static gsize
between_room (const CpuMatMulPlan *plan)
{
  return cpu_scratch_add (
      0, (PAIR_ROWS + CPU_GEMM_CUT_UNIT) * plan->mm->dims.k, sizeof (float));
}

/* For each thread. */
static gsize
room_of (const CpuMatMulPlan *first, const CpuMatMulPlan *plan)
{
  return cpu_scratch_add (
      between_room (plan), MAX (rows_room (first), rows_room (plan)), 1);
}

/* The plan of a single f32 product with packed b, not fused yet; or NULL. */
static CpuMatMulPlan *
plain_plan (const CpuStep *step, const CpuImplUse *use)
{
  CpuMatMulPlan *plan = use->self;

  return (use->impl == &cpu_matmul_impl_packed
             || use->impl == &cpu_matmul_impl_strassen)
                 && (plan->type == CPU_GEMM_F32 || plan->unpacks)
                 && plan->mm->dims.batch == 1 && plan->mm->dims.k > 0
                 && plan->mm->dims.a_k == 1 && plan->first == NULL
                 && step->in[0]->desc.type == INFER_TYPE_F32
             ? plan
             : NULL;
}

gboolean
cpu_matmul_fuse (CpuStep *step, const CpuImplUse *use, CpuStep *producer,
    const CpuImplUse *first_use)
{
  CpuMatMulPlan *plan = plain_plan (step, use);
  const CpuMatMulPlan *first = plain_plan (producer, first_use);

  if (plan == NULL || first == NULL || first->mm->residual != NULL)
    return FALSE;
  const CpuMatMulDims *d = &plan->mm->dims;
  if (d->a_row != first->mm->dims.n || d->k != first->mm->dims.n
      || d->m != first->mm->dims.m || d->m < 2 * PAIR_ROWS
      || d->m * d->k < LEAST_PAIR)
    return FALSE;
  gsize room = cpu_scratch_add (0, room_of (first, plan), step->threads);
  room = cpu_scratch_add (room, cpu_matmul_b_room (step, plan), 1);
  room = cpu_scratch_add (room, cpu_matmul_b_room (step, first), 1);
  if (room == G_MAXSIZE)
    return FALSE;
  cpu_step_need_scratch (step, room);
  step->kernel =
      plan->strassen && first->strassen ? "strassen_f32_pair" : "gemm_f32_pair";
  plan->first = producer;
  plan->first_plan = first;
  return TRUE;
}

/* Rows from @row on of a product; @memory: rows_room bytes. */
static void
run_rows (const Product *product, const float *a, float *c, gsize row,
    gsize rows, gpointer memory)
{
  const CpuMatMul *mm = product->plan->mm;
  const CpuKernels *kernels = product->step->kernels;
  const CpuMatMulDims *d = &mm->dims;
  CpuEpilogue epilogue = mm->epilogue;
  const CpuGemm g = { .m = rows,
    .n = d->n,
    .k = d->k,
    .a = a,
    .a_row = d->a_row,
    .a_k = 1,
    .b = product->b.b,
    .b_panel = d->k * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = c,
    .c_row = d->n,
    .epilogue = mm->arrays != NULL ? &epilogue : NULL };

  if (mm->residual != NULL)
    epilogue.residual = (const float *) mm->residual->data + row * d->n;
  if (product->plan->strassen)
    cpu_strassen_run_rows (kernels, &product->b, &g, memory);
  else
    cpu_gemm_run_alone (kernels, &g, CPU_GEMM_F32);
}

static void
run_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Pair *pair = data;
  const Product *first = &pair->first, *second = &pair->second;
  char *memory = pair->memory + thread * pair->room;
  float *between = (gpointer) memory;

  memory += between_room (second->plan);
  for (gsize b = begin; b < end; b++) {
    const gsize row = cpu_gemm_cut_row (&pair->cut, b);
    const gsize rows = cpu_gemm_cut_row (&pair->cut, b + 1) - row;

    run_rows (first,
        (const float *) first->step->in[0]->data
            + row * first->plan->mm->dims.a_row,
        between, row, rows, memory);
    run_rows (second, between,
        (float *) second->step->out[0]->data + row * second->plan->mm->dims.n,
        row, rows, memory);
  }
}

/* Parts of b that are computed lie at *@memory, which moves on. */
static Product
take_product (
    CpuStep *step, const CpuStep *of, const CpuMatMulPlan *plan, char **memory)
{
  const Product product = { of, plan,
    cpu_matmul_make_b (step, plan, 0, *memory) };

  *memory += cpu_matmul_b_room (step, plan);
  return product;
}

void
cpu_matmul_run_pair (CpuStep *step, const CpuMatMulPlan *plan)
{
  char *memory = step->scratch;
  Pair pair = { .room = room_of (plan->first_plan, plan),
    .cut = cpu_gemm_cut_rows (plan->mm->dims.m, PAIR_ROWS, step->threads) };

  pair.first = take_product (step, plan->first, plan->first_plan, &memory);
  pair.second = take_product (step, step, plan, &memory);
  pair.memory = memory;
  cpu_step_parallel (step, pair.cut.blocks, 1, run_blocks, &pair);
}
