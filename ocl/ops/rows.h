/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations over one or more axes: tensors as [outer][length][inner], by
 * turning them first where the axes are not side by side. */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

typedef struct
{
  gsize outer, length, inner;
  OclValue *in, *out; /* in that order of dimensions */
  gboolean turned;    /* they are scratch; ocl_rows_finish puts out in place */
  guint32 mask;
  InferShape shape; /* of the step's input */
} OclRows;

/* The axes in @mask of in[@input].  @out_type: of what has the same shape, if
 * it has to be turned back; dynamic: the output is one number for each row. */
gboolean ocl_rows_init (OclStep *step, guint input, guint32 mask,
    InferType out_type, OclRows *rows, GError **error);
gboolean ocl_rows_finish (OclStep *step, const OclRows *rows, GError **error);

/* A launch of a kernel of rows.cl with out, in, ROW_PARAMETERS; @options gets
 * what all of them need. */
OclLaunch *ocl_rows_launch (OclStep *step, const OclRows *rows,
    const char *kernel, GString *options, InferType out_type,
    const char *generated);

/* Bits of the axes in a host value; FALSE beyond the rank. */
gboolean ocl_axes_mask (const OclStep *step, guint input,
    const InferShape *shape, guint32 *mask, GError **error);

G_END_DECLS
