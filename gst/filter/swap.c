/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model that is loaded is put to use, between two buffers. */

#include "gst/common/error-message.h"
#include "gst/filter/filter.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* --- failures --- */

/* Sets the properties back to the model in use, unless they were changed since
 * @failed was asked for. */
static void
revert (GstInferFilter *self, const GstInferSettings *failed)
{
  static const char *const names[] = { GST_INFER_MODEL_PROPERTIES };
  guint changed = 0;

  GST_OBJECT_LOCK (self);
  if (gst_infer_settings_compare_model (failed, &self->settings) == 0) {
    changed = gst_infer_settings_compare_model (failed, &self->active);
    gst_infer_settings_copy_model (&self->settings, &self->active);
  }
  GST_OBJECT_UNLOCK (self);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((changed & 1u << i) != 0)
      g_object_notify (G_OBJECT (self), names[i]);
}

void
gst_infer_filter_report_failure (
    GstInferFilter *self, const GstInferSettings *failed, const GError *error)
{
  GST_OBJECT_LOCK (self);
  gboolean goes_on = self->use.shared != NULL;
  g_autofree char *previous = g_strdup (self->active.model);
  GST_OBJECT_UNLOCK (self);
  if (!goes_on) {
    gst_infer_post_error (self, error);
    return;
  }
  GST_INFO_OBJECT (
      self, "%s stays in use instead of %s", previous, failed->model);
  revert (self, failed);
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", error->message),
      ("The previous model stays in use: %s", GST_STR_NULL (previous)));
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
  GstFlowReturn flow =
      gst_infer_filter_end_sequence (self, TRUE, "another model");

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
    gst_infer_settings_copy_model (&self->active, settings);
    GST_OBJECT_UNLOCK (self);
    GST_INFO_OBJECT (self, "%s is in use", settings->model);
  } else if (previous.shared != NULL) {
    change_back (self, &previous, caps);
    gst_infer_filter_report_failure (self, settings, error);
  } else {
    gst_infer_post_error (self, error);
    flow = GST_FLOW_ERROR;
  }
  gst_infer_model_use_clear (&previous);
  return flow;
}

/* With nothing under way. */
static GstFlowReturn
switch_now (GstInferFilter *self)
{
  GstInferSettings settings = { 0 };
  GstFlowReturn flow = GST_FLOW_OK;

  GST_OBJECT_LOCK (self);
  GstInferShared *next = gst_infer_loader_take (&self->loader, &settings);
  GST_OBJECT_UNLOCK (self);
  if (next == NULL)
    return GST_FLOW_OK;
  if (self->use.shared != NULL)
    gst_infer_states_forget_preset (&self->states);
  flow = use_next (self, next, &settings);
  gst_infer_settings_clear (&settings);
  return flow;
}

GstFlowReturn
gst_infer_filter_switch_model (GstInferFilter *self)
{
  gboolean first = self->use.shared == NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  if (first && !gst_infer_filter_await_model (self)) {
    flow = gst_infer_queue_get_flow (self->queue);
    return flow != GST_FLOW_OK ? flow : GST_FLOW_ERROR;
  }
  if (g_atomic_pointer_get (&self->loader.next) == NULL)
    return GST_FLOW_OK;
  if (!first) {
    GST_INFO_OBJECT (self, "another model is loaded: %s drains",
        gst_infer_shared_get_path (self->use.shared));
    flow = drain (self);
  }
  return flow == GST_FLOW_OK ? switch_now (self) : flow;
}

void
gst_infer_filter_switch_idle_model (GstInferFilter *self)
{
  if (self->use.shared != NULL
      && g_atomic_pointer_get (&self->loader.next) != NULL)
    switch_now (self);
}
