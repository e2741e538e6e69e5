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

gboolean
ocl_op_takes (const OclDevice *device, const char *what, guint index,
    const InferDesc *desc, GError **error)
{
  gboolean ok =
      desc->type >= INFER_TYPE_BOOLEAN && desc->type <= INFER_TYPE_U8
      && (desc->type != INFER_TYPE_F64 || (device != NULL && device->f64));

  if (!ok)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s %u of type %s has no OpenCL kernel", what, index,
        infer_type_name (desc->type));
  if (desc->shape.rank > OCL_MAX_RANK)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s %u of rank %d has no OpenCL kernel", what, index, desc->shape.rank);
  return TRUE;
}

const OclOp *
ocl_op_find (const InferOpClass *klass)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].klass == klass)
      return rows[i].op;
  return NULL;
}
