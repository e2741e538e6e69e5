/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/gemm.h"

#include "ocl/plan/post.h"

#define PANEL 16

/* --- panels --- */

static gint64
round_up (gint64 n, gint64 to)
{
  return (n + to - 1) / to * to;
}

/* Elements of the panels of one matrix, with padding. */
static gint64
panels_size (const OclPanels *panels)
{
  return round_up (panels->n, panels->lanes) * panels->k[0] * panels->k[1];
}

static void
pack_matrix (const OclPanels *panels, const float *src, float *out)
{
  const gint64 lanes = panels->lanes;

  for (gint64 first = 0; first < panels->n; first += lanes)
    for (gint64 i = 0; i < panels->k[0]; i++)
      for (gint64 j = 0; j < panels->k[1]; j++) {
        const float *from =
            src + i * panels->strides_k[0] + j * panels->strides_k[1];

        for (gint64 l = 0; l < MIN (lanes, panels->n - first); l++)
          out[l] = from[(first + l) * panels->stride];
        out += lanes;
      }
}

/* Constants have at most one batch dimension. */
static gpointer
pack_constant (const InferTensor *tensor, const gint64 *params, gsize *bytes)
{
  const OclPanels panels = { .lanes = (guint) params[0],
    .at = params[1],
    .n = params[2],
    .stride = params[3],
    .k = { params[4], params[5] },
    .strides_k = { params[6], params[7] } };
  const gint64 count = params[8], one = panels_size (&panels);
  const gsize elements = tensor->size / infer_type_size (tensor->type);
  g_autofree float *wide = g_try_new (float, elements + 1);

  *bytes = (gsize) (count * one) * sizeof (float);
  float *out = g_try_malloc0 (MAX (*bytes, 1));
  if (wide == NULL || out == NULL) {
    g_free (out);
    return NULL;
  }
  infer_convert (wide, INFER_TYPE_F32, tensor->data, tensor->type, elements);
  for (gint64 i = 0; i < count; i++)
    pack_matrix (&panels, wide + panels.at + i * params[9], out + i * one);
  return out;
}

gboolean
ocl_panels_constant (const OclPanels *panels)
{
  return panels->value->host != NULL && panels->rank <= 1;
}

OclValue *
ocl_panels_prepare (OclStep *step, const OclPanels *panels)
{
  g_autoptr (GString) options = g_string_new ("-DPACK");
  gint64 count = 1;

  if (ocl_panels_constant (panels))
    return NULL;
  for (guint i = 0; i < panels->rank; i++)
    count *= panels->dims[i];
  OclValue *prepared = ocl_step_scratch (
      step, INFER_TYPE_F32, (gsize) (count * panels_size (panels)));
  ocl_option_type (options, "B_TYPE", panels->value->desc.type);
  g_string_append_printf (options, " -DLANES=%u", panels->lanes);
  OclLaunch *launch =
      ocl_step_launch (step, "gemm", "pack", options->str, NULL);
  ocl_launch_value (launch, prepared);
  ocl_launch_value (launch, panels->value);
  ocl_launch_int (launch, panels->n);
  ocl_launch_int (launch, panels->k[0] * panels->k[1]);
  ocl_launch_int (launch, panels->k[1]);
  ocl_launch_int8 (launch, panels->dims, panels->rank, 1);
  ocl_launch_int (launch, panels->at);
  ocl_launch_int (launch, panels->strides_k[0]);
  ocl_launch_int (launch, panels->strides_k[1]);
  ocl_launch_int (launch, panels->stride);
  ocl_launch_int8 (launch, panels->strides, panels->rank, 0);
  ocl_launch_over (launch, (gsize) round_up (panels->n, panels->lanes),
      (gsize) (panels->k[0] * panels->k[1]), (gsize) count);
  return prepared;
}

void
ocl_panels_argument (
    OclLaunch *launch, const OclPanels *panels, OclValue *prepared)
{
  const gint64 params[] = { panels->lanes, panels->at, panels->n,
    panels->stride, panels->k[0], panels->k[1], panels->strides_k[0],
    panels->strides_k[1], panels->rank > 0 ? panels->dims[0] : 1,
    panels->rank > 0 ? panels->strides[0] : 0 };

  if (prepared != NULL)
    ocl_launch_value (launch, prepared);
  else
    ocl_launch_pack (launch, panels->value, "panels", G_N_ELEMENTS (params),
        params, pack_constant);
}

/* A tile costs its elements and a constant overhead. */
guint
ocl_tile_size (gint64 n, guint max)
{
  guint best = 1;
  double least = G_MAXDOUBLE;

  for (guint size = 1; size <= max && size <= n; size++) {
    double cost = (double) ((n + size - 1) / size) * (size + 1.5);

    if (cost <= least) {
      least = cost;
      best = size;
    }
  }
  return best;
}

void
ocl_launch_int8 (OclLaunch *launch, const gint64 *numbers, guint n, gint64 rest)
{
  cl_int eight[8];

  for (guint i = 0; i < 8; i++)
    eight[i] = (cl_int) (i < n ? numbers[i] : rest);
  ocl_launch_bytes (launch, eight, sizeof eight);
}

/* --- products --- */

gsize
ocl_gemm_batch (const OclGemm *gemm)
{
  gsize n = 1;

  for (guint i = 0; i < gemm->rank; i++)
    n *= (gsize) gemm->dims[i];
  return n;
}

static gboolean
is_fast (const OclGemm *gemm)
{
  const InferType types[] = { gemm->a.value->desc.type,
    gemm->b.value->desc.type };

  for (guint i = 0; i < 2; i++)
    if (!infer_type_is_real (types[i]) || types[i] == INFER_TYPE_F64)
      return FALSE;
  return TRUE;
}

OclPanels
ocl_gemm_panels (const OclGemm *gemm, guint lanes, gint64 *batch)
{
  OclPanels panels = { .value = gemm->b.value,
    .lanes = lanes,
    .at = gemm->b.at,
    .n = gemm->n,
    .stride = gemm->b.column,
    .k = { gemm->k, 1 },
    .strides_k = { gemm->b.row, 0 } };
  gint64 count = 1;

  for (guint i = 0; i < gemm->rank; i++) {
    batch[i] = 0;
    if (gemm->b.batch[i] == 0 || gemm->dims[i] == 1)
      continue;
    batch[i] = count * panels_size (&panels);
    panels.dims[panels.rank] = gemm->dims[i];
    panels.strides[panels.rank++] = gemm->b.batch[i];
    count *= gemm->dims[i];
  }
  return panels;
}

void
ocl_launch_matrix (OclLaunch *launch, const OclMatrix *a, guint rank)
{
  ocl_launch_int (launch, a->at);
  ocl_launch_int (launch, a->row);
  ocl_launch_int (launch, a->column);
  ocl_launch_int8 (launch, a->batch, rank, 0);
}

void
ocl_launch_product (OclLaunch *launch, const OclGemm *gemm)
{
  ocl_launch_int (launch, gemm->m);
  ocl_launch_int (launch, gemm->n);
  ocl_launch_int (launch, gemm->k);
  ocl_launch_float (launch, gemm->scale);
  ocl_launch_int8 (launch, gemm->dims, gemm->rank, 1);
  ocl_launch_matrix (launch, &gemm->a, gemm->rank);
}

/* The step, without post-ops where others apply them. */
static OclStep
bare_step (const OclStep *step, const OclGemm *gemm)
{
  OclStep bare = *step;

  if (!gemm->posts)
    bare.n_posts = 0;
  return bare;
}

char *
ocl_gemm_post_text (const OclStep *step, const OclGemm *gemm, InferType sum)
{
  const OclStep bare = bare_step (step, gemm);

  return ocl_post_text (&bare, sum, gemm->out->desc.shape.rank - 1);
}

static char *
columns_text (const OclStep *step, const OclGemm *gemm)
{
  const OclStep bare = bare_step (step, gemm);

  return ocl_post_columns_text (&bare, gemm->out->desc.shape.rank - 1);
}

/* Whether kernels write rows of a panel as vectors. */
static gboolean
writes_columns (const OclStep *step, const OclGemm *gemm)
{
  return step->scope->device->cpu && gemm->n % PANEL == 0
         && gemm->out->desc.type == INFER_TYPE_F32
         && (!gemm->posts || ocl_post_fits_rows (step));
}

static void
add_fast (OclStep *step, const OclGemm *gemm)
{
  const guint rows = ocl_tile_size (gemm->m, step->scope->device->tile);
  g_autoptr (GString) options = g_string_new (NULL);
  const gboolean columns = writes_columns (step, gemm);
  g_autofree char *text = columns
                              ? columns_text (step, gemm)
                              : ocl_gemm_post_text (step, gemm, INFER_TYPE_F32);
  gint64 batch[OCL_GEMM_BATCH] = { 0 };
  const OclPanels panels = ocl_gemm_panels (gemm, PANEL, batch);
  OclValue *prepared = ocl_panels_prepare (step, &panels);

  g_string_append_printf (options, "-DROWS=%u", rows);
  if (step->scope->device->cpu && gemm->a.column == 1
      && gemm->a.value->desc.type == INFER_TYPE_F32)
    g_string_append (options, " -DA_DENSE");
  if (columns)
    g_string_append (options, " -DWIDTH=16 -DCOLUMNS");
  ocl_option_type (options, "A_TYPE", gemm->a.value->desc.type);
  ocl_option_type (options, "OUT_TYPE", gemm->out->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "gemm", "gemm", options->str, text);
  ocl_launch_value (launch, gemm->out);
  ocl_launch_value (launch, gemm->a.value);
  ocl_panels_argument (launch, &panels, prepared);
  ocl_launch_product (launch, gemm);
  ocl_launch_int (launch, 0);
  ocl_launch_int8 (launch, batch, gemm->rank, 0);
  if (gemm->posts)
    ocl_post_arguments (step, launch);
  ocl_launch_work (launch, (gint64) gemm->out->n * gemm->k);
  ocl_launch_tiles (launch, (gsize) ((gemm->m + rows - 1) / rows),
      (gsize) ((gemm->n + PANEL - 1) / PANEL), ocl_gemm_batch (gemm));
  step->kernel = "gemm";
}

static void
add_any (OclStep *step, const OclGemm *gemm)
{
  const InferType type = gemm->a.value->desc.type;
  const InferType sum = type == INFER_TYPE_F64        ? INFER_TYPE_F64
                        : infer_type_is_real (type)   ? INFER_TYPE_F32
                        : infer_type_size (type) == 8 ? type
                                                      : INFER_TYPE_I32;
  g_autoptr (GString) options = g_string_new ("-DANY");
  g_autofree char *text = ocl_gemm_post_text (step, gemm, sum);

  ocl_option_type (options, "A_TYPE", type);
  ocl_option_type (options, "B_TYPE", gemm->b.value->desc.type);
  ocl_option_type (options, "SUM_TYPE", sum);
  ocl_option_type (options, "OUT_TYPE", gemm->out->desc.type);
  OclLaunch *launch =
      ocl_step_launch (step, "gemm", "gemm_any", options->str, text);
  ocl_launch_value (launch, gemm->out);
  ocl_launch_value (launch, gemm->a.value);
  ocl_launch_value (launch, gemm->b.value);
  ocl_launch_product (launch, gemm);
  ocl_launch_matrix (launch, &gemm->b, gemm->rank);
  if (gemm->posts)
    ocl_post_arguments (step, launch);
  ocl_launch_work (launch, (gint64) gemm->out->n * gemm->k);
  ocl_launch_over (
      launch, (gsize) gemm->n, (gsize) gemm->m, ocl_gemm_batch (gemm));
  step->kernel = "gemm_any";
}

gboolean
ocl_gemm (OclStep *step, const OclGemm *gemm, GError **error)
{
  if (gemm->out->n == 0)
    return TRUE;
  if (gemm->rank > OCL_GEMM_BATCH)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%u dimensions of matrices are too many", gemm->rank);
  if (!is_fast (gemm) || gemm->k == 0)
    add_any (step, gemm);
  else if (!ocl_gemm_tile (step, gemm))
    add_fast (step, gemm);
  return TRUE;
}
