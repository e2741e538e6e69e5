/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the input stream is.  Streaming thread only, or while it stands. */

#pragma once

#include "gst/common/reversed.h"

typedef struct
{
  GstSegment segment;
  GstClockTime next_pts; /* without a window: end of what came last, or NONE */
  GstClockTime arrived;  /* the buffer at hand, by gst_util_get_timestamp () */
  GstClockTime last_duration; /* with a window: of the rows that came last */
  guint64 first_row;     /* output=media of audio: the first row that no dropped
                            window had */
  guint since_inferred;  /* buffers since the last that was inferred */
  gboolean has_inferred; /* a buffer of this sequence */
  gboolean discont;      /* the next inference begins a sequence */
  GstInferUnit unit;     /* of reverse playback: not yet run */
  gboolean in_unit;      /* what runs now is of such a unit */
  gboolean failed; /* the last buffer was refused with an error, which upstream
                      reports */
  gboolean lost;   /* buffers were dropped since the last that was run */
} GstInferPosition;

/* READY → PAUSED: no segment, at the beginning of a sequence. */
void gst_infer_position_init (GstInferPosition *position);
void gst_infer_position_begin_sequence (GstInferPosition *position);
/* A buffer or gap came; one without duration lasts a frame, @fps_n / @fps_d a
 * second (0: not known). */
void gst_infer_position_advance (GstInferPosition *position, GstClockTime pts,
    GstClockTime duration, int fps_n, int fps_d);
/* FALSE: the buffer is skipped, as only each @interval-th is inferred. */
gboolean gst_infer_position_is_turn (
    GstInferPosition *position, guint interval);
/* A frame comes that infermotion has marked.  TRUE: it is skipped, and the next
 * that is not marked is inferred whatever the interval; FALSE: no frame of the
 * sequence has been inferred yet. */
gboolean gst_infer_position_rest (GstInferPosition *position);
