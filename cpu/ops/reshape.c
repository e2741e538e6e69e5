/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Identity, Reshape, Squeeze, Unsqueeze and ShapeOf. */

#include "cpu/base/step.h"

const CpuOp cpu_op_reshape = { .flags = CPU_OP_VIEW };
const CpuOp cpu_op_identity = { .flags = CPU_OP_VIEW };
const CpuOp cpu_op_squeeze = { .flags = CPU_OP_VIEW };
const CpuOp cpu_op_unsqueeze = { .flags = CPU_OP_VIEW };

static gboolean
run (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_in_shape (step, 0);
  CpuValue *out = step->out[0];

  for (int d = 0; d < shape->rank; d++) {
    if (out->desc.type == INFER_TYPE_I32)
      ((gint32 *) out->data)[d] = (gint32) shape->dims[d];
    else
      ((gint64 *) out->data)[d] = shape->dims[d];
  }
  return TRUE;
}

const CpuOp cpu_op_shape_of = { .run = run };
