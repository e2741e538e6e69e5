/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferoverlay
 * @title: inferoverlay
 * @short_description: draws results of models into the video
 *
 * Draws boxes, labels, identities, classes, texts, keypoints and masks that
 * inferdecoder, infertrack or other elements with the same metas added to the
 * buffers.  Only the pixels drawn are touched; a frame without results passes
 * unchanged.
 *
 * ## Example
 *
 * |[
 * gst-launch-1.0 filesrc location=faces.jpg ! decodebin ! videoconvert ! \
 *     inferfilter model=faces.xml ! inferdecoder ! inferoverlay ! \
 *     videoconvert ! pngenc ! filesink location=found.png
 * ]|
 */

#include <gst/video/gstvideofilter.h>

#include "gst/common/properties.h"
#include "gst/common/undecoded.h"
#include "gst/overlay/draw.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_overlay_debug);
#define GST_CAT_DEFAULT gst_infer_overlay_debug

#define GST_TYPE_INFER_OVERLAY (gst_infer_overlay_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferOverlay, gst_infer_overlay, GST, INFER_OVERLAY, GstVideoFilter)

#define DEFAULT_MASK_ALPHA 0.45

struct _GstInferOverlay
{
  GstVideoFilter parent;
  GstInferOverlayStyle style; /* guarded by the object lock */
  guint undecoded; /* streaming thread: gst_infer_warn_of_undecoded */
};

#define CAPS GST_VIDEO_CAPS_MAKE (GST_INFER_CANVAS_FORMATS)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferOverlay, gst_infer_overlay,
    GST_TYPE_VIDEO_FILTER,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_overlay_debug, "inferoverlay", 0, "inferoverlay element"))
GST_ELEMENT_REGISTER_DECLARE (inferoverlay)
GST_ELEMENT_REGISTER_DEFINE (
    inferoverlay, "inferoverlay", GST_RANK_NONE, GST_TYPE_INFER_OVERLAY)

static GstInferOverlayStyle
style_of (GstInferOverlay *self)
{
  GST_OBJECT_LOCK (self);
  GstInferOverlayStyle style = self->style;
  GST_OBJECT_UNLOCK (self);
  return style;
}

/* A frame without results is neither mapped nor copied. */
static GstFlowReturn
prepare_output_buffer (
    GstBaseTransform *trans, GstBuffer *input, GstBuffer **output)
{
  GstInferOverlay *self = GST_INFER_OVERLAY (trans);
  GstInferOverlayStyle style = style_of (self);

  gst_infer_warn_of_undecoded (self, input, &self->undecoded);
  if (!gst_infer_overlay_has_work (input, &style)) {
    *output = input;
    return GST_FLOW_OK;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_infer_overlay_parent_class)
      ->prepare_output_buffer (trans, input, output);
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstInferOverlayStyle style = style_of (GST_INFER_OVERLAY (trans));

  if (!gst_infer_overlay_has_work (buffer, &style))
    return GST_FLOW_OK;
  return GST_BASE_TRANSFORM_CLASS (gst_infer_overlay_parent_class)
      ->transform_ip (trans, buffer);
}

static gboolean
set_info (GstVideoFilter *filter, GstCaps *input, GstVideoInfo *in,
    GstCaps *output, GstVideoInfo *out)
{
  GST_INFO_OBJECT (
      filter, "drawing into frames of %" GST_PTR_FORMAT, (void *) input);
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GST_INFER_OVERLAY (trans)->undecoded = 0;
  return TRUE;
}

static GstFlowReturn
transform_frame_ip (GstVideoFilter *filter, GstVideoFrame *frame)
{
  GstInferOverlayStyle style = style_of (GST_INFER_OVERLAY (filter));
  GstInferCanvas canvas;

  gst_infer_canvas_init (&canvas, frame);
  gst_infer_overlay_draw (&canvas, frame->buffer, &style);
  return GST_FLOW_OK;
}

#define FIELD(name) G_STRUCT_OFFSET (GstInferOverlay, style.name)

static void
install_properties (GObjectClass *klass)
{
  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  for (guint i = 0; i < GST_INFER_N_RESULT_KINDS; i++) {
    const GstInferResultKind *kind = gst_infer_result_kinds[i];

    if (kind->property != NULL)
      g_object_class_install_property (klass, FIELD (shapes[i]),
          g_param_spec_boolean (kind->property, kind->nick, kind->blurb, TRUE,
              GST_INFER_PLAYING));
  }
  g_object_class_install_property (klass, FIELD (labels),
      g_param_spec_boolean ("draw-labels", "Labels",
          "Draw labels, confidences, identities, classes and texts", TRUE,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (mask_alpha),
      g_param_spec_double ("mask-alpha", "Mask alpha",
          "Opacity of masks, 0 to 1", 0, 1, DEFAULT_MASK_ALPHA,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (scale),
      g_param_spec_uint ("scale", "Scale",
          "Width, in pixels, of lines and of a point of the font, which is 9 "
          "points high; 0: from the size of the video",
          0, 64, 0, GST_INFER_PLAYING));
}

static void
gst_infer_overlay_class_init (GstInferOverlayClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  install_properties (G_OBJECT_CLASS (klass));
  trans_class->prepare_output_buffer = prepare_output_buffer;
  trans_class->transform_ip = transform_ip;
  trans_class->stop = stop;
  GST_VIDEO_FILTER_CLASS (klass)->set_info = set_info;
  GST_VIDEO_FILTER_CLASS (klass)->transform_frame_ip = transform_frame_ip;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Result overlay",
      "Filter/Editor/Video", "Draws results of models into the video",
      "The inferfilter authors");
}

static void
gst_infer_overlay_init (GstInferOverlay *self)
{
}
