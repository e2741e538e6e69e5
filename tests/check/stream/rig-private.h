/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the rig.
 *
 *   rig.c             the element and its pads, from start to end
 *   rig-source.c      its input, also given to the oracle
 *   rig-sink.c        its output, compared with the oracle's
 *   rig-operations.c  the operations of a plan
 *   rig-races.c       those in which two threads act at once
 *
 * Functions that return a text return NULL or a description of the failure
 * (transfer full). */

#pragma once

#include "tests/check/stream/chain/chain.h"
#include "tests/check/stream/oracle.h"
#include "tests/check/stream/plan.h"

typedef struct
{
  const Plan *plan;
  guint stream;
  Oracle *oracle;
  GstElement *elements[CHAIN_MAX]; /* in a row */
  guint n_elements;
  GstElement *filter; /* one of them */
  GstBus *bus;
  guint64 n_events;
  char *wrong; /* what its thread found */
  GstPad *src, *sink;

  /* Position of the stream. */
  GstClockTime base; /* of row 0 */
  guint64 rows;
  GstSegment segment;
  gboolean other_format;
  guint n_streams, n_customs, n_tags, n_seeks;
  gboolean tagged; /* a tag event was sent since the element was started */

  GMutex lock;
  GCond cond;
  GPtrArray *seen;   /* (element-type LogEntry), guarded */
  gboolean blocked;  /* downstream waits; guarded */
  gboolean had_caps; /* has_caps at the last check */
  gboolean has_caps; /* downstream got caps since the elements were started;
                        guarded */
} Rig;

/* rig.c */
/* Its elements and pads, without an oracle. */
void rig_open (Rig *rig, const Plan *plan, guint stream);
void rig_close (Rig *rig);
/* Of all its elements, in the order of a bin.  FALSE: failed. */
gboolean rig_set_state (Rig *rig, GstState state);

/* rig-sink.c */
void rig_new_sink (Rig *rig);
/* The pad that pushes into it.  (transfer full) */
GstPad *rig_last_pad (Rig *rig);
/* While it is blocked, the sink takes nothing. */
void rig_block (Rig *rig, gboolean blocked);
/* Compares the output with the oracle's, or (@prefix) with the beginning of it.
 */
char *rig_check_seen (Rig *rig, gboolean prefix);
/* FALSE: EOS did not come. */
gboolean rig_wait_for_eos (Rig *rig);
/* The elements are started again and have not sent caps. */
void rig_forget_caps (Rig *rig);
/* Waits for EOS and checks the output up to it. */
char *rig_await_eos (Rig *rig);
/* Checks that a query is answered after all earlier output. */
char *rig_drain (Rig *rig);
/* After a section of the stream whose output several orders of events explain:
 * sends a mark that resets the states, and waits until it has arrived.  From
 * there on all is exact again. */
char *rig_resync (Rig *rig);
/* Checks whether an error was posted. */
char *rig_check_messages (Rig *rig, gboolean expected);

/* rig-source.c */
void rig_new_source (Rig *rig);
void rig_remove_pad (GstPad *pad, gboolean is_src);
gboolean rig_send (Rig *rig, GstEvent *event);
/* Position of the stream. */
GstClockTime rig_position (const Rig *rig);
void rig_move_to (Rig *rig, GstClockTime time);
void rig_send_stream_start (Rig *rig);
void rig_send_caps (Rig *rig);
/* Caps again, if a flush has kept them from the pad. */
void rig_resend_caps (Rig *rig);
GstEvent *rig_custom_event (guint number, gboolean resets);
/* Where a flush has left too many possible states to follow, a custom event
 * that resets them. */
void rig_limit_states (Rig *rig);
void rig_send_custom (Rig *rig, gboolean resets);
void rig_send_segment (Rig *rig);
void rig_new_segment (Rig *rig, GstClockTime start);
/* stream-start, caps and segment. */
void rig_begin (Rig *rig);
gboolean rig_is_s16 (const Rig *rig);
guint rig_row_width (const Rig *rig);
/* Integers as S16, or floats.  (transfer full) */
GstBuffer *rig_make_buffer (const float *values, gsize n, gboolean s16);
/* PLAN_DISCONT and others. */
void rig_set_flags (GstBuffer *buffer, guint flags);
/* A buffer of @rows; @off: offset of its timestamp from the position. */
GstFlowReturn rig_push (
    Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off);
/* @n buffers at once, as a list. */
GstFlowReturn rig_push_list (Rig *rig, const PlanOp *op, guint n);

/* rig-operations.c */
char *rig_do (Rig *rig, const PlanOp *op);
/* Forgets all PROGRESS messages; waits for the next that says complete. */
void rig_forget_progress (Rig *rig);
char *rig_await_loaded (Rig *rig);
void rig_set_model_again (Rig *rig);
/* FLUSH_STOP and a new segment. */
char *rig_after_flush (Rig *rig, const PlanOp *op);
/* From a lower state back to PLAYING. */
char *rig_again (Rig *rig);

/* rig-races.c */
typedef char *(*RigOperation) (Rig *rig, const PlanOp *op);
/* NULL: not one of them. */
RigOperation rig_race (PlanOpKind kind);
/* Expects the error, then EOS, after all correct output; then restarts. */
char *rig_recover (Rig *rig);
