/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/support.h"

#include "ocl/ops/op-table.h"

/* Shape expressions are small; larger ones are not searched. */
#define MAX_VISITS 500

/* Run by the planner itself, not by kernels. */
static gboolean
is_builtin (const InferOpClass *klass)
{
  return klass == &infer_op_parameter || klass == &infer_op_result
         || klass == &infer_op_const || klass == &infer_op_read_value
         || klass == &infer_op_assign;
}

gboolean
ocl_knows (const InferOpClass *klass)
{
  return is_builtin (klass) || ocl_op_find (klass) != NULL;
}

/* --- values known when planning --- */

static gboolean
is_known (const InferOperation *op, guint *visits)
{
  if (op->value != NULL || infer_op_is (op, &infer_op_shape_of))
    return TRUE;
  if (++*visits > MAX_VISITS || op->n_inputs == 0 || op->n_bodies > 0
      || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0)
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++)
    if (op->inputs[i].op == NULL || !is_known (op->inputs[i].op, visits))
      return FALSE;
  return TRUE;
}

static gboolean
is_host_known (const InferOperation *op)
{
  guint visits = 0;

  return is_known (op, &visits);
}

/* --- one operation --- */

static gboolean
check_ports (const InferOperation *op, const OclOp *ocl_op, GError **error)
{
  const OclDevice *device = ocl_device_get (0);
  const guint32 host = ocl_op->host_inputs | op->klass->value_inputs;

  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *port = &op->inputs[i];

    if (port->op == NULL
        || (i < 32 && (host >> i & 1) != 0 && is_host_known (port->op)))
      continue;
    if (i < 32 && (host >> i & 1) != 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "the value of input %u is computed", i);
    if (!ocl_op_takes (
            device, "input", i, &port->op->outputs[port->index].desc, error))
      return FALSE;
  }
  for (guint k = 0; k < op->n_outputs; k++)
    if (!ocl_op_takes (device, "output", k, &op->outputs[k].desc, error))
      return FALSE;
  return TRUE;
}

gboolean
ocl_supports (const InferOperation *op, GError **error)
{
  const OclOp *ocl_op = ocl_op_find (op->klass);

  if (is_builtin (op->klass) || is_host_known (op))
    return TRUE;
  if (ocl_op == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no OpenCL kernel");
  return check_ports (op, ocl_op, error)
         && (ocl_op->supports == NULL || ocl_op->supports (op, error));
}
