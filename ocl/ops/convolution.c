/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolution, GroupConvolution and their BackpropData. */

#include "inference/ops/convolution.h"
#include "ocl/expr.h"
#include "ocl/ops/gemm.h"

#include <string.h>

/* Floats that a row of pixels may be read beyond the end. */
#define SLACK 64
/* Work-items that no processor runs out of. */
#define ENOUGH_ITEMS 128

typedef struct
{
  gboolean transposed;
  gint64 batch, groups;
  gint64 channels, filters; /* of one group */
  gint64 in[3], k[3], out[3], stride[3], dilation[3], pad[3];
} Geometry;

static void
fill_spatial (Geometry *g, const InferWindow *window, guint n, const gint64 *in,
    const gint64 *kernel, const InferWindowDim *dims)
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
}

static gboolean
get_geometry (const OclStep *step, Geometry *g, GError **error)
{
  const InferShape *data = ocl_in_shape (step, 0);
  const InferShape *weights = ocl_in_shape (step, 1);
  const gint64 *w = weights->dims;
  const guint n = (guint) data->rank - 2;
  const InferWindow *window;
  InferWindowDim dims[INFER_MAX_SPATIAL];

  g->transposed = g_str_has_suffix (step->op->klass->type, "BackpropData");
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

static gint64
volume (const gint64 *dims)
{
  return dims[0] * dims[1] * dims[2];
}

static void
add_three (OclLaunch *launch, const gint64 *dims)
{
  for (guint d = 0; d < 3; d++)
    ocl_launch_int (launch, dims[d]);
}

static GString *
window_options (const Geometry *g, const char *kernel)
{
  static const char axes[] = "DHW";
  GString *options = g_string_new (kernel);

  for (guint d = 0; d < 3; d++)
    g_string_append_printf (options, " -DK%c=%d -DS%c=%d -DD%c=%d", axes[d],
        (int) g->k[d], axes[d], (int) g->stride[d], axes[d],
        (int) g->dilation[d]);
  return options;
}

/* --- the border ------------------------------------------------------------
 */

/* What windows reach of the padded input. */
static void
needed_size (const Geometry *g, gint64 *needed)
{
  for (guint d = 0; d < 3; d++)
    needed[d] =
        (g->out[d] - 1) * g->stride[d] + (g->k[d] - 1) * g->dilation[d] + 1;
}

static gboolean
needs_border (const Geometry *g)
{
  gint64 needed[3];

  needed_size (g, needed);
  for (guint d = 0; d < 3; d++)
    if (g->pad[d] != 0 || needed[d] > g->in[d])
      return TRUE;
  return FALSE;
}

/* Of @rows rows those that one work-item makes, with @items others beside it:
 * what goes with a channel is loaded once for all, but no processor is to run
 * out of work. */
static gint64
rows_for (const OclStep *step, gint64 rows, gint64 items)
{
  const gint64 parts = MAX (ENOUGH_ITEMS / items, 1);

  return step->scope->device->cpu ? (rows + parts - 1) / parts : 1;
}

/* The input with its border; g->in becomes its size. */
static OclValue *
add_border (OclStep *step, Geometry *g)
{
  g_autoptr (GString) options = g_string_new ("-DPAD");
  const gint64 planes = g->batch * g->groups * g->channels;
  gint64 needed[3], all, rows;
  OclValue *padded;
  OclLaunch *launch;

  needed_size (g, needed);
  all = needed[0] * needed[1];
  rows = rows_for (step, all, planes);
  padded = ocl_step_scratch (
      step, INFER_TYPE_F32, (gsize) (planes * volume (needed) + SLACK));
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  launch = ocl_step_launch (step, "convolution", "pad", options->str, NULL);
  ocl_launch_value (launch, padded);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_int (launch, rows);
  add_three (launch, g->in);
  add_three (launch, needed);
  add_three (launch, g->pad);
  ocl_launch_rows (launch, (gsize) needed[2], (gsize) ((all + rows - 1) / rows),
      (gsize) planes);
  memcpy (g->in, needed, sizeof needed);
  return padded;
}

/* --- kernels ---------------------------------------------------------------
 */

/* [groups][filters][channels][window], with the first two turned where
 * transposed. */
static OclPanels
make_panels (const OclStep *step, const Geometry *g, guint lanes)
{
  const gint64 window = volume (g->k);
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

static guint
lanes_for (const Geometry *g)
{
  return g->filters >= 6 ? 16 : 1;
}

/* @launch computes tiles of @pixels of a row and the filters of a panel's
 * lanes. */
static void
launch_windows (OclStep *step, const Geometry *g, OclLaunch *launch,
    OclValue *in, const OclPanels *panels, OclValue *prepared, guint pixels)
{
  const guint lanes = panels->lanes;

  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, panels, prepared);
  ocl_launch_int (launch, g->channels);
  ocl_launch_int (launch, g->filters);
  ocl_launch_int (launch, g->groups);
  add_three (launch, g->in);
  add_three (launch, g->out);
  ocl_post_arguments (step, launch);
  ocl_launch_tiles (launch,
      (gsize) ((g->out[2] + pixels - 1) / pixels * g->out[1] * g->out[0]),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
}

static void
add_conv (OclStep *step, Geometry *g)
{
  const guint lanes = lanes_for (g);
  g_autoptr (GString) options = window_options (g, "-DCONV");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);
  OclValue *in = needs_border (g) ? add_border (step, g) : step->in[0];
  const OclPanels panels = make_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  const guint pixels = ocl_tile_size (g->out[2], step->scope->device->tile);
  OclLaunch *launch;

  g_string_append_printf (options, " -DLANES=%u -DPIXELS=%u", lanes, pixels);
  ocl_option_type (options, "IN_TYPE", in->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  launch = ocl_step_launch (step, "convolution", "conv", options->str, text);
  launch_windows (step, g, launch, in, &panels, prepared, pixels);
  step->kernel = "conv";
}

/* Of rows this long: whole vectors, the last of which may overlap the one
 * before; 0: none. */
static guint
width_for (const OclStep *step, const Geometry *g)
{
  if (!ocl_post_fits_rows (step))
    return 0;
  return g->out[2] >= 16 ? 16 : g->out[2] >= 8 ? 8 : g->out[2] >= 4 ? 4 : 0;
}

/* Compilers for processors keep vectors of pixels in registers; on GPUs
 * neighbours are other work-items. */
static gboolean
goes_by_rows (const OclStep *step, const Geometry *g)
{
  return step->scope->device->cpu && width_for (step, g) >= 8
         && g->stride[2] <= 2 && g->filters >= 4
         && step->in[0]->desc.type == INFER_TYPE_F32;
}

static void
add_conv_rows (OclStep *step, Geometry *g)
{
  const guint lanes = ocl_tile_size (g->filters, step->scope->device->tile);
  const guint width = width_for (step, g);
  g_autoptr (GString) options = window_options (g, "-DCONV_ROWS");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  /* Every other element is taken of twice as many. */
  OclValue *in =
      needs_border (g) || g->stride[2] > 1 ? add_border (step, g) : step->in[0];
  const OclPanels panels = make_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclLaunch *launch;

  g_string_append_printf (options, " -DLANES=%u -DWIDTH=%u", lanes, width);
  launch =
      ocl_step_launch (step, "convolution", "conv_rows", options->str, text);
  launch_windows (step, g, launch, in, &panels, prepared, width);
  step->kernel = "conv_rows";
}

static gboolean
is_depthwise (const Geometry *g)
{
  return g->channels == 1 && g->filters == 1 && g->groups > 1
         && g->stride[2] <= 2;
}

static void
add_depthwise (OclStep *step, Geometry *g)
{
  g_autoptr (GString) options = window_options (g, "-DDEPTHWISE");
  const guint width = width_for (step, g);
  g_autofree char *text = width > 0 ? ocl_post_rows_text (step, 1)
                                    : ocl_post_text (step, INFER_TYPE_F32, 1);
  const guint pixels = width > 0 ? width : g->out[2] > 8 ? 16 : 8;
  const gint64 tiles = (g->out[2] + pixels - 1) / pixels;
  const gint64 rows =
      rows_for (step, g->out[0] * g->out[1], g->batch * g->groups * tiles);
  OclValue *in = add_border (step, g);
  const OclPanels panels = make_panels (step, g, 1);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclLaunch *launch;

  g_string_append_printf (
      options, " -DWIDTH=%u%s", pixels, width > 0 ? "" : " -DSINGLE");
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  launch =
      ocl_step_launch (step, "convolution", "depthwise", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->groups);
  ocl_launch_int (launch, rows);
  add_three (launch, g->in);
  add_three (launch, g->out);
  ocl_post_arguments (step, launch);
  ocl_launch_over (launch, (gsize) tiles,
      (gsize) ((g->out[1] * g->out[0] + rows - 1) / rows),
      (gsize) (g->batch * g->groups));
  step->kernel = "conv_depthwise";
}

static void
add_back (OclStep *step, const Geometry *g)
{
  const guint lanes = lanes_for (g);
  g_autoptr (GString) options = window_options (g, "-DBACK");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = make_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclLaunch *launch;

  g_string_append_printf (options, " -DLANES=%u", lanes);
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  launch =
      ocl_step_launch (step, "convolution", "conv_back", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->channels);
  ocl_launch_int (launch, g->filters);
  ocl_launch_int (launch, g->groups);
  add_three (launch, g->in);
  add_three (launch, g->out);
  add_three (launch, g->pad);
  ocl_post_arguments (step, launch);
  ocl_launch_tiles (launch, (gsize) volume (g->out),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
  step->kernel = "conv_back";
}

/* Windows of one element: all pixels are one row. */
static void
flatten (Geometry *g)
{
  if (volume (g->k) != 1 || volume (g->stride) != 1 || needs_border (g))
    return;
  g->in[2] = volume (g->in);
  g->out[2] = volume (g->out);
  g->in[0] = g->in[1] = g->out[0] = g->out[1] = 1;
}

static gboolean
prepare (OclStep *step, GError **error)
{
  Geometry g;

  if (!get_geometry (step, &g, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  if (step->in[0]->n == 0 || step->in[1]->n == 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "sums over no elements have no OpenCL kernel");
  if (g.transposed) {
    add_back (step, &g);
    return TRUE;
  }
  flatten (&g);
  if (is_depthwise (&g))
    add_depthwise (step, &g);
  else if (goes_by_rows (step, &g))
    add_conv_rows (step, &g);
  else
    add_conv (step, &g);
  return TRUE;
}

static gboolean
absorb (const OclStep *step, const OclPost *post)
{
  return ocl_post_fits (step, post, 1);
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  InferType type = op->outputs[0].desc.type;

  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (type));
}

/* clang-format off */
#define CONVOLUTION(name, type_, host)                                         \
  const OclOp ocl_op_##name = {                                                \
    .type = type_,                                                             \
    .host_inputs = host,                                                       \
    .supports = supports,                                                      \
    .absorb = absorb,                                                          \
    .prepare = prepare,                                                        \
  };

CONVOLUTION (convolution, "Convolution", 0)
CONVOLUTION (convolution_backprop, "ConvolutionBackpropData", 1 << 2)
CONVOLUTION (group_convolution, "GroupConvolution", 0)
CONVOLUTION (group_convolution_backprop, "GroupConvolutionBackpropData", 1 << 2)
/* clang-format on */
