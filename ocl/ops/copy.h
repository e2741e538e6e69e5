/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies, shared by several operations. */

#pragma once

#include "ocl/plan/step.h"

/* A tensor and the strides (in elements) for iterating over it. */
typedef struct
{
  OclValue *value;
  gint64 at; /* the first element */
  gint64 strides[24];
} OclBox;

/* Copies @rank dimensions @dims, outermost first, of @src to @dst. */
gboolean ocl_copy_box (OclStep *step, const OclBox *dst, const OclBox *src,
    int rank, const gint64 *dims, GError **error);
/* Fills @dst with element 0 of @value; NULL: with zeros. */
gboolean ocl_fill (
    OclStep *step, OclValue *dst, OclValue *value, GError **error);

/* Compiler option for elements of the type's size: "-DELEMENT=uint". */
const char *ocl_element_type (InferType type);

/* The value of an integer input (element-type gint64); NULL if not connected.
 * (transfer full) */
GArray *ocl_host_ints (const OclStep *step, guint input);

/* A small constant table; NULL: memory is short.  (transfer full) */
InferTensor *ocl_int_table (const gint64 *numbers, gsize n);
InferTensor *ocl_float_table (const double *numbers, gsize n);
