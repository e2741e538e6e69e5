/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/einsum.h"

#include "cpu/gemm/matmul.h"
#include "cpu/base/widen.h"

#include <string.h>

/* Einsum: the sum, over all labels that are not in the output, of the product
 * of all inputs.  Each input has a stride for each label; 0 if it lacks the
 * label or has size 1 there. */

#define MAX_LABELS (52 + INFER_MAX_RANK)

typedef struct
{
  CpuWiden widen;
  InferType type;                    /* working type */
  guint n_inputs, n_outer, n_labels; /* labels of the output come first */
  gsize dims[MAX_LABELS];
  gsize strides[INFER_EINSUM_MAX_INPUTS][MAX_LABELS];
} Einsum;

static void
add_label (Einsum *e, int *place, gint64 dim)
{
  *place = (int) e->n_labels;
  e->dims[e->n_labels++] = (gsize) dim;
}

/* Strides of one input; a repeated label adds up to the diagonal. */
static void
input_strides (const char *subscript, const InferShape *shape,
    const int *letters, int ellipsis, int ellipsis_rank, gsize *strides)
{
  gint64 steps[INFER_MAX_RANK];
  int at = 0;
  infer_shape_strides (shape, steps);
  int covered = shape->rank - (int) strlen (subscript) + 1;
  for (const char *c = subscript; *c; c++) {
    int n = *c == '.' ? covered : 1;
    int label =
        *c == '.' ? ellipsis + ellipsis_rank - covered : letters[(guint) *c];
    for (int i = 0; i < n; i++, at++)
      if (shape->dims[at] != 1)
        strides[label + i] += (gsize) steps[at];
  }
}

static void
set_up (Einsum *e, const CpuStep *step, const InferEinsumDims *dims)
{
  const InferEinsum *attrs = step->op->attrs;
  int letters[128], ellipsis = -1, unused;
  for (guint i = 0; i < 128; i++)
    letters[i] = -1;
  for (const char *c = attrs->output; *c; c++) {
    if (*c == '.')
      ellipsis = (int) e->n_labels;
    for (int i = 0; *c == '.' && i < dims->ellipsis.rank; i++)
      add_label (e, &unused, dims->ellipsis.dims[i]);
    if (*c != '.')
      add_label (e, &letters[(guint) *c], dims->letters[(guint) *c]);
  }
  e->n_outer = e->n_labels;
  for (guint c = 0; c < 128; c++)
    if (dims->used[c] && letters[c] < 0)
      add_label (e, &letters[c], dims->letters[c]);
  if (ellipsis < 0) {
    ellipsis = (int) e->n_labels;
    for (int i = 0; i < dims->ellipsis.rank; i++)
      add_label (e, &unused, dims->ellipsis.dims[i]);
  }
  e->n_inputs = attrs->n_inputs;
  for (guint i = 0; i < attrs->n_inputs; i++)
    input_strides (attrs->inputs[i], cpu_in_shape (step, i), letters, ellipsis,
        dims->ellipsis.rank, e->strides[i]);
}

static gboolean
einsum_prepare (CpuStep *step, GError **error)
{
  const InferEinsum *attrs = step->op->attrs;
  InferType type = step->in[0]->desc.type;
  const InferShape *shapes[INFER_EINSUM_MAX_INPUTS];
  InferEinsumDims dims;
  Einsum *e = g_new0 (Einsum, 1);
  step->priv = e;
  step->kernel = "ref";
  for (guint i = 0; i < attrs->n_inputs; i++)
    shapes[i] = cpu_in_shape (step, i);
  if (!infer_einsum_dims (attrs, shapes, &dims, error))
    return FALSE;
  set_up (e, step, &dims);
  e->type = infer_type_is_real (type) ? cpu_widen_type (type) : type;
  return cpu_widen_prepare (&e->widen, step, e->type, 0, 0, error);
}

/* Advances to the next combination of labels [from, to); FALSE after the last.
 */
static gboolean
advance (const Einsum *e, guint from, guint to, gsize *index, gsize *offsets)
{
  for (guint l = to; l-- > from;) {
    index[l]++;
    for (guint i = 0; i < e->n_inputs; i++)
      offsets[i] += e->strides[i][l];
    if (index[l] < e->dims[l])
      return TRUE;
    for (guint i = 0; i < e->n_inputs; i++)
      offsets[i] -= e->strides[i][l] * e->dims[l];
    index[l] = 0;
  }
  return FALSE;
}

/* Unsigned types stand for signed ones: products wrap around equally. */
#define EINSUM(T)                                                              \
  static void einsum_##T (const CpuStep *step, const Einsum *e, gpointer out,  \
      const gconstpointer *in, gboolean empty)                                 \
  {                                                                            \
    gsize index[MAX_LABELS] = { 0 }, offsets[INFER_EINSUM_MAX_INPUTS] = { 0 }; \
    T *y = out;                                                                \
    do {                                                                       \
      T sum = 0;                                                               \
      if (!empty)                                                              \
        do {                                                                   \
          T product = 1;                                                       \
          for (guint i = 0; i < e->n_inputs; i++)                              \
            product = (T) (product * ((const T *) in[i])[offsets[i]]);         \
          sum = (T) (sum + product);                                           \
        } while (advance (e, e->n_outer, e->n_labels, index, offsets));        \
      *y++ = sum;                                                              \
    } while (advance (e, 0, e->n_outer, index, offsets)                        \
             && !cpu_step_is_cancelled (step));                                \
  }

EINSUM (double)
EINSUM (float)
EINSUM (guint64)
EINSUM (guint32)
EINSUM (guint8)

/* 16-bit products would be promoted to int and overflow. */
#define product_of_16(a, b) ((guint32) (a) * (guint32) (b))

static void
einsum_guint16 (const CpuStep *step, const Einsum *e, gpointer out,
    const gconstpointer *in, gboolean empty)
{
  gsize index[MAX_LABELS] = { 0 }, offsets[INFER_EINSUM_MAX_INPUTS] = { 0 };
  guint16 *y = out;
  do {
    guint32 sum = 0;
    if (!empty)
      do {
        guint32 product = 1;
        for (guint i = 0; i < e->n_inputs; i++)
          product =
              product_of_16 (product, ((const guint16 *) in[i])[offsets[i]]);
        sum += product;
      } while (advance (e, e->n_outer, e->n_labels, index, offsets));
    *y++ = (guint16) sum;
  } while (advance (e, 0, e->n_outer, index, offsets)
           && !cpu_step_is_cancelled (step));
}

static gboolean
einsum_run (CpuStep *step, GError **error)
{
  const Einsum *e = step->priv;
  gconstpointer in[INFER_EINSUM_MAX_INPUTS];
  gboolean empty = FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  for (guint i = 0; i < e->n_inputs; i++) {
    in[i] = i < CPU_WIDEN_MAX ? cpu_widen_in (&e->widen, step, i)
                              : step->in[i]->data;
    empty = empty || step->in[i]->n == 0;
  }
  gpointer out = cpu_widen_out (&e->widen, step, 0);
  if (e->type == INFER_TYPE_F64)
    einsum_double (step, e, out, in, empty);
  else if (e->type == INFER_TYPE_F32)
    einsum_float (step, e, out, in, empty);
  else if (infer_type_size (e->type) == 8)
    einsum_guint64 (step, e, out, in, empty);
  else if (infer_type_size (e->type) == 4)
    einsum_guint32 (step, e, out, in, empty);
  else if (infer_type_size (e->type) == 2)
    einsum_guint16 (step, e, out, in, empty);
  else
    einsum_guint8 (step, e, out, in, empty);
  cpu_widen_finish (&e->widen, step);
  return TRUE;
}

static gboolean
einsum_supports (const InferOperation *op, GError **error)
{
  InferType type = op->outputs[0].desc.type;
  if (type != INFER_TYPE_DYNAMIC && !cpu_matmul_ref_supports (type))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "products of type %s are not computed", infer_type_name (type));
  if (op->n_inputs > CPU_WIDEN_MAX
      && (type == INFER_TYPE_F16 || type == INFER_TYPE_BF16))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%u inputs of type %s, more than %d", op->n_inputs,
        infer_type_name (type), CPU_WIDEN_MAX);
  return TRUE;
}

const CpuOp cpu_op_einsum = {
  .supports = einsum_supports,
  .prepare = einsum_prepare,
  .run = einsum_run,
};
