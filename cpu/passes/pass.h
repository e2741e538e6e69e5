/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Passes over a plan: each makes one kind of decision for all steps.  They run
 * once for each new set of input shapes, in the order of pass-list.h. */

#pragma once

#include "cpu/graph/plan.h"

typedef struct
{
  const char *name;
  /* Edits @plan through the functions of cpu/graph/plan.h. */
  gboolean (*run) (CpuPlan *plan, GError **error);
} CpuPass;

#define PASS(name) extern const CpuPass cpu_pass_##name;
#include "cpu/passes/pass-list.h"
#undef PASS

/* All of them.  FALSE with @error: @plan can only be freed. */
gboolean cpu_passes_run (CpuPlan *plan, GError **error);
