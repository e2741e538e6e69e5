/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the settings to a model in use. */

#include "gst/common/progress.h"
#include "gst/filter/filter.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* The device's properties, with those that properties of the element stand for.
 * (transfer full) */
static char *
make_config (const GstInferSettings *s)
{
  GString *config = g_string_new (s->config);

  if (s->dump != NULL && *s->dump != '\0') {
    infer_config_append (config, "DUMP", s->dump);
    infer_config_append (
        config, "DUMP_DIR", s->dump_dir != NULL ? s->dump_dir : ".");
  }
  return g_string_free (config, FALSE);
}

static gboolean
check_model (const InferModel *model, GError **error)
{
  guint n = infer_model_n_outputs (model);

  if (n < 1 || n > GST_INFER_MAX_TENSORS)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: has %u outputs, not 1 to %d", infer_model_get_path (model), n,
        GST_INFER_MAX_TENSORS);
  for (guint i = 0; i < n; i++) {
    InferType type = infer_model_output_desc (model, i)->type;

    if (type != INFER_TYPE_DYNAMIC
        && gst_infer_type_name (gst_infer_wire_type (type)) == NULL)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: output '%s' is of type %s, which other/tensors does not have",
          infer_model_get_path (model), infer_model_output_name (model, i),
          infer_type_name (type));
  }
  return TRUE;
}

static gboolean
check_output (
    const InferModel *model, const GstInferSettings *s, GError **error)
{
  g_autoptr (GstCaps) video = gst_infer_video_caps (model, FALSE);

  if (s->output != GST_INFER_OUTPUT_MEDIA_WITH_META
      || !gst_caps_is_empty (video))
    return TRUE;
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: output=media-with-meta is for models whose input is an image",
      infer_model_get_path (model));
}

void
gst_infer_filter_post_progress (
    GstInferFilter *self, GstProgressType type, const GstInferSettings *s)
{
  const char *name = s->model != NULL ? s->model : s->instance;

  GST_INFO_OBJECT (self, "loading %s: %s", name != NULL ? name : "a model",
      type == GST_PROGRESS_TYPE_START      ? "begins"
      : type == GST_PROGRESS_TYPE_COMPLETE ? "done"
      : type == GST_PROGRESS_TYPE_CANCELED ? "cancelled"
                                           : "failed");
  gst_infer_post_progress (self, type, name);
}

GstInferShared *
gst_infer_filter_load (const GstInferSettings *s, GError **error)
{
  g_autofree char *config = make_config (s);
  const GstInferModelSource source = {
    .model = s->model,
    .weights = s->weights,
    .device = s->device,
    .config = config,
    .extra_outputs = s->extra_outputs,
    .constant_inputs = s->constant_inputs,
    .state_pairs = s->state_pairs,
    .model_info = s->model_info,
    .low_latency = s->low_latency,
    .instance = s->instance,
    .batch_size = MAX (s->batch_size, 1),
    .batch_timeout =
        s->batch_timeout < 0 ? -1 : s->batch_timeout * (gint64) 1000,
  };

  g_autoptr (GstInferShared) shared = gst_infer_shared_get (&source, error);
  if (shared == NULL)
    return NULL;
  const InferModel *model = gst_infer_shared_get_model (shared);
  return check_model (model, error) && check_output (model, s, error)
             ? g_steal_pointer (&shared)
             : NULL;
}

/* @use becomes the model in use; @n: its requests. */
static void
install (GstInferFilter *self, GstInferModelUse *use, guint n)
{
  GST_OBJECT_LOCK (self);
  self->use = *use;
  GST_OBJECT_UNLOCK (self);
  gst_infer_batch_set_executable (&self->batch, use->executable, n,
      infer_model_n_variables (use->model) > 0);
}

/* How many requests there are, who shares the model, and what does not run on
 * the device that was asked for. */
static void
log_use (GstInferFilter *self, const GstInferModelUse *use, guint n)
{
  const char *device = infer_executable_get_device (use->executable);
  guint elsewhere = 0;

  if (gst_debug_category_get_threshold (GST_CAT_DEFAULT) < GST_LEVEL_INFO)
    return;
  GST_INFO_OBJECT (self, "%u requests for %s on %s, shared by %u element(s)", n,
      gst_infer_shared_get_path (use->shared), device,
      gst_infer_shared_count_users (use->shared));
  const char *pairs = infer_model_get_rt_info (use->model, "state_pairs");
  if (pairs != NULL)
    GST_INFO_OBJECT (self, "states: %s", pairs);
  g_autoptr (GArray) operations =
      infer_executable_get_operations (use->executable);
  for (guint i = 0; i < operations->len; i++)
    elsewhere += !g_str_has_prefix (
        device, g_array_index (operations, InferPlacedOperation, i).device);
  if (elsewhere > 0)
    GST_INFO_OBJECT (self, "%u of %u operations do not run on %s", elsewhere,
        operations->len, device);
}

gboolean
gst_infer_filter_use (
    GstInferFilter *self, GstInferShared *shared, GError **error)
{
  GstInferModelUse use;

  gst_infer_model_use_init (&use, shared);
  guint n = gst_infer_model_use_count_requests (&use, self->active.nireq);
  install (self, &use, n);
  gst_infer_filter_restore_states (self);
  if (!gst_infer_model_use_make_jobs (
          &self->use, n, self->queue, self, gst_infer_filter_done, error))
    return FALSE;
  log_use (self, &use, n);
  return TRUE;
}

void
gst_infer_filter_stop_using (GstInferFilter *self, GstInferModelUse *use)
{
  gst_infer_batch_set_executable (&self->batch, NULL, 0, FALSE);
  GST_OBJECT_LOCK (self);
  *use = self->use;
  self->use = (GstInferModelUse){ 0 };
  GST_OBJECT_UNLOCK (self);
  use->jobs = gst_infer_queue_remove_jobs (self->queue);
}

void
gst_infer_filter_use_again (GstInferFilter *self, GstInferModelUse *use)
{
  g_autoptr (GPtrArray) jobs = g_steal_pointer (&use->jobs);

  install (self, use, jobs->len);
  *use = (GstInferModelUse){ 0 };
  for (guint i = 0; i < jobs->len; i++)
    gst_infer_queue_give_idle (self->queue, jobs->pdata[i]);
}

static gboolean
load_now (GstInferFilter *self, GError **error)
{
  gst_infer_filter_post_progress (self, GST_PROGRESS_TYPE_START, &self->active);
  GstInferShared *shared = gst_infer_filter_load (&self->active, error);
  gboolean ok = shared != NULL && gst_infer_filter_use (self, shared, error);
  gst_infer_filter_post_progress (self,
      ok ? GST_PROGRESS_TYPE_COMPLETE : GST_PROGRESS_TYPE_ERROR, &self->active);
  return ok;
}

gboolean
gst_infer_filter_open (GstInferFilter *self, GError **error)
{
  GST_OBJECT_LOCK (self);
  self->loader.open = TRUE;
  gst_infer_settings_copy (&self->active, &self->settings);
  GST_OBJECT_UNLOCK (self);
  gst_infer_batch_enable (&self->batch, self->active.batch_size > 1);
  gst_infer_latency_reset (
      &self->latency, gst_infer_settings_batch_wait (&self->active));
  return self->active.async_load ? gst_infer_filter_start_loading (self, error)
                                 : load_now (self, error);
}

void
gst_infer_filter_close (GstInferFilter *self)
{
  GstInferModelUse use = { 0 };

  gst_infer_filter_stop_loading (self);
  gst_infer_filter_stop_using (self, &use);
  gst_infer_model_use_clear (&use);
  GST_OBJECT_LOCK (self);
  gst_infer_settings_clear (&self->active);
  GST_OBJECT_UNLOCK (self);
}
