/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of one channel whose filters are a Fourier transform: spectra of
 * sound.  BackpropData with such filters make sound of spectra. */

#include "cpu/conv/impl.h"

#include "cpu/base/posts.h"
#include "cpu/base/widen.h"
#include "cpu/gemm/fourier/fourier.h"

#include <string.h>

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
  const gsize bins = g->transposed ? g->ic : g->oc;
  const gsize channels = g->transposed ? g->oc : g->ic;
  const CpuFourierMatrix matrix = { NULL, bins, g->k[2], g->k[2], 1 };

  if (!cpu_conv_is_f32 (step) || g->groups != 1 || channels != 1
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

/* Asks for memory for all frames, behind that of the transform. */
static gboolean
need_frames (CpuStep *step, const Spectra *spectra)
{
  const CpuConvGeometry *g = spectra->geometry;
  const gsize all =
      cpu_scratch_add (cpu_fourier_scratch (step, spectra->fourier),
          g->in[2] * g->k[2], sizeof (float));

  if (all == G_MAXSIZE)
    return FALSE;
  cpu_step_need_scratch (step, all);
  return TRUE;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  Spectra *spectra = g_new0 (Spectra, 1);

  spectra->geometry = problem;
  spectra->fourier = fourier_new (step, problem);
  spectra->owned =
      cpu_posts_epilogue (step, 1, &spectra->epilogue, &spectra->residual);
  if (spectra->fourier == NULL || spectra->owned == NULL
      || (spectra->geometry->transposed && !need_frames (step, spectra))) {
    spectra_free (spectra);
    return NULL;
  }
  step->kernel =
      spectra->geometry->transposed ? "inverse_fourier_f32" : "fourier_f32";
  return spectra;
}

static void
run_forward (CpuStep *step, const Spectra *spectra, const float *in, float *out)
{
  const CpuConvGeometry *g = spectra->geometry;
  const CpuFourierJob job = { .in = in,
    .length = g->in[2],
    .padding = g->pad[2],
    .step = (gsize) g->stride[2],
    .frames = g->out[2],
    .out = out };

  cpu_fourier_run (step, spectra->fourier, &job);
}

/* Frames, and the sum of those that overlap. */
static void
run_back (CpuStep *step, const Spectra *spectra, const float *in, float *out)
{
  const CpuConvGeometry *g = spectra->geometry;
  const gsize taps = g->k[2];
  float *frames = (gpointer) ((char *) step->scratch
                              + cpu_fourier_scratch (step, spectra->fourier));
  const CpuFourierJob job = {
    .in = in, .step = g->ic, .frames = g->in[2], .out = frames
  };

  cpu_fourier_run_inverse (step, spectra->fourier, &job);
  memset (out, 0, g->out[2] * sizeof *out);
  for (gsize i = 0; i < g->in[2]; i++, frames += taps) {
    const gint64 start = (gint64) i * g->stride[2] - g->pad[2];
    gsize first, last;

    cpu_fourier_clip (start, taps, g->out[2], &first, &last);
    if (first == last)
      continue;
    float *to = out + start + (gint64) first;
    step->kernels->binary_f32 (
        CPU_BINARY_ADD, to, to, 1, frames + first, 1, last - first);
  }
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Spectra *spectra = self;
  const CpuConvGeometry *g = spectra->geometry;

  for (gsize n = 0; n < g->batch && !cpu_step_is_cancelled (step); n++) {
    const float *in = (const float *) step->in[0]->data + n * g->ic * g->in[2];
    float *out = (float *) step->out[0]->data + n * g->oc * g->out[2];

    (g->transposed ? run_back : run_forward) (step, spectra, in, out);
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
  return !a->transposed && a->batch == 1 && a->stride[2] == b->stride[2]
         && a->pad[2] == b->pad[2] && a->out[2] == b->out[2];
}

gboolean
cpu_conv_share (CpuStep *step, const CpuImplUse *use, const CpuImplUse *first)
{
  const Spectra *spectra = use->self, *earlier = first->self;

  return use->impl == &cpu_conv_impl_fourier && first->impl == use->impl
         && has_same_frames (spectra->geometry, earlier->geometry)
         && cpu_fourier_share (step, spectra->fourier, earlier->fourier,
             spectra->geometry->out[2]);
}

const CpuImpl cpu_conv_impl_fourier = {
  .name = "fourier",
  .can = can,
  .prepare = prepare,
  .run = run,
  .free = spectra_free,
};
