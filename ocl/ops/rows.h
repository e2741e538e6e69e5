/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations over one or more axes: tensors as [outer][length][inner],
 * transposed first if the axes are not adjacent. */

#pragma once

#include "ocl/plan/step.h"

typedef struct
{
  gsize outer, length, inner;
  OclValue *in, *out; /* in that order of dimensions */
  guint32 mask;
  InferShape shape; /* of the step's input */
} OclRows;

/* Rows along the axes in @mask of in[@input].  @out_type: of an output with the
 * input's shape; dynamic: the output has one number per row. */
gboolean ocl_rows_init (OclStep *step, guint input, guint32 mask,
    InferType out_type, OclRows *rows, GError **error);
/* Transposes the output back if need be. */
gboolean ocl_rows_finish (OclStep *step, const OclRows *rows, GError **error);

/* A launch of a kernel of rows.cl with the arguments out, in, ROW_PARAMETERS;
 * adds its options to @options. */
OclLaunch *ocl_rows_launch (OclStep *step, const OclRows *rows,
    const char *kernel, GString *options, InferType out_type,
    const char *generated);

/* The axes given by the value of in[@input] as bits; FALSE for axes beyond the
 * rank. */
gboolean ocl_axes_mask (const OclStep *step, guint input,
    const InferShape *shape, guint32 *mask, GError **error);
