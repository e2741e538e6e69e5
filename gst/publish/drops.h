/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element messages of inferpublish about dropped lines. */

#pragma once

#include <gst/gst.h>

/* Since the last message.  Guarded by the element's object lock. */
typedef struct
{
  guint64 n;
  const char *reason;       /* static: of the last one */
  GstClockTime first, last; /* stream times, of those that found no room */
  gint64 posted_at;         /* monotonic time; 0: never */
} GstInferPublishDrops;

/* Adds @n lines that were dropped for @reason; @time: of the one line, or
 * GST_CLOCK_TIME_NONE. */
void gst_infer_publish_drops_add (GstInferPublishDrops *drops, guint n,
    const char *reason, GstClockTime time);

/* The element message `inferpublish-dropped`, at most one a second unless
 * @at_end; NULL: nothing to say.  @total: lines dropped since the start.
 * (transfer full) */
GstMessage *gst_infer_publish_drops_take_message (GstInferPublishDrops *drops,
    GstElement *element, const char *key, guint64 total, gboolean at_end);
