/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

gboolean
ocl_pass_prepare (OclPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    if (step->ocl_op->prepare (step, error) && plan->error == NULL)
      continue;
    if (plan->error != NULL)
      g_propagate_error (error, g_steal_pointer (&plan->error));
    g_autofree char *name = infer_operation_describe (step->op);
    g_prefix_error (error, "operation %s: ", name);
    return FALSE;
  }
  return TRUE;
}
