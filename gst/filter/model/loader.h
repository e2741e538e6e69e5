/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that loads models while the element runs, and the model that waits
 * to be used.  All with the element's object lock held, unless stated. */

#pragma once

#include "gst/filter/model/shared-model.h"
#include "gst/filter/settings.h"

typedef struct
{
  GThread *thread; /* nullable; running while `loading`, else to be joined */
  gboolean loading;
  guint serial;         /* of requests to load */
  GstInferShared *next; /* atomic for reading: loaded, not yet used; nullable */
  GstInferSettings settings; /* of `next` */
  GCond changed;             /* `loading`, `next`, or the waiting is to end */
} GstInferLoader;

/* Starts @func with @data in the thread, or lets the running one load again.
 * The thread to join, unlocked, if any. */
GThread *gst_infer_loader_start (
    GstInferLoader *loader, GThreadFunc func, gpointer data);
/* In the thread, which has loaded *@shared for request @serial with @settings.
 * TRUE: done; *@shared is what to release, unlocked.  FALSE: there was another
 * request. */
gboolean gst_infer_loader_finish (GstInferLoader *loader, guint serial,
    GstInferShared **shared, const GstInferSettings *settings);
/* The model that waits and its settings; NULL: none.  (transfer full) */
GstInferShared *gst_infer_loader_take (
    GstInferLoader *loader, GstInferSettings *settings);
