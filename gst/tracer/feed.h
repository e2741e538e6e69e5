/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A Unix socket on which programs of the same user ask this process for a line
 * of text: $XDG_RUNTIME_DIR/infer-top/PID.  The folder is 0700, the socket
 * 0600, and peers of other users are hung up on.  A client sends a newline for
 * each line that it wants.  A thread waits for it; nobody asks: it sleeps. */

#pragma once

#include <gio/gio.h>

typedef struct _GstInferFeed GstInferFeed;

/* Makes the next line, without a newline; in the feed's thread.  (transfer
 * full) */
typedef char *(*GstInferFeedFunc) (gpointer data);

/* One for the process; its socket is removed when the process ends, too. */
GstInferFeed *gst_infer_feed_new (
    GstInferFeedFunc func, gpointer data, GError **error);
void gst_infer_feed_free (GstInferFeed *feed); /* NULL is fine */
