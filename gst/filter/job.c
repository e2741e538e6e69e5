/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/job.h"

GstInferJob *
gst_infer_job_new (gpointer filter, InferModel *model,
    InferExecutable *executable, InferExecutor *callbacks,
    InferStateSet *states, InferCallback done, GError **error)
{
  GstInferJob *job = g_new0 (GstInferJob, 1);

  job->filter = filter;
  job->model = model;
  job->request = infer_async_request_new (executable, callbacks, error);
  if (job->request == NULL) {
    gst_infer_job_free (job);
    return NULL;
  }
  infer_async_request_set_callback (job->request, done, job);
  infer_request_bind_states (
      infer_async_request_get_request (job->request), states);
  return job;
}

void
gst_infer_job_free (GstInferJob *job)
{
  g_clear_pointer (&job->request, infer_async_request_free);
  gst_infer_job_clear_frame (job);
  g_clear_error (&job->error);
  g_free (job);
}

void
gst_infer_job_clear_frame (GstInferJob *job)
{
  gst_clear_buffer (&job->frame);
  g_clear_pointer (&job->model_info, gst_event_unref);
  g_clear_pointer (&job->picture, gst_infer_picture_unref);
}
