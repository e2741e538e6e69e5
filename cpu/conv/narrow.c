/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pointwise convolutions of a few pixels: they cost what reading the weights
 * does, so these are packed as f16 or integers where that loses nothing. */

#include "cpu/conv/impl.h"

#include "cpu/gemm/gemm.h"
#include "cpu/base/posts.h"

/* Pixels up to which reading the weights dominates. */
#define MAX_PIXELS 4

typedef struct
{
  gsize pixels, ic, oc;
  CpuGemmType type;
  gsize a_group; /* of integers: as in CpuGemm */
  gconstpointer packed;
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
} Narrow;

static gpointer
make_f16 (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvGeometry *g = data;
  gsize floats = cpu_gemm_packed_size (g->ic, g->oc);
  float *to = cpu_borrow (MAX (floats, 1) * sizeof *to);

  if (to != NULL)
    cpu_gemm_pack (to, step->in[input]->data, g->ic, g->oc, 1, g->ic);
  return cpu_gemm_finish_pack (step->kernels, to, floats, TRUE, bytes);
}

static gboolean
is_narrow (const CpuStep *step, const CpuConvGeometry *g)
{
  if (!cpu_conv_is_f32 (step) || g->transposed || g->groups != 1
      || !step->in[1]->constant || step->in[1]->desc.type != INFER_TYPE_F32
      || step->layout != CPU_LAYOUT_NSPC)
    return FALSE;
  for (guint d = 0; d < 3; d++)
    if (g->k[d] != 1 || g->stride[d] != 1 || g->out[d] != g->in[d])
      return FALSE;
  return g->batch * cpu_volume (g->out) <= MAX_PIXELS;
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  const CpuConvGeometry *g = problem;

  return is_narrow (step, g)
         && (cpu_gemm_integers (step, 1, g->ic, g->oc, 1, g->ic) != NULL
             || cpu_gemm_wants_f16 (step, 1));
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuConvGeometry *g = problem;
  CpuConvGeometry copy = *g;
  Narrow conv = { .pixels = g->batch * cpu_volume (g->out),
    .ic = g->ic,
    .oc = g->oc,
    .type = CPU_GEMM_I8 };

  conv.packed = cpu_gemm_integers (step, 1, g->ic, g->oc, 1, g->ic);
  if (conv.packed == NULL) {
    conv.type = CPU_GEMM_F16;
    conv.packed =
        cpu_step_pack (step, 1, "conv-halves", 0, NULL, make_f16, &copy);
  }
  if (conv.packed == NULL)
    return NULL;
  if (conv.type == CPU_GEMM_I8) {
    conv.a_group = cpu_gemm_bytes_group (step, 1, g->ic);
    cpu_step_need_scratch (step, cpu_gemm_integers_room (conv.packed,
                                     conv.pixels, conv.ic, conv.a_group));
  }
  conv.owned = cpu_posts_epilogue (step, 1, &conv.epilogue, &conv.residual);
  if (conv.owned == NULL)
    return NULL;
  step->kernel = conv.type == CPU_GEMM_F16 ? "gemm_f16"
                 : conv.a_group > 0        ? "gemm_bytes"
                                           : "gemm_i8";
  return g_memdup2 (&conv, sizeof conv);
}

static void
narrow_free (gpointer self)
{
  Narrow *conv = self;

  g_free (conv->owned);
  g_free (conv);
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Narrow *conv = self;
  CpuEpilogue epilogue = conv->epilogue;
  CpuGemm g = { .m = conv->pixels,
    .n = conv->oc,
    .k = conv->ic,
    .a = step->in[0]->data,
    .a_row = conv->ic,
    .a_k = 1,
    .a_group = conv->a_group,
    .b = conv->packed,
    .b_panel = conv->ic * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = step->out[0]->data,
    .c_row = conv->oc,
    .epilogue = &epilogue };

  if (conv->residual != NULL)
    epilogue.residual = conv->residual->data;
  if (conv->type == CPU_GEMM_I8) {
    cpu_gemm_run_integers (step, &g, conv->packed, step->scratch);
    return TRUE;
  }
  cpu_gemm_set_order (step, &g, conv->type);
  cpu_gemm_run (step, &g, conv->type);
  return TRUE;
}

const CpuImpl cpu_conv_impl_narrow = {
  .name = "narrow",
  .can = can,
  .prepare = prepare,
  .run = run,
  .free = narrow_free,
};
