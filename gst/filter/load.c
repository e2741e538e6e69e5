/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models loaded in a thread of their own: another `model` while data flows, or
 * the first one with `async-load`. */

#include "gst/common/error-message.h"
#include "gst/filter/filter.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- the thread --- */

/* The active settings with the model that is wanted now.  Locked. */
static void
copy_wanted (GstInferFilter *self, GstInferSettings *s)
{
  gst_infer_settings_copy (s, &self->active);
  gst_infer_settings_copy_model (s, &self->settings);
}

/* A model begins to load.  NULL: no further one is wanted.  (transfer full) */
static GCancellable *
begin_loading (GstInferLoad *load, GstInferSettings *settings, guint *serial)
{
  g_autoptr (GstInferFilter) self = g_weak_ref_get (&load->element);
  GCancellable *cancel = NULL;

  if (self == NULL)
    return NULL;
  GST_OBJECT_LOCK (self);
  if (gst_infer_loader_begin (&self->loader, load, serial, &cancel))
    copy_wanted (self, settings);
  GST_OBJECT_UNLOCK (self);
  if (cancel != NULL)
    gst_infer_filter_post_progress (self, GST_PROGRESS_TYPE_START, settings);
  return cancel;
}

/* The model of request @serial is *@shared, or has failed with @error.  What
 * waits for it goes on when the error has been posted. */
static void
end_loading (GstInferLoad *load, guint serial, const GstInferSettings *settings,
    GstInferShared **shared, const GError *error)
{
  g_autoptr (GstInferFilter) self = g_weak_ref_get (&load->element);
  g_autoptr (GstInferLoad) ended = NULL;
  GstProgressType outcome = GST_PROGRESS_TYPE_CANCELED;

  if (self == NULL)
    return;
  GST_OBJECT_LOCK (self);
  gboolean stopped = self->loader.load != load;
  gboolean wanted = gst_infer_loader_is_wanted (&self->loader, load, serial);
  GST_OBJECT_UNLOCK (self);
  if (stopped)
    return; /* stop_loading has posted CANCELED */
  if (wanted && error != NULL) {
    outcome = GST_PROGRESS_TYPE_ERROR;
    gst_infer_filter_post_progress (self, outcome, settings);
    gst_infer_filter_report_failure (self, settings, error);
  }
  GST_OBJECT_LOCK (self);
  if (gst_infer_loader_is_wanted (&self->loader, load, serial)) {
    if (*shared != NULL)
      outcome = GST_PROGRESS_TYPE_COMPLETE;
    ended = gst_infer_loader_finish (&self->loader, shared, settings);
  }
  GST_OBJECT_UNLOCK (self);
  if (outcome != GST_PROGRESS_TYPE_ERROR)
    gst_infer_filter_post_progress (self, outcome, settings);
}

static gboolean
load_next (GstInferLoad *load)
{
  GstInferSettings settings = { 0 };
  g_autoptr (GError) error = NULL;
  guint serial = 0;
  g_autoptr (GCancellable) cancel = begin_loading (load, &settings, &serial);

  if (cancel == NULL)
    return FALSE;
  g_cancellable_push_current (cancel);
  g_autoptr (GstInferShared) shared = gst_infer_filter_load (&settings, &error);
  g_cancellable_pop_current (cancel);
  end_loading (load, serial, &settings, &shared, error);
  gst_infer_settings_clear (&settings);
  return TRUE;
}

static gpointer
run_loader (gpointer load)
{
  while (load_next (load))
    continue;
  return NULL;
}

/* --- starting and stopping it --- */

/* Locked. */
static gboolean
start_loading (GstInferFilter *self, GError **error)
{
  g_autoptr (GError) failure = NULL;

  return gst_infer_loader_start (&self->loader, self, run_loader, &failure)
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "no thread to load the model in: %s", failure->message);
}

gboolean
gst_infer_filter_start_loading (GstInferFilter *self, GError **error)
{
  GST_OBJECT_LOCK (self);
  gboolean ok = start_loading (self, error);
  GST_OBJECT_UNLOCK (self);
  return ok;
}

void
gst_infer_filter_load_requested (GstInferFilter *self)
{
  GstInferSettings wanted = { 0 };
  g_autoptr (GError) error = NULL;
  GstInferLoader *loader = &self->loader;

  GST_OBJECT_LOCK (self);
  gboolean requested =
      loader->requested && loader->open && self->settings.model != NULL;
  loader->requested = FALSE;
  if (requested && !start_loading (self, &error))
    copy_wanted (self, &wanted);
  GST_OBJECT_UNLOCK (self);
  if (error != NULL)
    gst_infer_filter_report_failure (self, &wanted, error);
  gst_infer_settings_clear (&wanted);
}

void
gst_infer_filter_stop_loading (GstInferFilter *self)
{
  GstInferSettings settings = { 0 };

  GST_OBJECT_LOCK (self);
  g_autoptr (GstInferLoad) load = gst_infer_loader_stop (&self->loader);
  if (load != NULL)
    copy_wanted (self, &settings);
  GST_OBJECT_UNLOCK (self);
  if (load != NULL)
    gst_infer_filter_post_progress (
        self, GST_PROGRESS_TYPE_CANCELED, &settings);
  gst_infer_settings_clear (&settings);
  GST_OBJECT_LOCK (self);
  g_autoptr (GstInferShared) unused =
      gst_infer_loader_take (&self->loader, &settings);
  GST_OBJECT_UNLOCK (self);
  gst_infer_settings_clear (&settings);
}

/* --- waiting --- */

gboolean
gst_infer_filter_await_model (GstInferFilter *self)
{
  GstInferLoader *loader = &self->loader;

  GST_OBJECT_LOCK (self);
  while (self->use.shared == NULL && loader->next == NULL
         && loader->load != NULL
         && gst_infer_queue_get_flow (self->queue) == GST_FLOW_OK)
    g_cond_wait (&loader->changed, GST_OBJECT_GET_LOCK (self));
  gboolean available = self->use.shared != NULL || loader->next != NULL;
  GST_OBJECT_UNLOCK (self);
  return available;
}

InferModel *
gst_infer_filter_ref_model (GstInferFilter *self, GstInferOutput *output)
{
  GST_OBJECT_LOCK (self);
  InferModel *model = self->use.model;
  if (model == NULL && self->loader.next != NULL)
    model = gst_infer_shared_get_model (self->loader.next);
  if (model != NULL)
    infer_model_ref (model);
  *output = self->active.output;
  GST_OBJECT_UNLOCK (self);
  return model;
}
