/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The launches of a plan as command buffers (cl_khr_command_buffer), which one
 * call enqueues.  A command buffer has the buffers that it was recorded with:
 * there is one for each set of buffers that runs of the plan came back to.
 *
 * Belongs to the plan's context, whose runs do not overlap: none is enqueued
 * before its last run has ended. */

#pragma once

#include "ocl/run/binding.h"

typedef struct _OclRecordings OclRecordings;

/* NULL: the launches of @plan are not recorded.  @plan must outlive it. */
OclRecordings *ocl_recordings_new (OclPlan *plan);
void ocl_recordings_free (OclRecordings *recordings); /* NULL is fine */

/* The command buffer for the buffers of this run: *@commands, recorded in their
 * second run; NULL in the first, which enqueues launches one by one.  With the
 * stream's lock held. */
gboolean ocl_recordings_find (OclRecordings *recordings,
    const OclBinding *binding, gpointer *commands, GError **error);
