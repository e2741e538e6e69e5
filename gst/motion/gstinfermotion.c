/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-infermotion
 * @title: infermotion
 * @short_description: lets models rest while nothing moves
 *
 * Compares each frame with the last one that it let through for inference.
 * Where nothing has changed it marks the frame: an inferfilter behind it infers
 * nothing, and the frame leaves with the last results and their age, as with
 * inference-interval (infertrack keeps the boxes where they are).  All frames
 * pass, unchanged.
 *
 * The luma is compared in cells of 16 × 16 pixels.  How much noise there is, is
 * learnt for each cell; light that changes for the whole frame costs one
 * inference, not many.  As the comparison is with the last frame that was
 * inferred, what creeps in slowly is seen when it has become large enough, and
 * what has come to rest costs nothing more.  After a change,
 * #GstInferMotion:hold further frames are let through, and one each
 * #GstInferMotion:refresh milliseconds: nothing is missed for longer.
 *
 * With #GstInferMotion:regions each part that has changed is a region of
 * interest called `motion`, for inferfilter's inference-region=roi-list and
 * object-class=motion.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! infermotion ! \
 *     inferfilter model=cars.xml ! inferdecoder ! infertrack ! \
 *     inferoverlay ! videoconvert ! autovideosink
 * gst-launch-1.0 v4l2src ! videoconvert ! infermotion regions=true ! \
 *     inferfilter model=cars.xml inference-region=roi-list \
 *     object-class=motion ! inferdecoder ! inferoverlay ! videoconvert ! \
 *     autovideosink
 * ]|
 */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "gst/common/continuity.h"
#include "gst/common/properties.h"
#include "gst/common/still.h"
#include "gst/common/timing/arrival.h"
#include "gst/motion/grid.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_motion_debug);
#define GST_CAT_DEFAULT gst_infer_motion_debug

#define GST_TYPE_INFER_MOTION (gst_infer_motion_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferMotion, gst_infer_motion, GST, INFER_MOTION, GstBaseTransform)

/* Formats whose luma, or green, has 8 bits. */
#define CAPS                                                                   \
  GST_VIDEO_CAPS_MAKE (                                                        \
      "{ GRAY8, I420, YV12, NV12, NV21, Y42B, Y444, Y41B, YUY2, UYVY, RGB, "   \
      "BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, GBR }")
#define MOST_REGIONS 16

typedef struct
{
  double sensitivity;
  guint hold;    /* frames */
  guint refresh; /* ms; 0: never */
  gboolean regions;
} Settings;

struct _GstInferMotion
{
  GstBaseTransform parent;
  /* Guarded by the object lock. */
  Settings settings;
  guint64 frames, still;

  int marks; /* atomic: an inferscene asks when frames arrived */

  /* Streaming thread. */
  GstVideoInfo video;
  GstInferMotionGrid *motion; /* NULL: no caps */
  gboolean looked;            /* at a frame since the beginning */
  guint since;                /* frames since the last change */
  GstClockTime last;          /* PTS of the last frame */
  GstClockTime rested;        /* since the last that was let through */
  GstInferMotionBox boxes[MOST_REGIONS]; /* of the last change */
  guint n_boxes;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferMotion, gst_infer_motion,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_motion_debug, "infermotion", 0, "infermotion element"))
GST_ELEMENT_REGISTER_DECLARE (infermotion)
GST_ELEMENT_REGISTER_DEFINE (
    infermotion, "infermotion", GST_RANK_NONE, GST_TYPE_INFER_MOTION)

/* --- properties --- */

#define FIELD(name) G_STRUCT_OFFSET (GstInferMotion, name)

static void
install_properties (GObjectClass *klass)
{
  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (settings.sensitivity),
      g_param_spec_double ("sensitivity", "Sensitivity",
          "2: changes half as large are seen, too; 0.5: only changes twice as "
          "large (Since: 0.2)",
          0.01, 100, 1, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (settings.hold),
      g_param_spec_uint ("hold", "Hold",
          "Frames that are let through after the last change; at least "
          "inferfilter's inference-interval (Since: 0.2)",
          0, 10000, 8, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (settings.refresh),
      g_param_spec_uint ("refresh", "Refresh",
          "Milliseconds after which a frame is let through though nothing "
          "moves; 0: never (Since: 0.2)",
          0, G_MAXUINT, 5000, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (settings.regions),
      g_param_spec_boolean ("regions", "Regions",
          "Add a region of interest `motion` for each part that has changed "
          "(Since: 0.2)",
          FALSE, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (frames),
      g_param_spec_uint64 ("frames", "Frames",
          "Frames since the start (Since: 0.2)", 0, G_MAXUINT64, 0,
          GST_INFER_READ_ONLY));
  g_object_class_install_property (klass, FIELD (still),
      g_param_spec_uint64 ("still", "Still",
          "Frames of them on which nothing was to be inferred (Since: 0.2)", 0,
          G_MAXUINT64, 0, GST_INFER_READ_ONLY));
}

/* --- frames --- */

/* The luma, or green: the second component of RGB.  Returns whether the frame
 * is let through, and remembers it then. */
static gboolean
look (GstInferMotion *self, GstBuffer *buffer, const Settings *settings)
{
  const guint c = GST_VIDEO_INFO_IS_RGB (&self->video) ? 1 : 0;
  const gboolean due =
      settings->refresh > 0
      && self->rested >= settings->refresh * (GstClockTime) GST_MSECOND;
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, &self->video, buffer,
          GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)) {
    GST_LOG_OBJECT (self, "the frame cannot be read: it is let through");
    return TRUE;
  }
  const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (&frame, c);
  const gsize stride = (gsize) GST_VIDEO_FRAME_COMP_STRIDE (&frame, c);
  const guint step = (guint) GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, c);
  if (gst_infer_motion_grid_look (
          self->motion, data, stride, step, settings->sensitivity)) {
    self->since = 0;
    self->n_boxes =
        gst_infer_motion_grid_boxes (self->motion, self->boxes, MOST_REGIONS);
  } else if (self->since < G_MAXUINT) {
    self->since++;
  }
  const gboolean held = self->since <= settings->hold;
  if (due && !held) {
    self->boxes[0] = (GstInferMotionBox){ 0, 0, G_MAXUINT16, G_MAXUINT16 };
    self->n_boxes = 1;
  }
  if (due || held)
    gst_infer_motion_grid_keep (self->motion, data, stride, step);
  gst_video_frame_unmap (&frame);
  return due || held;
}

static GstClockTime
time_since_last (GstInferMotion *self, GstBuffer *buffer)
{
  const GstClockTime now = GST_BUFFER_PTS (buffer), last = self->last;
  const GstVideoInfo *video = &self->video;

  self->last = now;
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (last))
    return now > last ? now - last : 0;
  return gst_infer_frame_time (
      GST_VIDEO_INFO_FPS_N (video), GST_VIDEO_INFO_FPS_D (video));
}

static void
add_regions (GstInferMotion *self, GstBuffer *buffer)
{
  const guint w = (guint) GST_VIDEO_INFO_WIDTH (&self->video);
  const guint h = (guint) GST_VIDEO_INFO_HEIGHT (&self->video);

  for (guint i = 0; i < self->n_boxes; i++) {
    const GstInferMotionBox *box = &self->boxes[i];
    /* With a cell around it: its edges change less. */
    const guint x = box->x0 > 0 ? (box->x0 - 1) * GST_INFER_CELL : 0;
    const guint y = box->y0 > 0 ? (box->y0 - 1) * GST_INFER_CELL : 0;
    const guint x1 = MIN ((box->x1 + 1) * GST_INFER_CELL, w);
    const guint y1 = MIN ((box->y1 + 1) * GST_INFER_CELL, h);
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_add_video_region_of_interest_meta (
            buffer, "motion", x, y, x1 - x, y1 - y);

    roi->id = (int) i + 1;
  }
}

static void
count (GstInferMotion *self, gboolean still)
{
  GST_OBJECT_LOCK (self);
  self->frames++;
  self->still += still;
  GST_OBJECT_UNLOCK (self);
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstInferMotion *self = GST_INFER_MOTION (trans);

  if (g_atomic_int_get (&self->marks))
    gst_infer_mark_arrival (buffer, gst_util_get_timestamp ());
  GST_OBJECT_LOCK (self);
  const Settings settings = self->settings;
  GST_OBJECT_UNLOCK (self);
  if (GST_BUFFER_IS_DISCONT (buffer) && self->looked) {
    GST_DEBUG_OBJECT (self, "DISCONT: the next frame is compared with none");
    gst_infer_motion_grid_forget (self->motion);
  }
  self->looked = TRUE;
  self->rested += time_since_last (self, buffer);
  const gboolean still = !look (self, buffer, &settings);
  count (self, still);
  if (still) {
    gst_infer_mark_still (buffer);
    return GST_FLOW_OK;
  }
  self->rested = 0;
  if (settings.regions)
    add_regions (self, buffer);
  return GST_FLOW_OK;
}

/* --- element --- */

/* @why: for the log. */
static void
begin (GstInferMotion *self, const char *why)
{
  if (self->looked)
    GST_DEBUG_OBJECT (self, "%s: the next frame is compared with none", why);
  self->looked = FALSE;
  if (self->motion != NULL)
    gst_infer_motion_grid_forget (self->motion);
  self->since = 0;
  self->last = GST_CLOCK_TIME_NONE;
  self->rested = 0;
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstInferMotion *self = GST_INFER_MOTION (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP
      || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START
      || GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    begin (self, GST_EVENT_TYPE_NAME (event));
  return GST_BASE_TRANSFORM_CLASS (gst_infer_motion_parent_class)
      ->sink_event (trans, event);
}

static gboolean
src_event (GstBaseTransform *trans, GstEvent *event)
{
  if (gst_infer_is_arrival_request (event))
    g_atomic_int_set (&GST_INFER_MOTION (trans)->marks, TRUE);
  return GST_BASE_TRANSFORM_CLASS (gst_infer_motion_parent_class)
      ->src_event (trans, event);
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *input, GstCaps *output)
{
  GstInferMotion *self = GST_INFER_MOTION (trans);

  if (!gst_video_info_from_caps (&self->video, input))
    return FALSE;
  g_clear_pointer (&self->motion, gst_infer_motion_grid_free);
  self->motion =
      gst_infer_motion_grid_new ((guint) GST_VIDEO_INFO_WIDTH (&self->video),
          (guint) GST_VIDEO_INFO_HEIGHT (&self->video));
  if (self->motion == NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("No memory for what changes in frames of %dx%d",
            GST_VIDEO_INFO_WIDTH (&self->video),
            GST_VIDEO_INFO_HEIGHT (&self->video)),
        (NULL));
    return FALSE;
  }
  GST_INFO_OBJECT (self, "motion in %" GST_PTR_FORMAT, (void *) input);
  begin (self, "other caps");
  return TRUE;
}

static gboolean
start (GstBaseTransform *trans)
{
  GstInferMotion *self = GST_INFER_MOTION (trans);

  GST_OBJECT_LOCK (self);
  self->frames = self->still = 0;
  GST_OBJECT_UNLOCK (self);
  g_atomic_int_set (&self->marks, FALSE);
  begin (self, "start");
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstInferMotion *self = GST_INFER_MOTION (trans);

  GST_INFO_OBJECT (self,
      "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " frames were still",
      self->still, self->frames);
  g_clear_pointer (&self->motion, gst_infer_motion_grid_free);
  return TRUE;
}

static void
gst_infer_motion_class_init (GstInferMotionClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  install_properties (G_OBJECT_CLASS (klass));
  trans_class->start = start;
  trans_class->stop = stop;
  trans_class->set_caps = set_caps;
  trans_class->sink_event = sink_event;
  trans_class->src_event = src_event;
  trans_class->transform_ip = transform_ip;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Motion gate",
      "Filter/Analyzer/Video", "Lets models rest while nothing moves",
      "The inferfilter authors");
}

static void
gst_infer_motion_init (GstInferMotion *self)
{
}
