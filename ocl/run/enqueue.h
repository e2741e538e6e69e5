/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a plan. */

#pragma once

#include "ocl/run/binding.h"
#include "ocl/run/recording.h"

/* Whether the value in that place is copied to another result or variable at
 * the end of a run. */
gboolean ocl_plan_copies_out (const OclPlan *plan, OclPlace place, guint index);

/* Enqueues all launches, or what was recorded of them (@recordings is
 * nullable); *@done (transfer full) is the event at the end.  On failure
 * nothing is running any more.  With the stream's lock held. */
gboolean ocl_plan_enqueue (OclPlan *plan, OclRecordings *recordings,
    const OclBinding *binding, cl_event *done, GError **error);
/* After the run, with PERF_COUNT: reads the durations of the steps. */
void ocl_plan_read_timings (OclPlan *plan);
