/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a stream continues, or a new sequence begins. */

#pragma once

#include <gst/gst.h>

/* TRUE where the next sample's running time is the same by @segment as by
 * @previous (format GST_FORMAT_UNDEFINED: there was none).  @next: the
 * timestamp that the next sample should have; NONE: not known. */
gboolean gst_infer_segment_continues (
    const GstSegment *previous, const GstSegment *segment, GstClockTime next);

/* TRUE where @event stays valid after a flush that overtook it: sticky, and
 * neither SEGMENT nor EOS. */
gboolean gst_infer_survives_flush (GstEvent *event);

/* TRUE where a pad that has @old as sticky event would replace it with @event.
 */
gboolean gst_infer_event_replaces (GstEvent *event, GstEvent *old);

/* TRUE for STREAM_START and SEGMENT: buffers after it are wanted, even where
 * downstream has returned EOS for those before it. */
gboolean gst_infer_ends_eos (GstEvent *event);

/* Before EOS, where no caps have left: pushes the events of @held, which waited
 * for them.  A SEGMENT stays, since the caps of another stream must not come
 * behind it; a GAP, which needs one, is dropped. */
void gst_infer_push_before_eos (GstPad *pad, GQueue *held);

/* TRUE for `inferfilter/reset-state`, a custom event of any direction. */
gboolean gst_infer_is_reset_event (GstEvent *event);

/* How long a frame lasts at this rate; 0: not known. */
GstClockTime gst_infer_frame_time (int fps_n, int fps_d);
