/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Removes operations whose output equals their input. */

#include "inference/passes/pass.h"

static gboolean
does_nothing (const InferOperation *op)
{
  const InferDesc *in, *out = &op->outputs[0].desc;

  if ((op->klass->flags & (INFER_OP_COPIES | INFER_OP_CONVERTS)) == 0)
    return FALSE;
  const InferPort *port = &op->inputs[0];
  if (infer_op_is (op, &infer_op_identity))
    return TRUE;
  if (infer_op_is (op, &infer_op_concat))
    return op->n_inputs == 1;
  in = &port->op->outputs[port->index].desc;
  if (in->type != out->type || in->type == INFER_TYPE_DYNAMIC)
    return FALSE;
  return (op->klass->flags & INFER_OP_CONVERTS) != 0
         || (infer_shape_is_static (&in->shape)
             && infer_shape_equal (&in->shape, &out->shape));
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  return does_nothing (op)
         && infer_port_replace ((InferPort){ op, 0 }, op->inputs[0]);
}

const InferPass infer_pass_no_operations = { "no-operations",
  .rewrite = rewrite };
