/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The least plan that still fails. */

#pragma once

#include "tests/check/stream/plan.h"
#include "tests/check/stream/workers.h"

/* Runs @plan once.  (transfer full) */
typedef char *(*PlanRun) (const Plan *plan, guint64 *events);

/* Removes operations and simplifies settings while the plan still fails, in
 * processes of their own: also of a crash and a hang.  @plan is (transfer
 * full).  @why gets the last failure (transfer full; NULL: it did not fail
 * again), @runs how many runs fail about once. */
Plan *plan_shrink (
    Plan *plan, PlanRun run, guint n_processes, char **why, guint *runs);
