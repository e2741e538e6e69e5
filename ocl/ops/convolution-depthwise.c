/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Depthwise convolutions. */

#include "ocl/ops/convolution.h"
#include "ocl/plan/post.h"

/* Floats of private memory per work-item. */
#define MAX_BAND 4096
/* Pixels per work-item, at least: planes are computed in sequence. */
#define MIN_PIXELS 2048
/* Weights of a window that fit the registers. */
#define MAX_TAPS 25

/* Pixels per tile where rows are not vectors. */
static guint
pixels_for (const OclConvolution *g)
{
  return g->out[2] > 8 ? 16 : 8;
}

gboolean
ocl_convolution_is_depthwise (const OclConvolution *g)
{
  return g->channels == 1 && g->filters == 1 && g->groups > 1
         && g->stride[2] <= 2;
}

/* Rows per work-item if it copies its input rows with their border to private
 * memory, which should fit the L1 cache.  0: not even one row fits. */
static gint64
band_rows (const OclStep *step, const OclConvolution *g, gint64 *floats)
{
  const gint64 planes = g->batch * g->groups;
  gint64 needed[3], rows;

  ocl_convolution_reach (g, needed);
  if (!step->scope->device->cpu || ocl_volume (g->k) != g->k[1] * g->k[2]
      || g->in[0] != 1 || g->out[0] != 1 || g->pad[0] != 0)
    return 0;
  rows =
      (MAX_BAND / needed[2] - (g->k[1] - 1) * g->dilation[1] - 1) / g->stride[1]
      + 1;
  rows = MIN (rows, ocl_convolution_rows (step, g->out[1], planes));
  if (rows < 1)
    return 0;
  *floats = ((rows - 1) * g->stride[1] + (g->k[1] - 1) * g->dilation[1] + 1)
                * needed[2]
            + OCL_CONVOLUTION_SLACK;
  return rows;
}

/* Whether windows stay within the input. */
static gboolean
can_do_without (const OclStep *step, const OclConvolution *g)
{
  return ocl_convolution_width (step, g->out[2]) > 0 && g->stride[2] == 1
         && !ocl_convolution_needs_border (g)
         && step->in[0]->desc.type == INFER_TYPE_F32;
}

static OclLaunch *
launch_depthwise (OclStep *step, const OclConvolution *g, guint width,
    gint64 band, OclValue *in)
{
  g_autoptr (GString) options = ocl_convolution_options (g, "-DDEPTHWISE");
  g_autofree char *text = width > 0 ? ocl_post_rows_text (step, 1)
                                    : ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = ocl_convolution_panels (step, g, 1);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (options, " -DWIDTH=%u%s",
      width > 0 ? width : pixels_for (g), width > 0 ? "" : " -DSINGLE");
  if (band > 0)
    g_string_append_printf (options, " -DBAND=%d", (int) band);
  ocl_option_type (options, "IN_TYPE", in->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch = ocl_step_launch (step, "depthwise",
      band > 0 ? "depthwise_band" : "depthwise", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, in);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->groups);
  ocl_convolution_work (step, g, launch);
  return launch;
}

static void
add_depthwise_band (
    OclStep *step, const OclConvolution *g, gint64 rows, gint64 floats)
{
  OclLaunch *launch = launch_depthwise (
      step, g, ocl_convolution_width (step, g->out[2]), floats, step->in[0]);
  gint64 needed[3];

  ocl_convolution_reach (g, needed);
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
add_depthwise (OclStep *step, OclConvolution *g)
{
  const guint width = ocl_convolution_width (step, g->out[2]);
  const guint pixels = width > 0 ? width : pixels_for (g);
  const gint64 tiles = (g->out[2] + pixels - 1) / pixels;
  const gint64 rows = ocl_convolution_rows (
      step, g->out[0] * g->out[1], g->batch * g->groups * tiles);
  OclValue *in =
      can_do_without (step, g) ? step->in[0] : ocl_convolution_pad (step, g);
  OclLaunch *launch = launch_depthwise (step, g, width, 0, in);

  ocl_launch_int (launch, rows);
  ocl_launch_three (launch, g->in);
  ocl_launch_three (launch, g->out);
  ocl_post_arguments (step, launch);
  ocl_launch_over (launch, (gsize) tiles,
      (gsize) ((g->out[1] * g->out[0] + rows - 1) / rows),
      (gsize) (g->batch * g->groups));
}

static gboolean
is_pixel_for_pixel (const OclConvolution *g)
{
  for (guint d = 0; d < 3; d++)
    if (g->stride[d] != 1 || g->in[d] != g->out[d] || g->pad[d] < 0)
      return FALSE;
  return g->k[0] == 1;
}

/* Private floats per column of the window: border, plane, border.  0: does not
 * fit. */
static gint64
plane_floats (const OclStep *step, const OclConvolution *g, gint64 *skip)
{
  const gint64 reach = (g->k[1] - 1) * g->dilation[1] * g->in[2];
  const gint64 floats = ocl_volume (g->in) + reach + g->pad[2];

  if (!step->scope->device->cpu || !is_pixel_for_pixel (g)
      || step->in[0]->desc.type != INFER_TYPE_F32
      || ocl_convolution_width (step, ocl_volume (g->in)) == 0
      || ocl_volume (g->k) > MAX_TAPS || floats * g->k[2] > MAX_BAND)
    return 0;
  *skip = MAX (g->pad[1] * g->in[2], g->k[2] * g->dilation[2]);
  return floats + *skip;
}

static void
add_planes (OclStep *step, const OclConvolution *g, gint64 floats, gint64 skip)
{
  const guint width = ocl_convolution_width (step, ocl_volume (g->in));
  const gint64 planes = g->batch * g->groups;
  const gint64 each = MAX (ocl_convolution_rows (step, planes, 1),
      MIN (MIN_PIXELS / ocl_volume (g->in) + 1, planes));
  g_autoptr (GString) options = ocl_convolution_options (g, "-DPLANES");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  const OclPanels panels = ocl_convolution_panels (step, g, 1);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (options, " -DWIDTH=%u -DBAND=%d -DSKIP=%d", width,
      (int) floats, (int) skip);
  OclLaunch *launch = ocl_step_launch (
      step, "depthwise", "depthwise_planes", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->groups);
  ocl_launch_int (launch, planes);
  ocl_launch_int (launch, each);
  ocl_launch_int (launch, g->in[1]);
  ocl_launch_int (launch, g->in[2]);
  ocl_launch_int (launch, g->pad[1]);
  ocl_launch_int (launch, g->pad[2]);
  ocl_post_arguments (step, launch);
  ocl_convolution_work (step, g, launch);
  ocl_launch_each (launch, (gsize) ((planes + each - 1) / each), 1, 1);
}

/* Each plane is one dot product. */
static gboolean
is_whole (const OclConvolution *g)
{
  return ocl_volume (g->out) == 1 && ocl_volume (g->in) == ocl_volume (g->k)
         && !ocl_convolution_needs_border (g);
}

static void
add_whole (OclStep *step, const OclConvolution *g)
{
  g_autoptr (GString) options = g_string_new ("-DWHOLE");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = ocl_convolution_panels (step, g, 1);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (options, " -DTAPS=%d", (int) ocl_volume (g->k));
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch = ocl_step_launch (
      step, "depthwise", "depthwise_whole", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_int (launch, g->groups);
  ocl_launch_int (launch, g->batch * g->groups);
  ocl_post_arguments (step, launch);
  ocl_convolution_work (step, g, launch);
  ocl_launch_rows (launch, (gsize) (g->batch * g->groups), 1, 1);
}

void
ocl_convolution_depthwise (OclStep *step, OclConvolution *g)
{
  gint64 skip, floats = plane_floats (step, g, &skip), rows;

  step->kernel = "conv_depthwise";
  if (is_whole (g)) {
    add_whole (step, g);
    return;
  }
  if (floats > 0) {
    add_planes (step, g, floats, skip);
    return;
  }
  rows = can_do_without (step, g) ? 0 : band_rows (step, g, &floats);
  if (rows > 0)
    add_depthwise_band (step, g, rows, floats);
  else
    add_depthwise (step, g);
}
