/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/loader.h"

GThread *
gst_infer_loader_start (GstInferLoader *loader, GThreadFunc func, gpointer data)
{
  loader->serial++;
  if (loader->loading)
    return NULL;
  GThread *ended = loader->thread;
  loader->loading = TRUE;
  loader->thread = g_thread_new ("infer-load", func, data);
  return ended;
}

gboolean
gst_infer_loader_finish (GstInferLoader *loader, guint serial,
    GstInferShared **shared, const GstInferSettings *settings)
{
  GstInferShared *unused = loader->next;

  if (loader->serial != serial)
    return FALSE;
  loader->loading = FALSE;
  if (*shared != NULL) {
    g_atomic_pointer_set (&loader->next, *shared);
    *shared = unused;
    gst_infer_settings_copy (&loader->settings, settings);
  }
  g_cond_broadcast (&loader->changed);
  return TRUE;
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
