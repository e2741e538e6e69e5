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
 * sent from a thread of their own, through a queue of 1000 lines: a slow
 * receiver never holds up a live stream.  Lines that no receiver takes within
 * #GstInferPublish:timeout, and lines of a live stream that find the queue
 * full, are dropped and counted in #GstInferPublish:dropped; a stream that is
 * not live waits for room instead.  At the end of the stream and when the
 * element stops, lines still queued are sent first.
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
 */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "gst/common/error-message.h"
#include "gst/common/json-check.h"
#include "gst/common/properties.h"
#include "gst/common/undecoded.h"
#include "gst/publish/publish.h"
#include "gst/publish/results-json.h"
#include "gst/publish/sender.h"

GST_DEBUG_CATEGORY_STATIC (gst_infer_publish_debug);
#define GST_CAT_DEFAULT gst_infer_publish_debug

#define GST_TYPE_INFER_PUBLISH (gst_infer_publish_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferPublish, gst_infer_publish, GST, INFER_PUBLISH, GstBaseTransform)

#define CAPS                                                                   \
  "video/x-raw(ANY); text/x-raw, format = (string) utf8; application/json"

typedef struct
{
  int method; /* of method-list.h */
  GstInferPublishConfig config;
  char *source, *tags;
  gboolean add_empty;
} Settings;

struct _GstInferPublish
{
  GstBaseTransform parent;
  /* Guarded by the object lock. */
  Settings settings;
  guint64 sent, dropped;
  gboolean warned, failed;

  GstInferSender *sender; /* NULL: not started; set with the object lock held */
  guint timeout;          /* ms */

  /* Streaming thread. */
  enum
  {
    VIDEO,
    TEXT,
    JSON
  } content;
  int live;        /* -1: not known yet */
  guint undecoded; /* gst_infer_warn_of_undecoded */
  GstVideoInfo video;
};

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

/* --- properties --- */

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

static GEnumValue
value_of (int number, const GstInferPublishMethod *method)
{
  return (GEnumValue){ number, method->description, method->name };
}

/* A value for each method that this build has. */
static GType
register_methods (void)
{
  const GEnumValue values[] = {
#define METHOD(id, number) value_of (number, &gst_infer_publish_##id),
#include "gst/publish/method-list.h"
#undef METHOD
    { 0, NULL, NULL },
  };

  return gst_infer_enum_type (
      "GstInferPublishMethod", g_memdup2 (values, sizeof values));
}

#define FIELD(name) G_STRUCT_OFFSET (GstInferPublish, name)

static void
install_strings (GObjectClass *klass)
{
  static const struct
  {
    guint id;
    const char *name, *nick, *blurb, *value;
  } strings[] = {
    { FIELD (settings.config.file_path), "file-path", "File",
        "file: its path; -: standard output", "-" },
    { FIELD (settings.config.address), "address", "Address",
        "mqtt: tcp://host:1883; kafka: host:9092,…", NULL },
    { FIELD (settings.config.topic), "topic", "Topic", "mqtt, kafka: the topic",
        NULL },
    { FIELD (settings.config.client_id), "client-id", "Client id",
        "mqtt, kafka: client identifier; unset: generated", NULL },
    { FIELD (settings.config.username), "username", "User name",
        "mqtt, kafka: unset: none", NULL },
    { FIELD (settings.config.password), "password", "Password",
        "mqtt, kafka: unset: none", NULL },
    { FIELD (settings.source), "source", "Source", "\"source\" of each line",
        NULL },
    { FIELD (settings.tags), "tags", "Tags",
        "JSON value of \"tags\" of each line", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_object_class_install_property (klass, strings[i].id,
        g_param_spec_string (strings[i].name, strings[i].nick, strings[i].blurb,
            strings[i].value, GST_INFER_READY));
}

static void
install_properties (GObjectClass *klass)
{
  klass->set_property = gst_infer_set_property;
  klass->get_property = gst_infer_get_property;
  g_object_class_install_property (klass, FIELD (settings.method),
      g_param_spec_enum ("method", "Method", "How to publish",
          register_methods (), 0, GST_INFER_READY));
  install_strings (klass);
  g_object_class_install_property (klass, FIELD (settings.config.mqtt_qos),
      g_param_spec_uint ("mqtt-qos", "MQTT quality",
          "mqtt: 0 at most once, 1 at least once, 2 exactly once", 0, 2, 1,
          GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (settings.config.timeout),
      g_param_spec_uint ("timeout", "Timeout",
          "Longest wait, in ms: for a connection, for a reader, and at the end "
          "for lines still queued",
          0, 600000, 5000, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (settings.add_empty),
      g_param_spec_boolean ("add-empty-results", "Add empty results",
          "Publish frames without results too", FALSE, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (sent),
      g_param_spec_uint64 ("sent", "Sent", "Lines sent since the start", 0,
          G_MAXUINT64, 0, GST_INFER_READ_ONLY));
  g_object_class_install_property (klass, FIELD (dropped),
      g_param_spec_uint64 ("dropped", "Dropped",
          "Lines dropped since the start", 0, G_MAXUINT64, 0,
          GST_INFER_READ_ONLY));
}

/* --- lines --- */

static void
count (gpointer owner, guint sent, guint dropped)
{
  GstInferPublish *self = owner;
  gboolean warn;

  GST_OBJECT_LOCK (self);
  self->sent += sent;
  self->dropped += dropped;
  warn = dropped > 0 && !self->warned;
  self->warned |= warn;
  GST_OBJECT_UNLOCK (self);
  if (warn)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("Lines are dropped: no receiver took them in time"), (NULL));
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

/* Returns NULL if there is nothing to publish.  (transfer full) */
static GString *
make_line (GstInferPublish *self, GstBuffer *buffer)
{
  GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  g_autofree char *source = NULL, *tags = NULL;
  GstInferLineInfo info = { GST_BUFFER_PTS (buffer), NULL, NULL };
  gboolean empty = FALSE, add_empty;
  GString *line;

  GST_OBJECT_LOCK (self);
  info.source = source = g_strdup (self->settings.source);
  info.tags = tags = g_strdup (self->settings.tags);
  add_empty = self->settings.add_empty;
  GST_OBJECT_UNLOCK (self);
  if (segment->format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID (info.time))
    info.time =
        gst_segment_to_stream_time (segment, GST_FORMAT_TIME, info.time);
  if (self->content == VIDEO)
    line = gst_infer_results_to_json (buffer, &self->video, &info, &empty);
  else if (self->content == TEXT)
    line = gst_infer_text_to_json (buffer, &info, &empty);
  else
    line = gst_infer_object_to_json (buffer, &info);
  if (line == NULL)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A buffer of application/json is no JSON object: not published"),
        (NULL));
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
  GST_INFO_OBJECT (self, "a full queue %s",
      live ? "drops lines: the stream is live" : "holds up the stream");
  return live;
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
      && !gst_infer_sender_push (self->sender, line, !is_live (self)))
    count (self, 0, 1);
  return failed ? GST_FLOW_ERROR : GST_FLOW_OK;
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

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    set_flushing (self, TRUE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    set_flushing (self, FALSE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    self->live = -1;
  else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    gst_infer_sender_drain (self->sender, self->timeout);
  return GST_BASE_TRANSFORM_CLASS (gst_infer_publish_parent_class)
      ->sink_event (trans, event);
}

/* --- element --- */

static void
free_settings (Settings *s)
{
  g_free (s->config.file_path);
  g_free (s->config.address);
  g_free (s->config.topic);
  g_free (s->config.client_id);
  g_free (s->config.username);
  g_free (s->config.password);
  g_free (s->source);
  g_free (s->tags);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Settings, free_settings)

/* Opening may take as long as the timeout: not with the object lock held. */
static Settings
copy_settings (GstInferPublish *self)
{
  const Settings *from = &self->settings;
  Settings s;

  GST_OBJECT_LOCK (self);
  s = *from;
  s.config.file_path = g_strdup (from->config.file_path);
  s.config.address = g_strdup (from->config.address);
  s.config.topic = g_strdup (from->config.topic);
  s.config.client_id = g_strdup (from->config.client_id);
  s.config.username = g_strdup (from->config.username);
  s.config.password = g_strdup (from->config.password);
  s.source = g_strdup (from->source);
  s.tags = g_strdup (from->tags);
  GST_OBJECT_UNLOCK (self);
  return s;
}

static GstInferSender *
open_sender (GstInferPublish *self, const Settings *s, GError **error)
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
  return target != NULL
             ? gst_infer_sender_new (method, target, &calls, self, error)
             : NULL;
}

static gboolean
start (GstBaseTransform *trans)
{
  GstInferPublish *self = GST_INFER_PUBLISH (trans);
  g_auto (Settings) settings = copy_settings (self);
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  self->sent = self->dropped = 0;
  self->warned = self->failed = FALSE;
  GST_OBJECT_UNLOCK (self);
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
  if (sender != NULL)
    count (self, 0, gst_infer_sender_close (sender, self->timeout));
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
  return self->content != VIDEO
         || gst_video_info_from_caps (&self->video, input);
}

static void
finalize (GObject *object)
{
  free_settings (&GST_INFER_PUBLISH (object)->settings);
  G_OBJECT_CLASS (gst_infer_publish_parent_class)->finalize (object);
}

static void
gst_infer_publish_class_init (GstInferPublishClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  install_properties (G_OBJECT_CLASS (klass));
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
