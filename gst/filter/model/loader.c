/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/loader.h"

#include <stdlib.h>

/* --- threads at the end of the process --- */

/* The longest time that exit waits for threads that load. */
#define EXIT_WAIT (5 * G_TIME_SPAN_SECOND)

static GMutex lock;
static GCond ended;
static guint n_threads; /* guarded by `lock` */

/* A thread would go on using what exit destroys, such as the static objects of
 * libraries. */
static void
await_threads (void)
{
  gint64 until = g_get_monotonic_time () + EXIT_WAIT;

  g_mutex_lock (&lock);
  while (n_threads > 0 && g_cond_wait_until (&ended, &lock, until))
    continue;
  g_mutex_unlock (&lock);
}

static void
count_thread (int change)
{
  static gsize registered;

  if (g_once_init_enter (&registered)) {
    atexit (await_threads);
    g_once_init_leave (&registered, 1);
  }
  g_mutex_lock (&lock);
  n_threads += (guint) change;
  g_cond_broadcast (&ended);
  g_mutex_unlock (&lock);
}

static gpointer
run (gpointer data)
{
  GstInferLoad *load = data;

  load->func (load);
  gst_infer_load_unref (load);
  count_thread (-1);
  return NULL;
}

/* --- loads --- */

static void
load_clear (gpointer data)
{
  GstInferLoad *load = data;

  g_weak_ref_clear (&load->element);
  g_clear_object (&load->cancel);
}

void
gst_infer_load_unref (GstInferLoad *load)
{
  if (load != NULL)
    g_atomic_rc_box_release_full (load, load_clear);
}

static gboolean
start_thread (gpointer load, GError **error)
{
  count_thread (1);
  GThread *thread = g_thread_try_new (
      "infer-load", run, g_atomic_rc_box_acquire (load), error);
  if (thread == NULL) {
    gst_infer_load_unref (load);
    count_thread (-1);
    return FALSE;
  }
  g_thread_unref (thread);
  return TRUE;
}

/* --- the loader --- */

gboolean
gst_infer_loader_start (
    GstInferLoader *loader, gpointer element, GThreadFunc func, GError **error)
{
  loader->serial++;
  if (loader->load != NULL) {
    if (loader->load->cancel != NULL)
      g_cancellable_cancel (loader->load->cancel);
    return TRUE;
  }
  g_autoptr (GstInferLoad) load = g_atomic_rc_box_new0 (GstInferLoad);
  g_weak_ref_init (&load->element, element);
  load->func = func;
  if (!start_thread (load, error))
    return FALSE;
  loader->load = g_steal_pointer (&load);
  return TRUE;
}

GstInferLoad *
gst_infer_loader_stop (GstInferLoader *loader)
{
  loader->open = FALSE;
  loader->requested = FALSE;
  if (loader->load != NULL && loader->load->cancel != NULL)
    g_cancellable_cancel (loader->load->cancel);
  return g_steal_pointer (&loader->load);
}

gboolean
gst_infer_loader_begin (GstInferLoader *loader, GstInferLoad *load,
    guint *serial, GCancellable **cancel)
{
  if (loader->load != load)
    return FALSE;
  g_clear_object (&load->cancel);
  load->cancel = g_cancellable_new ();
  *cancel = g_object_ref (load->cancel);
  *serial = loader->serial;
  return TRUE;
}

gboolean
gst_infer_loader_is_wanted (
    const GstInferLoader *loader, const GstInferLoad *load, guint serial)
{
  return loader->load == load && loader->serial == serial;
}

GstInferLoad *
gst_infer_loader_finish (GstInferLoader *loader, GstInferShared **shared,
    const GstInferSettings *settings)
{
  GstInferShared *unused = loader->next;

  if (*shared != NULL) {
    g_atomic_pointer_set (&loader->next, *shared);
    *shared = unused;
    gst_infer_settings_copy (&loader->settings, settings);
  }
  g_cond_broadcast (&loader->changed);
  return g_steal_pointer (&loader->load);
}

GstInferShared *
gst_infer_loader_take (GstInferLoader *loader, GstInferSettings *settings)
{
  GstInferShared *next = loader->next;

  g_atomic_pointer_set (&loader->next, NULL);
  if (next != NULL)
    gst_infer_settings_copy (settings, &loader->settings);
  gst_infer_settings_clear (&loader->settings);
  return next;
}
