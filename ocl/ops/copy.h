/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moving elements, as steps of several operations do it. */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

/* A tensor and the strides (elements) in which it is gone through. */
typedef struct
{
  OclValue *value;
  gint64 at; /* the first element */
  gint64 strides[24];
} OclBox;

/* Copies @rank dimensions @dims, outermost first, of @src to @dst. */
gboolean ocl_copy_box (OclStep *step, const OclBox *dst, const OclBox *src,
    int rank, const gint64 *dims, GError **error);
/* Element 0 of @value everywhere; NULL: zeros. */
gboolean ocl_fill (
    OclStep *step, OclValue *dst, OclValue *value, GError **error);

/* "-DELEMENT=uint" for elements of the type's size. */
const char *ocl_element_type (InferType type);

/* The value of an integer input as numbers; NULL where it is not connected.
 * (element-type gint64) (transfer full) */
GArray *ocl_host_ints (const OclStep *step, guint input);

/* A small constant table of ints; (transfer full). */
InferTensor *ocl_int_table (const gint64 *numbers, gsize n);
InferTensor *ocl_float_table (const double *numbers, gsize n);

G_END_DECLS
