/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two products, one of which reads what the other writes: some rows of both at
 * a time. */

#include "cpu/gemm/impl.h"

/* Rows that come from one product into the next through the cache, at most, but
 * for those that are left at the end; and of what they are a multiple. */
#define PAIR_ROWS 96
#define ROWS_UNIT 12
/* Elements between the two from which on they would leave it. */
#define LEAST_PAIR (1 << 19)

typedef struct
{
  const CpuStep *step;
  const CpuMatMulPlan *plan;
  const float *b, *first_b; /* packed */
  char *memory;
  gsize room;   /* bytes of it for each thread */
  gsize blocks; /* of rows */
} Pair;

static gsize
room_of (const CpuMatMulPlan *plan)
{
  return cpu_scratch_add (
      0, (PAIR_ROWS + ROWS_UNIT) * plan->mm->dims.k, sizeof (float));
}

/* Bytes for b as f32 where it is packed as f16. */
static gsize
unpacked_size (const CpuMatMulPlan *plan)
{
  return plan->unpacks ? cpu_scratch_add (0, plan->packed_step, sizeof (float))
                       : 0;
}

/* The plan of a single f32 product with packed b, not fused yet; or NULL. */
static CpuMatMulPlan *
plain_plan (const CpuStep *step, const CpuImplUse *use)
{
  CpuMatMulPlan *plan = use->self;

  return use->impl == &cpu_matmul_impl_packed
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
  gsize room = cpu_scratch_add (0, room_of (plan), step->threads);
  room = cpu_scratch_add (room, unpacked_size (plan), 1);
  room = cpu_scratch_add (room, unpacked_size (first), 1);
  if (room == G_MAXSIZE)
    return FALSE;
  cpu_step_need_scratch (step, room);
  step->kernel = "gemm_f32_pair";
  plan->first = producer;
  plan->first_plan = first;
  return TRUE;
}

/* Rows from @row on of the product of @step. */
static void
run_rows (const CpuStep *step, const CpuMatMulPlan *plan, const float *b,
    const float *a, float *c, gsize row, gsize rows)
{
  const CpuMatMul *mm = plan->mm;
  const CpuMatMulDims *d = &mm->dims;
  CpuEpilogue epilogue = mm->epilogue;
  CpuGemm g = { .m = rows,
    .n = d->n,
    .k = d->k,
    .a = a,
    .a_row = d->a_row,
    .a_k = 1,
    .b = b,
    .b_panel = d->k * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = c,
    .c_row = d->n,
    .epilogue = mm->arrays != NULL ? &epilogue : NULL };

  if (mm->residual != NULL)
    epilogue.residual = (const float *) mm->residual->data + row * d->n;
  cpu_gemm_run_alone (step->kernels, &g, CPU_GEMM_F32);
}

/* As many for each of @threads; their rows differ by no more than a unit. */
static gsize
count_blocks (gsize rows, gsize threads)
{
  const gsize units = rows / ROWS_UNIT, most = PAIR_ROWS / ROWS_UNIT;
  const gsize blocks = (units + most - 1) / most;

  return MIN ((blocks + threads - 1) / threads * threads, units);
}

static gsize
first_row (const Pair *pair, gsize block)
{
  const gsize rows = pair->plan->mm->dims.m;

  return block == pair->blocks
             ? rows
             : rows / ROWS_UNIT * block / pair->blocks * ROWS_UNIT;
}

static void
run_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Pair *pair = data;
  const CpuStep *step = pair->step, *first = pair->plan->first;
  const CpuMatMulDims *d = &pair->plan->mm->dims;
  const CpuMatMulPlan *first_plan = pair->plan->first_plan;
  float *between = (gpointer) (pair->memory + thread * pair->room);

  for (gsize b = begin; b < end; b++) {
    const gsize row = first_row (pair, b), rows = first_row (pair, b + 1) - row;

    run_rows (first, first_plan, pair->first_b,
        (const float *) first->in[0]->data + row * first_plan->mm->dims.a_row,
        between, row, rows);
    run_rows (step, pair->plan, pair->b, between,
        (float *) step->out[0]->data + row * d->n, row, rows);
  }
}

/* The packed b of @plan as f32, in memory at *@to, which moves on, where it is
 * packed as f16. */
static const float *
unpack (CpuStep *step, const CpuMatMulPlan *plan, char **to)
{
  float *b = (gpointer) *to;

  if (!plan->unpacks)
    return plan->packed;
  cpu_matmul_unpack (step, plan, 0, b);
  *to += unpacked_size (plan);
  return b;
}

void
cpu_matmul_run_pair (CpuStep *step, const CpuMatMulPlan *plan)
{
  char *memory = step->scratch;
  Pair pair = { .step = step,
    .plan = plan,
    .room = room_of (plan),
    .blocks = count_blocks (plan->mm->dims.m, step->threads) };

  pair.first_b = unpack (step, plan->first_plan, &memory);
  pair.b = unpack (step, plan, &memory);
  pair.memory = memory;
  cpu_step_parallel (step, pair.blocks, 1, run_blocks, &pair);
}
