/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/filter-private.h"
#include "inference/runtime/batch.h"
#include "inference/runtime/config.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

#define MAX_REQUESTS 64

/* The device's properties with what others of the element mean for it;
 * (transfer full). */
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

static void
job_free (gpointer data)
{
  GstInferJob *job = data;

  g_clear_pointer (&job->request, infer_async_request_free);
  gst_infer_job_forget_frame (job);
  g_clear_error (&job->error);
  g_free (job);
}

static gboolean
add_job (GstInferFilter *self, InferStateSet *states, GError **error)
{
  GstInferJob *job = g_new0 (GstInferJob, 1);

  job->filter = self;
  job->request =
      infer_async_request_new (self->executable, self->callbacks, error);
  if (job->request == NULL) {
    job_free (job);
    return FALSE;
  }
  infer_async_request_set_callback (job->request, gst_infer_filter_done, job);
  infer_request_bind_states (
      infer_async_request_get_request (job->request), states);
  gst_infer_queue_give_idle (self->queue, job);
  return TRUE;
}

static guint
choose_n_jobs (GstInferFilter *self)
{
  guint n = self->active.nireq;

  /* One more than the device takes at a time, so that the neighbours' pre- and
   * postprocessing overlap with it. */
  if (n == 0)
    n = infer_executable_optimal_requests (self->executable) + 1;
  /* Of a model without state, one stream can fill a batch. */
  if (self->active.nireq == 0 && infer_model_n_variables (self->model) == 0)
    n = MAX (n, infer_executable_get_batch_size (self->executable) + 1);
  return MIN (n, MAX_REQUESTS);
}

static gboolean
make_jobs (GstInferFilter *self, InferStateSet *states, GError **error)
{
  self->n_jobs = choose_n_jobs (self);
  self->callbacks =
      infer_executor_new_custom (gst_infer_queue_submit, self->queue, NULL);
  for (guint i = 0; i < self->n_jobs; i++)
    if (!add_job (self, states, error))
      return FALSE;
  GST_INFO_OBJECT (self, "%u requests for %s", self->n_jobs,
      gst_infer_shared_get_path (self->shared));
  return TRUE;
}

void
gst_infer_filter_post_progress (
    GstInferFilter *self, GstProgressType type, const GstInferSettings *s)
{
  const char *name = s->model != NULL ? s->model : s->instance;
  g_autofree char *text =
      g_strdup_printf ("Loading %s", name != NULL ? name : "nothing");

  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_progress (GST_OBJECT (self), type, "load-model", text));
}

GstInferShared *
gst_infer_filter_load (
    GstInferFilter *self, const GstInferSettings *s, GError **error)
{
  g_autofree char *config = make_config (s);
  const GstInferSource source = {
    .model = s->model,
    .weights = s->weights,
    .device = s->device,
    .config = config,
    .extra_outputs = s->extra_outputs,
    .state_pairs = s->state_pairs,
    .model_info = s->model_info,
    .low_latency = s->low_latency,
    .instance = s->instance,
    .batch_size = MAX (s->batch_size, 1),
    .batch_timeout =
        s->batch_timeout < 0 ? -1 : s->batch_timeout * (gint64) 1000,
  };
  g_autoptr (GstInferShared) shared = NULL;
  const InferModel *model;

  gst_infer_filter_post_progress (self, GST_PROGRESS_TYPE_START, s);
  shared = gst_infer_shared_get (&source, error);
  model = shared != NULL ? gst_infer_shared_get_model (shared) : NULL;
  if (model != NULL && check_model (model, error)
      && check_output (model, s, error))
    return g_steal_pointer (&shared);
  gst_infer_filter_post_progress (self, GST_PROGRESS_TYPE_ERROR, s);
  return NULL;
}

gboolean
gst_infer_filter_use (
    GstInferFilter *self, GstInferShared *shared, GError **error)
{
  InferModel *model = gst_infer_shared_get_model (shared);
  InferStateSet *states = infer_state_set_new (model);

  GST_OBJECT_LOCK (self);
  self->shared = shared;
  self->model = model;
  self->states = states;
  GST_OBJECT_UNLOCK (self);
  gst_infer_filter_set_executable (
      self, gst_infer_shared_get_executable (shared));
  gst_infer_filter_restore_states (self, states);
  return make_jobs (self, states, error);
}

void
gst_infer_filter_stop_using (GstInferFilter *self, GstInferModelUse *use)
{
  gst_infer_filter_set_executable (self, NULL);
  GST_OBJECT_LOCK (self);
  use->shared = g_steal_pointer (&self->shared);
  use->states = g_steal_pointer (&self->states);
  self->model = NULL;
  GST_OBJECT_UNLOCK (self);
  use->callbacks = g_steal_pointer (&self->callbacks);
  use->jobs = gst_infer_queue_remove_jobs (self->queue);
}

void
gst_infer_filter_use_again (GstInferFilter *self, GstInferModelUse *use)
{
  GST_OBJECT_LOCK (self);
  self->shared = g_steal_pointer (&use->shared);
  self->states = g_steal_pointer (&use->states);
  self->model = gst_infer_shared_get_model (self->shared);
  GST_OBJECT_UNLOCK (self);
  gst_infer_filter_set_executable (
      self, gst_infer_shared_get_executable (self->shared));
  self->callbacks = g_steal_pointer (&use->callbacks);
  self->n_jobs = use->jobs->len;
  for (guint i = 0; i < use->jobs->len; i++)
    gst_infer_queue_give_idle (self->queue, use->jobs->pdata[i]);
  g_clear_pointer (&use->jobs, g_ptr_array_unref);
}

void
gst_infer_model_use_clear (GstInferModelUse *use)
{
  for (guint i = 0; use->jobs != NULL && i < use->jobs->len; i++)
    job_free (use->jobs->pdata[i]);
  g_clear_pointer (&use->jobs, g_ptr_array_unref);
  g_clear_pointer (&use->states, infer_state_set_unref);
  g_clear_pointer (&use->callbacks, infer_executor_unref);
  g_clear_pointer (&use->shared, gst_infer_shared_release);
}

gboolean
gst_infer_filter_open (GstInferFilter *self, GError **error)
{
  GstInferShared *shared;

  GST_OBJECT_LOCK (self);
  gst_infer_settings_copy (&self->active, &self->settings);
  GST_OBJECT_UNLOCK (self);
  if (self->active.async_load) {
    gst_infer_filter_load_aside (self);
    return TRUE;
  }
  shared = gst_infer_filter_load (self, &self->active, error);
  if (shared == NULL || !gst_infer_filter_use (self, shared, error))
    return FALSE;
  gst_infer_filter_post_progress (
      self, GST_PROGRESS_TYPE_COMPLETE, &self->active);
  return TRUE;
}

void
gst_infer_filter_close (GstInferFilter *self)
{
  GstInferModelUse use = { 0 };

  gst_infer_filter_end_loading (self);
  gst_infer_filter_stop_using (self, &use);
  gst_infer_model_use_clear (&use);
  gst_clear_caps (&self->wanted_caps);
  GST_OBJECT_LOCK (self);
  gst_infer_settings_clear (&self->active);
  GST_OBJECT_UNLOCK (self);
}

/* Windows per second; 0/1 where that is not known. */
static void
output_rate (const GstInferInput *input, int *fps_n, int *fps_d)
{
  gint64 n, d, common;

  *fps_n = input->tensors.fps_n;
  *fps_d = MAX (input->tensors.fps_d, 1);
  if (input->kind == GST_INFER_INPUT_TENSORS
      || input->kind == GST_INFER_INPUT_VIDEO)
    return;
  *fps_n = 0;
  *fps_d = 1;
  if (input->row_num == 0 || input->row_num > (guint64) G_MAXINT64 / input->hop
      || input->row_den > (guint64) G_MAXINT64 / GST_SECOND)
    return;
  n = (gint64) (input->row_den * GST_SECOND);
  d = (gint64) (input->row_num * input->hop);
  common = gst_util_greatest_common_divisor_int64 (n, d);
  if (n / common > G_MAXINT || d / common > G_MAXINT)
    return;
  *fps_n = (int) (n / common);
  *fps_d = (int) (d / common);
}

gboolean
gst_infer_filter_predict (GstInferFilter *self, GstInferTensors *out)
{
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) shapes = g_array_new (FALSE, FALSE, sizeof (InferShape));
  g_autoptr (InferModel) model = NULL;
  g_autoptr (GError) error = NULL;

  *out = (GstInferTensors){ 0 };
  output_rate (&self->input, &out->fps_n, &out->fps_d);
  for (guint i = 0; i < infer_model_n_inputs (self->model); i++) {
    InferShape shape = gst_infer_input_shape (
        &self->input, self->model, i, self->input.length);

    g_array_append_val (indices, i);
    g_array_append_val (shapes, shape);
  }
  model = infer_model_reshape (self->model, indices->len,
      (const guint *) (gpointer) indices->data,
      (const InferShape *) (gpointer) shapes->data, &error);
  if (model == NULL) {
    GST_INFO_OBJECT (self, "shapes are left open: %s", error->message);
    return FALSE;
  }
  out->n = infer_model_n_outputs (model);
  for (guint i = 0; i < out->n; i++) {
    out->descs[i] = *infer_model_output_desc (model, i);
    if (out->descs[i].type == INFER_TYPE_DYNAMIC
        || !infer_shape_is_static (&out->descs[i].shape))
      return FALSE;
    out->descs[i].type = gst_infer_wire_type (out->descs[i].type);
  }
  return TRUE;
}
