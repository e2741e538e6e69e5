/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations as OpenCL expressions: one table (expr-list.h), from
 * which chains of operations become the source of one kernel. */

#pragma once

#include "ocl/plan/step.h"

/* Whether there is an expression for @op when its first data operand is of
 * @type. */
gboolean ocl_expr_exists (const InferOperation *op, InferType type);
/* Whether the expression works on vectors (ROW). */
gboolean ocl_expr_takes_rows (const InferOperation *op);

/* Appends the type in which elements of @type are computed; @rows: vectors. */
void ocl_expr_append_type (GString *text, InferType type, gboolean rows);

/* Appends `TYPE @result = …;`.  @operands: the variables of the inputs, of the
 * types @types. */
void ocl_expr_append (GString *text, const InferOperation *op,
    const char *const *operands, const InferType *types, InferType out,
    const char *result, gboolean rows);

/* @aligned: the shapes of @op's inputs with the rank of @out, for broadcasting.
 */
void ocl_expr_align (const InferOperation *op, const InferShape *const *in,
    const InferShape *out, InferShape *aligned);
