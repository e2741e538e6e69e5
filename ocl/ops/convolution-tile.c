/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions by tiles of filters × pixels in local memory; the input's border
 * is not stored anywhere. */

#include "ocl/ops/convolution.h"
#include "ocl/ops/tile.h"
#include "ocl/plan/post.h"

/* Blocks of k are channels of one tap of the window: no block's last rows
 * should be far beyond the last channel. */
static gboolean
goes_by_window (const OclConvolution *g, const OclTile *tile)
{
  const gint64 depth = tile->depth;
  const gint64 rounded = (g->channels + depth - 1) / depth * depth;

  return rounded - g->channels <= g->channels / 4;
}

static gboolean
is_pointwise (const OclConvolution *g)
{
  return ocl_volume (g->k) == 1 && ocl_volume (g->stride) == 1
         && !ocl_convolution_needs_border (g);
}

/* Filters as panels of the tile's rows: [channel][window], or the reverse. */
static OclPanels
make_panels (const OclStep *step, const OclConvolution *g, guint rows,
    gboolean by_window)
{
  OclPanels panels = ocl_convolution_panels (step, g, rows);

  if (by_window) {
    panels.k[0] = ocl_volume (g->k);
    panels.k[1] = g->channels;
    panels.strides_k[0] = 1;
    panels.strides_k[1] = ocl_volume (g->k);
  }
  return panels;
}

static void
add_arguments (OclLaunch *launch, const OclConvolution *g,
    const OclTileSize *size, guint rows)
{
  ocl_launch_int (launch, size->m);
  ocl_launch_int (launch, size->n);
  ocl_launch_int (launch, size->k);
  ocl_launch_int (launch, g->channels);
  ocl_launch_int (launch, g->groups);
  ocl_launch_int (launch, (size->m + rows - 1) / rows * rows * size->k);
  ocl_launch_three (launch, g->in);
  ocl_launch_int (launch, g->out[1]);
  ocl_launch_int (launch, g->out[2]);
  ocl_launch_three (launch, g->pad);
}

gboolean
ocl_convolution_tile (OclStep *step, const OclConvolution *g)
{
  const OclTileSize size = { g->filters, ocl_volume (g->out),
    g->channels * ocl_volume (g->k), g->batch * g->groups };
  OclTiling tiling;

  if (!ocl_tiling_choose (step->scope->device, &size, &tiling))
    return FALSE;
  const guint rows = tiling.tile->rows;
  const gboolean by_window = goes_by_window (g, tiling.tile);
  g_autoptr (GString) options = ocl_tiling_options (&tiling, "TILE_CONV");
  g_autoptr (GString) window = ocl_convolution_options (g, "");
  g_autofree char *text = ocl_post_text (step, INFER_TYPE_F32, 1);
  const OclPanels panels = make_panels (step, g, rows, by_window);
  OclValue *prepared = ocl_panels_prepare (step, &panels);
  OclValue *out = ocl_tiling_out (step, &tiling, &size, step->out[0]);

  g_string_append_printf (options, "%s -DA_PANELS -DB_DEEP=0%s%s", window->str,
      by_window ? " -DBY_WINDOW" : "", is_pointwise (g) ? " -DPOINTWISE" : "");
  ocl_option_type (options, "IN_TYPE", step->in[0]->desc.type);
  ocl_option_type (options, "OUT_TYPE", step->out[0]->desc.type);
  OclLaunch *launch = ocl_step_launch (
      step, "tile", "conv_tile", options->str, tiling.parts == 1 ? text : NULL);
  ocl_launch_value (launch, out);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_value (launch, step->in[0]);
  add_arguments (launch, g, &size, rows);
  if (tiling.parts == 1)
    ocl_post_arguments (step, launch);
  ocl_tiling_launch (launch, &tiling, &size);
  ocl_tiling_join (step, &tiling, &size,
      &(OclTileJoin){ .parts = out,
          .out = step->out[0],
          .scale = 1,
          .groups = g->groups,
          .post = text,
          .posts = TRUE });
  step->kernel = "conv_tile";
  return TRUE;
}
