/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MaxPool and AvgPool. */

#include "inference/graph/ops/pooling.h"
#include "ocl/ops/rows.h"

typedef struct
{
  gint64 k[3], stride[3], dilation[3], in[3], out[3], pad[3];
  gboolean padded;
} Geometry;

static gboolean
get_geometry (
    const OclStep *step, const InferWindow *window, Geometry *g, GError **error)
{
  const InferShape *data = ocl_in_shape (step, 0);
  const guint n = (guint) data->rank - 2;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  if (!infer_window_resolve_all (
          window, n, data->dims + 2, window->kernel, dims, error))
    return FALSE;
  *g = (Geometry){ .k = { 1, 1, 1 },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 },
    .in = { 1, 1, 1 },
    .out = { 1, 1, 1 } };
  for (guint i = 0; i < n; i++) {
    const guint d = 3 - n + i;

    g->k[d] = window->kernel[i];
    g->stride[d] = window->strides[i];
    g->dilation[d] = window->dilations[i];
    g->in[d] = data->dims[2 + i];
    g->out[d] = dims[i].out;
    g->pad[d] = dims[i].pad_begin;
    g->padded = g->padded || dims[i].pad_begin != 0 || dims[i].pad_end != 0;
  }
  return TRUE;
}

/* Whether windows stay within the input. */
static gboolean
is_inside (const Geometry *g)
{
  for (guint d = 0; d < 3; d++)
    if (g->pad[d] != 0
        || (g->out[d] - 1) * g->stride[d] + (g->k[d] - 1) * g->dilation[d]
               >= g->in[d])
      return FALSE;
  return TRUE;
}

static GString *
make_options (const Geometry *g, InferType type)
{
  static const char axes[] = "DHW";
  GString *options = g_string_new ("-DPOOL");

  for (guint d = 0; d < 3; d++)
    g_string_append_printf (options, " -DK%c=%d -DS%c=%d -DD%c=%d", axes[d],
        (int) g->k[d], axes[d], (int) g->stride[d], axes[d],
        (int) g->dilation[d]);
  if (is_inside (g))
    g_string_append (options, " -DINSIDE");
  ocl_option_type (options, "TYPE", type);
  ocl_option_type (
      options, "SUM_TYPE", !infer_type_is_real (type) ? INFER_TYPE_I64 : type);
  return options;
}

static OclLaunch *
add_pool (OclStep *step, const Geometry *g, GString *options)
{
  const InferShape *data = ocl_in_shape (step, 0);
  OclLaunch *launch =
      ocl_step_launch (step, "pooling", "pool", options->str, NULL);

  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  for (guint d = 0; d < 3; d++)
    ocl_launch_int (launch, g->in[d]);
  for (guint d = 0; d < 3; d++)
    ocl_launch_int (launch, g->out[d]);
  for (guint d = 0; d < 3; d++)
    ocl_launch_int (launch, g->pad[d]);
  ocl_launch_rows (launch, (gsize) g->out[2], (gsize) (g->out[0] * g->out[1]),
      (gsize) (data->dims[0] * data->dims[1]));
  step->kernel = "pool";
  return launch;
}

/* Global pooling: the mean of a row. */
static gboolean
is_global (const Geometry *g)
{
  for (guint d = 0; d < 3; d++)
    if (g->k[d] != g->in[d] || g->out[d] != 1 || g->pad[d] != 0)
      return FALSE;
  return TRUE;
}

static void
add_mean (OclStep *step, const Geometry *g)
{
  const InferShape *data = ocl_in_shape (step, 0);
  g_autoptr (GString) options = g_string_new ("-DREDUCE -DMEAN");
  const OclRows rows = { .outer = (gsize) (data->dims[0] * data->dims[1]),
    .length = (gsize) (g->in[0] * g->in[1] * g->in[2]),
    .inner = 1,
    .in = step->in[0],
    .out = step->out[0] };

  ocl_rows_launch (
      step, &rows, "reduce", options, step->out[0]->desc.type, NULL);
}

static gboolean
prepare_avg (OclStep *step, GError **error)
{
  const InferAvgPool *attrs = step->op->attrs;
  Geometry g;

  if (!get_geometry (step, &attrs->window, &g, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  if (is_global (&g) && infer_type_is_real (step->in[0]->desc.type)) {
    add_mean (step, &g);
    return TRUE;
  }
  g_autoptr (GString) options = make_options (&g, step->in[0]->desc.type);
  if (attrs->exclude_pad || !g.padded)
    g_string_append (options, " -DEXCLUDE_PAD");
  add_pool (step, &g, options);
  return TRUE;
}

static gboolean
prepare_max (OclStep *step, GError **error)
{
  const InferMaxPool *attrs = step->op->attrs;
  const InferShape *data = ocl_in_shape (step, 0);
  const InferType type = step->in[0]->desc.type;
  const gboolean indices = step->n_out > 1 && ocl_step_is_read (step, 1);
  gint64 axis = attrs->axis;
  Geometry g;

  if (!get_geometry (step, &attrs->window, &g, error)
      || !infer_shape_normalize_axis (data, &axis, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  g_autoptr (GString) options = make_options (&g, type);
  g_string_append_printf (options, " -DMAX -DNOTHING=%s",
      infer_type_is_real (type) ? "(-INFINITY)" : "0");
  if (!indices && infer_type_is_real (type))
    g_string_append (options, " -DVALUE_ONLY");
  if (indices) {
    g_string_append (options, " -DINDICES");
    ocl_option_type (options, "INDEX_TYPE", step->out[1]->desc.type);
  }
  OclLaunch *launch = add_pool (step, &g, options);
  if (indices) {
    ocl_launch_value (launch, step->out[1]);
    ocl_launch_int (
        launch, (gint64) MAX (
                    infer_shape_count_range (data, (int) axis, data->rank), 1));
  }
  return TRUE;
}

const OclOp ocl_op_avg_pool = {
  .prepare = prepare_avg,
};

const OclOp ocl_op_max_pool = {
  .prepare = prepare_max,
};
