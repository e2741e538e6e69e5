/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes the inputs and outputs of steps while a plan is enqueued: the queue is
 * finished around each step.  Only called if the scope has a dump; with the
 * stream's lock held. */

#pragma once

#include "ocl/run/binding.h"

typedef struct _OclDump OclDump;

/* Begins one run of @plan and writes its inputs.  NULL with @error. */
OclDump *ocl_dump_begin (
    OclPlan *plan, const OclBinding *binding, GError **error);
void ocl_dump_end (OclDump *dump); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OclDump, ocl_dump_end)

/* Before and after a step of the plan. */
gboolean ocl_dump_before (OclDump *dump, const OclStep *step, GError **error);
gboolean ocl_dump_after (OclDump *dump, const OclStep *step, GError **error);
/* After all steps: writes the results. */
gboolean ocl_dump_results (OclDump *dump, GError **error);
