/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilters between two pads of the test, each compared with the oracle. */

#pragma once

#include "tests/check/stream/plan.h"

/* Call it once before everything else, and before any fork(). */
void rig_init (void);
void rig_deinit (void);

/* Runs the elements and the oracle on @plan, adding the number of buffers,
 * events, queries, state changes and property settings to @events.  NULL: they
 * agree; else describes the difference and the operation.  (transfer full) */
char *rig_run (const Plan *plan, guint64 *events);
