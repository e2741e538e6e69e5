/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/model-use.h"

#include "infer/batch.h"

#define MAX_REQUESTS 64

void
gst_infer_model_use_init (GstInferModelUse *use, GstInferShared *shared)
{
  InferModel *model = gst_infer_shared_get_model (shared);

  *use = (GstInferModelUse){
    .shared = shared,
    .model = model,
    .executable = gst_infer_shared_get_executable (shared),
    .states = infer_state_set_new (model),
  };
}

void
gst_infer_model_use_clear (GstInferModelUse *use)
{
  for (guint i = 0; use->jobs != NULL && i < use->jobs->len; i++)
    gst_infer_job_free (use->jobs->pdata[i]);
  g_clear_pointer (&use->jobs, g_ptr_array_unref);
  g_clear_pointer (&use->states, infer_state_set_unref);
  g_clear_pointer (&use->callbacks, infer_executor_unref);
  g_clear_pointer (&use->shared, gst_infer_shared_release);
}

guint
gst_infer_model_use_count_requests (const GstInferModelUse *use, guint nireq)
{
  guint n = nireq;

  /* One more than the device takes at a time, so that the neighbours' pre- and
   * postprocessing overlap with it. */
  if (n == 0)
    n = infer_executable_optimal_requests (use->executable) + 1;
  /* Without states, one stream can fill a batch. */
  if (nireq == 0 && infer_model_n_variables (use->model) == 0)
    n = MAX (n, infer_executable_get_batch_size (use->executable) + 1);
  return MIN (n, MAX_REQUESTS);
}

gboolean
gst_infer_model_use_add_job (GstInferModelUse *use, GstInferQueue *queue,
    gpointer filter, InferCallback done, GError **error)
{
  GstInferJob *job = gst_infer_job_new (filter, use->model, use->executable,
      use->callbacks, use->states, done, error);

  if (job == NULL)
    return FALSE;
  use->n_jobs++;
  gst_infer_queue_give_idle (queue, job);
  return TRUE;
}

gboolean
gst_infer_model_use_make_jobs (GstInferModelUse *use, guint n,
    GstInferQueue *queue, gpointer filter, InferCallback done, GError **error)
{
  use->callbacks =
      infer_executor_new_custom (gst_infer_queue_submit, queue, NULL);
  for (guint i = 0; i < n; i++)
    if (!gst_infer_model_use_add_job (use, queue, filter, done, error))
      return FALSE;
  return TRUE;
}
