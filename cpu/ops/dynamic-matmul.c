/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/dynamic-matmul.h"

#include <math.h>
#include <string.h>

#include "cpu/base/posts.h"
#include "cpu/base/widen.h"
#include "cpu/gemm/gemm.h"
#include "infer/error.h"

static gboolean
infer_shape (InferShapeContext *context, GError **error)
{
  const CpuDynamicAttrs *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  const InferShape *x = &context->inputs[CPU_DYNAMIC_X].shape;
  const InferShape *w = &context->inputs[CPU_DYNAMIC_W].shape;
  gint64 depth;

  out->type = INFER_TYPE_F32;
  out->shape = *x;
  if (x->rank < 1)
    return TRUE;
  out->shape.dims[x->rank - 1] = w->dims[attrs->transposed ? 0 : 1];
  return infer_merge_dims (x->dims[x->rank - 1],
      w->dims[attrs->transposed ? 1 : 0], &depth, "the depth", error);
}

const InferOpClass cpu_dynamic_matmul_class = {
  .type = "MatMul",
  .versions = "1",
  .min_inputs = 3,
  .max_inputs = 4,
  .attrs_size = sizeof (CpuDynamicAttrs),
  .infer_shapes = infer_shape,
};

/* --- weights --- */

/* Sums, zero points and scales of whole panels, then the panels. */
typedef struct
{
  gsize columns;
  gboolean zeros; /* some are not 0 */
  char pad[64 - sizeof (gsize) - sizeof (gboolean)];
} Head;

static int32_t *
sums_of (const Head *head)
{
  return (gpointer) (gsize) (head + 1);
}

static int32_t *
zeros_of (const Head *head)
{
  return sums_of (head) + head->columns;
}

static float *
scales_of (const Head *head)
{
  return (gpointer) (zeros_of (head) + head->columns);
}

static guint8 *
panels_of (const Head *head)
{
  return (gpointer) (scales_of (head) + head->columns);
}

static gsize
panel_size (gsize k)
{
  return (k + 3) / 4 * 4 * CPU_GEMM_PANEL;
}

/* Number @i of a constant of one number, or of one for each column. */
static float
number_of (const CpuValue *value, gsize i)
{
  return ((const float *) value->data)[value->n == 1 ? 0 : i];
}

/* Weights: element (i, j) is codes[i * k_stride + j * n_stride]. */
typedef struct
{
  const guint8 *codes;
  gsize k, n, k_stride, n_stride;
} Weights;

static Weights
weights_of (const CpuStep *step)
{
  const CpuDynamicAttrs *attrs = step->op->attrs;
  const InferShape *w = cpu_in_shape (step, CPU_DYNAMIC_W);
  const gsize rows = (gsize) w->dims[0], columns = (gsize) w->dims[1];
  const guint8 *codes = step->in[CPU_DYNAMIC_W]->data;

  return attrs->transposed ? (Weights){ codes, columns, rows, 1, columns }
                           : (Weights){ codes, rows, columns, columns, 1 };
}

typedef guint8 Bytes __attribute__ ((vector_size (16)));
typedef guint8 LooseBytes
    __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint16 Pairs __attribute__ ((vector_size (16), may_alias));
typedef guint16 Sums __attribute__ ((vector_size (2 * CPU_GEMM_PANEL)));

/* Rows whose sum of codes fits 16 bits. */
#define ROWS 256

#define LOW_BYTES(a, b)                                                        \
  ((Pairs) __builtin_shufflevector (                                           \
      a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
#define HIGH_BYTES(a, b)                                                       \
  ((Pairs) __builtin_shufflevector (                                           \
      a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
#define LOW_PAIRS(a, b) __builtin_shufflevector (a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_PAIRS(a, b)                                                       \
  __builtin_shufflevector (a, b, 4, 12, 5, 13, 6, 14, 7, 15)

/* Some rows, a multiple of 4 and at most ROWS, of a whole panel. */
static void
put_rows (guint8 *to, const guint8 *codes, gsize rows, gsize stride,
    guint8 flip, int32_t *sums)
{
  Sums sum = { 0 };

  for (gsize i = 0; i < rows; i += 4) {
    Pairs *quad = (gpointer) (to + i * CPU_GEMM_PANEL);
    Bytes row[4];

    for (gsize r = 0; r < 4; r++) {
      row[r] = *(const LooseBytes *) (codes + (i + r) * stride) ^ flip;
      sum += __builtin_convertvector(row[r], Sums);
    }
    const Pairs a = LOW_BYTES (row[0], row[1]), c = HIGH_BYTES (row[0], row[1]);
    const Pairs b = LOW_BYTES (row[2], row[3]), d = HIGH_BYTES (row[2], row[3]);
    quad[0] = LOW_PAIRS (a, b);
    quad[1] = HIGH_PAIRS (a, b);
    quad[2] = LOW_PAIRS (c, d);
    quad[3] = HIGH_PAIRS (c, d);
  }
  for (gsize c = 0; c < CPU_GEMM_PANEL; c++)
    sums[c] += sum[c];
}

/* The codes of up to a panel of columns, in fours of k.  Codes u8 are levels
 * plus 128 already. */
static void
put_codes (guint8 *to, const Weights *w, gsize first, gsize columns,
    guint8 flip, int32_t *sums)
{
  const guint8 *codes = w->codes + first * w->n_stride;
  const gboolean whole = columns == CPU_GEMM_PANEL && w->n_stride == 1;
  gsize i = 0;

  while (whole && w->k - i >= 4) {
    const gsize rows = MIN ((w->k - i) / 4 * 4, ROWS);

    put_rows (to + i * CPU_GEMM_PANEL, codes + i * w->k_stride, rows,
        w->k_stride, flip, sums);
    i += rows;
  }
  for (; i < w->k; i++) {
    guint8 *quad = to + i / 4 * 4 * CPU_GEMM_PANEL + i % 4;

    for (gsize c = 0; c < columns; c++) {
      const guint8 code = codes[i * w->k_stride + c * w->n_stride] ^ flip;

      quad[c * 4] = code;
      sums[c] += code;
    }
  }
}

static void
put_panel (const CpuStep *step, const Weights *w, Head *head, gsize first)
{
  const gboolean natural = step->in[CPU_DYNAMIC_W]->desc.type == INFER_TYPE_U8;
  const gsize columns = MIN (w->n - first, CPU_GEMM_PANEL);

  put_codes (panels_of (head) + first / CPU_GEMM_PANEL * panel_size (w->k), w,
      first, columns, natural ? 0 : 0x80, sums_of (head) + first);
  for (gsize j = first; j < first + columns; j++) {
    int32_t zero = natural ? -128 : 0;

    if (cpu_has_in (step, CPU_DYNAMIC_ZERO))
      zero += (int32_t) number_of (step->in[CPU_DYNAMIC_ZERO], j);
    sums_of (head)[j] -= (int32_t) w->k * (128 + zero);
    zeros_of (head)[j] = zero;
    scales_of (head)[j] = number_of (step->in[CPU_DYNAMIC_SCALE], j);
    head->zeros = head->zeros || zero != 0;
  }
}

static gpointer
make_pack (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const Weights w = weights_of (step);
  const gsize panels = (w.n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL;
  Head *head;

  *bytes = sizeof *head
           + panels * (CPU_GEMM_PANEL * 3 * sizeof (float) + panel_size (w.k));
  head = cpu_alloc_pack (*bytes);
  if (head == NULL)
    return NULL;
  const gboolean padded = w.n % CPU_GEMM_PANEL != 0 || w.k % 4 != 0;
  memset (head, 0, *bytes - (padded ? 0 : panels * panel_size (w.k)));
  head->columns = panels * CPU_GEMM_PANEL;
  for (gsize j = 0; j < w.n; j += CPU_GEMM_PANEL)
    put_panel (step, &w, head, j);
  return head;
}

/* --- the step --- */

typedef struct
{
  const Head *head;
  gsize m, n, k, row; /* row: bytes of one of a */
  gpointer arrays;    /* of the absorbed posts; NULL: none */
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
} Dynamic;

static void
release (gpointer priv)
{
  Dynamic *self = priv;

  g_free (self->arrays);
  g_free (self);
}

static guint
columns_axis (const CpuStep *step)
{
  return (guint) cpu_out_shape (step, 0)->rank - 1;
}

static gboolean
absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  return cpu_posts_can_absorb (step, columns_axis (step), op, from, other);
}

static gint64
hash_of (const CpuStep *step, guint input)
{
  const CpuValue *value = cpu_has_in (step, input) ? step->in[input] : NULL;

  return value != NULL ? cpu_posts_hash (value->data, value->n) : 0;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const CpuDynamicAttrs *attrs = step->op->attrs;
  const gint64 params[] = { hash_of (step, CPU_DYNAMIC_SCALE),
    hash_of (step, CPU_DYNAMIC_ZERO), attrs->transposed };
  const Weights w = weights_of (step);
  Dynamic *self = g_new0 (Dynamic, 1);

  step->priv = self;
  self->k = w.k;
  self->n = w.n;
  self->m = step->in[CPU_DYNAMIC_X]->n / self->k;
  self->row = (self->k + 3) / 4 * 4;
  self->head = cpu_step_pack (step, CPU_DYNAMIC_W, "gemm-levels",
      G_N_ELEMENTS (params), params, make_pack, NULL);
  if (step->n_posts > 0)
    self->arrays = cpu_posts_epilogue (
        step, columns_axis (step), &self->epilogue, &self->residual);
  if (self->head == NULL || (step->n_posts > 0 && self->arrays == NULL))
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory for packed weights");
  cpu_step_need_scratch (
      step, cpu_scratch_add (cpu_scratch_add (0, self->m, sizeof (int32_t)),
                self->m, self->row));
  step->kernel = "gemm_levels";
  return TRUE;
}

typedef struct
{
  const CpuStep *step;
  const Dynamic *self;
  CpuGemmLevels g;
  gint8 *a;
  gint32 *sums;
  float scale;
} Run;

static void
find_levels (Run *r)
{
  const CpuDynamicAttrs *attrs = r->step->op->attrs;
  const CpuValue *x = r->step->in[CPU_DYNAMIC_X];

  if (attrs->fixed) {
    r->scale = attrs->scale;
    r->g.a_zero = attrs->zero - 128;
    return;
  }
  cpu_reduce_f32_fn *reduce = r->step->kernels->reduce_f32;
  const float low = MIN (reduce (CPU_REDUCE_MIN, x->data, x->n), 0);
  const float high = MAX (reduce (CPU_REDUCE_MAX, x->data, x->n), 0);

  r->scale = (high - low) / 255;
  const float zero = rintf (CLAMP (-low / r->scale, 0, 255));
  r->g.a_zero = zero > 0 ? (gint32) zero - 128 : -128; /* NaN: 0 */
}

static void
quantise_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *r = data;
  const gsize k = r->self->k, row = r->self->row;
  const float *x = r->step->in[CPU_DYNAMIC_X]->data;

  for (gsize i = begin; i < end; i++) {
    gint8 *to = r->a + i * row;

    memset (to + row - 4, 0, 4);
    r->sums[i] = r->step->kernels->levels_f32 (
        to, x + i * k, k, r->scale, r->g.a_zero + 128);
  }
}

/* Posts are applied by adding a product of depth 0. */
static void
apply_posts (const Run *r, const CpuGemmLevels *part, gsize column)
{
  static const float nothing[CPU_GEMM_PANEL];
  CpuEpilogue epilogue = r->self->epilogue;
  const CpuGemm rest = { .m = part->m,
    .n = part->n,
    .a = nothing,
    .b = nothing,
    .c = part->c,
    .c_row = part->c_row,
    .accumulate = TRUE,
    .epilogue = &epilogue };

  cpu_posts_skip_channels (&epilogue, column);
  if (r->self->residual != NULL)
    epilogue.residual = (const float *) r->self->residual->data + column;
  r->step->kernels->gemm_f32 (&rest);
}

#define COLUMNS (4 * CPU_GEMM_PANEL)

static void
multiply_columns (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *r = data;

  for (gsize block = begin; block < end; block++) {
    const gsize at = block * COLUMNS;
    CpuGemmLevels g = r->g;

    g.n = MIN (COLUMNS, r->self->n - at);
    g.b += at / CPU_GEMM_PANEL * g.b_panel;
    g.b_sums += at;
    g.b_zeros = g.b_zeros != NULL ? g.b_zeros + at : NULL;
    g.b_scale += at;
    g.c += at;
    r->step->kernels->gemm_levels (&g);
    if (r->self->arrays != NULL)
      apply_posts (r, &g, at);
  }
}

/* Elements per thread from which on waking it pays. */
#define QUANTISE_GRAIN 16384
#define PRODUCT_GRAIN (1 << 19)

static gboolean
run (CpuStep *step, GError **error)
{
  const Dynamic *self = step->priv;
  Run r = { .step = step, .self = self };
  char *scratch = step->scratch;

  if (step->out[0]->n == 0)
    return TRUE;
  r.sums = (gpointer) scratch;
  r.a = (gint8 *) scratch + cpu_scratch_add (0, self->m, sizeof *r.sums);
  find_levels (&r);
  cpu_step_parallel (
      step, self->m, 1 + QUANTISE_GRAIN / self->k, quantise_rows, &r);
  r.g = (CpuGemmLevels){ .m = self->m,
    .n = self->n,
    .k = self->k,
    .a = r.a,
    .a_row = self->row,
    .a_sums = r.sums,
    .a_zero = r.g.a_zero,
    .b = panels_of (self->head),
    .b_panel = panel_size (self->k),
    .b_in_order = cpu_gemm_is_large (self->n * self->k),
    .b_sums = sums_of (self->head),
    .b_zeros = self->head->zeros ? zeros_of (self->head) : NULL,
    .a_scale = r.scale,
    .b_scale = scales_of (self->head),
    .c = step->out[0]->data,
    .c_row = self->n };
  cpu_step_parallel (step, (self->n + COLUMNS - 1) / COLUMNS,
      1 + PRODUCT_GRAIN / (self->m * self->k * COLUMNS), multiply_columns, &r);
  return TRUE;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  return TRUE;
}

const CpuOp cpu_op_dynamic_matmul = {
  .supports = supports,
  .absorb = absorb,
  .prepare = prepare,
  .run = run,
  .release = release,
};
