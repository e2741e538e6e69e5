/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gather. */

#include "inference/graph/ops/gather.h"

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"
#include "cpu/base/unpack.h"

#include <string.h>

/* data [batch][outer][axis][inner], indices [batch][picks] */
typedef struct
{
  gsize batch, outer, length, inner, picks;
  gboolean regular; /* constant indices of a grid: a strided copy */
  CpuStridedCopy copy;
  gint64 offset;  /* offset of its first element in bytes */
  guint32 *table; /* constant indices of single words, all within the axis */
  const InferCompressed
      *stored; /* nullable: rows are unpacked when they are gathered */
} GatherPlan;

static gboolean pick (const CpuStep *step, gsize i, gsize *index);

/* How many indices from @at on are evenly spaced, @stride apart: at most @most.
 */
static gsize
count_even (const CpuStep *step, gsize at, gsize most, gint64 stride)
{
  gsize before, index, n = 1;

  if (!pick (step, at, &before))
    return 0;
  while (n < most && pick (step, at + n, &index)
         && (gint64) index - (gint64) before == stride) {
    before = index;
    n++;
  }
  return n;
}

/* How far the index at @b is from that at @a; 0 where there is no @b, or one is
 * beyond the axis, which `count_even` finds. */
static gint64
distance (const CpuStep *step, gsize a, gsize b)
{
  const GatherPlan *plan = step->priv;
  gsize first = 0, second = 0;

  return b < plan->picks && pick (step, a, &first) && pick (step, b, &second)
             ? (gint64) second - (gint64) first
             : 0;
}

/* Whether indices are first + i · a + j · b for each i and j, all within the
 * axis; a sliding window's are, too. */
static gboolean
find_grid (const CpuStep *step, gsize *n, gint64 strides[2])
{
  const GatherPlan *plan = step->priv;
  gsize first, index;

  strides[1] = distance (step, 0, 1);
  *n = count_even (step, 0, plan->picks, strides[1]);
  if (*n == 0 || plan->picks % *n != 0 || !pick (step, 0, &first))
    return FALSE;
  strides[0] = distance (step, 0, *n);
  for (gsize p = *n; p < plan->picks; p += *n)
    if (count_even (step, p, *n, strides[1]) < *n || !pick (step, p, &index)
        || (gint64) index != (gint64) first + (gint64) (p / *n) * strides[0])
      return FALSE;
  return TRUE;
}

static void
find_regularity (CpuStep *step, GatherPlan *plan)
{
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const gint64 inner = (gint64) plan->inner;
  gint64 strides[2];
  gsize n, first;

  if (!step->in[1]->constant || plan->batch != 1 || plan->picks == 0
      || !find_grid (step, &n, strides) || !pick (step, 0, &first))
    return;
  const gint64 dims[] = { (gint64) plan->outer, (gint64) (plan->picks / n),
    (gint64) n, inner / (gint64) size };
  const gint64 src[] = { (gint64) plan->length * inner, strides[0] * inner,
    strides[1] * inner, (gint64) size };
  const gint64 dst[] = { (gint64) plan->picks * inner, (gint64) n * inner,
    inner, (gint64) size };

  plan->offset = (gint64) first * inner;
  cpu_strided_copy_init (&plan->copy, step->kernels, size, 4, dims, src, dst);
  plan->regular = TRUE;
  step->kernel = "strided_copy";
}

static void
make_table (const CpuStep *step, GatherPlan *plan)
{
  if (!step->in[1]->constant || plan->batch != 1 || plan->inner != 4
      || plan->length > G_MAXUINT32)
    return;
  g_autofree guint32 *table = g_try_new (guint32, plan->picks + 1);
  if (table == NULL)
    return; /* indices are then read at each run */
  for (gsize p = 0; p < plan->picks; p++) {
    gsize index;

    if (!pick (step, p, &index))
      return;
    table[p] = (guint32) index;
  }
  plan->table = g_steal_pointer (&table);
}

static void
gather_words (const GatherPlan *plan, guint32 *dst, const guint32 *src)
{
  for (gsize o = 0; o < plan->outer; o++) {
    for (gsize p = 0; p < plan->picks; p++)
      dst[p] = src[plan->table[p]];
    dst += plan->picks;
    src += plan->length;
  }
}

static void
plan_free (gpointer data)
{
  GatherPlan *plan = data;

  g_free (plan->table);
  g_free (plan);
}

/* Gathers whole rows of a compressed table. */
static gboolean
is_stored (const CpuStep *step, const GatherPlan *plan)
{
  const CpuUnpack *unpack = step->in[0]->unpack;

  return unpack != NULL && step->in[0]->data == NULL && plan->batch == 1
         && plan->outer == 1
         && plan->inner / sizeof (float)
                    * infer_type_bits (unpack->stored.codes->type) % 8
                == 0;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferGather *attrs = step->op->attrs;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *indices = cpu_in_shape (step, 1);
  const CpuValue *where = step->in[2];
  GatherPlan *plan = g_new0 (GatherPlan, 1);
  int batch = (int) (attrs->batch_dims < 0 ? attrs->batch_dims + indices->rank
                                           : attrs->batch_dims);

  step->priv = plan;
  step->kernel = "memcpy";
  gint64 axis = cpu_integer_at (where, 0);
  if (!infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  plan->batch = infer_shape_count_range (data, 0, batch);
  plan->outer = infer_shape_count_range (data, batch, (int) axis);
  plan->length = (gsize) data->dims[axis];
  plan->inner = infer_shape_count_range (data, (int) axis + 1, data->rank)
                * infer_type_size (step->in[0]->desc.type);
  plan->picks = infer_shape_count_range (indices, batch, indices->rank);
  if (is_stored (step, plan)) {
    plan->stored = &step->in[0]->unpack->stored;
    step->kernel = "unpack";
    return TRUE;
  }
  /* Whole rows are copied from wherever the file has them. */
  if ((step->in[1]->constant || step->in[0]->data == NULL)
      && !cpu_step_want_data (step, 0, error))
    return FALSE;
  find_regularity (step, plan);
  if (!plan->regular)
    make_table (step, plan);
  return TRUE;
}

/* Opset 8 counts negative indices from the end.  FALSE: beyond the axis; the
 * result is zero. */
static gboolean
pick (const CpuStep *step, gsize i, gsize *index)
{
  const GatherPlan *plan = step->priv;
  gint64 value = cpu_integer_at (step->in[1], i);

  if (value < 0 && step->op->version >= 8)
    value += (gint64) plan->length;
  *index = (gsize) value;
  return value >= 0 && value < (gint64) plan->length;
}

static void
run_stored (CpuStep *step, const GatherPlan *plan)
{
  const gsize each = plan->inner / sizeof (float);
  float *dst = step->out[0]->data;

  for (gsize p = 0; p < plan->picks; p++, dst += each) {
    gsize index;

    if (pick (step, p, &index))
      infer_compressed_floats (plan->stored, index * each, each, dst);
    else
      memset (dst, 0, plan->inner);
  }
}

static gboolean
run (CpuStep *step, GError **error)
{
  const GatherPlan *plan = step->priv;
  const guint8 *data = step->in[0]->data;
  guint8 *dst = step->out[0]->data;
  const gsize inner = plan->inner, rows = plan->outer * plan->length;

  if (plan->stored != NULL) {
    run_stored (step, plan);
    return TRUE;
  }
  if (plan->regular) {
    cpu_strided_copy_run (&plan->copy, dst, data + plan->offset);
    return TRUE;
  }
  if (plan->table != NULL) {
    gather_words (plan, (gpointer) dst, (gconstpointer) data);
    return TRUE;
  }
  for (gsize b = 0; b < plan->batch && inner > 0; b++)
    for (gsize p = 0; p < plan->picks; p++) {
      const guint8 *src = data + b * rows * inner;
      guint8 *to = dst + (b * plan->outer * plan->picks + p) * inner;
      gsize index;
      gboolean inside = pick (step, b * plan->picks + p, &index);

      for (gsize o = 0; o < plan->outer; o++) {
        if (inside)
          memcpy (to + o * plan->picks * inner,
              src + (o * plan->length + index) * inner, inner);
        else
          memset (to + o * plan->picks * inner, 0, inner);
      }
    }
  return TRUE;
}

static gboolean
output_part (const CpuStep *step, guint index, gsize *at)
{
  const GatherPlan *plan = step->priv;

  if (!plan->regular || !cpu_strided_copy_is_dense (&plan->copy))
    return FALSE;
  *at = (gsize) plan->offset;
  return TRUE;
}

const CpuOp cpu_op_gather = {
  .prepare = prepare,
  .output_part = output_part,
  .run = run,
  .release = plan_free,
};
