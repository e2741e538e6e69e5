/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media of video: the model's first output is an image, [1,C,H,W] or
 * [1,H,W,C], that leaves as a frame of its size, without the borders that
 * letterboxing added to the input. */

#include <math.h>

#include "gst/common/timing/arrival.h"
#include "gst/filter/output/form.h"
#include "infer/error.h"
#include "inference/media/image-rows.h"

static gboolean
is_channels (gint64 dim)
{
  return dim == 1 || dim == 3 || dim == 4;
}

/* [1,C,H,W], [1,H,W,C] or [1,H,W]; what could be both has the layout of the
 * input. */
static gboolean
read_shape (GstInferPicture *picture, InferImageLayout like, gint64 *width,
    gint64 *height)
{
  const InferShape *shape = &picture->shape;
  const gint64 *d = shape->dims;

  if ((shape->rank != 4 && shape->rank != 3) || d[0] != 1)
    return FALSE;
  picture->planar = shape->rank == 3 || !is_channels (d[3])
                    || (is_channels (d[1]) && like == INFER_IMAGE_NCHW);
  picture->channels = shape->rank == 3 ? 1 : d[picture->planar ? 1 : 3];
  *height = shape->rank == 3 ? d[1] : d[picture->planar ? 2 : 1];
  *width = shape->rank == 3 ? d[2] : d[picture->planar ? 3 : 2];
  return is_channels (picture->channels) && *height > 0 && *width > 0
         && *height <= GST_INFER_MAX_SIZE && *width <= GST_INFER_MAX_SIZE;
}

/* model_info/output_range: "LOW HIGH". */
static gboolean
read_range (const InferModel *model, GstInferPicture *picture, GError **error)
{
  const char *text = infer_model_get_info (model, "output_range");
  double low = 0, high = 1;
  char *end;

  if (infer_model_output_desc (model, 0)->type == INFER_TYPE_U8)
    high = 255;
  if (text != NULL && *text != '\0') {
    low = g_ascii_strtod (text, &end);
    high = g_ascii_strtod (end, &end);
    if (*end != '\0' || !(high > low) || !isfinite (high - low))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%s: model_info: output_range: '%s' is not 'LOW HIGH'",
          infer_model_get_path (model), text);
  }
  picture->factor = (float) (255 / (high - low));
  picture->offset = (float) (-low * 255 / (high - low));
  return TRUE;
}

/* The content's place in the output of @width × @height, and the size of the
 * frame's part that it shows, in pixels of the frame. */
static void
place_content (const GstInferNegotiated *to, GstInferPicture *picture,
    gint64 width, gint64 height, double *across, double *down)
{
  const GstInferVideo *video = &to->input.video;
  const InferBox *box = &video->box;
  InferBox whole = { 0, 0, box->width, box->height };
  InferPlacement at =
      infer_preprocessor_place (to->preprocessor, &whole, &video->shape);
  guint in_width, in_height;
  double x, y;

  gst_infer_video_input_size (video, &video->shape, &in_width, &in_height);
  x = (double) width / in_width;
  y = (double) height / in_height;
  if (video->settings.resize == INFER_RESIZE_CROP) {
    picture->content = (InferBox){ 0, 0, width, height };
    *across = at.scale_x * in_width;
    *down = at.scale_y * in_height;
    return;
  }
  *across = (double) whole.width;
  *down = (double) whole.height;
  picture->content.x = CLAMP (lround (-at.x / at.scale_x * x), 0, width - 1);
  picture->content.y = CLAMP (lround (-at.y / at.scale_y * y), 0, height - 1);
  picture->content.width =
      CLAMP (lround (*across / at.scale_x * x), 1, width - picture->content.x);
  picture->content.height =
      CLAMP (lround (*down / at.scale_y * y), 1, height - picture->content.y);
}

/* The pixel aspect ratio that shows the content as wide as in the input. */
static void
set_aspect (const GstVideoInfo *from, GstInferPicture *picture, double across,
    double down)
{
  int n, d;

  if (!gst_util_fraction_multiply (GST_VIDEO_INFO_PAR_N (from),
          GST_VIDEO_INFO_PAR_D (from),
          (int) (lround (across) * picture->content.height),
          (int) (lround (down) * picture->content.width), &n, &d))
    return;
  GST_VIDEO_INFO_PAR_N (&picture->info) = n;
  GST_VIDEO_INFO_PAR_D (&picture->info) = d;
}

static GstVideoFormat
choose_format (gint64 channels, gboolean bgr)
{
  if (channels == 1)
    return GST_VIDEO_FORMAT_GRAY8;
  if (channels == 3)
    return bgr ? GST_VIDEO_FORMAT_BGR : GST_VIDEO_FORMAT_RGB;
  return bgr ? GST_VIDEO_FORMAT_BGRA : GST_VIDEO_FORMAT_RGBA;
}

static gboolean
fail_shape (const InferModel *model, const InferShape *shape, GError **error)
{
  g_autofree char *text = infer_shape_to_string (shape);

  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: output=media needs a picture as output, [1,C,H,W] or [1,H,W,C] with "
      "1, 3 or 4 channels, but '%s' is %s",
      infer_model_get_path (model), infer_model_output_name (model, 0), text);
}

static gboolean
complete (
    const GstInferNegotiated *to, GstInferPicture *picture, GError **error)
{
  const GstInferVideo *video = &to->input.video;
  double across, down;
  gint64 width, height;

  if (!read_shape (picture, video->settings.model, &width, &height))
    return fail_shape (to->model, &picture->shape, error);
  if (!read_range (to->model, picture, error))
    return FALSE;
  place_content (to, picture, width, height, &across, &down);
  gst_video_info_set_format (&picture->info,
      choose_format (picture->channels, video->settings.reverse),
      (guint) picture->content.width, (guint) picture->content.height);
  GST_VIDEO_INFO_FPS_N (&picture->info) = GST_VIDEO_INFO_FPS_N (&video->info);
  GST_VIDEO_INFO_FPS_D (&picture->info) = GST_VIDEO_INFO_FPS_D (&video->info);
  set_aspect (&video->info, picture, across, down);
  picture->input = video->info;
  picture->whole = video->settings.resize != INFER_RESIZE_CROP
                   && video->box.width == GST_VIDEO_INFO_WIDTH (&video->info)
                   && video->box.height == GST_VIDEO_INFO_HEIGHT (&video->info);
  return TRUE;
}

static GstCaps *
video_caps (GstInferNegotiated *to, const GstInferSettings *settings,
    GstCaps *sink_caps, GError **error)
{
  g_autoptr (GstInferPicture) picture = g_atomic_rc_box_new0 (GstInferPicture);
  GstInferTensors out;

  if (settings->region != GST_INFER_REGION_FULL_FRAME) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "output=media makes frames of whole frames, not of regions: use "
        "inference-region=full-frame");
    return NULL;
  }
  if (!gst_infer_negotiated_predict (to, &out)) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: output=media needs an output whose shape is known before it runs",
        infer_model_get_path (to->model));
    return NULL;
  }
  picture->shape = out.descs[0].shape;
  if (!complete (to, picture, error))
    return NULL;
  to->picture = g_steal_pointer (&picture);
  return gst_video_info_to_caps (&to->picture->info);
}

/* @values: the whole output. */
static void
write_frame (
    const GstInferPicture *picture, const float *values, GstVideoFrame *frame)
{
  const InferShape *shape = &picture->shape;
  gint64 n = picture->channels, cut = picture->content.width;
  gint64 width = shape->dims[shape->rank - (picture->planar ? 1 : 2)];
  gint64 plane = picture->planar ? width * shape->dims[shape->rank - 2] : 0;
  g_autofree float *row = g_new (float, cut *n);

  for (gint64 y = 0; y < picture->content.height; y++) {
    gint64 at = (picture->content.y + y) * width + picture->content.x;
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
                 + y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

    for (gint64 c = 0; picture->planar && c < n; c++)
      infer_rows_store (values + c * plane + at, picture->factor,
          picture->offset, (gsize) cut, (guint) n, row + c);
    if (!picture->planar)
      infer_rows_store (values + at * n, picture->factor, picture->offset,
          (gsize) (cut * n), 1, row);
    infer_rows_round_u8 (row, (gsize) (cut * n), to);
  }
}

/* --- metas --- */

/* Whether metas of this type stay: those that GstVideoFilter copies, less those
 * with the tag "colorspace". */
static gboolean
is_kept (GType api)
{
  static const char *const kept[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_SIZE_STR, NULL };
  const char *const *tags =
      (const char *const *) gst_meta_api_type_get_tags (api);

  for (guint i = 0; tags != NULL && tags[i] != NULL; i++)
    if (!g_strv_contains (kept, tags[i]))
      return FALSE;
  return TRUE;
}

/* As videoconvertscale does: what lies in the frame is scaled with it, and lost
 * where only a part of the frame is seen. */
static void
carry_metas (const GstInferPicture *picture, GstBuffer *from, GstBuffer *to)
{
  const GQuark size = g_quark_from_static_string (GST_META_TAG_VIDEO_SIZE_STR);
  GstVideoInfo in = picture->input, out = picture->info;
  GstVideoMetaTransform scale = { &in, &out };
  GstMetaTransformCopy copy = { FALSE, 0, (gsize) -1 };
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta (from, &state)) != NULL) {
    const GstMetaInfo *info = meta->info;
    const gboolean in_frame = gst_meta_api_type_has_tag (info->api, size);

    if (GST_META_FLAG_IS_SET (meta, GST_META_FLAG_POOLED)
        || info->transform_func == NULL || !is_kept (info->api)
        || (in_frame && !picture->whole))
      continue;
    if (in_frame)
      info->transform_func (
          to, meta, from, gst_video_meta_transform_scale_get_quark (), &scale);
    else
      info->transform_func (to, meta, from, _gst_meta_transform_copy, &copy);
  }
}

/* --- frames --- */

static GstBuffer *
collect_video (
    GstInferSourceTask *task, GstInferJob *job, GstCaps **caps, GError **error)
{
  InferTensor *result = infer_request_get_output (
      infer_async_request_get_request (job->request), 0, error);
  GstVideoFrame frame;

  if (result == NULL)
    return NULL;
  if (!infer_shape_equal (&result->shape, &job->picture->shape)) {
    fail_shape (job->model, &result->shape, error);
    return NULL;
  }
  g_autoptr (InferTensor) floats = gst_infer_result_to_f32 (result, error);
  if (floats == NULL)
    return NULL;
  const GstVideoInfo *info = &job->picture->info;
  g_autoptr (GstBuffer) buffer = gst_infer_allocation_get (
      &task->allocation, task->pad, info, GST_VIDEO_INFO_SIZE (info), error);
  if (buffer == NULL)
    return NULL;
  if (!gst_video_frame_map (&frame, info, buffer,
          GST_MAP_WRITE | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a frame of %" G_GSIZE_FORMAT
        " bytes from the next element's pool cannot be written to",
        gst_buffer_get_size (buffer));
    return NULL;
  }
  write_frame (job->picture, floats->data, &frame);
  gst_video_frame_unmap (&frame);
  if (job->frame != NULL)
    carry_metas (job->picture, job->frame, buffer);
  if (g_atomic_int_get (&task->marks))
    gst_infer_mark_arrival (buffer, job->arrived);
  return g_steal_pointer (&buffer);
}

const GstInferForm gst_infer_form_video = {
  .output = GST_INFER_OUTPUT_MEDIA,
  .inputs = 1u << GST_INFER_INPUT_VIDEO,
  .caps = video_caps,
  .collect = collect_video,
};
