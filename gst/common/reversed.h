/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reverse playback of audio and of what is made of it: buffers arrive last
 * first, the samples within each ascend.  Buffers that adjoin are collected to
 * a unit, which is computed forwards from a fresh start; its results leave last
 * first.  One thread at a time. */

#pragma once

#include <gst/gst.h>

/* Collected input. */
typedef struct
{
  GQueue buffers;          /* in the order of time */
  GstClockTime start, end; /* NONE: not known */
  gboolean forward;        /* they arrive in that order */
} GstInferUnit;

/* Adds @buffer, which lasts @duration (transfer none).  FALSE: it is not
 * adjacent to the unit, or begins one (DISCONT, RESYNC); never FALSE where the
 * unit is empty. */
gboolean gst_infer_unit_add (
    GstInferUnit *unit, GstBuffer *buffer, GstClockTime duration);
/* Half of what a queue holds by default, so that a branch that collects a unit
 * does not stall the others. */
#define GST_INFER_UNIT_LENGTH (500 * GST_MSECOND)

/* TRUE: as long as @enough, and to be computed.  Buffers that arrive in the
 * order of time (compressed media of a keyframe, decoded) make units of any
 * length. */
gboolean gst_infer_unit_is_full (const GstInferUnit *unit, GstClockTime enough);
/* The earliest; NULL: none is left.  (transfer full) */
GstBuffer *gst_infer_unit_pop (GstInferUnit *unit);
void gst_infer_unit_clear (GstInferUnit *unit);

/* Results that are held. */
typedef struct
{
  GQueue entries; /* in the order of time */
  GstCaps *sent;  /* nullable; with entries: what downstream knows */
  gboolean begun; /* some have left */
} GstInferReversed;

/* Holds @object, a buffer or event, of the unit; (transfer full).  @caps: of a
 * buffer; NULL: as those before.  @sent: what downstream knows (nullable). */
void gst_infer_reversed_hold (GstInferReversed *unit, GstMiniObject *object,
    GstCaps *caps, GstCaps *sent);

/* The next to be pushed, and the CAPS event before it where it has others than
 * the one that left last; the first buffer has DISCONT, the others have not.
 * NULL: none is left.  (transfer full) */
GstMiniObject *gst_infer_reversed_next (GstInferReversed *unit);

void gst_infer_reversed_clear (GstInferReversed *unit);

/* Reverse playback of an element that computes in its chain function. */
typedef struct
{
  GstInferUnit unit;         /* not yet computed */
  GstInferReversed reversed; /* not yet pushed */
  gboolean in_unit;          /* results are to be held in `reversed` */
} GstInferReversal;

typedef struct
{
  GstClockTime enough; /* length of a unit */
  /* @buffer: (transfer none) */
  GstFlowReturn (*take) (GstElement *element, GstBuffer *buffer);
  /* Computes what is not complete; the next buffer starts afresh. */
  GstFlowReturn (*finish) (GstElement *element);
} GstInferReversalFuncs;

/* Adds @buffer, which lasts @duration (transfer none), and runs a unit that it
 * completes or does not adjoin. */
GstFlowReturn gst_infer_reversal_collect (GstInferReversal *reversal,
    const GstInferReversalFuncs *funcs, GstElement *element, GstPad *srcpad,
    GstBuffer *buffer, GstClockTime duration);
/* Computes what was collected and pushes its results on @srcpad, last first;
 * those that are left after a refusal are dropped. */
GstFlowReturn gst_infer_reversal_run (GstInferReversal *reversal,
    const GstInferReversalFuncs *funcs, GstElement *element, GstPad *srcpad);
