/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* b is a constant that is a Fourier transform: the rows of a are its frames; or
 * that is the inverse of one, a transposed one: they are spectra. */

#include "cpu/gemm/fourier/fourier.h"
#include "cpu/gemm/impl.h"

typedef struct
{
  const CpuMatMul *mm;
  CpuFourier *fourier;
  gboolean inverse;
} Product;

/* FALSE: b is neither. */
static gboolean
find (CpuStep *step, const CpuMatMul *mm, Product *product)
{
  const CpuMatMulDims *d = &mm->dims;
  const CpuFourierMatrix matrix = { NULL, d->n, d->k, d->b_n, d->b_k };
  const CpuFourierMatrix transposed = { NULL, d->k, d->n, d->b_k, d->b_n };

  if (!mm->constant || d->a_k != 1 || step->in[1]->n != d->n * d->k
      || step->in[0]->desc.type != INFER_TYPE_F32
      || step->out[0]->desc.type != INFER_TYPE_F32)
    return FALSE;
  *product = (Product){ mm, cpu_fourier_new (step, 1, &matrix), FALSE };
  if (product->fourier != NULL)
    return TRUE;
  *product = (Product){ mm, cpu_fourier_new (step, 1, &transposed), TRUE };
  return product->fourier != NULL;
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  Product product;

  if (!find (step, problem, &product))
    return FALSE;
  cpu_fourier_free (product.fourier);
  return TRUE;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  Product product;

  if (!find (step, problem, &product))
    return NULL;
  step->kernel = product.inverse ? "inverse_fourier_f32" : "fourier_f32";
  return g_memdup2 (&product, sizeof product);
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
      .length = (d->m - 1) * d->a_row + d->k,
      .step = d->a_row,
      .frames = d->m,
      .out = (float *) step->out[0]->data + p * d->m * d->n };

    if (product->inverse)
      cpu_fourier_run_inverse (step, product->fourier, &job);
    else
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

  return use->impl == &cpu_matmul_impl_fourier && first->impl == use->impl
         && !product->inverse && !earlier->inverse
         && product->mm->dims.batch == 1 && earlier->mm->dims.batch == 1
         && cpu_fourier_share (
             step, product->fourier, earlier->fourier, product->mm->dims.m);
}

const CpuImpl cpu_matmul_impl_fourier = {
  .name = "fourier",
  .can = can,
  .prepare = prepare,
  .run = run,
  .free = product_free,
};
