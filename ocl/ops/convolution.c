/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolution, GroupConvolution and their BackpropData. */

#include "ocl/ops/convolution.h"
#include "ocl/plan/post.h"

/* A tile has 8 rows at least. */
#define LEAST_FILTERS 3

/* Whether sums are transposed at the end, so that a channel's pixels are stored
 * as a vector. */
static gboolean
transposes_sums (const OclStep *step, const OclConvolution *g)
{
  return step->scope->device->cpu && ocl_convolution_lanes (g) == 16
         && ocl_post_fits_rows (step) && !ocl_post_reads_all (step, 1);
}

static guint
pixels_for (const OclStep *step, const OclConvolution *g)
{
  const guint most = step->scope->device->tile;

  return ocl_tile_size (
      g->out[2], transposes_sums (step, g) ? MIN (most, 16) : most);
}

static void
add_conv (OclStep *step, OclConvolution *g)
{
  const guint lanes = ocl_convolution_lanes (g);
  const gboolean transpose = transposes_sums (step, g);
  g_autoptr (GString) options = ocl_convolution_options (g, "-DCONV");
  g_autofree char *text = transpose ? ocl_post_rows_text (step, 1)
                                    : ocl_post_text (step, INFER_TYPE_F32, 1);
  OclValue *in = ocl_convolution_needs_border (g)
                     ? ocl_convolution_pad (step, g)
                     : step->in[0];
  const OclPanels panels = ocl_convolution_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  const guint pixels = pixels_for (step, g);

  g_string_append_printf (options, " -DLANES=%u -DPIXELS=%u", lanes, pixels);
  if (transpose)
    g_string_append (options, " -DWIDTH=16 -DTRANSPOSE");
  ocl_option_type (options, "IN_TYPE", in->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "convolution", "conv", options->str, text);
  ocl_convolution_launch (step, g, launch, in, &panels, prepared,
      (g->out[2] + pixels - 1) / pixels * g->out[1] * g->out[0]);
  step->kernel = "conv";
}

/* Whole rows that share a vector of 16. */
static guint
lines_for (const OclStep *step, const OclConvolution *g)
{
  const guint lines = g->out[2] == 8 ? 2 : g->out[2] == 4 ? 4 : 1;

  return ocl_convolution_width (step, g->out[2]) > 0 && g->out[1] >= lines
             ? lines
             : 1;
}

/* Pixels of a row × filters as computed, including overlap and padding. */
static gint64
cost_of_rows (const OclStep *step, const OclConvolution *g)
{
  const gint64 width = ocl_convolution_width (step, g->out[2]);

  return lines_for (step, g) > 1
             ? g->out[2] * g->filters
             : (g->out[2] + width - 1) / width * 16 * g->filters;
}

/* Plus a tenth for the transposition. */
static gint64
cost_of_lanes (const OclStep *step, const OclConvolution *g)
{
  const gint64 pixels = pixels_for (step, g);
  const gint64 lanes = ocl_convolution_lanes (g);

  return (g->out[2] + pixels - 1) / pixels * pixels
         * ((g->filters + lanes - 1) / lanes * lanes) * 11 / 10;
}

/* Compilers for processors keep vectors of pixels in registers; on GPUs
 * neighbouring pixels are other work-items. */
static gboolean
goes_by_rows (const OclStep *step, const OclConvolution *g)
{
  return step->scope->device->cpu
         && (ocl_convolution_width (step, g->out[2]) >= 8
             || lines_for (step, g) > 1)
         && g->stride[2] <= 2 && g->filters >= 4
         && step->in[0]->desc.type == INFER_TYPE_F32
         && (!transposes_sums (step, g)
             || cost_of_rows (step, g) <= cost_of_lanes (step, g));
}

static void
add_conv_rows (OclStep *step, OclConvolution *g)
{
  const guint lanes = ocl_tile_size (g->filters, step->scope->device->tile);
  const guint lines = lines_for (step, g);
  const guint width = lines > 1 ? 16 : ocl_convolution_width (step, g->out[2]);
  g_autoptr (GString) options = ocl_convolution_options (g, "-DCONV_ROWS");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  /* A stride of 2 loads twice the width, beyond the end of the row. */
  OclValue *in = ocl_convolution_needs_border (g) || g->stride[2] > 1
                     ? ocl_convolution_pad (step, g)
                     : step->in[0];
  const OclPanels panels = ocl_convolution_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (
      options, " -DLANES=%u -DWIDTH=%u -DLINES=%u", lanes, width, lines);
  OclLaunch *launch =
      ocl_step_launch (step, "convolution", "conv_rows", options->str, text);
  ocl_convolution_launch (step, g, launch, in, &panels, prepared,
      lines > 1 ? (g->out[1] + lines - 1) / lines * g->out[0]
                : (g->out[2] + width - 1) / width * g->out[1] * g->out[0]);
  step->kernel = "conv_rows";
}

/* Neighbouring pixels are neighbouring work-items, which read the input through
 * the caches of GPUs. */
static void
add_conv_each (OclStep *step, const OclConvolution *g)
{
  g_autoptr (GString) options = ocl_convolution_options (g, "-DEACH_PIXEL");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);

  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "W_TYPE", step->in[1]->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "convolution", "conv_each", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_launch_value (launch, step->in[1]);
  ocl_convolution_sizes (launch, g);
  ocl_launch_three (launch, g->pad);
  ocl_post_arguments (step, launch);
  ocl_convolution_work (step, g, launch);
  ocl_launch_over (launch, (gsize) g->out[2], (gsize) (g->out[0] * g->out[1]),
      (gsize) (g->batch * g->groups * g->filters));
  step->kernel = "conv_each";
}

/* Tiles of filters × pixels, if there are filters for a tile.  FALSE: the
 * device has no local memory for it. */
static gboolean
add_conv_for_gpu (OclStep *step, const OclConvolution *g)
{
  if (step->scope->device->local_memory == 0)
    return FALSE;
  if (g->filters >= LEAST_FILTERS && ocl_convolution_tile (step, g))
    return TRUE;
  add_conv_each (step, g);
  return TRUE;
}

/* 1×1 windows: all pixels become one row. */
static void
flatten (OclConvolution *g)
{
  if (ocl_volume (g->k) != 1 || ocl_volume (g->stride) != 1
      || ocl_convolution_needs_border (g))
    return;
  g->in[2] = ocl_volume (g->in);
  g->out[2] = ocl_volume (g->out);
  g->in[0] = g->in[1] = g->out[0] = g->out[1] = 1;
}

static gboolean
prepare (OclStep *step, GError **error)
{
  OclConvolution g;

  if (!ocl_convolution_init (step, &g, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  if (step->in[0]->n == 0 || step->in[1]->n == 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "sums over no elements have no OpenCL kernel");
  if (g.transposed) {
    ocl_convolution_transposed (step, &g);
    return TRUE;
  }
  flatten (&g);
  if (add_conv_for_gpu (step, &g))
    return TRUE;
  if (ocl_convolution_is_depthwise (&g))
    ocl_convolution_depthwise (step, &g);
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
#define CONVOLUTION(name, host)                                         \
  const OclOp ocl_op_##name = {                                                \
    .host_inputs = host,                                                       \
    .supports = supports,                                                      \
    .absorb = absorb,                                                          \
    .prepare = prepare,                                                        \
  };

CONVOLUTION (convolution, 0)
CONVOLUTION (convolution_backprop_data, 1 << 2)
CONVOLUTION (group_convolution, 0)
CONVOLUTION (group_convolution_backprop_data, 1 << 2)
/* clang-format on */
