/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/pass.h"

#include "cpu/passes/trace.h"
#include "inference/base/cancel.h"
#include "inference/base/pass-log.h"

static const CpuPass *const passes[] = {
#define PASS(name) &cpu_pass_##name,
#include "cpu/passes/pass-list.h"
#undef PASS
};

static void
log_pass (CpuTrace *trace, const CpuPlan *plan, const CpuPass *pass)
{
  g_autofree char *name = g_strconcat ("cpu ", pass->name, NULL);
  g_autofree char *text = cpu_trace_changes (trace, plan, name);

  infer_pass_log_add (text);
}

gboolean
cpu_passes_run (CpuPlan *plan, GError **error)
{
  g_autoptr (CpuTrace) trace =
      infer_pass_log_wanted () ? cpu_trace_new (plan) : NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++) {
    if (!infer_cancel_check_current (error) || !passes[i]->run (plan, error))
      return FALSE;
    if (trace != NULL)
      log_pass (trace, plan, passes[i]);
  }
  return TRUE;
}
