/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/matmul.h"

#include "cpu/base/f16-gemm.h"
#include "cpu/gemm/gemm.h"
#include "cpu/base/widen.h"
#include "cpu/base/posts.h"
#include "cpu/plan/tune.h"
#include "cpu/base/unpack.h"

#include <string.h>

/* How the products are computed. */
typedef enum
{
  REF,
  DOT_A,  /* one column: dot products with rows of a */
  DOT_B,  /* one row: dot products with columns of b that lie in one piece */
  DIRECT, /* rows of b are read where they lie; the last panel is packed */
  PACK,   /* b is packed when running */
  PACKED, /* b is constant, and packed once */
  HALVES, /* … and products are of half floats */
} Method;

/* Rows from which on it is multiplications that count: fewer are a matter of
 * reading b, which is best done in as few bytes as there are. */
#define MANY_ROWS 16
/* The same where they are integers, whose products are exact; inexact ones are
 * faster than floats for any number. */
#define MANY_EXACT_ROWS 32

typedef struct
{
  Method method;
  CpuMatMulDims dims;
  CpuWiden widen;
  gconstpointer packed;
  CpuGemmType type;  /* of the packed b */
  gsize packed_step; /* elements of a packed b */
  gsize a_group;     /* of numbers that are made bytes together; 0: none */
  /* What was absorbed; its arrays are `owned`. */
  CpuEpilogue epilogue;
  const CpuValue *residual; /* NULL: none */
  gpointer owned;
  const CpuStep *first; /* makes the rows of a; NULL: they are there */
} MatMul;

static void
matmul_release (gpointer priv)
{
  MatMul *mm = priv;
  cpu_matmul_dims_clear (&mm->dims);
  g_free (mm->owned);
  g_free (mm);
}

/* One product of many rows instead of many with the same b. */
static void
fold_batch (CpuMatMulDims *d)
{
  if (d->batch < 2 || d->a_k != 1)
    return;
  for (gsize p = 0; p < d->batch; p++)
    if (d->b_offsets[p] != 0 || d->a_offsets[p] != p * d->m * d->k)
      return;
  d->m *= d->batch;
  d->a_row = d->k;
  d->batch = 1;
}

static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const MatMul *mm = data;
  const CpuMatMulDims *d = &mm->dims;
  const CpuValue *b = step->in[input];
  gsize matrix = d->k * d->n, n = b->n / MAX (matrix, 1);
  g_autofree float *copy = NULL;
  const float *from = cpu_gemm_floats (b, &copy);
  float *to = cpu_alloc (MAX (n * mm->packed_step * sizeof (float), 1));
  if (!to || !from) {
    cpu_free (to);
    return NULL;
  }
  for (gsize i = 0; i < n; i++)
    cpu_gemm_pack (to + i * mm->packed_step, from + i * matrix, d->k, d->n,
        d->b_k, d->b_n);
  return cpu_gemm_finish_pack (
      to, n * mm->packed_step, mm->type == CPU_GEMM_F16, bytes);
}

/* Weights that are integers are read as such, a quarter of the bytes. */
static gboolean
pack_integers (CpuStep *step, MatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;

  mm->a_group = cpu_gemm_bytes_group (step, 1, d->k);
  if ((mm->a_group == 0 && d->m >= MANY_EXACT_ROWS)
      || step->in[1]->n != d->k * d->n)
    return FALSE;
  mm->packed = cpu_gemm_integers (step, 1, d->k, d->n, d->b_k, d->b_n);
  if (mm->packed == NULL)
    return FALSE;
  mm->type = CPU_GEMM_I8;
  step->kernel = mm->a_group > 0 ? "gemm_bytes_packed" : "gemm_i8_packed";
  return TRUE;
}

/* In the file: half floats would be more to read. */
static gboolean
are_bytes (const CpuValue *value)
{
  return value->unpack != NULL
         && infer_type_size (value->unpack->stored.codes->type) == 1;
}

static gboolean
pack_floats (CpuStep *step, MatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;

  mm->type = d->m < MANY_ROWS && cpu_gemm_wants_f16 (step, 1) ? CPU_GEMM_F16
                                                              : CPU_GEMM_F32;
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) d->b_k,
    (gint64) d->b_n, mm->type };
  mm->packed = cpu_step_pack (
      step, 1, "gemm", G_N_ELEMENTS (params), params, make_packed, mm);
  step->kernel =
      mm->type == CPU_GEMM_F16 ? "gemm_f16_packed" : "gemm_f32_packed";
  return mm->packed != NULL;
}

/* Fewer weights are in the first-level cache anyway. */
#define LEAST_HALVES 8192

static gboolean
wants_halves (const CpuStep *step, const CpuMatMulDims *d)
{
  return d->a_k == 1 && d->n >= CPU_HALF_LANES && d->k >= 2 * CPU_HALF_LANES
         && step->in[1]->n == d->k * d->n && step->in[1]->n >= LEAST_HALVES
         && cpu_half_wanted (step, 1);
}

/* @data: the numbers that are the pack's key. */
static gpointer
make_halves (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const gint64 *of = data;
  const gsize k = (gsize) of[0], n = (gsize) of[1];
  g_autofree float *copy = NULL;
  const float *from = cpu_gemm_floats (step->in[input], &copy);
  gpointer to;

  *bytes = cpu_half_matrix_size (k, n);
  to = from ? cpu_alloc (*bytes) : NULL;
  if (to)
    cpu_half_pack_matrix (to, from, k, n, (gsize) of[2], (gsize) of[3]);
  return to;
}

static gboolean
pack_halves (CpuStep *step, MatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;
  gint64 params[] = { (gint64) d->k, (gint64) d->n, (gint64) d->b_k,
    (gint64) d->b_n };

  if (!wants_halves (step, d))
    return FALSE;
  mm->packed = cpu_step_pack (step, 1, "gemm-halves-2", G_N_ELEMENTS (params),
      params, make_halves, params);
  if (mm->packed == NULL)
    return FALSE;
  mm->method = HALVES;
  step->kernel = "gemm_half_packed";
  return TRUE;
}

/* By shape alone, so that two runs choose the same. */
static Method
choose (const CpuMatMulDims *d, gboolean constant)
{
  if (d->n == 1 && d->a_k == 1)
    return DOT_A;
  if (constant && d->n >= CPU_GEMM_PANEL / 2)
    return PACKED;
  if (d->m == 1 && d->b_k == 1)
    return DOT_B;
  if (constant)
    return PACKED;
  return d->b_n == 1 && d->m < 8 ? DIRECT : PACK;
}

static const char *const kernel_names[] = { "ref", "dot_f32", "dot_f32",
  "gemm_f32", "gemm_f32" };

static guint
columns_axis (const CpuStep *step)
{
  return (guint) cpu_out_shape (step, 0)->rank - 1;
}

/* Columns of the product are the last dimension unless b is a vector. */
static gboolean
matmul_absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  return step->in[0]->desc.type == INFER_TYPE_F32
         && cpu_in_shape (step, 1)->rank > 1
         && cpu_posts_can_absorb (step, columns_axis (step), op, from, other);
}

/* Multiplications from which on it may matter how many threads there are. */
#define LEAST_CHOICE (1 << 16)

static gboolean
prepare_f32 (CpuStep *step, MatMul *mm, GError **error)
{
  static const char *const ways[] = { "own" };
  CpuMatMulDims *d = &mm->dims;
  gboolean constant = step->in[1]->constant && step->in[1]->n > 0;
  gsize more = 0;
  fold_batch (d);
  if (d->batch * d->m * d->n * d->k >= LEAST_CHOICE)
    cpu_step_choose (step, 1, ways);
  if (step->n_posts > 0)
    mm->owned = cpu_posts_epilogue (
        step, columns_axis (step), &mm->epilogue, &mm->residual);
  mm->method = choose (d, constant);
  if (constant && wants_halves (step, d)
      && !(mm->method == PACKED && are_bytes (step->in[1])
           && pack_integers (step, mm)))
    mm->method = HALVES;
  mm->packed_step = cpu_gemm_packed_size (d->k, d->n);
  if (mm->method < PACKED && !cpu_step_want_data (step, 1, error))
    return FALSE;
  if (mm->method == HALVES) {
    if (!pack_halves (step, mm))
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "no memory to pack the weights");
    more = cpu_half_scratch (d->m, d->k);
  } else if (mm->method == PACKED) {
    if (!mm->packed && !pack_integers (step, mm) && !pack_floats (step, mm))
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "no memory to pack the weights");
    if (mm->type == CPU_GEMM_I8)
      more = cpu_gemm_integers_room (mm->packed, d->m, d->k, mm->a_group);
  } else if (mm->method == PACK) {
    more = cpu_scratch_add (0, mm->packed_step, sizeof (float));
  } else if (mm->method == DIRECT) {
    more = cpu_scratch_add (0, CPU_GEMM_PANEL * d->k, sizeof (float));
  }
  if (mm->method < PACKED)
    step->kernel = kernel_names[mm->method];
  return cpu_widen_prepare (&mm->widen, step, INFER_TYPE_F32,
      mm->method >= PACKED ? 1 << 1 : 0, more, error);
}

static gboolean
matmul_prepare (CpuStep *step, GError **error)
{
  MatMul *mm = g_new0 (MatMul, 1);
  InferType type = step->in[0]->desc.type;
  step->priv = mm;
  if (!cpu_matmul_dims (&mm->dims, step, error))
    return FALSE;
  if (type == INFER_TYPE_F32 || type == INFER_TYPE_F16
      || type == INFER_TYPE_BF16)
    return prepare_f32 (step, mm, error);
  mm->method = REF;
  step->kernel = kernel_names[REF];
  return cpu_step_want_data (step, 1, error);
}

static const float *
shifted (const float *p, gsize n)
{
  return p ? p + n : NULL;
}

/* Columns from @first on of what @g is about. */
static void
skip_columns (CpuGemm *g, CpuEpilogue *epilogue, gsize first)
{
  g->c += first;
  g->n -= first;
  if (!g->epilogue)
    return;
  *epilogue = *g->epilogue;
  epilogue->scale = shifted (epilogue->scale, first);
  epilogue->bias = shifted (epilogue->bias, first);
  epilogue->residual = shifted (epilogue->residual, first);
  epilogue->act.slopes = shifted (epilogue->act.slopes, first);
  epilogue->last_act.slopes = shifted (epilogue->last_act.slopes, first);
  g->epilogue = epilogue;
}

/* Whole panels of b where they lie, the columns left over from a packed
 * panel. */
static void
run_direct (
    CpuStep *step, const MatMul *mm, CpuGemm *g, const float *b, float *panel)
{
  gsize n = g->n, whole = n / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  CpuEpilogue epilogue;
  g->b = b;
  g->b_panel = CPU_GEMM_PANEL;
  g->b_k = n;
  g->n = whole;
  if (whole > 0)
    cpu_gemm_run (step, g, CPU_GEMM_F32);
  g->n = n;
  if (whole == n)
    return;
  cpu_gemm_pack (panel, b + whole, g->k, n - whole, n, 1);
  skip_columns (g, &epilogue, whole);
  g->b = panel;
  g->b_k = CPU_GEMM_PANEL;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}

/* What follows dot products: a product over nothing, added to them. */
static void
run_epilogue (CpuStep *step, CpuGemm *g)
{
  if (!g->epilogue)
    return;
  g->k = 0;
  g->accumulate = TRUE;
  cpu_gemm_run (step, g, CPU_GEMM_F32);
}

static void
run_halves (CpuStep *step, const MatMul *mm, const CpuGemm *g)
{
  CpuHalfProduct p = { .m = g->m,
    .n = g->n,
    .k = g->k,
    .matrices = 1,
    .a = g->a,
    .a_row = g->a_row,
    .b = mm->packed,
    .c = g->c,
    .c_row = g->c_row,
    .scratch = cpu_widen_more (&mm->widen, step) };

  if (g->epilogue)
    p.epilogue = *g->epilogue;
  cpu_half_product (step, &p);
}

static void
run_product (CpuStep *step, const MatMul *mm, CpuGemm *g, gconstpointer b,
    gboolean same_b)
{
  const CpuMatMulDims *d = &mm->dims;
  float *memory = cpu_widen_more (&mm->widen, step);
  if (d->k == 0) {
    g->b = b;
    cpu_gemm_run (step, g, CPU_GEMM_F32);
    return;
  }
  if (mm->type == CPU_GEMM_I8) {
    cpu_gemm_run_integers (step, g, mm->packed, memory);
    return;
  }
  if (mm->method == HALVES) {
    run_halves (step, mm, g);
    return;
  }
  switch (mm->method) {
    case DOT_A:
      step->kernels->dot_rows_f32 (g->c, g->a, d->a_row, b, d->m, d->k);
      run_epilogue (step, g);
      return;
    case DOT_B:
      step->kernels->dot_rows_f32 (g->c, b, d->b_n, g->a, d->n, d->k);
      run_epilogue (step, g);
      return;
    case DIRECT:
      run_direct (step, mm, g, b, memory);
      return;
    case PACK:
      if (!same_b)
        cpu_gemm_pack_by (step->kernels, memory, b, d->k, d->n, d->b_k, d->b_n);
      b = memory;
      break;
    default:
      break;
  }
  g->b = b;
  cpu_gemm_run (step, g, mm->type);
}

static void
run_f32 (CpuStep *step, const MatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;
  const float *a = cpu_widen_in (&mm->widen, step, 0);
  const char *b = mm->packed ? mm->packed : cpu_widen_in (&mm->widen, step, 1);
  gsize b_size = cpu_gemm_type_size (mm->type);
  float *c = cpu_widen_out (&mm->widen, step, 0);
  CpuEpilogue epilogue = mm->epilogue;
  /* Sums of nothing: there may be no memory to read from. */
  static const float nothing[CPU_GEMM_PANEL];
  if (d->k == 0) {
    a = nothing;
    b = (const char *) nothing;
  }
  for (gsize p = 0; p < d->batch; p++) {
    gsize offset = d->b_offsets[p];
    if (mm->residual)
      epilogue.residual = (const float *) mm->residual->data + p * d->m * d->n;
    if (mm->packed)
      offset =
          mm->method == HALVES ? 0 : offset / (d->k * d->n) * mm->packed_step;
    CpuGemm g = { .m = d->m,
      .n = d->n,
      .k = d->k,
      .a = a + d->a_offsets[p],
      .a_row = d->a_row,
      .a_k = d->a_k,
      .b_panel = d->k * CPU_GEMM_PANEL,
      .b_k = CPU_GEMM_PANEL,
      .a_group = mm->a_group,
      .c = c + p * d->m * d->n,
      .c_row = d->n,
      .epilogue = mm->owned ? &epilogue : NULL };
    run_product (step, mm, &g, b + offset * b_size,
        p > 0 && d->b_offsets[p] == d->b_offsets[p - 1]);
  }
  cpu_widen_finish (&mm->widen, step);
}

/* --- two products, some rows at a time --- */

/* Rows that come from one product into the next through a cache. */
#define PAIR_ROWS 96
/* Numbers between the two from which on they would leave it. */
#define LEAST_PAIR (1 << 19)

typedef struct
{
  const CpuStep *step;
  const MatMul *mm, *first;
  char *memory;
  gsize room; /* bytes of it for each thread */
} Pair;

/* What is many rows and no more than a product and an epilogue. */
static gboolean
is_plain (const MatMul *mm)
{
  return mm->method == PACKED && mm->type == CPU_GEMM_F32 && mm->dims.batch == 1
         && mm->dims.k > 0 && mm->dims.a_k == 1;
}

static gboolean
matmul_take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  MatMul *mm = step->priv;
  const MatMul *first = earlier->priv;
  gsize room;

  if (input != 0 || earlier->cpu_op != step->cpu_op || mm->first != NULL
      || !is_plain (mm) || !is_plain (first) || first->first != NULL
      || step->in[0]->desc.type != INFER_TYPE_F32
      || earlier->in[0]->desc.type != INFER_TYPE_F32 || first->residual != NULL
      || mm->dims.a_row != first->dims.n || mm->dims.k != first->dims.n
      || mm->dims.m != first->dims.m || mm->dims.m < 2 * PAIR_ROWS
      || mm->dims.m * mm->dims.k < LEAST_PAIR)
    return FALSE;
  room = cpu_scratch_add (0, (PAIR_ROWS + 1) * mm->dims.k, sizeof (float));
  room = cpu_scratch_add (0, room, step->threads);
  if (room == G_MAXSIZE)
    return FALSE;
  cpu_step_need_scratch (step, room);
  step->kernel = "gemm_f32_pair";
  mm->first = earlier;
  return TRUE;
}

/* Rows from @row on of the product of @step. */
static void
run_rows (const CpuStep *step, const MatMul *mm, const float *a, float *c,
    gsize row, gsize rows)
{
  const CpuMatMulDims *d = &mm->dims;
  CpuEpilogue epilogue = mm->epilogue;
  CpuGemm g = { .m = rows,
    .n = d->n,
    .k = d->k,
    .a = a,
    .a_row = d->a_row,
    .a_k = 1,
    .b = mm->packed,
    .b_panel = d->k * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = c,
    .c_row = d->n,
    .epilogue = mm->owned ? &epilogue : NULL };

  if (mm->residual)
    epilogue.residual = (const float *) mm->residual->data + row * d->n;
  cpu_gemm_run_alone (step->kernels, &g, CPU_GEMM_F32);
}

static void
run_blocks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Pair *pair = data;
  const CpuStep *step = pair->step, *first = pair->mm->first;
  const CpuMatMulDims *d = &pair->mm->dims;
  float *between = (gpointer) (pair->memory + thread * pair->room);

  for (gsize b = begin; b < end; b++) {
    const gsize row = b * PAIR_ROWS, left = d->m - row;
    /* one row is summed up in another order */
    const gsize rows = left <= PAIR_ROWS + 1 ? left : PAIR_ROWS;

    run_rows (first, pair->first,
        (const float *) first->in[0]->data + row * pair->first->dims.a_row,
        between, row, rows);
    run_rows (step, pair->mm, between,
        (float *) step->out[0]->data + row * d->n, row, rows);
  }
}

static void
run_pair (CpuStep *step, const MatMul *mm)
{
  Pair pair = { .step = step,
    .mm = mm,
    .first = mm->first->priv,
    .memory = step->scratch,
    .room = cpu_scratch_add (0, (PAIR_ROWS + 1) * mm->dims.k, sizeof (float)) };

  /* A block of one row more than others is not one of its own. */
  cpu_step_parallel (
      step, (mm->dims.m + PAIR_ROWS - 2) / PAIR_ROWS, 1, run_blocks, &pair);
}

static gboolean
matmul_run (CpuStep *step, GError **error)
{
  const MatMul *mm = step->priv;
  if (step->out[0]->n == 0)
    return TRUE;
  if (mm->method == REF)
    cpu_matmul_ref (&mm->dims, step->in[0]->desc.type, step->out[0]->data,
        step->in[0]->data, step->in[1]->data);
  else if (mm->first != NULL)
    run_pair (step, mm);
  else
    run_f32 (step, mm);
  return TRUE;
}

static gboolean
matmul_supports (const InferOperation *op, GError **error)
{
  InferType type = op->outputs[0].desc.type;
  return type == INFER_TYPE_DYNAMIC || cpu_matmul_ref_supports (type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "products of type %s are not computed", infer_type_name (type));
}

/* Without widening, a product begins wherever its offset says. */
static gboolean
matmul_takes_blocks (const InferOperation *op, guint input)
{
  for (guint k = 0; k < 2; k++)
    if (op->inputs[k].op->outputs[op->inputs[k].index].desc.type
        != INFER_TYPE_F32)
      return FALSE;
  return input == 1;
}

const CpuOp cpu_op_matmul = {
  .takes_blocks = matmul_takes_blocks,
  .supports = matmul_supports,
  .absorb = matmul_absorb,
  .prepare = matmul_prepare,
  .fuse_producer = matmul_take_over,
  .run = matmul_run,
  .release = matmul_release,
};
