/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The operations of op-list.h: ocl_op_NAME runs the class infer_op_NAME. */

#pragma once

#include "ocl/plan/step.h"

#define OP(name, file) extern const OclOp ocl_op_##name;
#include "ocl/ops/op-list.h"
#undef OP

/* How operations of @klass run on OpenCL devices; NULL: they do not. */
const OclOp *ocl_op_find (const InferOpClass *klass);

/* FALSE with INFER_ERROR_UNSUPPORTED: kernels for @device (nullable: without
 * f64) do not know the type or the rank of "@what @index". */
gboolean ocl_op_takes (const OclDevice *device, const char *what, guint index,
    const InferDesc *desc, GError **error);
