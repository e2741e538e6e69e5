/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of one channel whose filters are a Fourier transform: spectra of
 * sound. */

#include "cpu/conv/impl.h"

#include "cpu/base/posts.h"
#include "cpu/gemm/fourier/fourier.h"

typedef struct
{
  const CpuConvGeometry *geometry;
  CpuFourier *fourier;
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
} Spectra;

static CpuFourier *
fourier_new (CpuStep *step, const CpuConvGeometry *g)
{
  const CpuFourierMatrix matrix = { NULL, g->oc, g->k[2], g->k[2], 1 };

  if (!cpu_conv_is_f32 (step) || g->transposed || g->groups != 1 || g->ic != 1
      || g->dilation[2] != 1 || step->layout != CPU_LAYOUT_NSPC)
    return NULL;
  for (guint d = 0; d < 2; d++)
    if (g->in[d] != 1 || g->k[d] != 1 || g->out[d] != 1)
      return NULL;
  return cpu_fourier_new (step, 1, &matrix);
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  g_autoptr (CpuFourier) fourier = fourier_new (step, problem);

  return fourier != NULL;
}

static void
spectra_free (gpointer self)
{
  Spectra *spectra = self;

  cpu_fourier_free (spectra->fourier);
  g_free (spectra->owned);
  g_free (spectra);
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  Spectra *spectra = g_new0 (Spectra, 1);

  spectra->geometry = problem;
  spectra->fourier = fourier_new (step, problem);
  spectra->owned =
      cpu_posts_epilogue (step, 1, &spectra->epilogue, &spectra->residual);
  if (spectra->fourier == NULL || spectra->owned == NULL) {
    spectra_free (spectra);
    return NULL;
  }
  step->kernel = "fourier_f32";
  return spectra;
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Spectra *spectra = self;
  const CpuConvGeometry *g = spectra->geometry;

  for (gsize n = 0; n < g->batch && !cpu_step_is_cancelled (step); n++) {
    const CpuFourierJob job = { .in = (const float *) step->in[0]->data
                                      + n * g->in[2],
      .length = g->in[2],
      .padding = g->pad[2],
      .step = (gsize) g->stride[2],
      .frames = g->out[2],
      .out = (float *) step->out[0]->data + n * g->out[2] * g->oc };

    cpu_fourier_run (step, spectra->fourier, &job);
  }
  if (step->n_posts > 0)
    cpu_fourier_run_epilogue (step, &spectra->epilogue, spectra->residual,
        g->batch * g->out[2], g->oc);
  return TRUE;
}

/* Of the same input; filters of the same length are known to be. */
static gboolean
has_same_frames (const CpuConvGeometry *a, const CpuConvGeometry *b)
{
  return a->batch == 1 && a->stride[2] == b->stride[2] && a->pad[2] == b->pad[2]
         && a->out[2] == b->out[2];
}

gboolean
cpu_conv_share (CpuStep *step, const CpuImplUse *use, const CpuImplUse *first)
{
  const Spectra *spectra = use->self, *earlier = first->self;

  if (use->impl != &cpu_conv_impl_fourier || first->impl != use->impl
      || !has_same_frames (spectra->geometry, earlier->geometry)
      || !cpu_fourier_share (
          spectra->fourier, earlier->fourier, spectra->geometry->out[2]))
    return FALSE;
  step->kernel = "fourier_shared_f32";
  return TRUE;
}

const CpuImpl cpu_conv_impl_fourier = {
  .name = "fourier",
  .can = can,
  .prepare = prepare,
  .run = run,
  .free = spectra_free,
};
