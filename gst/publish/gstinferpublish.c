/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-inferpublish
 * @title: inferpublish
 * @short_description: publishes results of models as JSON
 *
 * Publishes one line of JSON for each frame with results (see
 * gst/publish/results-json.h for the keys, which are DL Streamer's) and for
 * each buffer of text or JSON.  Buffers pass unchanged.
 *
 * Lines go to a file, a FIFO or standard output (#GstInferPublish:file-path),
 * to an MQTT broker or to a Kafka cluster, if the build has these.  They are
 * sent from a thread of their own, through a queue of
 * #GstInferPublish:queue-size lines: a slow receiver never holds up a live
 * stream.  A line stays in the queue until the broker has confirmed it, so that
 * a broker that restarts loses nothing: a Kafka producer is idempotent (each
 * line is there once and in order), and MQTT messages of quality 1 are sent
 * again (each is there at least once).  Lines of a live stream that find the
 * queue full are dropped; a stream that is not live waits for room instead;
 * #GstInferPublish:when-full chooses.  A FIFO drops lines that it does not take
 * within #GstInferPublish:timeout.  At the end of the stream and when the
 * element stops, lines still queued are sent first, for at most that time.
 *
 * A Kafka message has a key, #GstInferPublish:key, which is the stream's: lines
 * of one camera go to one partition and stay in order.
 *
 * Dropped lines are counted in #GstInferPublish:dropped and in
 * #GstInferPublish:stats, and told of at most once a second by the element
 * message `inferpublish-dropped`: `lines` (since the last message), `dropped`
 * (since the start), `reason`, `key`, and for those that found the queue full
 * the stream times `first` and `last`.
 *
 * `keypoints`, of an object or of the frame, is a list of sets of points, one
 * for each model that found some; a set is a list of `[x, y, score]`, in
 * pixels.
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 filesrc location=street.mp4 ! decodebin ! videoconvert ! \
 *     inferfilter model=cars.xml ! inferdecoder ! infertrack ! \
 *     inferpublish file-path=cars.jsonl ! fakesink
 * gst-launch-1.0 filesrc location=street.mp4 ! decodebin ! videoconvert ! \
 *     inferfilter model=cars.xml ! inferdecoder ! infertrack ! \
 *     inferpublish method=mqtt address=tcp://localhost:1883 topic=street ! \
 *     fakesink
 * ]|
 *
 * To Kafka: `inferpublish method=kafka address=kafka-1:9092,kafka-2:9092
 * topic=cars key=camera-7`.
 */

#include "gst/common/error-message.h"
#include "gst/common/json-check.h"
#include "gst/common/undecoded.h"
#include "gst/infer/scene-meta.h"
#include "gst/publish/gstinferpublish.h"
#include "gst/publish/results-json.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_publish_debug);
#define GST_CAT_DEFAULT gst_infer_publish_debug

#define CAPS                                                                   \
  "video/x-raw(ANY); text/x-raw, format = (string) utf8; application/json"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstInferPublish, gst_infer_publish,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (
        gst_infer_publish_debug, "inferpublish", 0, "inferpublish element"))
GST_ELEMENT_REGISTER_DECLARE (inferpublish)
GST_ELEMENT_REGISTER_DEFINE (
    inferpublish, "inferpublish", GST_RANK_NONE, GST_TYPE_INFER_PUBLISH)

static const GstInferPublishMethod *
find_method (int number)
{
  switch (number) {
#define METHOD(id, value)                                                      \
  case value:                                                                  \
    return &gst_infer_publish_##id;
#include "gst/publish/method-list.h"
#undef METHOD
    default:
      g_return_val_if_reached (NULL);
  }
}

/* --- lines --- */

/* Posts what was dropped, if it is time to. */
static void
tell_drops (GstInferPublish *self, gboolean at_end)
{
  g_autofree char *warning = NULL;

  GST_OBJECT_LOCK (self);
  if (self->drops.n > 0 && !self->warned) {
    warning = g_strdup_printf ("Lines are dropped: %s", self->drops.reason);
    self->warned = TRUE;
  }
  GstMessage *message = gst_infer_publish_drops_take_message (
      &self->drops, GST_ELEMENT (self), self->key, self->dropped, at_end);
  GST_OBJECT_UNLOCK (self);
  if (warning != NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("%s", warning), (NULL));
  if (message == NULL)
    return;
  GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT, (void *) message);
  gst_element_post_message (GST_ELEMENT (self), message);
}

static void
drop (GstInferPublish *self, guint n, const char *reason, GstClockTime time)
{
  GST_OBJECT_LOCK (self);
  self->dropped += n;
  gst_infer_publish_drops_add (&self->drops, n,
      reason != NULL ? reason : "no receiver took them in time", time);
  GST_OBJECT_UNLOCK (self);
  tell_drops (self, FALSE);
}

static void
count (gpointer owner, guint sent, guint dropped, const char *reason)
{
  GstInferPublish *self = owner;

  GST_OBJECT_LOCK (self);
  self->sent += sent;
  GST_OBJECT_UNLOCK (self);
  if (dropped > 0)
    drop (self, dropped, reason, GST_CLOCK_TIME_NONE);
}

static void
fail (gpointer owner, const GError *error)
{
  GstInferPublish *self = owner;

  GST_OBJECT_LOCK (self);
  self->failed = TRUE;
  GST_OBJECT_UNLOCK (self);
  gst_infer_post_error (self, error);
}

static GstClockTime
stream_time_of (GstInferPublish *self, GstBuffer *buffer)
{
  GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClockTime time = GST_BUFFER_PTS (buffer);

  return segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (time)
             ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time)
             : time;
}

/* Returns NULL if there is nothing to publish.  (transfer full) */
static GString *
make_line (GstInferPublish *self, GstBuffer *buffer)
{
  g_autofree char *source = NULL, *tags = NULL;
  GstInferLineInfo info = { stream_time_of (self, buffer), NULL, NULL };
  g_autoptr (GError) error = NULL;
  gboolean empty = FALSE, add_empty;
  GString *line;

  GST_OBJECT_LOCK (self);
  info.source = source = g_strdup (self->settings.source);
  info.tags = tags = g_strdup (self->settings.tags);
  add_empty = self->settings.add_empty;
  GST_OBJECT_UNLOCK (self);
  if (self->content == VIDEO)
    line = gst_infer_results_to_json (buffer, &self->video, &info, &empty);
  else if (self->content == TEXT)
    line = gst_infer_text_to_json (buffer, &info, &empty, &error);
  else
    line = gst_infer_object_to_json (buffer, &info, &error);
  if (line == NULL && error->code == INFER_ERROR_NO_MEMORY)
    drop (self, 1, error->message, info.time);
  else if (line == NULL)
    GST_ELEMENT_WARNING (
        self, STREAM, FORMAT, ("%s: not published", error->message), (NULL));
  if (line == NULL)
    return NULL;
  if (!empty || add_empty)
    return line;
  g_string_free (line, TRUE);
  return NULL;
}

static gboolean
is_live (GstInferPublish *self)
{
  g_autoptr (GstQuery) query = NULL;
  gboolean live = FALSE;

  if (self->live >= 0)
    return self->live;
  query = gst_query_new_latency ();
  if (gst_pad_peer_query (GST_BASE_TRANSFORM_SINK_PAD (self), query))
    gst_query_parse_latency (query, &live, NULL, NULL);
  self->live = live;
  GST_INFO_OBJECT (self, "the stream is %slive", live ? "" : "not ");
  return live;
}

/* With a full queue. */
static gboolean
shall_wait (GstInferPublish *self)
{
  GST_OBJECT_LOCK (self);
  const GstInferPublishWhenFull when_full = self->settings.when_full;
  GST_OBJECT_UNLOCK (self);
  return when_full == GST_INFER_PUBLISH_FULL_AUTO
             ? !is_live (self)
             : when_full == GST_INFER_PUBLISH_FULL_WAIT;
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);
  GString *line = make_line (self, buffer);
  gboolean failed;

  gst_infer_warn_of_undecoded (self, buffer, &self->undecoded);
  GST_OBJECT_LOCK (self);
  failed = self->failed;
  GST_OBJECT_UNLOCK (self);
  if (line != NULL
      && !gst_infer_sender_push (
          self->sender, line, self->key, shall_wait (self)))
    drop (self, 1, "the queue is full", stream_time_of (self, buffer));
  return failed ? GST_FLOW_ERROR : GST_FLOW_OK;
}

/* Events of inferscene that no frame carries, as at the end of the stream. */
static void
publish_scene (GstInferPublish *self, const GstStructure *events)
{
  g_autofree char *source = NULL, *tags = NULL;
  GstInferLineInfo info = { GST_CLOCK_TIME_NONE, NULL, NULL };

  GST_OBJECT_LOCK (self);
  info.source = source = g_strdup (self->settings.source);
  info.tags = tags = g_strdup (self->settings.tags);
  GST_OBJECT_UNLOCK (self);
  if (!gst_infer_sender_push (self->sender,
          gst_infer_scene_to_json (events, &info), self->key,
          shall_wait (self)))
    drop (self, 1, "the queue is full", GST_CLOCK_TIME_NONE);
}

/* Any thread. */
static void
set_flushing (GstInferPublish *self, gboolean flushing)
{
  GST_OBJECT_LOCK (self);
  if (self->sender != NULL)
    gst_infer_sender_set_flushing (self->sender, flushing);
  GST_OBJECT_UNLOCK (self);
}

/* @stream: of STREAM_START, or NULL.  Streaming thread, or none. */
static void
choose_key (GstInferPublish *self, const char *stream)
{
  const GstInferPublishSettings *s = &self->settings;

  GST_OBJECT_LOCK (self);
  const char *key = s->key != NULL      ? s->key
                    : s->source != NULL ? s->source
                    : stream != NULL    ? stream
                                        : GST_OBJECT_NAME (self);
  g_clear_pointer (&self->key, g_ref_string_release);
  self->key = g_ref_string_new (key);
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "the key of lines is %s", self->key);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);
  const char *stream;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    gst_event_parse_stream_start (event, &stream);
    choose_key (self, stream);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    GST_DEBUG_OBJECT (self, "a flush begins: nothing waits for room");
    set_flushing (self, TRUE);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    set_flushing (self, FALSE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    self->live = -1;
  else if (gst_event_has_name (event, GST_INFER_SCENE_EVENTS))
    publish_scene (self, gst_event_get_structure (event));
  else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    GST_DEBUG_OBJECT (
        self, "EOS: up to %u ms for the last lines", self->timeout);
    gst_infer_sender_drain (self->sender, self->timeout);
    tell_drops (self, TRUE);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_infer_publish_parent_class)
      ->sink_event (trans, event);
}

/* --- element --- */

static GstInferSender *
open_sender (
    GstInferPublish *self, const GstInferPublishSettings *s, GError **error)
{
  static const GstInferSenderCalls calls = { count, fail };
  const GstInferPublishMethod *method = find_method (s->method);

  if (s->tags != NULL && !gst_infer_json_is_valid (s->tags)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'tags' is no JSON value: %s (a string is \"hello\", with its quotes; an "
        "object is {\"key\":1})",
        s->tags);
    return NULL;
  }
  gpointer target = method->open (&s->config, error);
  return target != NULL ? gst_infer_sender_new (
             method, target, s->config.queue_size, &calls, self, error)
                        : NULL;
}

static gboolean
start (GstBaseTransform *trans)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);
  g_auto (GstInferPublishSettings) settings =
      gst_infer_publish_copy_settings (self);
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  self->sent = self->dropped = 0;
  self->drops = (GstInferPublishDrops){ 0 };
  self->warned = self->failed = FALSE;
  GST_OBJECT_UNLOCK (self);
  choose_key (self, NULL);
  self->undecoded = 0;
  self->live = -1;
  self->timeout = settings.config.timeout;
  GstInferSender *sender = open_sender (self, &settings, &error);
  if (sender == NULL)
    gst_infer_post_error (self, error);
  else
    GST_INFO_OBJECT (
        self, "publishes by %s", find_method (settings.method)->name);
  GST_OBJECT_LOCK (self);
  self->sender = sender;
  GST_OBJECT_UNLOCK (self);
  return sender != NULL;
}

static gboolean
stop (GstBaseTransform *trans)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);

  GST_OBJECT_LOCK (self);
  GstInferSender *sender = g_steal_pointer (&self->sender);
  GST_OBJECT_UNLOCK (self);
  if (sender != NULL) {
    guint lost = gst_infer_sender_close (sender, self->timeout);
    if (lost > 0)
      drop (self, lost, "they were not confirmed when the element stopped",
          GST_CLOCK_TIME_NONE);
    tell_drops (self, TRUE);
  }
  GST_INFO_OBJECT (self,
      "%" G_GUINT64_FORMAT " lines sent, %" G_GUINT64_FORMAT " dropped",
      self->sent, self->dropped);
  return TRUE;
}

/* A streaming thread that waits for room must end before its pad stops. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange change)
{
  GstInferPublish *self = GST_INFER_PUBLISH (element);

  if (change == GST_STATE_CHANGE_PAUSED_TO_READY)
    set_flushing (self, TRUE);
  return GST_ELEMENT_CLASS (gst_infer_publish_parent_class)
      ->change_state (element, change);
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *input, GstCaps *output)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);

  const GstStructure *caps = gst_caps_get_structure (input, 0);

  self->content = gst_structure_has_name (caps, "video/x-raw")        ? VIDEO
                  : gst_structure_has_name (caps, "application/json") ? JSON
                                                                      : TEXT;
  GST_INFO_OBJECT (self, "lines of %" GST_PTR_FORMAT, (void *) input);
  return self->content != VIDEO
         || gst_video_info_from_caps (&self->video, input);
}

static void
finalize (GObject *object)
{
  GstInferPublish *self = GST_INFER_PUBLISH (object);

  gst_infer_publish_clear_settings (&self->settings);
  g_clear_pointer (&self->key, g_ref_string_release);
  G_OBJECT_CLASS (gst_infer_publish_parent_class)->finalize (object);
}

static void
gst_infer_publish_class_init (GstInferPublishClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_infer_publish_install_properties (G_OBJECT_CLASS (klass));
  element_class->change_state = change_state;
  trans_class->start = start;
  trans_class->stop = stop;
  trans_class->set_caps = set_caps;
  trans_class->sink_event = sink_event;
  trans_class->transform_ip = transform_ip;
  trans_class->passthrough_on_same_caps = TRUE;
  trans_class->transform_ip_on_passthrough = TRUE;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Result publisher",
      "Filter/Analyzer/Network", "Results as JSON to files, MQTT or Kafka",
      "The inferfilter authors");
}

static void
gst_infer_publish_init (GstInferPublish *self)
{
}
