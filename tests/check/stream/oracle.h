/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What inferfilter is supposed to do, said as simply as possible: one row after
 * the other, no threads, nothing in flight.  The model is "output = input +
 * state, which is the next state".
 *
 * A flush takes away what was in flight, and nobody can know how much of it was
 * computed: where the state survives it, the oracle goes on with all the states
 * that are possible, and what comes out decides. */

#pragma once

#include "tests/check/stream/log.h"
#include "tests/check/stream/plan.h"

G_BEGIN_DECLS

typedef struct _Oracle Oracle;

#define ORACLE_FAIL_VALUE 12345.f

Oracle *oracle_new (const PlanConfig *config);
void oracle_free (Oracle *oracle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Oracle, oracle_free)

/* What comes in.  Values are rows * width floats. */
void oracle_caps (Oracle *oracle, const char *id);
void oracle_buffer (Oracle *oracle, const float *values, gsize rows,
    GstClockTime pts, GstClockTime duration, guint flags);
void oracle_gap (Oracle *oracle, GstClockTime pts, GstClockTime duration);
void oracle_segment (Oracle *oracle, const GstSegment *segment);
void oracle_stream_start (Oracle *oracle);
void oracle_eos (Oracle *oracle);
void oracle_custom (Oracle *oracle, guint number, gboolean resets);
void oracle_reset (Oracle *oracle); /* out of band */
/* Another model (the same, in fact) is ready to take over. */
void oracle_swap (Oracle *oracle);
void oracle_set_state (Oracle *oracle, GBytes *value);
/* FALSE where it can be one of several; *@value is NULL where it is reset.
 * (transfer none) */
gboolean oracle_get_state (Oracle *oracle, GBytes **value);
/* After a flush, or a new start (@fresh), with nothing left; what was seen has
 * been checked. */
void oracle_cut (Oracle *oracle, gboolean fresh);

/* An inference has failed: nothing comes any more but EOS. */
gboolean oracle_has_failed (const Oracle *oracle);

/* NULL: @seen is what should have come since the last check, or (@prefix) the
 * beginning of it; else says what is wrong.  (transfer full) */
char *oracle_check (Oracle *oracle, const GPtrArray *seen, gboolean prefix);

G_END_DECLS
