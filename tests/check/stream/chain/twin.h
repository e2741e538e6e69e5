/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The oracle of several elements in a row: the same elements again, calm.  They
 * get the same stream, but one thread pushes it, one request runs at a time,
 * nothing interrupts, and buffers are cut differently.  What leaves must be the
 * same. */

#pragma once

#include "tests/check/stream/plan.h"

typedef struct _Twin Twin;

Twin *twin_new (const PlanConfig *config);
void twin_free (Twin *twin);

void twin_event (Twin *twin, GstEvent *event); /* (transfer full) */
void twin_caps (Twin *twin, const char *caps);
/* As oracle_buffer(). */
void twin_buffer (Twin *twin, const float *values, gsize rows, GstClockTime pts,
    GstClockTime duration, guint flags);
void twin_drain (Twin *twin);
void twin_allocation (Twin *twin); /* the query of its present caps */
/* Loads its model again. */
void twin_swap (Twin *twin);
/* After a flush, or a restart (@fresh). */
void twin_cut (Twin *twin, gboolean fresh);
/* The entries that left since the last call.  (transfer full) (element-type
 * LogEntry) */
GPtrArray *twin_take (Twin *twin);
