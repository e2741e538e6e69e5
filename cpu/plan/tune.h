/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Choosing among the ways in which a step can be computed.  By rule, from shape
 * and machine; or as it was measured before (the configuration's TUNE,
 * infer-model tune), which the cache folder tells.  Either way two runs choose
 * the same. */

#pragma once

#include "cpu/plan/plan.h"

G_BEGIN_DECLS

#define CPU_MAX_CHOICES 8

/* In prepare, of operations that can do it in several ways: which of the @n of
 * @names (static strings without spaces), the first of which the rule prefers,
 * this is to be; step->threads may become 1.  Once in each prepare, always with
 * the same names for the same shapes. */
guint cpu_step_choose (CpuStep *step, guint n, const char *const *names);

/* While a plan runs in a scope that tunes, after @step: measures all its ways
 * and keeps the fastest in the cache; this plan goes on as before.  The step
 * has run when it returns. */
gboolean cpu_tune_step (CpuPlan *plan, CpuPlanStep *step, GError **error);

G_END_DECLS
