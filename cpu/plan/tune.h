/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measured choices among the implementations of a step (cpu/base/impl.h): made
 * with the configuration's TUNE or `infer-model tune`, kept in the cache
 * folder, and followed from then on.  Implements cpu_step_choose. */

#pragma once

#include "cpu/graph/plan.h"

/* While a plan runs in a scope that tunes, after @step: measures all its
 * implementations, each with all threads and with one, and stores the fastest
 * in the cache; this plan goes on with the one it has.  The step has run when
 * it returns. */
gboolean cpu_tune_step (CpuPlan *plan, CpuPlanStep *step, GError **error);
