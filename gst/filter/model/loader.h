/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that loads models while the element runs, and the model that waits
 * to be used.
 *
 * Nobody waits for the thread: it has only a weak reference to the element,
 * which can be stopped and freed while a model loads.  It goes on as long as
 * the element's loader has its load. */

#pragma once

#include <gio/gio.h>

#include "gst/filter/model/shared-model.h"
#include "gst/filter/settings.h"

/* One background load.  Ref-counted: any thread may have a reference. */
typedef struct
{
  GWeakRef element;
  GCancellable *cancel; /* guarded by the element's object lock: of the model
                           that is being loaded; nullable */
  GThreadFunc func;
} GstInferLoad;

/* NULL is fine. */
void gst_infer_load_unref (GstInferLoad *load);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferLoad, gst_infer_load_unref)

/* Guarded by the element's object lock; all functions are called with it held.
 */
typedef struct
{
  gboolean open;        /* models can be used: READY → PAUSED to → READY */
  gboolean requested;   /* `model` was set, and loading is to start */
  GstInferLoad *load;   /* under way; NULL: none */
  guint serial;         /* of requests to load */
  GstInferShared *next; /* atomic for reading: loaded, not yet used; nullable */
  GstInferSettings settings; /* of `next` */
  GCond changed;             /* `load`, `next`, or the waiting is to end */
} GstInferLoader;

/* Starts a thread that calls @func (load) for @element, or cancels what the
 * running one loads, so that it loads again.  FALSE: there is no thread. */
gboolean gst_infer_loader_start (
    GstInferLoader *loader, gpointer element, GThreadFunc func, GError **error);
/* Cancels the load under way, if any, and takes no further one.  (transfer
 * full) (nullable) */
GstInferLoad *gst_infer_loader_stop (GstInferLoader *loader);

/* In the thread: the next model begins.  FALSE: @load has been stopped.
 * @cancel: (transfer full). */
gboolean gst_infer_loader_begin (GstInferLoader *loader, GstInferLoad *load,
    guint *serial, GCancellable **cancel);
/* In the thread: @load has not been stopped, and no request came after @serial.
 */
gboolean gst_infer_loader_is_wanted (
    const GstInferLoader *loader, const GstInferLoad *load, guint serial);
/* In the thread, where that is so: nothing more is to be loaded.  *@shared, if
 * not NULL, becomes `next`; *@shared is then what to release, unlocked.
 * (transfer full) */
GstInferLoad *gst_infer_loader_finish (GstInferLoader *loader,
    GstInferShared **shared, const GstInferSettings *settings);

/* The model that waits and its settings; NULL: none.  (transfer full) */
GstInferShared *gst_infer_loader_take (
    GstInferLoader *loader, GstInferSettings *settings);
