/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/properties.h"
#include "gst/publish/gstinferpublish.h"

void
gst_infer_publish_clear_settings (GstInferPublishSettings *s)
{
  g_free (s->config.file_path);
  g_free (s->config.address);
  g_free (s->config.topic);
  g_free (s->config.client_id);
  g_free (s->config.username);
  g_free (s->config.password);
  g_free (s->source);
  g_free (s->tags);
  g_free (s->key);
}
/* Opening may take as long as the timeout: not with the object lock held. */
GstInferPublishSettings
gst_infer_publish_copy_settings (GstInferPublish *self)
{
  const GstInferPublishSettings *from = &self->settings;
  GstInferPublishSettings s;

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
  s.key = g_strdup (from->key);
  GST_OBJECT_UNLOCK (self);
  return s;
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

static GType
register_when_full (void)
{
  static const GEnumValue values[] = {
    { GST_INFER_PUBLISH_FULL_AUTO, "drop: live streams; wait: others", "auto" },
    { GST_INFER_PUBLISH_FULL_WAIT, "The stream waits for room", "wait" },
    { GST_INFER_PUBLISH_FULL_DROP, "The line is dropped", "drop" },
    { 0, NULL, NULL },
  };

  return gst_infer_enum_type ("GstInferPublishWhenFull", values);
}

#define FIELD(name) G_STRUCT_OFFSET (GstInferPublish, name)
#define PROP_STATS 1 /* no field has this offset */

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
    { FIELD (settings.key), "key", "Key",
        "kafka: of each message; unset: 'source', or the stream's identifier",
        NULL },
    { FIELD (settings.tags), "tags", "Tags",
        "JSON value of \"tags\" of each line", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_object_class_install_property (klass, strings[i].id,
        g_param_spec_string (strings[i].name, strings[i].nick, strings[i].blurb,
            strings[i].value, GST_INFER_READY));
}

/* (transfer full) */
static GstStructure *
make_stats (GstInferPublish *self)
{
  GstInferSenderDepth depth = { 0 };

  GST_OBJECT_LOCK (self);
  if (self->sender != NULL)
    depth = gst_infer_sender_get_depth (self->sender);
  GstStructure *stats = gst_structure_new ("stats", "sent", G_TYPE_UINT64,
      self->sent, "dropped", G_TYPE_UINT64, self->dropped, "queued",
      G_TYPE_UINT, depth.queued, "unconfirmed", G_TYPE_UINT, depth.unconfirmed,
      "most-queued", G_TYPE_UINT, depth.most, NULL);
  GST_OBJECT_UNLOCK (self);
  return stats;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (GST_INFER_PUBLISH (object)));
  else
    gst_infer_get_property (object, id, value, spec);
}

static void
install_queue_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (settings.config.queue_size),
      g_param_spec_uint ("queue-size", "Queue size",
          "Most lines that are queued or not confirmed by the broker", 1,
          1000000, 1000, GST_INFER_READY));
  g_object_class_install_property (klass, FIELD (settings.when_full),
      g_param_spec_enum ("when-full", "When full",
          "What happens to a line that finds the queue full",
          register_when_full (), GST_INFER_PUBLISH_FULL_AUTO, GST_INFER_READY));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "sent, dropped, queued, unconfirmed, most-queued: lines",
          GST_TYPE_STRUCTURE, GST_INFER_READ_ONLY));
}

void
gst_infer_publish_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_infer_set_property;
  klass->get_property = get_property;
  install_queue_properties (klass);
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
