/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/widen.h"

#include <math.h>

/* Gauss-Jordan with the largest pivot of each column, in double. */

typedef struct
{
  CpuWiden widen;
  gsize n;
} Inverse;

static gboolean
inverse_prepare (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  Inverse *inverse = g_new0 (Inverse, 1);
  inverse->n = (gsize) shape->dims[shape->rank - 1];
  step->priv = inverse;
  step->kernel = "ref_f64";
  gsize matrix = cpu_scratch_add (0, inverse->n * inverse->n, sizeof (double));
  return cpu_widen_prepare (
      &inverse->widen, step, INFER_TYPE_F64, 0, matrix, error);
}

static void
swap_rows (double *m, gsize n, gsize a, gsize b)
{
  for (gsize j = 0; j < n && a != b; j++) {
    double t = m[a * n + j];
    m[a * n + j] = m[b * n + j];
    m[b * n + j] = t;
  }
}

static gsize
find_pivot (const double *m, gsize n, gsize column)
{
  gsize pivot = column;
  for (gsize i = column + 1; i < n; i++)
    if (fabs (m[i * n + column]) > fabs (m[pivot * n + column]))
      pivot = i;
  return pivot;
}

static void
transpose (double *m, gsize n)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < i; j++) {
      double t = m[i * n + j];
      m[i * n + j] = m[j * n + i];
      m[j * n + i] = t;
    }
}

/* Reduces @m to the unit matrix and applies the same operations to @inv. */
static void
invert (const CpuStep *step, double *m, double *inv, gsize n)
{
  for (gsize i = 0; i < n * n; i++)
    inv[i] = i % (n + 1) == 0 ? 1 : 0;
  for (gsize c = 0; c < n && !cpu_step_is_cancelled (step); c++) {
    gsize pivot = find_pivot (m, n, c);
    double value = m[pivot * n + c];
    swap_rows (m, n, c, pivot);
    swap_rows (inv, n, c, pivot);
    for (gsize j = 0; j < n; j++) {
      m[c * n + j] /= value;
      inv[c * n + j] /= value;
    }
    for (gsize i = 0; i < n; i++) {
      double factor = m[i * n + c];
      for (gsize j = 0; i != c && j < n; j++) {
        m[i * n + j] -= factor * m[c * n + j];
        inv[i * n + j] -= factor * inv[c * n + j];
      }
    }
  }
}

static gboolean
inverse_run (CpuStep *step, GError **error)
{
  const Inverse *inverse = step->priv;
  gboolean adjoint = *(const gboolean *) step->op->attrs;
  gsize n = inverse->n, size = n * n;
  if (step->out[0]->n == 0)
    return TRUE;
  const double *x = cpu_widen_in (&inverse->widen, step, 0);
  double *y = cpu_widen_out (&inverse->widen, step, 0);
  double *m = cpu_widen_more (&inverse->widen, step);
  for (gsize i = 0; i < step->out[0]->n; i += size) {
    for (gsize j = 0; j < size; j++)
      m[j] = x[i + j];
    invert (step, m, y + i, n);
    if (adjoint)
      transpose (y + i, n);
  }
  cpu_widen_finish (&inverse->widen, step);
  return TRUE;
}

const CpuOp cpu_op_inverse = {
  .prepare = inverse_prepare,
  .run = inverse_run,
};
