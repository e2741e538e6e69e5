/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

/* Only a whole value of the arena can be written elsewhere; others are copied
 * at the end of a run. */
static void
place (OclValue *value, OclPlace place, guint index)
{
  gsize offset;
  OclValue *root = ocl_value_root (value, &offset);

  if (root->place != OCL_PLACE_ARENA || root->host != NULL
      || root->bytes != value->bytes)
    return;
  root->place = place;
  root->index = index;
}

gboolean
ocl_pass_outputs (OclPlan *plan, GError **error)
{
  for (guint k = 0; k < plan->results->len; k++)
    place (plan->results->pdata[k], OCL_PLACE_RESULT, k);
  for (guint v = 0; v < infer_model_n_variables (plan->model); v++)
    if (plan->next[v] != NULL)
      place (plan->next[v], OCL_PLACE_NEXT, v);
  return TRUE;
}
