/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/passes/pass.h"

static const CpuPass *const passes[] = {
#define PASS(name) &cpu_pass_##name,
#include "cpu/passes/pass-list.h"
#undef PASS
};

gboolean
cpu_passes_run (CpuPlan *plan, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    if (!passes[i]->run (plan, error))
      return FALSE;
  return TRUE;
}
