/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/narrow.h"

#include "cpu/gemm/gemm.h"
#include "cpu/base/posts.h"

/* Rows that are still a matter of reading the weights. */
#define MAX_PIXELS 4

struct _CpuConvNarrow
{
  gsize pixels, ic, oc;
  CpuGemmType type;
  gconstpointer packed;
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
};

static gpointer
make_halves (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuConvGeometry *g = data;
  gsize floats = cpu_gemm_packed_size (g->ic, g->oc);
  float *to = cpu_alloc (MAX (floats, 1) * sizeof *to);

  if (to != NULL)
    cpu_gemm_pack (to, step->in[input]->data, g->ic, g->oc, 1, g->ic);
  return cpu_gemm_finish_pack (to, floats, TRUE, bytes);
}

static gboolean
is_narrow (const CpuStep *step, const CpuConvGeometry *g)
{
  if (g->transposed || g->groups != 1 || !step->in[1]->constant
      || step->in[1]->desc.type != INFER_TYPE_F32
      || step->layout != CPU_LAYOUT_NSPC)
    return FALSE;
  for (guint d = 0; d < 3; d++)
    if (g->k[d] != 1 || g->stride[d] != 1 || g->out[d] != g->in[d])
      return FALSE;
  return g->batch * cpu_volume (g->out) <= MAX_PIXELS;
}

CpuConvNarrow *
cpu_conv_narrow_new (CpuStep *step, const CpuConvGeometry *g)
{
  CpuConvGeometry copy = *g;
  CpuConvNarrow conv = { .pixels = g->batch * cpu_volume (g->out),
    .ic = g->ic,
    .oc = g->oc,
    .type = CPU_GEMM_I8 };

  if (!is_narrow (step, g))
    return NULL;
  conv.packed = cpu_gemm_integers (step, 1, g->ic, g->oc, 1, g->ic);
  if (conv.packed == NULL && cpu_gemm_wants_f16 (step, 1)) {
    conv.type = CPU_GEMM_F16;
    conv.packed =
        cpu_step_pack (step, 1, "conv-halves", 0, NULL, make_halves, &copy);
  }
  if (conv.packed == NULL)
    return NULL;
  if (conv.type == CPU_GEMM_I8)
    cpu_step_need_scratch (
        step, cpu_gemm_integers_room (conv.packed, conv.pixels, conv.ic, 0));
  conv.owned = cpu_posts_epilogue (step, 1, &conv.epilogue, &conv.residual);
  step->kernel = conv.type == CPU_GEMM_I8 ? "gemm_i8" : "gemm_f16";
  return g_memdup2 (&conv, sizeof conv);
}

void
cpu_conv_narrow_free (CpuConvNarrow *conv)
{
  if (conv != NULL)
    g_free (conv->owned);
  g_free (conv);
}

void
cpu_conv_narrow_run (CpuStep *step, const CpuConvNarrow *conv)
{
  CpuEpilogue epilogue = conv->epilogue;
  CpuGemm g = { .m = conv->pixels,
    .n = conv->oc,
    .k = conv->ic,
    .a = step->in[0]->data,
    .a_row = conv->ic,
    .a_k = 1,
    .b = conv->packed,
    .b_panel = conv->ic * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = step->out[0]->data,
    .c_row = conv->oc,
    .epilogue = &epilogue };

  if (conv->residual != NULL)
    epilogue.residual = conv->residual->data;
  if (conv->type == CPU_GEMM_I8)
    cpu_gemm_run_integers (step, &g, conv->packed, step->scratch);
  else
    cpu_gemm_run (step, &g, conv->type);
}
