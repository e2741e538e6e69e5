/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gather, GatherElements, GatherND, ScatterNDUpdate. */

#include "inference/graph/ops/gather.h"
#include "inference/graph/ops/index.h"
#include "inference/graph/ops/scatter-nd.h"
#include "ocl/ops/copy.h"
#include "ocl/ops/gemm.h"
#include "ocl/plan/walk.h"

static GString *
make_options (const OclStep *step, const char *kernel, guint indices)
{
  GString *options = g_string_new (kernel);

  g_string_append_printf (
      options, " -DELEMENT=%s", ocl_element_type (step->in[0]->desc.type));
  ocl_option_type (options, "INDEX_TYPE", step->in[indices]->desc.type);
  return options;
}

/* --- Gather --- */

typedef struct
{
  gint64 batch, outer, length, inner, picks;
} Layout;

/* Constant indices with a constant step, all within the axis. */
static gboolean
find_steps (const OclStep *step, const Layout *l, gint64 *first, gint64 *stride)
{
  if (step->in[1]->host == NULL || l->batch != 1)
    return FALSE;
  g_autoptr (GArray) indices = ocl_host_ints (step, 1);
  if (indices == NULL) /* no memory: they are read on the device */
    return FALSE;
  for (guint i = 0; i < indices->len; i++) {
    gint64 *index = &g_array_index (indices, gint64, i);

    if (*index < 0 && step->op->version >= 8)
      *index += l->length;
    if (*index < 0 || *index >= l->length)
      return FALSE;
  }
  *first = g_array_index (indices, gint64, 0);
  *stride = indices->len > 1 ? g_array_index (indices, gint64, 1) - *first : 1;
  for (guint i = 0; i < indices->len; i++)
    if (g_array_index (indices, gint64, i) != *first + i * *stride)
      return FALSE;
  return TRUE;
}

static gboolean
copy_steps (
    OclStep *step, const Layout *l, gint64 first, gint64 stride, GError **error)
{
  const gint64 dims[] = { l->outer, l->picks, l->inner };
  const OclBox src = { step->in[0], first * l->inner,
    { l->length * l->inner, stride * l->inner, 1 } };
  const OclBox dst = { step->out[0], 0, { l->picks * l->inner, l->inner, 1 } };

  if (l->outer == 1 && (stride == 1 || l->picks == 1)) {
    ocl_step_view (step, 0, step->in[0],
        (gsize) src.at * infer_type_size (step->in[0]->desc.type));
    return TRUE;
  }
  return ocl_copy_box (step, &dst, &src, 3, dims, error);
}

static void
add_gather (OclStep *step, const Layout *l)
{
  g_autoptr (GString) options = make_options (step, "-DGATHER", 1);

  if (step->op->version >= 8)
    g_string_append (options, " -DFROM_END");
  OclLaunch *launch =
      ocl_step_launch (step, "gather", "gather", options->str, NULL);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_value (launch, step->in[1]);
  ocl_launch_int (launch, l->outer);
  ocl_launch_int (launch, l->length);
  ocl_launch_int (launch, l->inner);
  ocl_launch_int (launch, l->picks);
  ocl_launch_rows (launch, (gsize) l->inner, (gsize) l->picks,
      (gsize) (l->batch * l->outer));
  step->kernel = "gather";
}

static gboolean
prepare_gather (OclStep *step, GError **error)
{
  const InferGather *attrs = step->op->attrs;
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *indices = ocl_in_shape (step, 1);
  g_autoptr (GArray) axes = ocl_host_ints (step, 2);
  gint64 axis = g_array_index (axes, gint64, 0), first, stride;
  const int batch =
      (int) (attrs->batch_dims < 0 ? attrs->batch_dims + indices->rank
                                   : attrs->batch_dims);
  Layout l;

  if (step->out[0]->n == 0)
    return TRUE;
  if (!infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  l.batch = (gint64) infer_shape_count_range (data, 0, batch);
  l.outer = (gint64) infer_shape_count_range (data, batch, (int) axis);
  l.length = data->dims[axis];
  l.inner = (gint64) infer_shape_count_range (data, (int) axis + 1, data->rank);
  l.picks = (gint64) infer_shape_count_range (indices, batch, indices->rank);
  if (find_steps (step, &l, &first, &stride))
    return copy_steps (step, &l, first, stride, error);
  add_gather (step, &l);
  return TRUE;
}

const OclOp ocl_op_gather = {
  .host_inputs = 1 << 2,
  .prepare = prepare_gather,
};

/* --- GatherElements --- */

static gboolean
prepare_elements (OclStep *step, GError **error)
{
  const InferGatherElements *attrs = step->op->attrs;
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *out = ocl_out_shape (step, 0);
  g_autoptr (GString) options = make_options (step, "-DELEMENTS", 1);
  gint64 axis = attrs->axis, from[INFER_MAX_RANK], to[INFER_MAX_RANK];
  OclWalk walk = { .n = 2 };

  if (step->out[0]->n == 0)
    return TRUE;
  if (!infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  infer_shape_strides (data, from);
  infer_shape_strides (out, to);
  for (int d = 0; d < out->rank; d++) {
    const gint64 strides[] = { to[d], d == axis ? 0 : from[d] };

    ocl_walk_add (&walk, out->dims[d], strides);
  }
  if (!ocl_walk_finish (&walk, error))
    return FALSE;
  OclLaunch *launch =
      ocl_step_launch (step, "gather", "gather_elements", options->str, NULL);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_value (launch, step->in[1]);
  ocl_launch_int (launch, from[axis]);
  ocl_launch_int (launch, data->dims[axis]);
  ocl_walk_arguments (&walk, launch);
  ocl_walk_launch (&walk, launch);
  step->kernel = "gather_elements";
  return TRUE;
}

const OclOp ocl_op_gather_elements = {
  .prepare = prepare_elements,
};

/* --- GatherND, ScatterNDUpdate --- */

/* Indices refer to dimensions [first, first + depth) of @data. */
static void
add_position (OclLaunch *launch, const InferShape *data, int first, int depth)
{
  gint64 strides[INFER_MAX_RANK];

  infer_shape_strides (data, strides);
  ocl_launch_int (launch, depth);
  ocl_launch_int8 (launch, data->dims + first, (guint) depth, 1);
  ocl_launch_int8 (launch, strides + first, (guint) depth, 0);
}

static gboolean
prepare_gather_nd (OclStep *step, GError **error)
{
  const InferGatherNd *attrs = step->op->attrs;
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *indices = ocl_in_shape (step, 1);
  const int batch = (int) attrs->batch_dims;
  const int depth = (int) indices->dims[indices->rank - 1];
  const gsize inner = infer_shape_count_range (data, batch + depth, data->rank);
  const gsize per_batch =
      infer_shape_count_range (indices, batch, indices->rank - 1);
  const gsize n = infer_shape_count_range (indices, 0, indices->rank - 1);
  g_autoptr (GString) options = make_options (step, "-DGATHER_ND", 1);

  if (step->out[0]->n == 0)
    return TRUE;
  OclLaunch *launch =
      ocl_step_launch (step, "gather", "gather_nd", options->str, NULL);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_value (launch, step->in[1]);
  ocl_launch_int (launch, (gint64) inner);
  ocl_launch_int (launch, (gint64) n);
  ocl_launch_int (launch, (gint64) per_batch);
  ocl_launch_int (
      launch, (gint64) infer_shape_count_range (data, batch, data->rank));
  add_position (launch, data, batch, depth);
  ocl_launch_over (launch, inner, n, 1);
  step->kernel = "gather_nd";
  return TRUE;
}

const OclOp ocl_op_gather_nd = {
  .prepare = prepare_gather_nd,
};

static gboolean
copy_whole (OclStep *step, OclValue *dst, OclValue *src, GError **error)
{
  const gint64 n = (gint64) src->n;
  const OclBox to = { dst, 0, { 1 } }, from = { src, 0, { 1 } };

  return ocl_copy_box (step, &to, &from, 1, &n, error);
}

static gboolean
prepare_scatter_nd (OclStep *step, GError **error)
{
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *indices = ocl_in_shape (step, 1);
  const int depth = (int) indices->dims[indices->rank - 1];
  const gsize inner = infer_shape_count_range (data, depth, data->rank);
  const gsize n = infer_shape_count_range (indices, 0, indices->rank - 1);
  g_autoptr (GString) options = make_options (step, "-DSCATTER_ND", 1);

  if (step->out[0]->n == 0)
    return TRUE;
  if (!copy_whole (step, step->out[0], step->in[0], error))
    return FALSE;
  OclLaunch *launch =
      ocl_step_launch (step, "gather", "scatter_nd", options->str, NULL);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[2]);
  ocl_launch_value (launch, step->in[1]);
  ocl_launch_int (launch, (gint64) inner);
  ocl_launch_int (launch, (gint64) n);
  add_position (launch, data, 0, depth);
  ocl_launch_over (launch, n > 0 ? inner : 0, 1, 1);
  step->kernel = "scatter_nd";
  return TRUE;
}

static gboolean
supports_scatter_nd (const InferOperation *op, GError **error)
{
  const InferScatterNd *attrs = op->attrs;

  return attrs->reduction == INFER_SCATTER_NONE
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel that scatters with a reduction");
}

const OclOp ocl_op_scatter_nd_update = {
  .supports = supports_scatter_nd,
  .prepare = prepare_scatter_nd,
};
