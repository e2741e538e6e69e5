/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cancel.h"
#include "inference/base/pass-log.h"
#include "ocl/passes/pass.h"
#include "ocl/plan/launch.h"

static const struct
{
  const char *name;
  gboolean (*run) (OclPlan *plan, GError **error);
} passes[] = {
#define PASS(name) { #name, ocl_pass_##name },
#include "ocl/passes/pass-list.h"
#undef PASS
};

static void
log_pass (const OclPlan *plan, const char *name)
{
  guint n_posts = 0, n_launches = 0;

  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    n_posts += step->n_posts;
    for (guint k = 0; k < step->launches->len; k++)
      n_launches += !((OclLaunch *) step->launches->pdata[k])->chained;
  }
  g_autofree char *text =
      g_strdup_printf ("ocl %-8s %4u steps, %4u post-ops, %4u launches, "
                       "arena of %" G_GSIZE_FORMAT " bytes\n",
          name, plan->steps->len, n_posts, n_launches, plan->arena_size);
  infer_pass_log_add (text);
}

gboolean
ocl_passes_run (OclPlan *plan, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++) {
    if (!infer_cancel_check_current (error) || !passes[i].run (plan, error))
      return FALSE;
    if (plan->error != NULL) {
      g_propagate_error (error, g_steal_pointer (&plan->error));
      return FALSE;
    }
    if (infer_pass_log_wanted ())
      log_pass (plan, passes[i].name);
  }
  return TRUE;
}
