/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matrix products, shared by several operations. */

#pragma once

#include "ocl/plan/step.h"

#define OCL_GEMM_BATCH 6

typedef struct
{
  OclValue *value;
  gint64 at, row, column;       /* the first element, strides in elements */
  gint64 batch[OCL_GEMM_BATCH]; /* strides; 0: broadcast */
} OclMatrix;

typedef struct
{
  OclValue *out; /* dense: batch, M, N */
  gint64 m, n, k;
  guint rank; /* of the batch */
  gint64 dims[OCL_GEMM_BATCH];
  OclMatrix a, b;
  double scale;
  gboolean posts; /* the step's post-ops are applied */
} OclGemm;

/* Appends launches that compute it.  The scale applies to real types only. */
gboolean ocl_gemm (OclStep *step, const OclGemm *gemm, GError **error);

/* A matrix packed for kernels that compute `lanes` columns at once, as f32:
 * [panel][k][lanes], with zeros after the last column.  Element (column, k0,
 * k1) of matrix 0 of the value is at `at` + column stride + k0 strides_k[0] +
 * k1 strides_k[1]; the kernels see k = k0 · k[1] + k1. */
typedef struct
{
  OclValue *value;
  guint lanes;
  gint64 at, n, stride;
  gint64 k[2], strides_k[2];
  guint rank; /* of a batch of matrices, innermost first */
  gint64 dims[OCL_GEMM_BATCH], strides[OCL_GEMM_BATCH];
} OclPanels;

/* Launches the packing; the result is for ocl_panels_argument.  NULL: a
 * constant, packed on the host. */
OclValue *ocl_panels_prepare (OclStep *step, const OclPanels *panels);
/* BUFFER (x) with the panels. */
void ocl_panels_argument (
    OclLaunch *launch, const OclPanels *panels, OclValue *prepared);

/* The cheapest tile size up to @max for @n elements. */
guint ocl_tile_size (gint64 n, guint max);

void ocl_launch_int8 (
    OclLaunch *launch, const gint64 *numbers, guint n, gint64 rest);

/* --- for gemm.c and gemm-tile.c --- */

/* The panels of b, and @batch: their strides per batch dimension; matrices that
 * repeat are packed once. */
OclPanels ocl_gemm_panels (const OclGemm *gemm, guint lanes, gint64 *batch);
gsize ocl_gemm_batch (const OclGemm *gemm);
/* The sizes, the scale, the batch and a, as all kernels have them before b. */
void ocl_launch_product (OclLaunch *launch, const OclGemm *gemm);
/* a or b: where it begins, and its strides. */
void ocl_launch_matrix (OclLaunch *launch, const OclMatrix *a, guint rank);
/* Source for writing one element at a time (ocl_post_text). (transfer full) */
char *ocl_gemm_post_text (
    const OclStep *step, const OclGemm *gemm, InferType sum);
/* Whether the panels are made on the host. */
gboolean ocl_panels_constant (const OclPanels *panels);

/* gemm-tile.c: real operands, on devices with local memory.  FALSE: there is no
 * tile that fits the device. */
gboolean ocl_gemm_tile (OclStep *step, const OclGemm *gemm);
