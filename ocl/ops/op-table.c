/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/ops/op-table.h"

static const struct
{
  const InferOpClass *klass;
  const OclOp *op;
} rows[] = {
#define OP(name, file) { &infer_op_##name, &ocl_op_##name },
#include "ocl/ops/op-list.h"
#undef OP
};

const OclOp *
ocl_op_find (const InferOpClass *klass)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].klass == klass)
      return rows[i].op;
  return NULL;
}
