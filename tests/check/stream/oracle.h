/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Expected behaviour of inferfilter, as simple as possible: row after row, no
 * threads, nothing in flight.  The model is "output = input + state", and the
 * output is the next state.
 *
 * A flush drops inferences in flight, an unknown number of which have been
 * computed.  If the state survives the flush, the oracle continues with all
 * possible states; later output shows which was right. */

#pragma once

#include "tests/check/stream/log.h"
#include "tests/check/stream/plan.h"

typedef struct _Oracle Oracle;

#define ORACLE_FAIL_VALUE 12345.f

Oracle *oracle_new (const PlanConfig *config);
void oracle_free (Oracle *oracle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Oracle, oracle_free)

/* Input.  Values are rows * width floats. */
void oracle_caps (Oracle *oracle, const char *id);
void oracle_buffer (Oracle *oracle, const float *values, gsize rows,
    GstClockTime pts, GstClockTime duration, guint flags);
/* What follows, up to the next cut, was pushed, but perhaps refused. */
void oracle_refused (Oracle *oracle);
void oracle_gap (Oracle *oracle, GstClockTime pts, GstClockTime duration);
void oracle_segment (Oracle *oracle, const GstSegment *segment);
void oracle_stream_start (Oracle *oracle);
void oracle_eos (Oracle *oracle);
void oracle_segment_done (Oracle *oracle, GstClockTime position);
void oracle_custom (Oracle *oracle, guint number, gboolean resets);
void oracle_tag (Oracle *oracle, const char *title);
/* Serialized queries. */
void oracle_drain (Oracle *oracle);
void oracle_allocation (Oracle *oracle);
void oracle_reset (Oracle *oracle); /* not serialised with buffers */
/* Another model (in fact the same) is ready. */
void oracle_swap (Oracle *oracle);
void oracle_set_state (Oracle *oracle, GBytes *value);
/* FALSE if several states are possible; *@value is NULL if it is reset.
 * (transfer none) */
gboolean oracle_get_state (Oracle *oracle, GBytes **value);
/* After a flush, or a restart (@fresh), with nothing in flight; call
 * oracle_check() before. */
void oracle_cut (Oracle *oracle, gboolean fresh);

/* After a custom event that reset the states: what was expected before it is
 * not checked, whatever the model has seen. */
void oracle_resync (Oracle *oracle);
/* TRUE: something was inferred since the start; else that may still be so, if a
 * flush came before its output. */
gboolean oracle_has_inferred (const Oracle *oracle);
gboolean oracle_may_have_inferred (const Oracle *oracle);

/* After oracle_cut(): the states may also have been reset. */
void oracle_allow_reset (Oracle *oracle);

/* After oracle_cut(): more states are possible than can be followed; a custom
 * event that resets them is due. */
gboolean oracle_has_too_many_states (const Oracle *oracle);

/* TRUE after a failed inference: only EOS follows. */
gboolean oracle_has_failed (const Oracle *oracle);

/* NULL if @seen equals the output expected since the last check, or (@prefix) a
 * beginning of it; else describes the difference.  @has_caps: the elements have
 * sent caps since they were started.  (transfer full) */
char *oracle_check (
    Oracle *oracle, const GPtrArray *seen, gboolean prefix, gboolean has_caps);
