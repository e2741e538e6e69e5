/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An inferfilter between two pads of the test, and the oracle beside it. */

#pragma once

#include "tests/check/stream/plan.h"

G_BEGIN_DECLS

/* Once, before everything; @folder: for the models, made. */
void rig_init (void);
void rig_deinit (void);

/* Runs the element and the oracle on @plan.  NULL: they agree; else what is
 * wrong and at which operation.  (transfer full) */
char *rig_run (const Plan *plan);

G_END_DECLS
