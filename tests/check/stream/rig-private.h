/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of the rig share.
 *
 *   rig.c             the element and its pads, from start to end
 *   rig-source.c      what is sent to it, told to the oracle as well
 *   rig-sink.c        what comes out, compared with what the oracle says
 *   rig-operations.c  the operations of a plan
 *
 * What returns a text: NULL, or what is wrong (transfer full). */

#pragma once

#include "tests/check/stream/oracle.h"
#include "tests/check/stream/plan.h"

G_BEGIN_DECLS

typedef struct
{
  const Plan *plan;
  Oracle *oracle;
  GstElement *filter;
  GstBus *bus;
  GstPad *src, *sink;

  /* Where the stream is. */
  GstClockTime base; /* of row 0 */
  guint64 rows;
  GstSegment segment;
  gboolean other_format;
  guint n_streams, n_customs, n_tags, n_seeks;
  gboolean tagged; /* since the element was started */

  GMutex lock;
  GCond cond;
  GPtrArray *seen; /* (element-type LogEntry), guarded */
} Rig;

/* rig-sink.c */
void rig_new_sink (Rig *rig);
/* What has been seen must be what the oracle says, or (@prefix) its beginning.
 */
char *rig_check_seen (Rig *rig, gboolean prefix);
/* Waits for the end of the stream, and checks what came until then. */
char *rig_await_eos (Rig *rig);
/* A query is answered after all that came before it: that is checked. */
char *rig_drain (Rig *rig);
/* An error has been posted, or none has. */
char *rig_check_messages (Rig *rig, gboolean expected);

/* rig-source.c */
void rig_new_source (Rig *rig);
void rig_remove_pad (GstPad *pad, gboolean is_src);
/* Where the stream is, and goes on. */
GstClockTime rig_position (const Rig *rig);
void rig_move_to (Rig *rig, GstClockTime time);
void rig_send_stream_start (Rig *rig);
void rig_send_caps (Rig *rig);
void rig_send_segment (Rig *rig);
void rig_new_segment (Rig *rig, GstClockTime start);
/* All three. */
void rig_begin (Rig *rig);
gboolean rig_is_s16 (const Rig *rig);
guint rig_row_width (const Rig *rig);
/* A buffer of @rows; @off: how its time differs from where the stream is. */
GstFlowReturn rig_push (
    Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off);

/* rig-operations.c */
char *rig_do (Rig *rig, const PlanOp *op);
/* The error, then EOS, after all that was right; then as new. */
char *rig_recover (Rig *rig);

G_END_DECLS
