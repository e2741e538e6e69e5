/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An inferfilter between two pads of the test, compared with the oracle. */

#pragma once

#include "tests/check/stream/plan.h"

/* Call it once before everything else; it creates @folder for the models. */
void rig_init (void);
void rig_deinit (void);

/* Runs the element and the oracle on @plan.  NULL: they agree; else describes
 * the difference and the operation.  (transfer full) */
char *rig_run (const Plan *plan);
