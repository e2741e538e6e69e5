/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models loaded in a thread of their own and put to use between two buffers:
 * another `model` while PLAYING, or the first one with `async-load`. */

#include "gst/common/error-message.h"
#include "gst/filter/filter.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- the thread --- */

/* The active settings with the model that is wanted now.  Locked. */
static void
copy_wanted (GstInferFilter *self, GstInferSettings *s)
{
  gst_infer_settings_copy (s, &self->active);
  g_free (s->model);
  g_free (s->weights);
  s->model = g_strdup (self->settings.model);
  s->weights = g_strdup (self->settings.weights);
}

/* An error where there is no model to go on with, else a warning; the
 * properties then name that model again. */
static void
report_failure (GstInferFilter *self, const GError *error)
{
  GST_OBJECT_LOCK (self);
  gboolean goes_on = self->use.shared != NULL;
  if (goes_on) {
    g_free (self->settings.model);
    g_free (self->settings.weights);
    self->settings.model = g_strdup (self->active.model);
    self->settings.weights = g_strdup (self->active.weights);
  }
  GST_OBJECT_UNLOCK (self);
  if (!goes_on)
    gst_infer_post_error (self, error);
  else
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", error->message),
        ("The previous model stays in use"));
}

static gpointer
run_loader (gpointer data)
{
  GstInferFilter *self = data;
  gboolean done = FALSE;

  while (!done) {
    g_autoptr (GError) error = NULL;
    GstInferSettings settings = { 0 };

    GST_OBJECT_LOCK (self);
    copy_wanted (self, &settings);
    guint serial = self->loader.serial;
    GST_OBJECT_UNLOCK (self);
    g_autoptr (GstInferShared) shared =
        gst_infer_filter_load (self, &settings, &error);
    GST_OBJECT_LOCK (self);
    done = self->loader.serial == serial;
    GST_OBJECT_UNLOCK (self);
    if (error != NULL && done)
      report_failure (self, error);
    gboolean loaded = shared != NULL;
    GST_OBJECT_LOCK (self);
    done = gst_infer_loader_finish (&self->loader, serial, &shared, &settings);
    GST_OBJECT_UNLOCK (self);
    if (loaded && done)
      gst_infer_filter_post_progress (
          self, GST_PROGRESS_TYPE_COMPLETE, &settings);
    gst_infer_settings_clear (&settings);
  }
  return NULL;
}

void
gst_infer_filter_start_loading (GstInferFilter *self)
{
  GST_OBJECT_LOCK (self);
  GThread *ended = gst_infer_loader_start (&self->loader, run_loader, self);
  GST_OBJECT_UNLOCK (self);
  if (ended != NULL)
    g_thread_join (ended);
}

void
gst_infer_filter_stop_loading (GstInferFilter *self)
{
  GstInferSettings settings = { 0 };

  GST_OBJECT_LOCK (self);
  GThread *thread = g_steal_pointer (&self->loader.thread);
  GST_OBJECT_UNLOCK (self);
  if (thread != NULL)
    g_thread_join (thread);
  GST_OBJECT_LOCK (self);
  GstInferShared *unused = gst_infer_loader_take (&self->loader, &settings);
  GST_OBJECT_UNLOCK (self);
  gst_infer_settings_clear (&settings);
  gst_infer_shared_release (unused);
}

/* --- waiting --- */

gboolean
gst_infer_filter_await_model (GstInferFilter *self)
{
  GstInferLoader *loader = &self->loader;

  GST_OBJECT_LOCK (self);
  while (self->use.shared == NULL && loader->next == NULL && loader->loading
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

/* --- switching --- */

/* The same caps, for another model. */
static gboolean
negotiate_again (GstInferFilter *self, GError **error)
{
  g_autoptr (GstCaps) caps = g_steal_pointer (&self->negotiated.caps);

  return caps == NULL || gst_infer_filter_negotiate (self, caps, error);
}

/* Uses @shared (transfer full) from now on; the model used so far is in
 * @previous. */
static gboolean
change_model (GstInferFilter *self, GstInferShared *shared,
    GstInferModelUse *previous, GError **error)
{
  gst_infer_filter_stop_using (self, previous);
  return gst_infer_filter_use (self, shared, error)
         && negotiate_again (self, error);
}

/* To @previous, with @caps (nullable) as negotiated for it. */
static void
change_back (GstInferFilter *self, GstInferModelUse *previous, GstCaps *caps)
{
  GstInferModelUse failed = { 0 };
  g_autoptr (GError) error = NULL;

  gst_infer_filter_stop_using (self, &failed);
  gst_infer_filter_use_again (self, previous);
  gst_infer_model_use_clear (&failed);
  gst_caps_replace (&self->negotiated.caps, caps);
  if (!negotiate_again (self, &error))
    gst_infer_post_error (self, error);
}

/* Waits until the model in use has finished what it has begun. */
static GstFlowReturn
drain (GstInferFilter *self)
{
  GstFlowReturn flow = gst_infer_filter_end_sequence (self, TRUE);

  gst_infer_batch_begin_flush (&self->batch);
  if (flow == GST_FLOW_OK
      && !gst_infer_queue_wait_all_idle (self->queue, self->use.n_jobs))
    flow = gst_infer_queue_get_flow (self->queue);
  gst_infer_batch_end_flush (&self->batch);
  return flow;
}

static GstFlowReturn
use_next (GstInferFilter *self, GstInferShared *next,
    const GstInferSettings *settings)
{
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GError) error = NULL;
  GstInferModelUse previous = { 0 };
  GstFlowReturn flow = GST_FLOW_OK;

  if (self->negotiated.caps != NULL)
    caps = gst_caps_ref (self->negotiated.caps);
  if (change_model (self, next, &previous, &error)) {
    GST_OBJECT_LOCK (self);
    gst_infer_settings_copy (&self->active, settings);
    GST_OBJECT_UNLOCK (self);
    GST_INFO_OBJECT (self, "%s is in use", settings->model);
  } else if (previous.shared != NULL) {
    change_back (self, &previous, caps);
    report_failure (self, error);
  } else {
    gst_infer_post_error (self, error);
    flow = GST_FLOW_ERROR;
  }
  gst_infer_model_use_clear (&previous);
  return flow;
}

GstFlowReturn
gst_infer_filter_switch_model (GstInferFilter *self)
{
  gboolean first = self->use.shared == NULL;
  GstInferSettings settings = { 0 };
  GstFlowReturn flow = GST_FLOW_OK;

  if (first && !gst_infer_filter_await_model (self)) {
    flow = gst_infer_queue_get_flow (self->queue);
    return flow != GST_FLOW_OK ? flow : GST_FLOW_ERROR;
  }
  if (g_atomic_pointer_get (&self->loader.next) == NULL)
    return GST_FLOW_OK;
  if (!first)
    flow = drain (self);
  if (flow != GST_FLOW_OK)
    return flow;
  GST_OBJECT_LOCK (self);
  GstInferShared *next = gst_infer_loader_take (&self->loader, &settings);
  GST_OBJECT_UNLOCK (self);
  if (next == NULL)
    return GST_FLOW_OK;
  if (!first)
    gst_infer_states_forget_preset (&self->states);
  flow = use_next (self, next, &settings);
  gst_infer_settings_clear (&settings);
  return flow;
}
