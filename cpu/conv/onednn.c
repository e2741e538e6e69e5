/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of f32 by oneDNN. */

#include "cpu/conv/impl.h"

#include "cpu/conv/dnn.h"
#include "cpu/base/scope.h"
#include "cpu/base/posts.h"

/* The rule takes oneDNN for several taps and short rows, where our own kernels,
 * which process pixels of one row at a time, are slower: oneDNN is 1.1 times as
 * fast at 14 × 14 pixels, 256 channels and one thread on a Sapphire Rapids
 * server with oneDNN 2.6. On wider rows it gains less. It generates code for
 * up to 25 ms per convolution at load time, and each call costs some
 * microseconds and heap allocations, too much for small networks. */
#define LEAST_WORK (16 * 1000 * 1000)
#define MOST_COLUMNS 16

typedef struct
{
  CpuDnnConv *dnn;
  const CpuConvGeometry *g; /* only during prepare */
  const float
      *scale; /* by output channel, multiplied into the weights; nullable */
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
} Dnn;

/* Multiplications below which oneDNN is never considered. */
#define LEAST_CHOICE (LEAST_WORK / 32)

/* oneDNN cannot be cancelled: more than some tenths of a second of it is left
 * to implementations that can. */
#define MOST_WORK ((double) (G_GUINT64_CONSTANT (1) << 33))

static double
work_of (const CpuConvGeometry *g)
{
  return (double) g->batch * (double) g->oc * (double) g->ic
         * (double) cpu_volume (g->out) * (double) cpu_volume (g->k);
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;

  return cpu_conv_is_f32 (step) && !g->transposed && g->groups == 1
         && work_of (g) >= LEAST_CHOICE && work_of (g) <= MOST_WORK
         && step->layout == CPU_LAYOUT_NSPC && (step->isa & CPU_ISA_AVX2) != 0
         && step->in[1]->constant && step->in[0]->desc.type == INFER_TYPE_F32
         && step->in[1]->desc.type == INFER_TYPE_F32;
}

static guint
cost (const CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;

  return work_of (g) >= LEAST_WORK && cpu_volume (g->k) > 1
                 && g->out[2] <= MOST_COLUMNS
                 && cpu_scope_threads (step->scope) == 1
             ? CPU_CONV_COST_ONEDNN_LARGE
             : CPU_CONV_COST_ONEDNN;
}

static float *
scaled_filters (const Dnn *conv, const float *filters)
{
  gsize each = conv->g->ic * cpu_volume (conv->g->k);
  float *scaled =
      filters != NULL ? cpu_alloc (conv->g->oc * each * sizeof *scaled) : NULL;

  for (gsize i = 0; scaled && i < conv->g->oc * each; i++)
    scaled[i] = filters[i] * conv->scale[i / each];
  return scaled;
}

static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const Dnn *conv = data;
  const float *filters = step->in[input]->data;
  float *scaled = NULL;

  *bytes = cpu_dnn_conv_weights_bytes (conv->dnn);
  gpointer packed = cpu_alloc_pack (*bytes);
  if (conv->scale)
    filters = scaled = scaled_filters (conv, filters);
  if (packed && (!filters || !cpu_dnn_conv_pack (conv->dnn, filters, packed)))
    g_clear_pointer (&packed, cpu_free);
  cpu_free (scaled);
  return packed;
}

/* oneDNN chooses the order of weights from all of these. */
static gconstpointer
pack (CpuStep *step, const CpuConvGeometry *g, Dnn *conv)
{
  gint64 params[15] = { (gint64) g->batch, conv->epilogue.act.kind * 100
                                               + (conv->residual ? 50 : 0)
                                               + conv->epilogue.last_act.kind };

  for (guint d = 0; d < 3; d++) {
    params[2 + d] = (gint64) g->in[d];
    params[5 + d] = (gint64) g->out[d];
    params[8 + d] = g->stride[d] * ((gint64) 1 << 32) + g->dilation[d];
    params[11 + d] = g->pad[d];
  }
  if (conv->scale)
    params[14] = cpu_posts_hash (conv->scale, g->oc);
  return cpu_step_pack (
      step, 1, "conv-onednn", G_N_ELEMENTS (params), params, make_packed, conv);
}

static void
dnn_free (gpointer self)
{
  Dnn *conv = self;

  cpu_dnn_conv_free (conv->dnn);
  g_free (conv->owned);
  g_free (conv);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuConvGeometry *g = problem;

  Dnn *conv = g_new0 (Dnn, 1);
  conv->owned = cpu_posts_epilogue (step, 1, &conv->epilogue, &conv->residual);
  conv->g = g;
  conv->scale = conv->epilogue.scale;
  conv->epilogue.scale = NULL;
  if (conv->owned == NULL) {
    dnn_free (conv);
    return NULL;
  }
  conv->dnn = cpu_dnn_conv_new (g, &conv->epilogue, conv->residual != NULL);
  gconstpointer packed = conv->dnn ? pack (step, g, conv) : NULL;
  conv->g = NULL;
  if (packed == NULL || !cpu_dnn_conv_set_weights (conv->dnn, packed)) {
    dnn_free (conv);
    return NULL;
  }
  cpu_step_need_scratch (step, cpu_dnn_conv_scratch_bytes (conv->dnn));
  step->kernel = "onednn";
  return conv;
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Dnn *conv = self;

  if (cpu_dnn_conv_run (conv->dnn, step->in[0]->data, conv->epilogue.bias,
          conv->residual ? conv->residual->data : NULL, step->out[0]->data,
          step->scratch))
    return TRUE;
  return infer_fail (error, INFER_ERROR_FAILED, "oneDNN failed to run");
}

const CpuImpl cpu_conv_impl_onednn = {
  .name = "onednn",
  .can = can,
  .cost = cost,
  .prepare = prepare,
  .run = run,
  .free = dnn_free,
};
