/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant that is a Fourier transform: the rows of a are its frames. */

#include "cpu/gemm/fourier/fourier.h"
#include "cpu/gemm/impl.h"

typedef struct
{
  const CpuMatMul *mm;
  CpuFourier *fourier;
} Product;

static CpuFourier *
fourier_new (CpuStep *step, const CpuMatMul *mm)
{
  const CpuMatMulDims *d = &mm->dims;
  const CpuFourierMatrix matrix = { NULL, d->n, d->k, d->b_n, d->b_k };

  if (!mm->constant || d->a_k != 1 || step->in[1]->n != d->n * d->k
      || step->in[0]->desc.type != INFER_TYPE_F32
      || step->out[0]->desc.type != INFER_TYPE_F32)
    return NULL;
  return cpu_fourier_new (step, 1, &matrix);
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  g_autoptr (CpuFourier) fourier = fourier_new (step, problem);

  return fourier != NULL;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  Product product = { problem, fourier_new (step, problem) };

  step->kernel = "fourier_f32";
  return product.fourier != NULL ? g_memdup2 (&product, sizeof product) : NULL;
}

static void
product_free (gpointer self)
{
  Product *product = self;

  cpu_fourier_free (product->fourier);
  g_free (product);
}

static gboolean
run (CpuStep *step, gconstpointer self, GError **error)
{
  const Product *product = self;
  const CpuMatMul *mm = product->mm;
  const CpuMatMulDims *d = &mm->dims;

  for (gsize p = 0; p < d->batch && !cpu_step_is_cancelled (step); p++) {
    const CpuFourierJob job = { .in = (const float *) step->in[0]->data
                                      + d->a_offsets[p],
      .length = d->m * d->a_row,
      .step = d->a_row,
      .frames = d->m,
      .out = (float *) step->out[0]->data + p * d->m * d->n };

    cpu_fourier_run (step, product->fourier, &job);
  }
  if (mm->arrays != NULL)
    cpu_fourier_run_epilogue (
        step, &mm->epilogue, mm->residual, d->batch * d->m, d->n);
  return TRUE;
}

gboolean
cpu_matmul_share (CpuStep *step, const CpuImplUse *use, const CpuImplUse *first)
{
  const Product *product = use->self, *earlier = first->self;

  if (use->impl != &cpu_matmul_impl_fourier || first->impl != use->impl
      || product->mm->dims.batch != 1 || earlier->mm->dims.batch != 1
      || !cpu_fourier_share (
          product->fourier, earlier->fourier, product->mm->dims.m))
    return FALSE;
  step->kernel = "fourier_shared_f32";
  return TRUE;
}

const CpuImpl cpu_matmul_impl_fourier = {
  .name = "fourier",
  .can = can,
  .prepare = prepare,
  .run = run,
  .free = product_free,
};
