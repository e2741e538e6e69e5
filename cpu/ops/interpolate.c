/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolate: `nearest` copies elements at once, the other modes work axis by
 * axis. */

#include "cpu/ops/interpolate.h"

#include "cpu/ops/op-table.h"
#include "cpu/ops/strided-copy.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gboolean ready;  /* tables are made in prepare, for all runs */
  gboolean padded; /* an axis has padding */
  /* In the order of memory, as are all axes. */
  InferShape in, out;
  gint64 pads_begin[INFER_MAX_RANK], pads_end[INFER_MAX_RANK];
  gboolean whole_rows; /* nearest: the last axis is copied as it is */
  InferType work;      /* working type */
  gsize half;          /* bytes of one of two scratch buffers */
  int n;               /* axes, the one that shrinks the data most first */
  int axes[INFER_MAX_RANK];
  InferInterpolateTable tables[INFER_MAX_RANK]; /* by axis */
  gint64 *offsets[INFER_MAX_RANK]; /* nearest: bytes, -1 in the padding */
  gboolean by_rows;                /* both axes at once */
  CpuInterpolateRows rows;
  CpuChain *chain; /* nullable; of f32 */
} Interpolate;

static void
clear_tables (Interpolate *plan)
{
  for (int d = 0; d < INFER_MAX_RANK; d++) {
    infer_interpolate_table_clear (&plan->tables[d]);
    g_clear_pointer (&plan->offsets[d], g_free);
  }
}

static void
release (gpointer priv)
{
  clear_tables (priv);
  g_free (((Interpolate *) priv)->chain);
  g_free (priv);
}

/* --- tables --- */

/* Element @i of @value becomes *@to. */
static void
read_number (const CpuValue *value, gsize i, gpointer to, InferType type)
{
  infer_convert (to, type,
      (const guint8 *) value->data + i * infer_type_size (value->desc.type),
      value->desc.type, 1);
}

static gint64
axis_at (const CpuStep *step, int i)
{
  const InferInterpolate *attrs = step->op->attrs;
  const guint input = infer_interpolate_axes_input (step->op);
  gint64 axis = i;

  if (step->op->version == 1)
    axis = attrs->axes[i];
  else if (input != G_MAXUINT)
    read_number (step->in[input], (gsize) i, &axis, INFER_TYPE_I64);
  return axis < 0 ? axis + cpu_in_shape (step, 0)->rank : axis;
}

static void
set_shapes (const CpuStep *step, Interpolate *plan)
{
  const InferInterpolate *attrs = step->op->attrs;
  const int rank = cpu_in_shape (step, 0)->rank;

  plan->in = *cpu_in_shape (step, 0);
  plan->out = *cpu_out_shape (step, 0);
  for (int d = 0; d < rank; d++) {
    plan->pads_begin[d] = attrs->pads_begin[d];
    plan->pads_end[d] = attrs->pads_end[d];
  }
  if (step->layout != CPU_LAYOUT_NSPC)
    return;
  cpu_channels_to_end (rank, plan->in.dims);
  cpu_channels_to_end (rank, plan->out.dims);
  cpu_channels_to_end (rank, plan->pads_begin);
  cpu_channels_to_end (rank, plan->pads_end);
}

/* Index of axis @axis of the shape in the order of memory. */
static int
place_of (const CpuStep *step, gint64 axis)
{
  if (step->layout != CPU_LAYOUT_NSPC || axis == 0)
    return (int) axis;
  return axis == 1 ? cpu_in_shape (step, 0)->rank - 1 : (int) axis - 1;
}

/* Whether @a comes before @b: it shrinks the data more, or is the inner one,
 * where pieces are small and should become few early. */
static gboolean
goes_first (const Interpolate *plan, int a, int b)
{
  const InferInterpolateTable *x = &plan->tables[a], *y = &plan->tables[b];
  const gint64 left = x->out * y->in, right = y->out * x->in;

  return left < right || (left == right && a > b);
}

static void
sort_axes (Interpolate *plan)
{
  for (int i = 1; i < plan->n; i++)
    for (int k = i; k > 0; k--) {
      int axis = plan->axes[k];

      if (!goes_first (plan, axis, plan->axes[k - 1]))
        break;
      plan->axes[k] = plan->axes[k - 1];
      plan->axes[k - 1] = axis;
    }
}

/* The identity. */
static gboolean
is_identity (const InferInterpolateTable *table)
{
  if (table->in != table->out)
    return FALSE;
  for (gint64 i = 0; i < table->out; i++) {
    double here = 0;

    for (gsize k = 0; k < table->taps; k++) {
      const gsize at = (gsize) i * table->taps + k;

      if (table->index[at] == i)
        here += table->weight[at];
      else if (table->weight[at] != 0)
        return FALSE;
    }
    if (here != 1)
      return FALSE;
  }
  return TRUE;
}

/* Axes that change nothing are skipped, except if all do: the last one stays.
 */
static void
drop_identities (Interpolate *plan)
{
  int n = 0;

  for (int i = 0; i < plan->n; i++)
    if (!is_identity (&plan->tables[plan->axes[i]])
        || (n == 0 && i == plan->n - 1))
      plan->axes[n++] = plan->axes[i];
  plan->n = n;
}

static gboolean
make_offsets (const CpuStep *step, Interpolate *plan)
{
  const InferShape *in = &plan->in, *out = &plan->out;
  gint64 strides[INFER_MAX_RANK];

  cpu_dense_strides (in, infer_type_size (step->in[0]->desc.type), strides);
  for (int d = 0; d < out->rank; d++) {
    gint64 *offsets = g_try_new (gint64, (gsize) MAX (out->dims[d], 1));

    plan->offsets[d] = offsets;
    if (offsets == NULL)
      return FALSE;
    for (gint64 i = 0; i < out->dims[d]; i++) {
      gint64 at = plan->tables[d].index != NULL ? plan->tables[d].index[i] : i;

      at -= plan->pads_begin[d];
      offsets[i] = at >= 0 && at < in->dims[d] ? at * strides[d] : -1;
      plan->whole_rows =
          (plan->whole_rows || i == 0) && offsets[i] == i * strides[d];
    }
  }
  return TRUE;
}

/* The last axis apart from channels, then one before it, can be done at once;
 * not if tables may change after scratch memory was sized. */
static void
choose_rows (const CpuStep *step, Interpolate *plan)
{
  const InferInterpolate *attrs = step->op->attrs;
  const InferShape *in = &plan->in;
  const int columns = plan->axes[0], rows = plan->axes[1];

  plan->by_rows = plan->ready && plan->n == 2 && !plan->padded && rows < columns
                  && attrs->mode != INFER_INTERPOLATE_NEAREST
                  && step->in[0]->desc.type == INFER_TYPE_F32
                  && step->out[0]->desc.type == INFER_TYPE_F32
                  && cpu_interpolate_rows_suit (&plan->tables[rows]);
  if (plan->by_rows)
    plan->rows = (CpuInterpolateRows){ .kernels = step->kernels,
      .rows = &plan->tables[rows],
      .columns = &plan->tables[columns],
      .outer = infer_shape_count_range (in, 0, rows),
      .between = infer_shape_count_range (in, rows + 1, columns),
      .inner = infer_shape_count_range (in, columns + 1, in->rank),
      .chain = plan->chain };
}

static gboolean
make_tables (CpuStep *step, Interpolate *plan)
{
  const InferInterpolate *attrs = step->op->attrs;
  const InferShape *in = &plan->in, *out = &plan->out;
  const guint sizes = infer_interpolate_sizes_input (step->op);
  float scales[INFER_MAX_RANK];
  gboolean down = FALSE;

  clear_tables (plan);
  set_shapes (step, plan);
  plan->n = (int) step->in[sizes]->n;
  for (int i = 0; i < plan->n; i++) {
    int d = plan->axes[i] = place_of (step, axis_at (step, i));
    gint64 padded = in->dims[d] + plan->pads_begin[d] + plan->pads_end[d];

    if (attrs->scales)
      read_number (step->in[sizes], (gsize) i, &scales[i], INFER_TYPE_F32);
    else
      scales[i] = (float) out->dims[d] / (float) MAX (padded, 1);
    down = down || scales[i] < 1;
  }
  for (int i = 0; i < plan->n; i++) {
    int d = plan->axes[i];

    if (!infer_interpolate_table_init (&plan->tables[d], attrs,
            in->dims[d] + plan->pads_begin[d] + plan->pads_end[d], out->dims[d],
            scales[i], down && attrs->antialias))
      return FALSE;
  }
  if (attrs->mode != INFER_INTERPOLATE_NEAREST)
    drop_identities (plan);
  sort_axes (plan);
  choose_rows (step, plan);
  return attrs->mode != INFER_INTERPOLATE_NEAREST || make_offsets (step, plan);
}

/* --- nearest --- */

static CpuNearest
nearest_of (const CpuStep *step)
{
  const Interpolate *plan = step->priv;
  const int last = plan->out.rank - 1;
  const gsize size = infer_type_size (step->in[0]->desc.type);

  return (CpuNearest){ .out = &plan->out,
    .offsets = (const gint64 *const *) plan->offsets,
    .whole_rows = plan->whole_rows,
    .size = size,
    .chain = plan->chain,
    .src = step->in[0]->data,
    .dst = step->out[0]->data,
    .dst_row = (gsize) plan->out.dims[last] * size };
}

static void
nearest_range (gpointer data, gsize begin, gsize end, guint thread)
{
  cpu_nearest_rows (data, begin, end);
}

static void
run_nearest (CpuStep *step)
{
  CpuNearest nearest = nearest_of (step);
  const gsize n = nearest.dst_row / nearest.size;

  cpu_step_parallel (step, step->out[0]->n / n, CPU_INTERPOLATE_GRAIN / n + 1,
      nearest_range, &nearest);
}

gboolean
cpu_interpolate_gives_rows (const CpuStep *step, gsize bytes)
{
  const Interpolate *plan = step->priv;

  if (step->cpu_op != &cpu_op_interpolate)
    return FALSE;
  const InferInterpolate *attrs = step->op->attrs;
  return attrs->mode == INFER_INTERPOLATE_NEAREST && plan->ready
         && plan->chain == NULL && plan->out.rank > 0
         && nearest_of (step).dst_row == bytes;
}

void
cpu_interpolate_rows_into (
    const CpuStep *step, gsize begin, gsize end, guint8 *dst, gsize dst_row)
{
  CpuNearest nearest = nearest_of (step);

  nearest.dst = dst - begin * dst_row;
  nearest.dst_row = dst_row;
  cpu_nearest_rows (&nearest, begin, end);
}

/* --- the others: one pass for each axis --- */

/* The input converted to the working type and padded. */
static gconstpointer
padded_input (CpuStep *step, const Interpolate *plan, InferShape *shape)
{
  const CpuValue *in = step->in[0];
  const gsize size = infer_type_size (plan->work);
  gpointer first = step->scratch, second = (char *) first + plan->half;
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK], offset = 0;
  gconstpointer data = in->data;
  CpuStridedCopy copy;

  if (in->desc.type != plan->work) {
    infer_convert (first, plan->work, in->data, in->desc.type, in->n);
    data = first;
  }
  if (!plan->padded)
    return data;
  for (int d = 0; d < shape->rank; d++)
    shape->dims[d] += plan->pads_begin[d] + plan->pads_end[d];
  cpu_dense_strides (&plan->in, size, src);
  cpu_dense_strides (shape, size, dst);
  for (int d = 0; d < shape->rank; d++)
    offset += plan->pads_begin[d] * dst[d];
  memset (second, 0, infer_shape_count (shape) * size);
  cpu_strided_copy_init (
      &copy, step->kernels, size, shape->rank, plan->in.dims, src, dst);
  cpu_strided_copy_run (&copy, (char *) second + offset, data);
  return second;
}

#define ROUND_ALL(type)                                                        \
  static void round_##type (type *data, gsize n)                               \
  {                                                                            \
    for (gsize i = 0; i < n; i++)                                              \
      data[i] = (type) round (data[i]);                                        \
  }

ROUND_ALL (float)
ROUND_ALL (double)

static void
run_passes (CpuStep *step, const Interpolate *plan)
{
  CpuValue *out = step->out[0];
  InferShape shape = plan->in;
  gpointer halves[2] = { step->scratch, (char *) step->scratch + plan->half };
  gpointer data = (gpointer) (gsize) padded_input (step, plan, &shape);

  for (int i = 0; i < plan->n; i++) {
    const int d = plan->axes[i];
    const gboolean direct = i == plan->n - 1 && out->desc.type == plan->work;
    const CpuInterpolatePass pass = { .kernels = step->kernels,
      .table = &plan->tables[d],
      .inner = infer_shape_count_range (&shape, d + 1, shape.rank),
      .src = data,
      .dst = direct ? out->data : halves[data == halves[0]],
      .chain = direct ? plan->chain : NULL };

    cpu_interpolate_pass_run (
        step, &pass, infer_shape_count_range (&shape, 0, d), plan->work);
    shape.dims[d] = plan->tables[d].out;
    data = pass.dst;
  }
  if (!infer_type_is_real (out->desc.type)) {
    if (plan->work == INFER_TYPE_F64)
      round_double (data, out->n);
    else
      round_float (data, out->n);
  }
  if (data == out->data)
    return;
  infer_convert (out->data, out->desc.type, data, plan->work, out->n);
  cpu_chain_apply (plan->chain, out->data, 0, out->n);
}

static gsize
row_size (const CpuStep *step)
{
  const Interpolate *plan = step->priv;

  return plan->by_rows ? cpu_interpolate_row_size (&plan->rows) : 0;
}

/* Each row of the input is transposed once. */
static gsize
vector_size (const CpuStep *step)
{
  const Interpolate *plan = step->priv;
  const CpuInterpolateRows *rows = &plan->rows;

  return plan->by_rows && rows->between == 1 && rows->chain == NULL
                 && rows->rows->out >= rows->rows->in
             ? rows->inner
             : 0;
}

static void
give_rows (CpuStep *user, const CpuStep *of, float *result, float *lines,
    gboolean transposed, CpuRowFunc done, gpointer data)
{
  CpuInterpolateRows rows = ((const Interpolate *) of->priv)->rows;

  rows.src = of->in[0]->data;
  rows.dst = result;
  rows.lines = lines;
  rows.scratch = user->scratch;
  rows.transposed = transposed;
  rows.done = done;
  rows.data = data;
  cpu_interpolate_rows_run (user, &rows);
}

static const CpuRows interpolate_rows = {
  .size = row_size,
  .vector = vector_size,
  .run = give_rows,
};

/* --- the operation --- */

static gboolean
is_constant (const CpuStep *step)
{
  for (guint i = 1; i < step->n_in; i++)
    if (step->in[i] != NULL && !step->in[i]->constant)
      return FALSE;
  return TRUE;
}

static InferType
work_type (InferType type)
{
  switch (type) {
    case INFER_TYPE_F64:
    case INFER_TYPE_I64:
    case INFER_TYPE_U64:
    case INFER_TYPE_I32:
    case INFER_TYPE_U32:
      return INFER_TYPE_F64;
    default:
      return INFER_TYPE_F32;
  }
}

static void
find_padding (const CpuStep *step, Interpolate *plan)
{
  const InferInterpolate *attrs = step->op->attrs;

  for (int d = 0; d < cpu_in_shape (step, 0)->rank; d++)
    plan->padded =
        plan->padded || attrs->pads_begin[d] + attrs->pads_end[d] > 0;
}

/* No intermediate result exceeds the larger size of each axis. */
static gboolean
size_f16 (CpuStep *step, Interpolate *plan, GError **error)
{
  const InferInterpolate *attrs = step->op->attrs;
  InferShape most = *cpu_out_shape (step, 0);
  gsize bytes;

  for (int d = 0; d < most.rank; d++)
    most.dims[d] =
        MAX (most.dims[d], cpu_in_shape (step, 0)->dims[d]
                               + attrs->pads_begin[d] + attrs->pads_end[d]);
  if (!infer_tensor_bytes (plan->work, &most, &bytes)
      || bytes > (G_MAXSIZE - 128) / 2)
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "the working memory would be too large");
  plan->half = (bytes + 63) & ~(gsize) 63;
  cpu_step_need_scratch (step, 2 * plan->half);
  return TRUE;
}

static gboolean
wants_nspc (const CpuStep *step)
{
  return step->in[0]->form.layout == CPU_LAYOUT_NSPC;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferInterpolate *attrs = step->op->attrs;
  Interpolate *plan = g_new0 (Interpolate, 1);

  step->priv = plan;
  step->kernel = attrs->mode == INFER_INTERPOLATE_NEAREST ? "nearest" : "axes";
  plan->work = work_type (step->in[0]->desc.type);
  plan->chain = cpu_chain_new (step);
  plan->ready = is_constant (step);
  find_padding (step, plan);
  if (plan->ready && !make_tables (step, plan))
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory for the tables");
  if (plan->by_rows) {
    step->kernel = "rows";
    cpu_step_need_scratch (
        step, step->threads * cpu_interpolate_rows_scratch (&plan->rows));
    return TRUE;
  }
  return attrs->mode == INFER_INTERPOLATE_NEAREST
         || size_f16 (step, plan, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferInterpolate *attrs = step->op->attrs;
  Interpolate *plan = step->priv;

  if (!plan->ready && !make_tables (step, plan))
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory for the tables");
  if (step->out[0]->n == 0)
    return TRUE;
  if (step->out[0]->desc.shape.rank == 0) {
    memcpy (step->out[0]->data, step->in[0]->data,
        infer_type_size (step->in[0]->desc.type));
    cpu_chain_apply (plan->chain, step->out[0]->data, 0, 1);
  } else if (plan->by_rows)
    give_rows (step, step, step->out[0]->data, NULL, FALSE, NULL, NULL);
  else if (attrs->mode == INFER_INTERPOLATE_NEAREST)
    run_nearest (step);
  else
    run_passes (step, plan);
  return TRUE;
}

const CpuOp cpu_op_interpolate = {
  .rows = &interpolate_rows,
  .wants_nspc = wants_nspc,
  .absorb = cpu_chain_can_absorb,
  .prepare = prepare,
  .run = run,
  .release = release,
};
