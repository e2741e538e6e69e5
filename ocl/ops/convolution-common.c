/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/convolution.h"

#include "inference/graph/ops/convolution.h"
#include "ocl/plan/post.h"

#include <string.h>

/* Enough work-items for all cores of a processor. */
#define ENOUGH_ITEMS 128

/* Columns of width 1 are treated as rows. */
static void
columns_to_rows (OclConvolution *g)
{
  for (guint i = 0; i < 2 && g->in[2] == 1 && g->k[2] == 1 && g->out[2] == 1;
       i++) {
    gint64 *const all[] = { g->in, g->k, g->out, g->stride, g->dilation,
      g->pad };

    if (g->pad[2] != 0)
      return;
    g->stride[2] = g->dilation[2] = 1;
    for (guint a = 0; a < G_N_ELEMENTS (all); a++) {
      const gint64 one = all[a][2];

      memmove (all[a] + 1, all[a], 2 * sizeof one);
      all[a][0] = one;
    }
  }
}

static void
fill_spatial (OclConvolution *g, const InferWindow *window, guint n,
    const gint64 *in, const gint64 *kernel, const InferWindowDim *dims)
{
  for (guint d = 0; d < 3; d++) {
    g->in[d] = g->k[d] = g->out[d] = g->stride[d] = g->dilation[d] = 1;
    g->pad[d] = 0;
  }
  for (guint i = 0; i < n; i++) {
    guint d = 3 - n + i;

    g->in[d] = in[i];
    g->k[d] = kernel[i];
    g->out[d] = dims[i].out;
    g->stride[d] = window->strides[i];
    g->dilation[d] = window->dilations[i];
    g->pad[d] = dims[i].pad_begin;
  }
  columns_to_rows (g);
}

gboolean
ocl_convolution_init (const OclStep *step, OclConvolution *g, GError **error)
{
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *weights = ocl_in_shape (step, 1);
  const gint64 *w = weights->dims;
  const guint n = (guint) data->rank - 2;
  const InferWindow *window;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  g->transposed =
      infer_op_is (step->op, &infer_op_convolution_backprop_data)
      || infer_op_is (step->op, &infer_op_group_convolution_backprop_data);
  g->batch = data->dims[0];
  g->groups = weights->rank > data->rank ? *w++ : 1;
  g->filters = w[g->transposed ? 1 : 0];
  g->channels = w[g->transposed ? 0 : 1];
  if (g->transposed) {
    const InferConvolutionBackprop *attrs = step->op->attrs;

    window = &attrs->window;
    if (!infer_backprop_resolve (attrs, n, data->dims + 2, w + 2,
            ocl_has_in (step, 2) ? ocl_out_shape (step, 0)->dims + 2 : NULL,
            dims, error))
      return FALSE;
  } else {
    const InferConvolution *attrs = step->op->attrs;

    window = &attrs->window;
    if (!infer_window_resolve_all (
            window, n, data->dims + 2, w + 2, dims, error))
      return FALSE;
  }
  fill_spatial (g, window, n, data->dims + 2, w + 2, dims);
  return TRUE;
}

void
ocl_convolution_work (
    const OclStep *step, const OclConvolution *g, OclLaunch *launch)
{
  ocl_launch_work (
      launch, (gint64) step->out[0]->n * g->channels * ocl_volume (g->k));
}

void
ocl_launch_three (OclLaunch *launch, const gint64 *dims)
{
  for (guint d = 0; d < 3; d++)
    ocl_launch_int (launch, dims[d]);
}

GString *
ocl_convolution_options (const OclConvolution *g, const char *kernel)
{
  static const char axes[] = "DHW";
  GString *options = g_string_new (kernel);

  for (guint d = 0; d < 3; d++)
    g_string_append_printf (options, " -DK%c=%d -DS%c=%d -DD%c=%d", axes[d],
        (int) g->k[d], axes[d], (int) g->stride[d], axes[d],
        (int) g->dilation[d]);
  return options;
}

/* --- the border --- */

void
ocl_convolution_reach (const OclConvolution *g, gint64 *needed)
{
  for (guint d = 0; d < 3; d++)
    needed[d] =
        (g->out[d] - 1) * g->stride[d] + (g->k[d] - 1) * g->dilation[d] + 1;
}

gboolean
ocl_convolution_needs_border (const OclConvolution *g)
{
  gint64 needed[3];

  ocl_convolution_reach (g, needed);
  for (guint d = 0; d < 3; d++)
    if (g->pad[d] != 0 || needed[d] > g->in[d])
      return TRUE;
  return FALSE;
}

gint64
ocl_convolution_rows (const OclStep *step, gint64 rows, gint64 items)
{
  const gint64 parts = MAX (ENOUGH_ITEMS / items, 1);

  return step->scope->device->cpu ? (rows + parts - 1) / parts : 1;
}

OclValue *
ocl_convolution_pad_to (
    OclStep *step, OclConvolution *g, const gint64 *pad, const gint64 *needed)
{
  g_autoptr (GString) options = g_string_new ("-DPAD");
  const gint64 planes = g->batch * g->groups * g->channels;
  const gint64 all = needed[0] * needed[1];
  const gint64 rows = ocl_convolution_rows (step, all, planes);

  OclValue *padded = ocl_step_scratch (step, INFER_TYPE_F32,
      (gsize) (planes * ocl_volume (needed) + OCL_CONVOLUTION_SLACK));
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "convolution", "pad", options->str, NULL);
  ocl_launch_value (launch, padded);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_int (launch, rows);
  ocl_launch_three (launch, g->in);
  ocl_launch_three (launch, needed);
  ocl_launch_three (launch, pad);
  ocl_launch_rows (launch, (gsize) needed[2], (gsize) ((all + rows - 1) / rows),
      (gsize) planes);
  memcpy (g->in, needed, sizeof g->in);
  return padded;
}

OclValue *
ocl_convolution_pad (OclStep *step, OclConvolution *g)
{
  gint64 needed[3];

  ocl_convolution_reach (g, needed);
  return ocl_convolution_pad_to (step, g, g->pad, needed);
}

OclPanels
ocl_convolution_panels (
    const OclStep *step, const OclConvolution *g, guint lanes)
{
  const gint64 window = ocl_volume (g->k);
  const gint64 outer = g->transposed ? g->filters * window : window;

  return (OclPanels){ .value = step->in[1],
    .lanes = lanes,
    .n = g->filters,
    .stride = g->transposed ? window : g->channels * window,
    .k = { g->channels, window },
    .strides_k = { outer, 1 },
    .rank = 1,
    .dims = { g->groups },
    .strides = { g->filters * g->channels * window } };
}

guint
ocl_convolution_lanes (const OclConvolution *g)
{
  return g->filters >= 6 ? 16 : 1;
}

guint
ocl_convolution_width (const OclStep *step, gint64 n)
{
  if (!ocl_post_fits_rows (step))
    return 0;
  return n >= 16 ? 16 : n >= 8 ? 8 : n >= 4 ? 4 : 0;
}

void
ocl_convolution_sizes (OclLaunch *launch, const OclConvolution *g)
{
  ocl_launch_int (launch, g->channels);
  ocl_launch_int (launch, g->filters);
  ocl_launch_int (launch, g->groups);
  ocl_launch_three (launch, g->in);
  ocl_launch_three (launch, g->out);
}

void
ocl_convolution_launch (OclStep *step, const OclConvolution *g,
    OclLaunch *launch, OclValue *in, const OclPanels *panels,
    OclValue *prepared, gint64 tiles)
{
  const guint lanes = panels->lanes;

  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, panels, prepared);
  ocl_convolution_sizes (launch, g);
  ocl_post_arguments (step, launch);
  ocl_convolution_work (step, g, launch);
  ocl_launch_tiles (launch, (gsize) tiles,
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
}
