/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferscene
 * @title: inferscene
 * @short_description: makes events of tracked objects: zones, lines, speeds
 *
 * Watches zones (polygons), tripwires and speed lines: who enters and leaves a
 * zone and how long they stay, how many are in it, who crosses a line and in
 * which direction, how fast they are.  It reads objects with identities, which
 * infertrack gives, and adds a #GstInferSceneMeta with counts and events to
 * each frame; inferoverlay draws it, inferpublish writes it as JSON.  Each
 * event is also an element message `inferscene`.  docs/guides/scenes.md
 * describes the settings.
 *
 * Settings are JSON: lists in #GstInferScene:zones, #GstInferScene:tripwires
 * and #GstInferScene:speed-lines, or a file #GstInferScene:config with all
 * three. They may change while PLAYING, and so may the file; settings with an
 * error leave the old ones in use, with a WARNING.  Coordinates are fractions
 * of the frame.
 *
 * Times are those of the media.  A flush, a segment that does not continue the
 * last one, a jump backwards or of more than #GstInferScene:max-gap, and the
 * end of the stream end all stays, with the reason in the event.  Frames lost
 * on the way (a DISCONT within #GstInferScene:max-gap) end none, as long as
 * infertrack knows the objects again.  A track that is not on any frame for
 * #GstInferScene:lost-after has ended, and is forgotten.  In reverse playback
 * frames pass and nothing is counted.
 *
 * ## Delay
 *
 * #GstInferScene:stats has the frames (`buffers`) and `events` of the stream
 * since its start or last flush, and in the structure `delay` the time from a
 * frame's arrival at the first infermotion or inferfilter of the chain until
 * its events have been posted: `n` frames, `mean` and `max` of all, `p50`,
 * `p95` and `p99` of the last 256, in nanoseconds.  The arrival travels on the
 * frame, as a #GstReferenceTimestampMeta with the caps
 * `timestamp/x-infer-arrival` and the monotonic time; inferscene asks for it
 * with an event upstream when a stream begins.  Frames without that mark,
 * because neither element is there or an element in between has lost the meta,
 * are not in `delay`.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 filesrc location=street.mp4 ! decodebin ! videoconvert ! \
 *     inferfilter model=cars.xml ! inferdecoder ! infertrack ! \
 *     inferscene tripwires='[{"id":"exit","points":[[0,0.5],[1,0.5]]}]' ! \
 *     inferpublish file-path=events.jsonl ! fakesink
 * gst-launch-1.0 v4l2src ! videoconvert ! inferfilter model=cars.xml ! \
 *     inferdecoder ! infertrack ! \
 *     inferscene zones='[{"id":"door","points":[[0,0],[1,0],[1,1]]}]' ! \
 *     inferoverlay ! videoconvert ! autovideosink
 * ]|
 */

#include "gst/scene/gstinferscene.h"

#include "gst/common/continuity.h"
#include "gst/common/error-message.h"
#include "gst/common/timing/arrival.h"
#include "gst/common/undecoded.h"

GST_DEBUG_CATEGORY (gst_infer_scene_debug);
#define GST_CAT_DEFAULT gst_infer_scene_debug

#define CAPS "video/x-raw(ANY)"
#define MANY_UNTRACKED 30 /* frames in a row until a warning */

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferScene, gst_infer_scene,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_scene_debug, "inferscene", 0, "inferscene element"))
GST_ELEMENT_REGISTER_DECLARE (inferscene)
GST_ELEMENT_REGISTER_DEFINE (
    inferscene, "inferscene", GST_RANK_NONE, GST_TYPE_INFER_SCENE)

/* --- statistics --- */

static void
reset_counters (GstInferScene *self)
{
  GST_OBJECT_LOCK (self);
  self->counters = (GstInferSceneCounters){ 0 };
  GST_OBJECT_UNLOCK (self);
}

/* The events of @buffer have been posted. */
static void
count_frame (GstInferScene *self, GstBuffer *buffer)
{
  const GstClockTime arrived = gst_infer_arrival_of (buffer);
  const GstClockTime now = gst_util_get_timestamp ();

  GST_OBJECT_LOCK (self);
  self->counters.buffers++;
  if (GST_CLOCK_TIME_IS_VALID (arrived) && arrived <= now)
    gst_infer_durations_add (&self->counters.delay, now - arrived);
  GST_OBJECT_UNLOCK (self);
}

/* --- events --- */

typedef struct
{
  guint max_gap;
  gboolean post_messages;
} Numbers;

static Numbers
numbers_of (GstInferScene *self)
{
  GST_OBJECT_LOCK (self);
  const Numbers numbers = { self->settings.max_gap,
    self->settings.post_messages };
  GST_OBJECT_UNLOCK (self);
  return numbers;
}

/* Of the events that have none yet. */
static void
post_events (GstInferScene *self)
{
  const GArray *events = gst_infer_scene_state_events (self->scene);
  const gboolean post = numbers_of (self).post_messages;
  const guint n = events->len - self->posted;

  for (; self->posted < events->len; self->posted++) {
    const GstInferSceneEvent *event =
        &g_array_index (events, GstInferSceneEvent, self->posted);

    GST_DEBUG_OBJECT (self, "%" GST_TIME_FORMAT " %s %s '%s', object %d",
        GST_TIME_ARGS (event->time), gst_infer_scene_event_name (event->type),
        gst_infer_scene_kind_name (event->kind), event->id, event->object_id);
    if (post)
      gst_element_post_message (
          GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self),
                                  gst_infer_scene_event_to_structure (event)));
  }
  GST_OBJECT_LOCK (self);
  self->counters.events += n;
  GST_OBJECT_UNLOCK (self);
}

static void
drop_events (GstInferScene *self)
{
  g_array_set_size (gst_infer_scene_state_events (self->scene), 0);
  self->posted = 0;
}

/* Events that no frame can carry any more leave as a custom event. */
static void
send_events (GstInferScene *self)
{
  const GArray *events = gst_infer_scene_state_events (self->scene);
  GstStructure *s = gst_structure_new_empty (GST_INFER_SCENE_EVENTS);
  GValue list = G_VALUE_INIT, item = G_VALUE_INIT;

  gst_value_list_init (&list, events->len);
  g_value_init (&item, GST_TYPE_STRUCTURE);
  for (guint i = 0; i < events->len; i++) {
    g_value_take_boxed (
        &item, gst_infer_scene_event_to_structure (
                   &g_array_index (events, GstInferSceneEvent, i)));
    gst_value_list_append_value (&list, &item);
  }
  g_value_unset (&item);
  gst_structure_take_value (s, "events", &list);
  if (events->len > 0)
    gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (self),
        gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, s));
  else
    gst_structure_free (s);
  drop_events (self);
}

static void
end_stays (GstInferScene *self, GstInferSceneReason reason)
{
  if (self->scene == NULL)
    return;
  if (GST_CLOCK_TIME_IS_VALID (self->now))
    GST_DEBUG_OBJECT (
        self, "%s: all stays end", gst_infer_scene_reason_name (reason));
  gst_infer_scene_state_end (self->scene, reason);
  post_events (self);
  self->now = self->next = GST_CLOCK_TIME_NONE;
}

static GstClockTime
stream_time (GstInferScene *self, GstClockTime time)
{
  const GstSegment *segment = &self->segment;

  return segment->format == GST_FORMAT_TIME
             ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time)
             : time;
}

static gboolean
is_gap (GstInferScene *self, GstClockTime now)
{
  return now - self->now
         > numbers_of (self).max_gap * (GstClockTime) GST_MSECOND;
}

static void
take_segment (GstInferScene *self, GstEvent *event)
{
  GstSegment segment;

  gst_event_copy_segment (event, &segment);
  if (!gst_infer_segment_continues (&self->segment, &segment, self->next))
    end_stays (self, GST_INFER_SCENE_DISCONTINUITY);
  self->segment = segment;
}

static void
take_gap (GstInferScene *self, GstEvent *event)
{
  GstClockTime time, duration;

  gst_event_parse_gap (event, &time, &duration);
  if (GST_CLOCK_TIME_IS_VALID (duration))
    time += duration;
  time = stream_time (self, time);
  if (GST_CLOCK_TIME_IS_VALID (self->now) && GST_CLOCK_TIME_IS_VALID (time)
      && time > self->now && is_gap (self, time))
    end_stays (self, GST_INFER_SCENE_GAP);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstInferScene *self = GST_INFER_SCENE (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_STOP:
      end_stays (self, GST_INFER_SCENE_FLUSH);
      reset_counters (self);
      gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
      break;
    case GST_EVENT_STREAM_START:
      end_stays (self, GST_INFER_SCENE_DISCONTINUITY);
      gst_pad_push_event (
          GST_BASE_TRANSFORM_SINK_PAD (self), gst_infer_arrival_request ());
      break;
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      break;
    case GST_EVENT_GAP:
      take_gap (self, event);
      break;
    case GST_EVENT_EOS:
      end_stays (self, GST_INFER_SCENE_EOS);
      send_events (self);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_infer_scene_parent_class)
      ->sink_event (trans, event);
}

/* --- frames --- */

/* Returns the stream time of the frame, and ends all stays where it does not
 * follow the last one. */
static GstClockTime
take_time (GstInferScene *self, GstBuffer *buffer)
{
  const gboolean discont = GST_BUFFER_IS_DISCONT (buffer);
  const GstClockTime duration =
      GST_BUFFER_DURATION_IS_VALID (buffer)
          ? GST_BUFFER_DURATION (buffer)
          : gst_infer_frame_time (GST_VIDEO_INFO_FPS_N (&self->video),
              GST_VIDEO_INFO_FPS_D (&self->video));
  GstClockTime pts = GST_BUFFER_PTS (buffer), time = GST_CLOCK_TIME_NONE;
  const gboolean known = GST_CLOCK_TIME_IS_VALID (pts);

  if (!known)
    pts = GST_CLOCK_TIME_IS_VALID (self->next) ? self->next : 0;
  time = stream_time (self, pts);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = pts;
  if (GST_CLOCK_TIME_IS_VALID (self->now)) {
    if (time < self->now || (discont && !known))
      end_stays (self, GST_INFER_SCENE_DISCONTINUITY);
    else if (is_gap (self, time))
      end_stays (
          self, discont ? GST_INFER_SCENE_DISCONTINUITY : GST_INFER_SCENE_GAP);
  }
  self->now = time;
  self->next = pts + duration;
  return time;
}

static void
warn_of_untracked (GstInferScene *self, guint untracked)
{
  if (self->untracked == G_MAXUINT)
    return;
  if (self->objects->len > 0 || untracked == 0) {
    self->untracked = 0;
    return;
  }
  if (++self->untracked < MANY_UNTRACKED)
    return;
  self->untracked = G_MAXUINT;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The objects on the frames have no identity: put infertrack before "
       "inferscene"),
      (NULL));
}

static void
add_meta (GstInferScene *self, GstBuffer *buffer)
{
  const GArray *events = gst_infer_scene_state_events (self->scene);
  guint n;
  const GstInferSceneShape *shapes = gst_infer_scene_state_shapes (self->scene,
      (guint) GST_VIDEO_INFO_WIDTH (&self->video),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->video), &n);

  if (n > 0 || events->len > 0)
    gst_buffer_add_infer_scene_meta (buffer, n, shapes, events->len,
        (const GstInferSceneEvent *) (gpointer) events->data);
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstInferScene *self = GST_INFER_SCENE (trans);
  guint untracked = 0;

  gst_infer_warn_of_undecoded (self, buffer, &self->undecoded);
  if (self->segment.rate < 0)
    return GST_FLOW_OK;
  gst_infer_scene_take_settings (self);
  const GstClockTime time = take_time (self, buffer);
  g_array_set_size (self->objects, 0);
  gst_infer_scene_read_objects (
      buffer, &self->video, self->scene, self->objects, &untracked);
  warn_of_untracked (self, untracked);
  gst_infer_scene_state_update (self->scene, time,
      (const GstInferSceneObject *) (gpointer) self->objects->data,
      self->objects->len);
  post_events (self);
  add_meta (self, buffer);
  drop_events (self);
  count_frame (self, buffer);
  return GST_FLOW_OK;
}

/* --- element --- */

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *input, GstCaps *output)
{
  GstInferScene *self = GST_INFER_SCENE (trans);
  const GstVideoInfo *video = &self->video;

  if (!gst_video_info_from_caps (&self->video, input)
      || GST_VIDEO_INFO_WIDTH (video) <= 0
      || GST_VIDEO_INFO_HEIGHT (video) <= 0)
    return FALSE;
  gst_infer_scene_state_set_aspect (self->scene,
      (double) GST_VIDEO_INFO_WIDTH (video) * GST_VIDEO_INFO_PAR_N (video)
          / ((double) GST_VIDEO_INFO_HEIGHT (video)
              * MAX (GST_VIDEO_INFO_PAR_D (video), 1)));
  GST_INFO_OBJECT (
      self, "objects on frames of %" GST_PTR_FORMAT, (void *) input);
  return TRUE;
}

static gboolean
start (GstBaseTransform *trans)
{
  GstInferScene *self = GST_INFER_SCENE (trans);
  g_autoptr (GError) error = NULL;

  if (!gst_infer_scene_begin_settings (self, &error)) {
    gst_infer_post_error (self, error);
    return FALSE;
  }
  self->scene = gst_infer_scene_state_new ();
  reset_counters (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->now = self->next = GST_CLOCK_TIME_NONE;
  self->undecoded = self->untracked = self->posted = 0;
  return TRUE;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstInferScene *self = GST_INFER_SCENE (trans);

  end_stays (self, GST_INFER_SCENE_EOS);
  g_clear_pointer (&self->scene, gst_infer_scene_state_free);
  gst_infer_scene_end_settings (self);
  return TRUE;
}

static void
finalize (GObject *object)
{
  GstInferScene *self = GST_INFER_SCENE (object);

  g_free (self->settings.config);
  g_free (self->settings.zones);
  g_free (self->settings.tripwires);
  g_free (self->settings.speed_lines);
  gst_infer_config_file_set (&self->file, NULL);
  g_array_unref (self->objects);
  G_OBJECT_CLASS (gst_infer_scene_parent_class)->finalize (object);
}

static void
gst_infer_scene_class_init (GstInferSceneClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_infer_scene_install_properties (G_OBJECT_CLASS (klass));
  trans_class->start = start;
  trans_class->stop = stop;
  trans_class->set_caps = set_caps;
  trans_class->sink_event = sink_event;
  trans_class->transform_ip = transform_ip;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Scene analysis",
      "Filter/Analyzer/Video",
      "Events of tracked objects: zones, tripwires, speeds",
      "The inferfilter authors");
}

static void
gst_infer_scene_init (GstInferScene *self)
{
  self->objects = g_array_new (FALSE, FALSE, sizeof (GstInferSceneObject));
}
