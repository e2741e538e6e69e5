/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-infertrack
 * @title: infertrack
 * @short_description: gives each object the same id on every frame
 *
 * Each object (#GstVideoRegionOfInterestMeta with a param `detection`) gets a
 * param `object_id` with a number that is the same on every frame, also after
 * the object was hidden for up to #GstInferTrack:keep frames.
 *
 * On frames without inference (inferfilter's inference-interval) the objects
 * get predicted boxes; with #GstInferTrack:predict, so do objects that the
 * detector missed for a few frames.
 *
 * With #GstInferTrack:reid-distance an object that was hidden, or has left and
 * comes back, is known again by its look: the results of a model that
 * inferfilter ran on each object before infertrack
 * (`inference-region=roi-list`), one vector of floats for each.  Elements with
 * the same #GstInferTrack:reid-gallery know each other's objects, so that an
 * object has one id on several cameras.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! inferfilter model=faces.xml \
 *     inference-interval=3 ! inferdecoder ! infertrack ! inferoverlay ! \
 *     videoconvert ! autovideosink
 * gst-launch-1.0 filesrc location=street.mp4 ! decodebin ! videoconvert ! \
 *     inferfilter model=people.xml ! inferdecoder ! \
 *     inferfilter model=looks.xml inference-region=roi-list ! \
 *     infertrack reid-distance=0.3 ! inferpublish file-path=tracks.jsonl ! \
 *     fakesink
 * ]|
 */

#include <gst/base/gstbasetransform.h>

#include "gst/common/properties.h"
#include "gst/common/still.h"
#include "gst/common/undecoded.h"
#include "gst/infer/results.h"
#include "gst/track/looks.h"
#include "inference/media/track/track.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_track_debug);
#define GST_CAT_DEFAULT gst_infer_track_debug

#define GST_TYPE_INFER_TRACK (gst_infer_track_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferTrack, gst_infer_track, GST, INFER_TRACK, GstBaseTransform)

#define CAPS "video/x-raw(ANY)"
#define LEAST_FRAMES 0.01f /* between two frames */

typedef struct
{
  double threshold, new_threshold, iou_threshold;
  guint keep, min_hits, predict, max_tracks;
  gboolean any_label;
  char *object_class;
  double reid_distance;
  guint reid_keep; /* ms */
  char *reid_gallery;
} Settings;

struct _GstInferTrack
{
  GstBaseTransform parent;
  Settings settings; /* guarded by the object lock */

  /* Streaming thread. */
  GstVideoInfo video;
  InferTracker *tracker; /* NULL: not created */
  gboolean reid;         /* by looks, too */
  GHashTable *labels;    /* label id → label of the last detection */
  GstClockTime last;     /* PTS of the last frame */
  guint undecoded;       /* gst_infer_warn_of_undecoded */
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferTrack, gst_infer_track,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_track_debug, "infertrack", 0, "infertrack element"))
GST_ELEMENT_REGISTER_DECLARE (infertrack)
GST_ELEMENT_REGISTER_DEFINE (
    infertrack, "infertrack", GST_RANK_NONE, GST_TYPE_INFER_TRACK)

/* --- properties --- */

#define FIELD(name) G_STRUCT_OFFSET (GstInferTrack, settings.name)

static void
install_reid (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (reid_distance),
      g_param_spec_double ("reid-distance", "Re-identification distance",
          "Cosine distance up to which an object is known again by its look; "
          "0: looks do not matter (Since: 0.2)",
          0, 2, 0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (reid_keep),
      g_param_spec_uint ("reid-keep", "Re-identification time",
          "Milliseconds for which the look of an object that is gone is kept "
          "(Since: 0.2)",
          0, G_MAXUINT, 60000, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (reid_gallery),
      g_param_spec_string ("reid-gallery", "Re-identification gallery",
          "Name of the looks shared by the elements of this process; unset: "
          "its own (Since: 0.2)",
          NULL, GST_INFER_READY));
}

static void
install_properties (GObjectClass *klass)
{
  const InferTrackSettings own = INFER_TRACK_DEFAULTS;

  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (threshold),
      g_param_spec_double ("threshold", "Threshold",
          "Detections below it only continue an object that has no detection "
          "above it",
          0, 1, own.sure, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (new_threshold),
      g_param_spec_double ("new-threshold", "New threshold",
          "Detections below it do not start a new object", 0, 1, own.fresh,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (iou_threshold),
      g_param_spec_double ("iou-threshold", "IoU threshold",
          "Least IoU of a detection and the predicted box", 0, 1,
          INFER_TRACK_OVERLAP, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (keep),
      g_param_spec_uint ("keep", "Keep",
          "Frames for which a lost object is kept", 0, 10000, (guint) own.keep,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (min_hits),
      g_param_spec_uint ("min-hits", "Least hits",
          "Detections before an object gets its id", 1, 100, own.min_hits,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (any_label),
      g_param_spec_boolean ("any-label", "Any label",
          "Let the label of an object change", own.any_label, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (predict),
      g_param_spec_uint ("predict", "Predict",
          "Frames for which an object that is not detected gets a predicted "
          "box",
          0, 10000, 0, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (max_tracks),
      g_param_spec_uint ("max-tracks", "Most tracks",
          "Objects followed at a time; beyond it, the longest lost are given "
          "up (Since: 0.2)",
          1, 100000, own.max_tracks, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (object_class),
      g_param_spec_string ("object-class", "Object class",
          "Only objects of these labels, separated by commas; unset: all", NULL,
          GST_INFER_READY));
  install_reid (klass);
}

/* --- frames --- */

typedef struct
{
  GArray *found; /* (element-type InferDetection) */
  GPtrArray *regions;
  gboolean stale; /* the results belong to an earlier frame */
} Seen;

static gboolean
is_wanted (const char *classes, const GstVideoRegionOfInterestMeta *roi)
{
  g_auto (GStrv) names = NULL;

  if (classes == NULL || *classes == '\0')
    return TRUE;
  names = g_strsplit (classes, ",", -1);
  return g_strv_contains (
      (const char *const *) names, g_quark_to_string (roi->roi_type));
}

static void
remember_label (GstInferTrack *self, const GstInferLabel *label)
{
  gpointer id = GINT_TO_POINTER (label->label_id);

  if (g_strcmp0 (g_hash_table_lookup (self->labels, id), label->label) != 0)
    g_hash_table_insert (self->labels, id, g_strdup (label->label));
}

/* Collects the objects of @buffer, and removes stale ones from it. */
static void
collect (
    GstInferTrack *self, GstBuffer *buffer, const char *classes, Seen *seen)
{
  g_autoptr (GPtrArray) stale = g_ptr_array_new ();
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi =
        (GstVideoRegionOfInterestMeta *) (gpointer) meta;
    GstStructure *s =
        gst_video_region_of_interest_meta_get_param (roi, "detection");
    InferDetection d;
    GstInferLabel label;
    GstInferBox box;
    int age = 0;

    if (s == NULL || !is_wanted (classes, roi))
      continue;
    gst_structure_get_int (s, "age", &age);
    label = gst_infer_object_label (roi);
    box =
        gst_infer_object_box (roi, (guint) GST_VIDEO_INFO_WIDTH (&self->video),
            (guint) GST_VIDEO_INFO_HEIGHT (&self->video));
    remember_label (self, &label);
    if (age > 0) {
      g_ptr_array_add (stale, roi);
      continue;
    }
    d = (InferDetection){ box.x0, box.y0, box.x1, box.y1,
      (float) label.confidence, label.label_id, 0 };
    g_array_append_val (seen->found, d);
    g_ptr_array_add (seen->regions, roi);
  }
  seen->stale = stale->len > 0 && seen->found->len == 0;
  for (guint i = 0; i < stale->len; i++)
    gst_buffer_remove_meta (buffer, g_ptr_array_index (stale, i));
}

static void
set_id (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi,
    const InferTrack *t, gboolean lost)
{
  gst_infer_set_object_id (buffer, roi, t->id, t->first, t->last, lost);
}

/* Adds the predicted boxes of objects not detected on this frame. */
static void
add_predicted (GstInferTrack *self, GstBuffer *buffer, float longest)
{
  const GArray *tracks = infer_tracker_list (self->tracker);

  for (guint i = 0; i < tracks->len; i++) {
    const InferTrack *t = &g_array_index (tracks, InferTrack, i);
    GstInferLabel label = {
      .label =
          g_hash_table_lookup (self->labels, GINT_TO_POINTER (t->box.label)),
      .label_id = t->box.label,
      .confidence = t->box.score,
    };
    const GstInferBox box = { t->box.x0, t->box.y0, t->box.x1, t->box.y1 };

    if (t->missed <= 0 || t->missed > longest)
      continue;
    GstVideoRegionOfInterestMeta *roi = gst_infer_add_object (buffer,
        (guint) GST_VIDEO_INFO_WIDTH (&self->video),
        (guint) GST_VIDEO_INFO_HEIGHT (&self->video), &box, &label, -1);
    if (roi != NULL)
      set_id (buffer, roi, t, TRUE);
  }
}

/* Returns the number of frames since the last: more than one if some were
 * dropped. */
static float
frames_since (GstInferTrack *self, GstBuffer *buffer)
{
  GstClockTime now = GST_BUFFER_PTS (buffer), last = self->last;
  double rate = 0, frames;

  if (GST_CLOCK_TIME_IS_VALID (now))
    self->last = now;
  if (GST_VIDEO_INFO_FPS_D (&self->video) > 0)
    rate = (double) GST_VIDEO_INFO_FPS_N (&self->video)
           / GST_VIDEO_INFO_FPS_D (&self->video);
  if (!GST_CLOCK_TIME_IS_VALID (now) || !GST_CLOCK_TIME_IS_VALID (last)
      || now <= last || rate <= 0)
    return 1;
  frames = (double) (now - last) * rate / GST_SECOND;
  return (float) CLAMP (frames, LEAST_FRAMES, 1000);
}

static void
make_tracker (GstInferTrack *self)
{
  const Settings *s = &self->settings;
  InferTrackSettings settings;

  GST_OBJECT_LOCK (self);
  settings = (InferTrackSettings){
    .sure = (float) s->threshold,
    .fresh = (float) s->new_threshold,
    .overlap = (float) s->iou_threshold,
    .keep = (float) s->keep,
    .min_hits = s->min_hits,
    .any_label = s->any_label,
    .max_tracks = s->max_tracks,
  };
  const float distance = (float) s->reid_distance;
  const guint64 keep = s->reid_keep * (guint64) GST_MSECOND;
  g_autofree char *gallery = g_strdup (s->reid_gallery);
  GST_OBJECT_UNLOCK (self);
  self->tracker = infer_tracker_new (&settings);
  self->reid = distance > 0;
  if (self->reid)
    infer_tracker_set_gallery (
        self->tracker, infer_gallery_new (gallery), distance, keep);
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstInferTrack *self = GST_INFER_TRACK (trans);
  g_autoptr (GArray) found =
      g_array_new (FALSE, FALSE, sizeof (InferDetection));
  g_autoptr (GPtrArray) regions = g_ptr_array_new ();
  Seen seen = { found, regions, FALSE };
  float frames, predict;

  GST_OBJECT_LOCK (self);
  g_autofree char *classes = g_strdup (self->settings.object_class);
  predict = (float) self->settings.predict;
  GST_OBJECT_UNLOCK (self);
  if (self->tracker == NULL)
    make_tracker (self);
  frames = frames_since (self, buffer);
  if (gst_infer_is_still (buffer)) /* boxes stay where they are */
    frames = LEAST_FRAMES;
  collect (self, buffer, classes, &seen);
  g_autoptr (GPtrArray) looks = NULL;
  guint size = 0;
  if (self->reid)
    looks = gst_infer_read_looks (buffer, seen.regions, &size);
  if (size > 0)
    infer_tracker_set_looks (
        self->tracker, (const float *const *) looks->pdata, size);
  gst_infer_warn_of_undecoded (self, buffer, &self->undecoded);
  if (seen.stale) {
    infer_tracker_skip (self->tracker, frames);
    add_predicted (self, buffer, G_MAXFLOAT);
    return GST_FLOW_OK;
  }
  g_autofree const InferTrack **tracks =
      g_new (const InferTrack *, MAX (found->len, 1));
  infer_tracker_update (self->tracker, frames, GST_BUFFER_PTS (buffer),
      (const InferDetection *) (gpointer) found->data, found->len, tracks);
  for (guint i = 0; i < found->len; i++)
    if (tracks[i] != NULL)
      set_id (buffer, g_ptr_array_index (regions, i), tracks[i], FALSE);
  if (predict > 0)
    add_predicted (self, buffer, predict);
  return GST_FLOW_OK;
}

/* --- element --- */

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *input, GstCaps *output)
{
  GstInferTrack *self = GST_INFER_TRACK (trans);
  GstVideoInfo video;

  if (!gst_video_info_from_caps (&video, input))
    return FALSE;
  /* Tracks are in pixels of the frame. */
  if (self->tracker != NULL
      && (GST_VIDEO_INFO_WIDTH (&video) != GST_VIDEO_INFO_WIDTH (&self->video)
          || GST_VIDEO_INFO_HEIGHT (&video)
                 != GST_VIDEO_INFO_HEIGHT (&self->video))) {
    GST_INFO_OBJECT (self, "the frame size has changed: all tracks end");
    infer_tracker_reset (self->tracker);
  }
  self->video = video;
  GST_INFO_OBJECT (
      self, "objects on frames of %" GST_PTR_FORMAT, (void *) input);
  return TRUE;
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstInferTrack *self = GST_INFER_TRACK (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP
      || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    GST_DEBUG_OBJECT (self, "%s: all tracks end", GST_EVENT_TYPE_NAME (event));
    self->last = GST_CLOCK_TIME_NONE;
    if (self->tracker != NULL)
      infer_tracker_reset (self->tracker);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_infer_track_parent_class)
      ->sink_event (trans, event);
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstInferTrack *self = GST_INFER_TRACK (trans);

  self->undecoded = 0;
  g_clear_pointer (&self->tracker, infer_tracker_free);
  g_hash_table_remove_all (self->labels);
  self->last = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static void
finalize (GObject *object)
{
  GstInferTrack *self = GST_INFER_TRACK (object);

  g_clear_pointer (&self->tracker, infer_tracker_free);
  g_hash_table_unref (self->labels);
  g_free (self->settings.object_class);
  g_free (self->settings.reid_gallery);
  G_OBJECT_CLASS (gst_infer_track_parent_class)->finalize (object);
}

static void
gst_infer_track_class_init (GstInferTrackClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  install_properties (G_OBJECT_CLASS (klass));
  trans_class->set_caps = set_caps;
  trans_class->sink_event = sink_event;
  trans_class->stop = stop;
  trans_class->transform_ip = transform_ip;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Object tracker",
      "Filter/Analyzer/Video", "Gives objects an identity that stays",
      "The inferfilter authors");
}

static void
gst_infer_track_init (GstInferTrack *self)
{
  self->labels = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->last = GST_CLOCK_TIME_NONE;
}
