/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/results.h"

#include "gst/common/json-check.h"
#include "gst/overlay/draw.h"
#include "gst/publish/results-json.h"

static void
check_json (GstBuffer *buffer, const GstVideoInfo *video)
{
  const GstInferLineInfo info = { 5, "a \"source\"\n", "{\"n\":1}" };
  gboolean empty;
  GString *line = gst_infer_results_to_json (buffer, video, &info, &empty);

  if (!gst_infer_json_is_valid (line->str))
    g_error ("no JSON: %s", line->str);
  g_assert_null (strchr (line->str, '\n'));
  g_string_free (line, TRUE);
}

typedef struct
{
  GstBuffer *to;
  GstVideoMetaTransform transform;
} Scale;

static gboolean
scale_meta (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  Scale *scale = data;

  if ((*meta)->info->transform_func != NULL)
    (*meta)->info->transform_func (scale->to, *meta, buffer,
        gst_video_meta_transform_scale_get_quark (), &scale->transform);
  return TRUE;
}

static GstBuffer *
scale_results (
    GstBuffer *buffer, const GstVideoInfo *from, const GstVideoInfo *to)
{
  Scale scale = { gst_buffer_new (),
    { (GstVideoInfo *) (gsize) from, (GstVideoInfo *) (gsize) to } };

  gst_buffer_foreach_meta (buffer, scale_meta, &scale);
  return scale.to;
}

static void
draw (GstBuffer *buffer, const GstVideoInfo *video)
{
  GstInferOverlayStyle style = { .labels = TRUE, .mask_alpha = 0.5 };
  GstInferCanvas canvas;
  GstVideoFrame frame;

  for (guint i = 0; i < G_N_ELEMENTS (style.shapes); i++)
    style.shapes[i] = TRUE;
  if (!gst_infer_overlay_has_work (buffer, &style))
    return;
  g_assert_true (
      gst_video_frame_map (&frame, video, buffer, GST_MAP_READWRITE));
  gst_infer_canvas_init (&canvas, &frame);
  gst_infer_overlay_draw (&canvas, buffer, &style);
  gst_video_frame_unmap (&frame);
}

GstBuffer *
fuzz_new_frame (const GstVideoInfo *video)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, video->size, NULL);

  gst_buffer_memset (buffer, 0, 0, video->size);
  return buffer;
}

void
fuzz_use_results (GstBuffer *buffer, const GstVideoInfo *video)
{
  GstVideoInfo larger;

  gst_video_info_set_format (&larger, GST_VIDEO_FORMAT_RGB, 96, 20);
  check_json (buffer, video);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  g_autoptr (GstBuffer) scaled = scale_results (copy, video, &larger);
  check_json (scaled, &larger);
  draw (buffer, video);
}
