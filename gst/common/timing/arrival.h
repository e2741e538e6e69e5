/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a frame came to the first of our elements: a GstReferenceTimestampMeta
 * with the caps `timestamp/x-infer-arrival`, whose timestamp is that of
 * gst_util_get_timestamp().  Copies, queues, tees and converters keep it.
 *
 * inferscene asks for it with an event upstream when a stream begins;
 * infermotion and inferfilter then mark the frames that have no mark yet. Where
 * nobody asks no frame is marked.  Any thread. */

#pragma once

#include <gst/gst.h>

/* (transfer full) */
GstEvent *gst_infer_arrival_request (void);
gboolean gst_infer_is_arrival_request (GstEvent *event);

/* Marks @buffer, which is writable; not if it has a mark, or @arrived is
 * NONE. */
void gst_infer_mark_arrival (GstBuffer *buffer, GstClockTime arrived);
/* NONE: @buffer has no mark. */
GstClockTime gst_infer_arrival_of (GstBuffer *buffer);
