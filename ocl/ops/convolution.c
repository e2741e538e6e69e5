/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolution, GroupConvolution and their BackpropData. */

#include "inference/ops/convolution.h"
#include "ocl/post.h"
#include "ocl/ops/gemm.h"

#include <string.h>

/* Floats that a row of pixels may be read beyond the end. */
#define SLACK 64
/* Floats of lines that a work-item keeps. */
#define MAX_BAND 4096
/* Work-items that no processor runs out of. */
#define ENOUGH_ITEMS 128

typedef struct
{
  gboolean transposed;
  gint64 batch, groups;
  gint64 channels, filters; /* of one group */
  gint64 in[3], k[3], out[3], stride[3], dilation[3], pad[3];
} Geometry;

/* Rows of one element are none: their columns are. */
static void
turn_columns (Geometry *g)
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
  turn_columns (g);
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

/* Products of all windows, those between strides of a transposed one too. */
static void
add_work (const OclStep *step, const Geometry *g, OclLaunch *launch)
{
  ocl_launch_work (
      launch, (gint64) step->out[0]->n * g->channels * volume (g->k));
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

/* The input with a border of @pad before it, @needed in all, which g->in
 * becomes. */
static OclValue *
add_border_of (
    OclStep *step, Geometry *g, const gint64 *pad, const gint64 *needed)
{
  g_autoptr (GString) options = g_string_new ("-DPAD");
  const gint64 planes = g->batch * g->groups * g->channels;
  const gint64 all = needed[0] * needed[1];
  const gint64 rows = rows_for (step, all, planes);
  OclValue *padded;
  OclLaunch *launch;

  padded = ocl_step_scratch (
      step, INFER_TYPE_F32, (gsize) (planes * volume (needed) + SLACK));
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  launch = ocl_step_launch (step, "convolution", "pad", options->str, NULL);
  ocl_launch_value (launch, padded);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_int (launch, rows);
  add_three (launch, g->in);
  add_three (launch, needed);
  add_three (launch, pad);
  ocl_launch_rows (launch, (gsize) needed[2], (gsize) ((all + rows - 1) / rows),
      (gsize) planes);
  memcpy (g->in, needed, sizeof g->in);
  return padded;
}

static OclValue *
add_border (OclStep *step, Geometry *g)
{
  gint64 needed[3];

  needed_size (g, needed);
  return add_border_of (step, g, g->pad, needed);
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

/* @launch computes @tiles for the filters of a panel's lanes. */
static void
launch_windows (OclStep *step, const Geometry *g, OclLaunch *launch,
    OclValue *in, const OclPanels *panels, OclValue *prepared, gint64 tiles)
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
  add_work (step, g, launch);
  ocl_launch_tiles (launch, (gsize) tiles,
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
  launch_windows (step, g, launch, in, &panels, prepared,
      (g->out[2] + pixels - 1) / pixels * g->out[1] * g->out[0]);
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

/* Whole lines that are one vector of 16. */
static guint
lines_for (const OclStep *step, const Geometry *g)
{
  const guint lines = g->out[2] == 8 ? 2 : g->out[2] == 4 ? 4 : 1;

  return width_for (step, g) > 0 && g->out[1] >= lines ? lines : 1;
}

/* As many where there is no such vector. */
static guint
pixels_for (const Geometry *g)
{
  return g->out[2] > 8 ? 16 : 8;
}

/* Compilers for processors keep vectors of pixels in registers; on GPUs
 * neighbours are other work-items. */
static gboolean
goes_by_rows (const OclStep *step, const Geometry *g)
{
  return step->scope->device->cpu
         && (width_for (step, g) >= 8 || lines_for (step, g) > 1)
         && g->stride[2] <= 2 && g->filters >= 4
         && step->in[0]->desc.type == INFER_TYPE_F32;
}

static void
add_conv_rows (OclStep *step, Geometry *g)
{
  const guint lanes = ocl_tile_size (g->filters, step->scope->device->tile);
  const guint lines = lines_for (step, g);
  const guint width = lines > 1 ? 16 : width_for (step, g);
  g_autoptr (GString) options = window_options (g, "-DCONV_ROWS");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  /* Every other element is taken of twice as many. */
  OclValue *in =
      needs_border (g) || g->stride[2] > 1 ? add_border (step, g) : step->in[0];
  const OclPanels panels = make_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclLaunch *launch;

  g_string_append_printf (
      options, " -DLANES=%u -DWIDTH=%u -DLINES=%u", lanes, width, lines);
  launch =
      ocl_step_launch (step, "convolution", "conv_rows", options->str, text);
  launch_windows (step, g, launch, in, &panels, prepared,
      lines > 1 ? (g->out[1] + lines - 1) / lines * g->out[0]
                : (g->out[2] + width - 1) / width * g->out[1] * g->out[0]);
  step->kernel = "conv_rows";
}

static gboolean
is_depthwise (const Geometry *g)
{
  return g->channels == 1 && g->filters == 1 && g->groups > 1
         && g->stride[2] <= 2;
}

/* Rows that a work-item makes from lines with their border in memory of its
 * own: as much as stays in the nearest cache.  0: not one. */
static gint64
band_rows (const OclStep *step, const Geometry *g, gint64 *floats)
{
  const gint64 planes = g->batch * g->groups;
  gint64 needed[3], rows;

  needed_size (g, needed);
  if (!step->scope->device->cpu || volume (g->k) != g->k[1] * g->k[2]
      || g->in[0] != 1 || g->out[0] != 1 || g->pad[0] != 0)
    return 0;
  rows =
      (MAX_BAND / needed[2] - (g->k[1] - 1) * g->dilation[1] - 1) / g->stride[1]
      + 1;
  rows = MIN (rows, rows_for (step, g->out[1], planes));
  if (rows < 1)
    return 0;
  *floats = ((rows - 1) * g->stride[1] + (g->k[1] - 1) * g->dilation[1] + 1)
                * needed[2]
            + SLACK;
  return rows;
}

/* Whether nothing is read that is not there. */
static gboolean
can_do_without (const OclStep *step, const Geometry *g)
{
  return width_for (step, g) > 0 && g->stride[2] == 1 && !needs_border (g)
         && step->in[0]->desc.type == INFER_TYPE_F32;
}

static OclLaunch *
launch_depthwise (
    OclStep *step, const Geometry *g, guint width, gint64 band, OclValue *in)
{
  g_autoptr (GString) options = window_options (g, "-DDEPTHWISE");
  g_autofree char *text = width > 0 ? ocl_post_rows_text (step, 1)
                                    : ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = make_panels (step, g, 1);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclLaunch *launch;

  g_string_append_printf (options, " -DWIDTH=%u%s",
      width > 0 ? width : pixels_for (g), width > 0 ? "" : " -DSINGLE");
  if (band > 0)
    g_string_append_printf (options, " -DBAND=%d", (int) band);
  ocl_option_type (options, "IN_TYPE", in->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  launch = ocl_step_launch (step, "convolution",
      band > 0 ? "depthwise_band" : "depthwise", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->groups);
  add_work (step, g, launch);
  return launch;
}

static void
add_depthwise_band (
    OclStep *step, const Geometry *g, gint64 rows, gint64 floats)
{
  OclLaunch *launch =
      launch_depthwise (step, g, width_for (step, g), floats, step->in[0]);
  gint64 needed[3];

  needed_size (g, needed);
  ocl_launch_int (launch, rows);
  ocl_launch_int (launch, g->in[1]);
  ocl_launch_int (launch, g->in[2]);
  ocl_launch_int (launch, g->out[1]);
  ocl_launch_int (launch, g->out[2]);
  ocl_launch_int (launch, g->pad[1]);
  ocl_launch_int (launch, g->pad[2]);
  ocl_launch_int (launch, needed[2]);
  ocl_post_arguments (step, launch);
  ocl_launch_each (launch, (gsize) ((g->out[1] + rows - 1) / rows),
      (gsize) (g->batch * g->groups), 1);
}

static void
add_depthwise (OclStep *step, Geometry *g)
{
  const guint width = width_for (step, g);
  const guint pixels = width > 0 ? width : pixels_for (g);
  const gint64 tiles = (g->out[2] + pixels - 1) / pixels;
  const gint64 rows =
      rows_for (step, g->out[0] * g->out[1], g->batch * g->groups * tiles);
  OclValue *in = can_do_without (step, g) ? step->in[0] : add_border (step, g);
  OclLaunch *launch = launch_depthwise (step, g, width, 0, in);

  ocl_launch_int (launch, rows);
  add_three (launch, g->in);
  add_three (launch, g->out);
  ocl_post_arguments (step, launch);
  ocl_launch_over (launch, (gsize) tiles,
      (gsize) ((g->out[1] * g->out[0] + rows - 1) / rows),
      (gsize) (g->batch * g->groups));
}

static void
add_any_depthwise (OclStep *step, Geometry *g)
{
  gint64 floats;
  const gint64 rows =
      can_do_without (step, g) ? 0 : band_rows (step, g, &floats);

  if (rows > 0)
    add_depthwise_band (step, g, rows, floats);
  else
    add_depthwise (step, g);
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
  add_work (step, g, launch);
  ocl_launch_tiles (launch, (gsize) volume (g->out),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
  step->kernel = "conv_back";
}

/* Pixels that are STRIDE apart see the input one after the other: how many
 * there are in a line, and where the first would be. */
typedef struct
{
  gint64 count[3], first[3];
  gint64 pad[3], needed[3]; /* of the input, with its border */
} Phases;

static void
fill_phases (const Geometry *g, Phases *phases)
{
  for (guint d = 0; d < 3; d++) {
    const gint64 skipped = g->pad[d] / g->stride[d];
    const gint64 reach = (g->k[d] - 1) / g->stride[d];

    phases->first[d] = skipped * g->stride[d] - g->pad[d];
    phases->count[d] = (g->out[d] - 1 - phases->first[d]) / g->stride[d] + 1;
    phases->pad[d] = reach - skipped;
    phases->needed[d] = phases->count[d] + reach;
  }
}

static gboolean
goes_back_by_rows (const OclStep *step, const Geometry *g, const Phases *phases)
{
  return step->scope->device->cpu && ocl_post_fits_rows (step)
         && !ocl_post_reads_all (step, 1)
         && step->in[0]->desc.type == INFER_TYPE_F32 && phases->count[2] >= 8
         && g->in[0] == 1 && g->out[0] == 1 && g->k[0] == 1
         && g->dilation[1] == 1 && g->dilation[2] == 1;
}

static void
add_back_rows (OclStep *step, Geometry *g, const Phases *phases)
{
  const guint lanes = ocl_tile_size (g->filters, step->scope->device->tile);
  const gint64 columns = phases->count[2];
  const guint width = columns >= 16 ? 16 : 8;
  g_autoptr (GString) options = window_options (g, "-DBACK_ROWS");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  gboolean border = FALSE;
  OclValue *in = step->in[0];
  OclLaunch *launch;

  for (guint d = 1; d < 3; d++)
    border = border || phases->pad[d] != 0 || phases->needed[d] > g->in[d];
  if (border)
    in = add_border_of (step, g, phases->pad, phases->needed);
  const OclPanels panels = make_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  g_string_append_printf (options, " -DLANES=%u -DWIDTH=%u", lanes, width);
  launch = ocl_step_launch (
      step, "convolution", "conv_back_rows", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->channels);
  ocl_launch_int (launch, g->filters);
  ocl_launch_int (launch, g->groups);
  ocl_launch_int (launch, g->in[1]);
  ocl_launch_int (launch, g->in[2]);
  ocl_launch_int (launch, g->out[1]);
  ocl_launch_int (launch, g->out[2]);
  ocl_launch_int (launch, columns);
  ocl_launch_int (launch, phases->first[1]);
  ocl_launch_int (launch, phases->first[2]);
  ocl_post_arguments (step, launch);
  add_work (step, g, launch);
  ocl_launch_tiles (launch,
      (gsize) ((columns + width - 1) / width * g->stride[2] * g->out[1]),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
  step->kernel = "conv_back_rows";
}

static void
add_transposed (OclStep *step, Geometry *g)
{
  Phases phases;

  fill_phases (g, &phases);
  if (goes_back_by_rows (step, g, &phases))
    add_back_rows (step, g, &phases);
  else
    add_back (step, g);
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
    add_transposed (step, &g);
    return TRUE;
  }
  flatten (&g);
  if (is_depthwise (&g))
    add_any_depthwise (step, &g);
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
