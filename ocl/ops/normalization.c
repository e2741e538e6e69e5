/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MVN, GroupNormalization, NormalizeL2, GRN. */

#include "inference/graph/ops/local-norm.h"
#include "inference/graph/ops/normalization.h"
#include "ocl/plan/post.h"
#include "ocl/ops/rows.h"

static gboolean
supports (const InferOperation *op, GError **error)
{
  return infer_type_is_real (op->outputs[0].desc.type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (op->outputs[0].desc.type));
}

/* --- MVN --- */

static gboolean
mvn_mask (const OclStep *step, guint32 *mask, GError **error)
{
  const InferShape *shape = ocl_in_shape (step, 0);

  if (step->op->version >= 6)
    return ocl_axes_mask (step, 1, shape, mask, error);
  *mask = infer_mvn_static_axes (step->op->attrs, shape->rank);
  return TRUE;
}

/* Whether rows are the last dimension, so that its index is the index in the
 * row. */
static gboolean
mvn_absorb (const OclStep *step, const OclPost *post)
{
  const int rank = ocl_in_shape (step, 0)->rank;
  guint32 mask;

  return rank > 0 && mvn_mask (step, &mask, NULL)
         && mask == (guint32) 1 << (rank - 1)
         && ocl_post_fits (step, post, rank - 1);
}

static gboolean
mvn_prepare (OclStep *step, GError **error)
{
  const InferMvn *attrs = step->op->attrs;
  const InferType out_type = step->out[0]->desc.type;
  const InferType sum = step->in[0]->desc.type == INFER_TYPE_F64
                            ? INFER_TYPE_F64
                            : INFER_TYPE_F32;
  g_autoptr (GString) options = g_string_new ("-DNORMALIZE -DMVN");
  guint32 mask;
  OclRows rows;

  if (step->out[0]->n == 0)
    return TRUE;
  if (!mvn_mask (step, &mask, error)
      || !ocl_rows_init (step, 0, mask, out_type, &rows, error))
    return FALSE;
  if (attrs->normalize_variance)
    g_string_append (options, " -DVARIANCE");
  if (attrs->outside_sqrt)
    g_string_append (options, " -DOUTSIDE");
  g_autofree char *text =
      ocl_post_text (step, sum, ocl_in_shape (step, 0)->rank - 1);
  OclLaunch *launch =
      ocl_rows_launch (step, &rows, "norm_rows", options, out_type, text);
  ocl_launch_float (launch, attrs->eps);
  ocl_post_arguments (step, launch);
  return ocl_rows_finish (step, &rows, error);
}

const OclOp ocl_op_mvn = {
  .host_inputs = 1 << 1,
  .supports = supports,
  .absorb = mvn_absorb,
  .prepare = mvn_prepare,
};

/* --- GroupNormalization --- */

static gboolean
group_norm_prepare (OclStep *step, GError **error)
{
  const InferGroupNorm *attrs = step->op->attrs;
  const InferShape *shape = ocl_in_shape (step, 0);
  const InferType type = step->in[0]->desc.type;
  const gint64 per_group = shape->dims[1] / attrs->num_groups;
  const gsize volume = infer_shape_count_range (shape, 2, shape->rank);
  const OclRows rows = { .outer = (gsize) (shape->dims[0] * attrs->num_groups),
    .length = (gsize) per_group * volume,
    .inner = 1,
    .in = step->in[0],
    .out = step->out[0] };
  g_autoptr (GString) options =
      g_string_new ("-DNORMALIZE -DMVN -DVARIANCE -DGROUPS");
  g_autofree char *text =
      ocl_post_text (step, type == INFER_TYPE_F64 ? type : INFER_TYPE_F32, 1);

  if (step->out[0]->n == 0)
    return TRUE;
  OclLaunch *launch = ocl_rows_launch (
      step, &rows, "norm_rows", options, step->out[0]->desc.type, text);
  ocl_launch_float (launch, attrs->epsilon);
  ocl_launch_value (launch, step->in[1]);
  ocl_launch_value (launch, step->in[2]);
  ocl_launch_int (launch, per_group);
  ocl_launch_int (launch, (gint64) volume);
  ocl_launch_int (launch, attrs->num_groups);
  return TRUE;
}

const OclOp ocl_op_group_normalization = {
  .supports = supports,
  .prepare = group_norm_prepare,
};

/* --- NormalizeL2, GRN --- */

static gboolean
l2_run (OclStep *step, guint32 mask, GError **error)
{
  const InferLocalNorm *attrs = step->op->attrs;
  const InferType type = step->in[0]->desc.type;
  g_autoptr (GString) options = g_string_new ("-DNORMALIZE");
  g_autofree char *text =
      ocl_post_text (step, type == INFER_TYPE_F64 ? type : INFER_TYPE_F32, 1);
  OclRows rows;

  if (step->out[0]->n == 0)
    return TRUE;
  if (!ocl_rows_init (step, 0, mask, type, &rows, error))
    return FALSE;
  if (attrs->eps_max)
    g_string_append (options, " -DEPS_MAX");
  OclLaunch *launch =
      ocl_rows_launch (step, &rows, "norm_rows", options, type, text);
  ocl_launch_float (launch, attrs->eps);
  return ocl_rows_finish (step, &rows, error);
}

static gboolean
l2_prepare (OclStep *step, GError **error)
{
  guint32 mask;

  if (!ocl_axes_mask (step, 1, ocl_in_shape (step, 0), &mask, error))
    return FALSE;
  return l2_run (step, mask, error);
}

/* Without axes OpenVINO returns ones: left to the CPU. */
static gboolean
l2_supports (const InferOperation *op, GError **error)
{
  const InferTensor *axes = op->inputs[1].op->value;

  if (axes != NULL && axes->size == 0)
    return infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "no OpenCL kernel without axes");
  return supports (op, error);
}

static gboolean
grn_prepare (OclStep *step, GError **error)
{
  return l2_run (step, 1 << 1, error);
}

const OclOp ocl_op_normalize_l2 = {
  .host_inputs = 1 << 1,
  .supports = l2_supports,
  .prepare = l2_prepare,
};

const OclOp ocl_op_grn = {
  .supports = supports,
  .prepare = grn_prepare,
};
