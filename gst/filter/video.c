/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames to requests: straight from the mapped frame into the model's input,
 * the whole of it or each region of interest. */

#include "gst/filter/filter-private.h"
#include "gst/common/error-message.h"
#include "gst/infer/results.h"
#include "gst/common/video-image.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

void
gst_infer_job_forget_frame (GstInferJob *job)
{
  gst_clear_buffer (&job->frame);
  g_clear_pointer (&job->model_info, gst_event_unref);
  g_clear_pointer (&job->picture, gst_infer_picture_unref);
}

gboolean
gst_infer_filter_begin_video (GstInferFilter *self, GError **error)
{
  g_clear_pointer (&self->preprocessor, infer_preprocessor_free);
  if (self->input.kind != GST_INFER_INPUT_VIDEO)
    return TRUE;
  self->preprocessor = infer_preprocessor_new (&self->input.video.settings,
      infer_model_input_desc (self->model, 0), error);
  return self->preprocessor != NULL;
}

/* What @meta wants to be looked at; FALSE: nothing of the frame, or not of the
 * class that is asked for. */
static gboolean
region_of (GstInferFilter *self, const InferImage *image,
    const GstVideoRegionOfInterestMeta *meta, InferBox *box)
{
  const char *wanted = self->active.object_class;
  const char *type = g_quark_to_string (meta->roi_type);

  if (wanted != NULL && *wanted != '\0' && g_strcmp0 (wanted, type) != 0)
    return FALSE;
  return gst_infer_object_region (meta, image->width, image->height, box);
}

typedef struct
{
  InferBox box;
  int id;
} Region;

/* (element-type Region) */
static GArray *
list_regions (GstInferFilter *self, GstBuffer *frame, const InferImage *image)
{
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (Region));
  Region region = { .id = -1 };
  gpointer state = NULL;
  GstMeta *meta;

  if (self->active.region == GST_INFER_REGION_FULL_FRAME) {
    /* A frame may say that it is smaller than its caps. */
    region.box = self->input.video.box;
    region.box.x = MIN (region.box.x, image->width - 1);
    region.box.y = MIN (region.box.y, image->height - 1);
    region.box.width = MIN (region.box.width, image->width - region.box.x);
    region.box.height = MIN (region.box.height, image->height - region.box.y);
    g_array_append_val (regions, region);
    return regions;
  }
  while ((meta = gst_buffer_iterate_meta_filtered (
              frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
         != NULL) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;

    region.id = roi->id;
    if (region_of (self, image, roi, &region.box))
      g_array_append_val (regions, region);
  }
  return regions;
}

gboolean
gst_infer_filter_fill_frame (GstInferFilter *self, InferRequest *request,
    const GstInferFrame *frame, GError **error)
{
  InferType type = infer_model_input_desc (self->model, 0)->type;
  InferTensor *tensor;
  InferShape shape;

  if (!infer_preprocessor_image_shape (
          self->preprocessor, &frame->image, &frame->box, &shape, error))
    return FALSE;
  tensor = infer_request_set_input_shape (request, 0, &shape, error);
  if (tensor == NULL)
    return FALSE;
  infer_preprocessor_run_image (
      self->preprocessor, &frame->image, &frame->box, type, tensor->data);
  return TRUE;
}

static void
release_frame (GstInferFrame *frame)
{
  if (frame->buffer == NULL)
    return;
  gst_video_frame_unmap (&frame->mapped);
  gst_clear_buffer (&frame->buffer);
}

/* The last job of a frame is its only owner from now on, so that nobody
 * downstream needs to copy it. */
void
gst_infer_filter_note_frame (
    GstInferFilter *self, GstInferJob *job, GstInferFrame *frame)
{
  const InferBox *box = &frame->box;
  InferShape shape;

  gst_infer_job_forget_frame (job);
  if (frame->last) {
    job->frame = gst_buffer_ref (frame->buffer);
    release_frame (frame);
  }
  job->model_info = gst_event_ref (self->model_info);
  if (self->picture != NULL)
    job->picture = gst_infer_picture_ref (self->picture);
  job->last = frame->last;
  job->skipped = frame->skipped;
  job->roi_id = frame->roi_id;
  job->empty = box->width == 0;
  if (job->empty
      || !infer_preprocessor_image_shape (
          self->preprocessor, &frame->image, box, &shape, NULL))
    return;
  job->placement = infer_preprocessor_place (self->preprocessor, box, &shape);
  gst_infer_video_input_size (
      &self->input.video, &shape, &job->input_width, &job->input_height);
}

static GstFlowReturn
fail_map (GstInferFilter *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *caps = gst_caps_to_string (self->caps);

  infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
      "a buffer of %" G_GSIZE_FORMAT " bytes is no frame of %s",
      gst_buffer_get_size (buffer), caps);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

/* So that downstream knows that nothing will come for this time. */
static GstFlowReturn
send_gap (GstInferFilter *self, GstBuffer *frame)
{
  if (GST_BUFFER_PTS_IS_VALID (frame)
      && !gst_infer_filter_queue_event (
          self, gst_event_new_gap (
                    GST_BUFFER_PTS (frame), GST_BUFFER_DURATION (frame))))
    return gst_infer_queue_get_flow (self->queue);
  return GST_FLOW_OK;
}

/* With regions of interest, tensors leave for each of them;
 * media-with-meta leaves once, even if there is none. */
static GstFlowReturn
run_regions (GstInferFilter *self, GstInferFrame *frame)
{
  g_autoptr (GArray) regions =
      frame->skipped ? g_array_new (FALSE, FALSE, sizeof (Region))
                     : list_regions (self, frame->buffer, &frame->image);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < regions->len && flow == GST_FLOW_OK; i++) {
    const Region *region = &g_array_index (regions, Region, i);

    frame->box = region->box;
    frame->roi_id = region->id;
    frame->last = i + 1 == regions->len;
    flow = gst_infer_filter_run_picture (self, frame);
  }
  if (regions->len > 0)
    return flow;
  if (self->form != &gst_infer_form_meta)
    return send_gap (self, frame->buffer);
  frame->box = (InferBox){ 0 };
  frame->last = TRUE;
  return gst_infer_filter_run_picture (self, frame);
}

GstFlowReturn
gst_infer_filter_run_frame (
    GstInferFilter *self, GstBuffer *buffer, gboolean skip)
{
  GstInferFrame frame = { .roi_id = -1, .skipped = skip };
  GstFlowReturn flow;

  if (!gst_video_frame_map (&frame.mapped, &self->input.video.info, buffer,
          GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    g_autoptr (GstBuffer) owned = buffer;
    return fail_map (self, owned);
  }
  frame.buffer = buffer;
  gst_infer_image_from_frame (&frame.image, &frame.mapped);
  flow = run_regions (self, &frame);
  release_frame (&frame);
  return flow;
}
