/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: frames to requests, straight from the mapped frame into the
 * model's input; the whole frame, or each region of interest. */

#include "gst/common/error-message.h"
#include "gst/filter/filter.h"
#include "gst/filter/input/video-image.h"
#include "gst/filter/output/form.h"
#include "gst/infer/results.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* The box of @meta in the frame; FALSE: it lies outside, or is not of the class
 * that `object-class` names. */
static gboolean
find_box (GstInferFilter *self, gint64 width, gint64 height,
    const GstVideoRegionOfInterestMeta *meta, InferBox *box)
{
  const char *wanted = self->active.object_class;
  const char *type = g_quark_to_string (meta->roi_type);

  if (wanted != NULL && *wanted != '\0' && g_strcmp0 (wanted, type) != 0)
    return FALSE;
  return gst_infer_object_region (meta, width, height, box);
}

typedef struct
{
  InferBox box;
  int id;
} Region;

/* (element-type Region) */
static GArray *
list_regions (GstInferFilter *self, GstBuffer *frame)
{
  const GstVideoInfo *info = &self->negotiated.input.video.info;
  const GstVideoMeta *size = gst_buffer_get_video_meta (frame);
  gint64 width = size != NULL ? (gint64) size->width : info->width;
  gint64 height = size != NULL ? (gint64) size->height : info->height;
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (Region));
  Region region = { .id = -1 };
  gpointer state = NULL;
  GstMeta *meta;

  if (self->active.region == GST_INFER_REGION_FULL_FRAME) {
    /* A frame's meta may say that it is smaller than its caps. */
    region.box = self->negotiated.input.video.box;
    region.box.x = MIN (region.box.x, width - 1);
    region.box.y = MIN (region.box.y, height - 1);
    region.box.width = MIN (region.box.width, width - region.box.x);
    region.box.height = MIN (region.box.height, height - region.box.y);
    g_array_append_val (regions, region);
    return regions;
  }
  while ((meta = gst_buffer_iterate_meta_filtered (
              frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
         != NULL) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;

    region.id = roi->id;
    if (find_box (self, width, height, roi, &region.box))
      g_array_append_val (regions, region);
  }
  return regions;
}

gboolean
gst_infer_filter_fill_region (GstInferFilter *self, InferRequest *request,
    const GstInferFrameRegion *region, GError **error)
{
  InferPreprocessor *preprocessor = self->negotiated.preprocessor;
  InferType type = infer_model_input_desc (self->use.model, 0)->type;
  InferShape shape;

  if (!infer_preprocessor_image_shape (
          preprocessor, &region->image, &region->box, &shape, error))
    return FALSE;
  InferTensor *tensor =
      infer_request_set_input_shape (request, 0, &shape, error);
  if (tensor == NULL)
    return FALSE;
  infer_preprocessor_run_image (
      preprocessor, &region->image, &region->box, type, tensor->data);
  return TRUE;
}

static void
release_frame (GstInferFrameRegion *region)
{
  if (region->buffer == NULL)
    return;
  if (region->mapped.buffer != NULL)
    gst_video_frame_unmap (&region->mapped);
  gst_clear_buffer (&region->buffer);
}

void
gst_infer_filter_note_region (
    GstInferFilter *self, GstInferJob *job, GstInferFrameRegion *region)
{
  const GstInferNegotiated *to = &self->negotiated;
  const char *crop = self->active.crop;
  const InferBox *box = &region->box;
  InferShape shape;

  gst_infer_job_clear_frame (job);
  /* The job is the only owner from now on, so that no element downstream has to
   * copy the frame to write to it. */
  if (region->last) {
    job->frame = gst_buffer_ref (region->buffer);
    release_frame (region);
  }
  job->model_info = gst_event_ref (to->model_info);
  if (to->picture != NULL)
    job->picture = gst_infer_picture_ref (to->picture);
  job->arrived = self->position.arrived;
  job->last_of_frame = region->last;
  job->skipped = region->skipped;
  job->roi_id = region->roi_id;
  job->instance = self->active.instance;
  job->whole_frame = region->roi_id == -1 && (crop == NULL || *crop == '\0');
  job->empty = box->width == 0;
  if (job->empty
      || !infer_preprocessor_image_shape (
          to->preprocessor, &region->image, box, &shape, NULL))
    return;
  job->placement = infer_preprocessor_place (to->preprocessor, box, &shape);
  gst_infer_video_input_size (
      &to->input.video, &shape, &job->input_width, &job->input_height);
}

static GstFlowReturn
fail_map (GstInferFilter *self, GstBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *caps = gst_caps_to_string (self->negotiated.caps);
  gsize size = gst_buffer_get_size (buffer);
  const GstMemory *memory =
      size > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;

  if (size >= GST_VIDEO_INFO_SIZE (&self->negotiated.input.video.info))
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "a frame of %s lies in memory of type %s, which cannot be mapped for "
        "reading: put an element before inferfilter that brings it into system "
        "memory, such as gldownload or videoconvert",
        caps, memory->allocator->mem_type);
  else
    infer_fail (&error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer of %" G_GSIZE_FORMAT " bytes is no frame of %s", size, caps);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

/* Tells downstream that nothing will come for this time. */
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

/* Only where a model reads it: a frame that passes may lie anywhere. */
static gboolean
map_frame (GstInferFilter *self, GstInferFrameRegion *next)
{
  if (!gst_video_frame_map (&next->mapped, &self->negotiated.input.video.info,
          next->buffer, GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    next->mapped.buffer = NULL;
    return FALSE;
  }
  gst_infer_image_from_frame (&next->image, &next->mapped);
  return TRUE;
}

/* An inference on each region.  Without any, form media-with-meta still pushes
 * the frame; others have nothing to push. */
static GstFlowReturn
run_regions (GstInferFilter *self, GstInferFrameRegion *next)
{
  g_autoptr (GArray) regions = next->skipped
                                   ? g_array_new (FALSE, FALSE, sizeof (Region))
                                   : list_regions (self, next->buffer);
  GstFlowReturn flow = GST_FLOW_OK;

  if (regions->len > 0 && !map_frame (self, next))
    return fail_map (self, next->buffer);

  for (guint i = 0; i < regions->len && flow == GST_FLOW_OK; i++) {
    const Region *region = &g_array_index (regions, Region, i);

    next->box = region->box;
    next->roi_id = region->id;
    next->last = i + 1 == regions->len;
    flow = gst_infer_filter_run_region (self, next);
  }
  if (regions->len > 0)
    return flow;
  if (!self->negotiated.form->passes_input)
    return send_gap (self, next->buffer);
  next->box = (InferBox){ 0 };
  next->last = TRUE;
  return gst_infer_filter_run_region (self, next);
}

GstFlowReturn
gst_infer_filter_run_frame (
    GstInferFilter *self, GstBuffer *buffer, gboolean skip)
{
  GstInferFrameRegion next = {
    .roi_id = -1, .skipped = skip, .buffer = buffer
  };

  GstFlowReturn flow = run_regions (self, &next);
  release_frame (&next);
  return flow;
}
