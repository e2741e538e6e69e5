/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products, as steps of several operations need them. */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

#define OCL_GEMM_BATCH 6

typedef struct
{
  OclValue *value;
  gint64 at, row, column;       /* the first element, strides in elements */
  gint64 batch[OCL_GEMM_BATCH]; /* strides; 0: the same in all */
} OclMatrix;

typedef struct
{
  OclValue *out; /* dense: batch, M, N */
  gint64 m, n, k;
  guint rank; /* of the batch */
  gint64 dims[OCL_GEMM_BATCH];
  OclMatrix a, b;
  double scale;
  gboolean posts; /* those of the step follow */
} OclGemm;

/* Appends what computes it.  The scale counts for real types only. */
gboolean ocl_gemm (OclStep *step, const OclGemm *gemm, GError **error);

/* Numbers for kernels that make `lanes` columns at once: [panel][k][lanes],
 * zeros behind the last column, as f32.  Element (column, k0, k1) of matrix 0
 * of the value is at `at` + column stride + k0 strides_k[0] + k1 strides_k[1];
 * the kernels see k = k0 · k[1] + k1. */
typedef struct
{
  OclValue *value;
  guint lanes;
  gint64 at, n, stride;
  gint64 k[2], strides_k[2];
  guint rank; /* of a batch of matrices, innermost first */
  gint64 dims[OCL_GEMM_BATCH], strides[OCL_GEMM_BATCH];
} OclPanels;

/* Launches what makes them, unless they are made once from a constant (NULL):
 * then pass it to the launch that reads them. */
OclValue *ocl_panels_prepare (OclStep *step, const OclPanels *panels);
/* BUFFER (x) of panels. */
void ocl_panels_argument (
    OclLaunch *launch, const OclPanels *panels, OclValue *prepared);
/* Elements of the panels of one matrix. */
gint64 ocl_panels_size (const OclPanels *panels);

/* Of the sizes up to @max, the one in which @n elements go best. */
guint ocl_tile_size (gint64 n, guint max);

void ocl_launch_int8 (
    OclLaunch *launch, const gint64 *numbers, guint n, gint64 rest);

G_END_DECLS
