/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

#include "ocl/ops/op-table.h"

/* A constant expression may turn out not to be computable, e.g. for a type that
 * the CPU does not convert. */
static gboolean
check_host_inputs (const OclStep *step, GError **error)
{
  for (guint i = 0; i < MIN (step->n_in, 32); i++)
    if ((step->ocl_op->host_inputs >> i & 1) != 0 && ocl_has_in (step, i)
        && step->in[i]->host == NULL)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "the value of input %u is not known when the model is compiled", i);
  return TRUE;
}

static gboolean
check_supported (const OclOp *ocl_op, const InferOperation *op, GError **error)
{
  return ocl_op == NULL || ocl_op->supports == NULL
         || ocl_op->supports (op, error);
}

/* Then it needs a kernel for its types and ranks, which was not asked for
 * before. */
static gboolean
check_kernel (const OclStep *step, GError **error)
{
  const OclDevice *device = step->scope->device;
  const guint32 host =
      step->ocl_op->host_inputs | step->op->klass->value_inputs;

  for (guint i = 0; i < step->n_in; i++)
    if (ocl_has_in (step, i) && (i >= 32 || (host >> i & 1) == 0)
        && !ocl_op_takes (device, "input", i, &step->in[i]->desc, error))
      return FALSE;
  for (guint k = 0; k < step->n_out; k++)
    if (!ocl_op_takes (device, "output", k, &step->out[k]->desc, error))
      return FALSE;
  for (guint p = 0; p < step->n_posts; p++)
    if (!check_supported (
            ocl_op_find (step->posts[p].op->klass), step->posts[p].op, error))
      return FALSE;
  return check_supported (step->ocl_op, step->op, error);
}

gboolean
ocl_pass_prepare (OclPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    if (check_host_inputs (step, error) && check_kernel (step, error)
        && step->ocl_op->prepare (step, error) && plan->error == NULL)
      continue;
    if (plan->error != NULL)
      g_propagate_error (error, g_steal_pointer (&plan->error));
    g_autofree char *name = infer_operation_describe (step->op);
    g_prefix_error (error, "operation %s: ", name);
    return FALSE;
  }
  return TRUE;
}
