/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The passes of pass-list.h: each changes a plan and is one file. */

#pragma once

#include "ocl/plan/plan.h"

#define PASS(name) gboolean ocl_pass_##name (OclPlan *plan, GError **error);
#include "ocl/passes/pass-list.h"
#undef PASS

/* All passes over @plan, which is new. */
gboolean ocl_passes_run (OclPlan *plan, GError **error);
