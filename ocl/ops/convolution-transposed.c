/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ConvolutionBackpropData and GroupConvolutionBackpropData. */

#include "ocl/ops/convolution.h"
#include "ocl/plan/post.h"

static void
add_back (OclStep *step, const OclConvolution *g)
{
  const guint lanes = ocl_convolution_lanes (g);
  g_autoptr (GString) options = ocl_convolution_options (g, "-DBACK");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = ocl_convolution_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (options, " -DLANES=%u", lanes);
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "transposed", "conv_back", options->str, text);
  ocl_launch_value (launch, step->out[0]);
  ocl_launch_value (launch, step->in[0]);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_convolution_sizes (launch, g);
  ocl_launch_three (launch, g->pad);
  ocl_post_arguments (step, launch);
  ocl_convolution_work (step, g, launch);
  ocl_launch_tiles (launch, (gsize) ocl_volume (g->out),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
  step->kernel = "conv_back";
}

/* Output pixels that are STRIDE apart (a phase) read consecutive input pixels:
 * their count per dimension, and the position of the first. */
typedef struct
{
  gint64 count[3], first[3];
  gint64 pad[3], needed[3]; /* border and size of the padded input */
} Phases;

static void
fill_phases (const OclConvolution *g, Phases *phases)
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
goes_back_by_rows (
    const OclStep *step, const OclConvolution *g, const Phases *phases)
{
  return step->scope->device->cpu && ocl_post_fits_rows (step)
         && !ocl_post_reads_all (step, 1)
         && step->in[0]->desc.type == INFER_TYPE_F32 && phases->count[2] >= 8
         && g->in[0] == 1 && g->out[0] == 1 && g->k[0] == 1
         && g->dilation[1] == 1 && g->dilation[2] == 1;
}

static void
add_back_rows (OclStep *step, OclConvolution *g, const Phases *phases)
{
  const guint lanes = ocl_tile_size (g->filters, step->scope->device->tile);
  const gint64 columns = phases->count[2];
  const guint width = columns >= 16 ? 16 : 8;
  g_autoptr (GString) options = ocl_convolution_options (g, "-DBACK_ROWS");
  g_autofree char *text = ocl_post_rows_text (step, 1);
  gboolean border = FALSE;
  OclValue *in = step->in[0];

  for (guint d = 1; d < 3; d++)
    border = border || phases->pad[d] != 0 || phases->needed[d] > g->in[d];
  if (border)
    in = ocl_convolution_pad_to (step, g, phases->pad, phases->needed);
  const OclPanels panels = ocl_convolution_panels (step, g, lanes);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  g_string_append_printf (options, " -DLANES=%u -DWIDTH=%u", lanes, width);
  OclLaunch *launch = ocl_step_launch (
      step, "transposed", "conv_back_rows", options->str, text);
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
  ocl_convolution_work (step, g, launch);
  ocl_launch_tiles (launch,
      (gsize) ((columns + width - 1) / width * g->stride[2] * g->out[1]),
      (gsize) ((g->filters + lanes - 1) / lanes * g->groups), (gsize) g->batch);
  step->kernel = "conv_back_rows";
}

void
ocl_convolution_transposed (OclStep *step, OclConvolution *g)
{
  Phases phases;

  fill_phases (g, &phases);
  if (goes_back_by_rows (step, g, &phases))
    add_back_rows (step, g, &phases);
  else
    add_back (step, g);
}
