/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products on devices with local memory: by tiles, and of few rows. */

#include "ocl/ops/gemm.h"
#include "ocl/ops/tile.h"
#include "ocl/plan/post.h"

/* A tile has 8 rows at least. */
#define FEW_ROWS 7
/* Work-items of a group for few rows, where k is long and short. */
#define MANY_ITEMS 256
#define FEW_ITEMS 64

/* b as the kernel reads it: a constant is packed on the host, others are read
 * in place. */
typedef struct
{
  OclPanels panels;
  gboolean packed;
  OclMatrix matrix; /* the panels, or b itself */
} Right;

static Right
make_right (const OclGemm *gemm, guint lanes)
{
  OclMatrix packed = { .row = lanes, .column = 1 };
  Right right;

  right.panels = ocl_gemm_panels (gemm, lanes, packed.batch);
  right.packed = ocl_panels_constant (&right.panels);
  right.matrix = right.packed ? packed : gemm->b;
  return right;
}

static void
add_operands (
    OclLaunch *launch, const OclGemm *gemm, OclValue *out, const Right *right)
{
  ocl_launch_value (launch, out);
  ocl_launch_value (launch, gemm->a.value);
  if (right->packed)
    ocl_panels_argument (launch, &right->panels, NULL);
  else
    ocl_launch_value (launch, gemm->b.value);
  ocl_launch_product (launch, gemm);
  ocl_launch_matrix (launch, &right->matrix, gemm->rank);
}

static void
add_types (GString *options, const OclGemm *gemm, const Right *right)
{
  ocl_option_type (options, "A_TYPE", gemm->a.value->desc.type);
  ocl_option_type (options, "B_TYPE",
      right->packed ? INFER_TYPE_F32 : gemm->b.value->desc.type);
  ocl_option_type (options, "OUT_TYPE", gemm->out->desc.type);
}

/* --- few rows --- */

/* Columns of a group: as many as leave two groups for each compute unit.  Where
 * neighbours are along k, work-items of one column read them. */
static guint
lanes_for (const OclStep *step, const OclGemm *gemm)
{
  const gsize groups = 2 * MAX (step->scope->device->units, 1);
  guint lanes = 32;

  if (gemm->b.value->host == NULL && gemm->b.row == 1)
    return 1;
  while (
      lanes > 4 && (gsize) (gemm->n / lanes) * ocl_gemm_batch (gemm) < groups)
    lanes /= 2;
  return lanes;
}

static void
add_few_rows (OclStep *step, const OclGemm *gemm)
{
  const guint lanes = lanes_for (step, gemm);
  const guint items = gemm->k * lanes >= 4 * MANY_ITEMS
                              && step->scope->device->max_group >= MANY_ITEMS
                          ? MANY_ITEMS
                          : FEW_ITEMS;
  const Right right = make_right (gemm, lanes);
  g_autoptr (GString) options = g_string_new (NULL);
  g_autofree char *text = ocl_gemm_post_text (step, gemm, INFER_TYPE_F32);

  g_string_printf (options, "-DGEMV -DROWS=%d -DLANES=%u -DITEMS=%u",
      (int) gemm->m, lanes, items);
  add_types (options, gemm, &right);
  OclLaunch *launch =
      ocl_step_launch (step, "tile", "gemv", options->str, text);
  add_operands (launch, gemm, gemm->out, &right);
  ocl_launch_int (
      launch, right.packed ? gemm->k * lanes : lanes * right.matrix.column);
  if (gemm->posts)
    ocl_post_arguments (step, launch);
  ocl_launch_work (launch, (gint64) gemm->out->n * gemm->k);
  ocl_launch_blocks (launch, (gsize) ((gemm->n + lanes - 1) / lanes), 1,
      ocl_gemm_batch (gemm), items);
  step->kernel = "gemv";
}

/* --- tiles --- */

static void
add_tiles (OclStep *step, const OclGemm *gemm, const OclTileSize *size,
    const OclTiling *tiling)
{
  const Right right = make_right (gemm, tiling->tile->columns);
  g_autoptr (GString) options = ocl_tiling_options (tiling, "TILE");
  g_autofree char *text = ocl_gemm_post_text (step, gemm, INFER_TYPE_F32);
  OclValue *out = ocl_tiling_out (step, tiling, size, gemm->out);

  g_string_append_printf (options, " -DA_DEEP=%d %s", gemm->a.column == 1,
      right.packed          ? "-DB_PANELS"
      : gemm->b.column == 1 ? "-DB_DEEP=0"
                            : "-DB_DEEP=1");
  add_types (options, gemm, &right);
  OclLaunch *launch = ocl_step_launch (step, "tile", "gemm_tile", options->str,
      tiling->parts == 1 ? text : NULL);
  add_operands (launch, gemm, out, &right);
  if (gemm->posts && tiling->parts == 1)
    ocl_post_arguments (step, launch);
  ocl_tiling_launch (launch, tiling, size);
  ocl_tiling_join (step, tiling, size,
      &(OclTileJoin){ .parts = out,
          .out = gemm->out,
          .scale = gemm->scale,
          .post = text,
          .posts = gemm->posts });
  step->kernel = "gemm_tile";
}

gboolean
ocl_gemm_tile (OclStep *step, const OclGemm *gemm)
{
  const OclDevice *device = step->scope->device;
  const OclTileSize size = { gemm->m, gemm->n, gemm->k,
    (gint64) ocl_gemm_batch (gemm) };
  OclTiling tiling;

  if (!ocl_tiling_choose (device, &size, &tiling))
    return FALSE;
  if (gemm->m <= FEW_ROWS)
    add_few_rows (step, gemm);
  else
    add_tiles (step, gemm, &size, &tiling);
  return TRUE;
}
