/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta: the frame leaves as it came, with a
 * GstInferTensorMeta for each inference on it. */

#include "gst/common/timing/arrival.h"
#include "gst/filter/output/form.h"

static GstCaps *
meta_caps (GstInferNegotiated *to, const GstInferSettings *settings,
    GstCaps *sink_caps, GError **error)
{
  return gst_caps_ref (sink_caps);
}

static GstBuffer *
collect_meta (
    GstInferSourceTask *task, GstInferJob *job, GstCaps **caps, GError **error)
{
  if (!job->empty && !gst_infer_frame_results_add (&task->results, job, error))
    return NULL;
  if (!job->last_of_frame)
    return NULL;
  GstBuffer *buffer = gst_buffer_make_writable (g_steal_pointer (&job->frame));
  if (g_atomic_int_get (&task->marks))
    gst_infer_mark_arrival (buffer, job->arrived);
  gst_infer_frame_results_attach (&task->results, buffer, job->skipped);
  return buffer;
}

const GstInferForm gst_infer_form_meta = {
  .output = GST_INFER_OUTPUT_MEDIA_WITH_META,
  .inputs = 1u << GST_INFER_INPUT_VIDEO,
  .caps = meta_caps,
  .collect = collect_meta,
  .passes_input = TRUE,
};
