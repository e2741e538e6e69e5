/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

static gboolean (*const passes[]) (OclPlan *plan, GError **error) = {
#define PASS(name) ocl_pass_##name,
#include "ocl/passes/pass-list.h"
#undef PASS
};

gboolean
ocl_passes_run (OclPlan *plan, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++) {
    if (!passes[i](plan, error))
      return FALSE;
    if (plan->error != NULL) {
      g_propagate_error (error, g_steal_pointer (&plan->error));
      return FALSE;
    }
  }
  return TRUE;
}
