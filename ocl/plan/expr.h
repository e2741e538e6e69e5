/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations as OpenCL expressions: one table, from which chains
 * of operations become the text of one kernel. */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

typedef struct _OclExpr OclExpr;

/* The expression of @op when its first data operand is of @type; NULL: none. */
const OclExpr *ocl_expr_find (const InferOperation *op, InferType type);

/* The type that elements of @type are computed in; @rows: vectors of them. */
void ocl_expr_append_type (GString *text, InferType type, gboolean rows);

/* Appends `TYPE @result = …;` with @operands, variables of the operation's
 * inputs, of the types @types. */
void ocl_expr_append (GString *text, const InferOperation *op,
    const char *const *operands, const InferType *types, InferType out,
    const char *result, gboolean rows);

/* Shapes of the inputs of element-wise @op as they are aligned with @out. */
void ocl_expr_align (const InferOperation *op, const InferShape *const *in,
    const InferShape *out, InferShape *aligned);

G_END_DECLS
