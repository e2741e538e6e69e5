/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models that are loaded in a thread of their own, and take over at a buffer
 * boundary: another `model` while PLAYING, or the first with `async-load`. */

#include "gst/filter/filter-private.h"
#include "gst/common/error-message.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- the thread --- */

/* What runs, with the model that is wanted now.  Locked. */
static void
copy_wanted (GstInferFilter *self, GstInferSettings *s)
{
  gst_infer_settings_copy (s, &self->active);
  g_free (s->model);
  g_free (s->weights);
  s->model = g_strdup (self->settings.model);
  s->weights = g_strdup (self->settings.weights);
}

static void
report_failure (GstInferFilter *self, const GError *error)
{
  gboolean goes_on;

  GST_OBJECT_LOCK (self);
  goes_on = self->shared != NULL;
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
        ("The model of before goes on"));
}

/* Locked: what was loaded for @serial; FALSE: something else is wanted by now.
 */
static gboolean
hand_over (GstInferFilter *self, guint serial, GstInferShared **shared,
    GstInferSettings *settings)
{
  GstInferShared *before = self->next;

  if (self->load_serial != serial)
    return FALSE;
  self->loading = FALSE;
  if (*shared != NULL) {
    self->next = *shared;
    *shared = before; /* to be released */
    gst_infer_settings_copy (&self->next_settings, settings);
  }
  g_cond_broadcast (&self->loaded);
  return TRUE;
}

static gpointer
run_loader (gpointer data)
{
  GstInferFilter *self = data;
  gboolean done = FALSE;

  while (!done) {
    g_autoptr (GstInferShared) shared = NULL;
    g_autoptr (GError) error = NULL;
    GstInferSettings settings = { 0 };
    gboolean there;
    guint serial;

    GST_OBJECT_LOCK (self);
    copy_wanted (self, &settings);
    serial = self->load_serial;
    GST_OBJECT_UNLOCK (self);
    shared = gst_infer_filter_load (self, &settings, &error);
    GST_OBJECT_LOCK (self);
    done = self->load_serial == serial;
    GST_OBJECT_UNLOCK (self);
    if (error != NULL && done)
      report_failure (self, error);
    there = shared != NULL;
    GST_OBJECT_LOCK (self);
    done = hand_over (self, serial, &shared, &settings);
    GST_OBJECT_UNLOCK (self);
    if (there && done)
      gst_infer_filter_post_progress (
          self, GST_PROGRESS_TYPE_COMPLETE, &settings);
    gst_infer_settings_clear (&settings);
  }
  return NULL;
}

void
gst_infer_filter_load_aside (GstInferFilter *self)
{
  GThread *spent = NULL;

  GST_OBJECT_LOCK (self);
  self->load_serial++;
  if (!self->loading) {
    spent = self->loader;
    self->loading = TRUE;
    self->loader = g_thread_new ("infer-load", run_loader, self);
  }
  GST_OBJECT_UNLOCK (self);
  if (spent != NULL)
    g_thread_join (spent);
}

void
gst_infer_filter_end_loading (GstInferFilter *self)
{
  GstInferShared *next;
  GThread *loader;

  GST_OBJECT_LOCK (self);
  loader = self->loader;
  self->loader = NULL;
  GST_OBJECT_UNLOCK (self);
  if (loader != NULL)
    g_thread_join (loader);
  GST_OBJECT_LOCK (self);
  next = self->next;
  self->next = NULL;
  gst_infer_settings_clear (&self->next_settings);
  GST_OBJECT_UNLOCK (self);
  gst_infer_shared_release (next);
}

/* --- waiting --- */

gboolean
gst_infer_filter_await_model (GstInferFilter *self)
{
  gboolean there;

  GST_OBJECT_LOCK (self);
  while (self->shared == NULL && self->next == NULL && self->loading
         && gst_infer_queue_get_flow (self->queue) == GST_FLOW_OK)
    g_cond_wait (&self->loaded, GST_OBJECT_GET_LOCK (self));
  there = self->shared != NULL || self->next != NULL;
  GST_OBJECT_UNLOCK (self);
  return there;
}

InferModel *
gst_infer_filter_ref_model (GstInferFilter *self, GstInferOutput *output)
{
  InferModel *model;

  GST_OBJECT_LOCK (self);
  model = self->model;
  if (model == NULL && self->next != NULL)
    model = gst_infer_shared_get_model (self->next);
  if (model != NULL)
    infer_model_ref (model);
  *output = self->active.output;
  GST_OBJECT_UNLOCK (self);
  return model;
}

/* --- taking over --- */

static GstInferShared *
take_next (GstInferFilter *self, GstInferSettings *settings)
{
  GstInferShared *next;

  GST_OBJECT_LOCK (self);
  next = self->next;
  self->next = NULL;
  if (next != NULL) {
    gst_infer_settings_copy (settings, &self->next_settings);
    gst_infer_settings_clear (&self->next_settings);
  }
  GST_OBJECT_UNLOCK (self);
  return next;
}

/* The same caps, for another model. */
static gboolean
negotiate_again (GstInferFilter *self, GError **error)
{
  g_autoptr (GstCaps) caps = g_steal_pointer (&self->caps);

  return caps == NULL || gst_infer_filter_negotiate (self, caps, error);
}

/* Uses @shared (transfer full) from now on; what was used before is in
 * @before. */
static gboolean
change_model (GstInferFilter *self, GstInferShared *shared,
    GstInferModelUse *before, GError **error)
{
  gst_infer_filter_stop_using (self, before);
  return gst_infer_filter_use (self, shared, error)
         && negotiate_again (self, error);
}

static void
change_back (GstInferFilter *self, GstInferModelUse *before)
{
  GstInferModelUse failed = { 0 };
  g_autoptr (GError) error = NULL;
  GstCaps *caps = self->caps;

  gst_infer_filter_stop_using (self, &failed);
  gst_infer_filter_use_again (self, before);
  gst_infer_model_use_clear (&failed);
  if (caps == NULL)
    self->caps = g_steal_pointer (&self->wanted_caps);
  if (!negotiate_again (self, &error))
    gst_infer_post_error (self, error);
}

static GstFlowReturn
take_over (GstInferFilter *self)
{
  GstInferSettings settings = { 0 };
  GstInferModelUse before = { 0 };
  g_autoptr (GError) error = NULL;
  GstInferShared *next;
  GstFlowReturn flow = GST_FLOW_OK;

  /* What the old one has begun, it ends. */
  if (self->executable != NULL) {
    flow = gst_infer_filter_end_sequence (self, TRUE);
    gst_infer_filter_urge (self);
    if (flow == GST_FLOW_OK
        && !gst_infer_queue_wait_all_idle (self->queue, self->n_jobs))
      flow = gst_infer_queue_get_flow (self->queue);
    gst_infer_filter_relax (self);
  }
  if (flow != GST_FLOW_OK)
    return flow;
  next = take_next (self, &settings);
  if (next == NULL)
    return GST_FLOW_OK;
  if (self->executable != NULL)
    g_atomic_int_set (&self->restored, FALSE);
  gst_clear_caps (&self->wanted_caps);
  if (self->caps != NULL)
    self->wanted_caps = gst_caps_ref (self->caps);
  if (change_model (self, next, &before, &error)) {
    GST_OBJECT_LOCK (self);
    gst_infer_settings_copy (&self->active, &settings);
    GST_OBJECT_UNLOCK (self);
    GST_INFO_OBJECT (self, "%s takes over", settings.model);
  } else if (before.shared != NULL) {
    change_back (self, &before);
    report_failure (self, error);
  } else {
    gst_infer_post_error (self, error);
    flow = GST_FLOW_ERROR;
  }
  gst_infer_model_use_clear (&before);
  gst_infer_settings_clear (&settings);
  return flow;
}

GstFlowReturn
gst_infer_filter_take_over (GstInferFilter *self)
{
  gboolean waits;

  if (self->executable == NULL && !gst_infer_filter_await_model (self)) {
    GstFlowReturn flow = gst_infer_queue_get_flow (self->queue);

    return flow != GST_FLOW_OK ? flow : GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  waits = self->next != NULL;
  GST_OBJECT_UNLOCK (self);
  return waits ? take_over (self) : GST_FLOW_OK;
}
