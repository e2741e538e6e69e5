/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines as messages of a topic on a Kafka cluster, through librdkafka, which
 * is loaded when it is needed and sends from its own thread.
 *
 * The producer is idempotent: it repeats a batch until the broker has confirmed
 * it, and the broker knows a repeated one by its number.  So a broker that
 * restarts loses, doubles and reorders nothing, however long it takes: a line
 * does not expire while the element runs.  The key of a line chooses its
 * partition as the Java client does, so that a stream stays in one. */

#include <librdkafka/rdkafka.h>
#include <string.h>

#include "gst/common/library.h"
#include "gst/publish/publish.h"

/* --- librdkafka --- */

#define CALLS(CALL)                                                            \
  CALL (rd_kafka_conf_destroy)                                                 \
  CALL (rd_kafka_conf_new)                                                     \
  CALL (rd_kafka_conf_set)                                                     \
  CALL (rd_kafka_conf_set_dr_msg_cb)                                           \
  CALL (rd_kafka_conf_set_log_cb)                                              \
  CALL (rd_kafka_conf_set_opaque)                                              \
  CALL (rd_kafka_destroy)                                                      \
  CALL (rd_kafka_err2str)                                                      \
  CALL (rd_kafka_fatal_error)                                                  \
  CALL (rd_kafka_last_error)                                                   \
  CALL (rd_kafka_metadata)                                                     \
  CALL (rd_kafka_metadata_destroy)                                             \
  CALL (rd_kafka_new)                                                          \
  CALL (rd_kafka_poll)                                                         \
  CALL (rd_kafka_produce)                                                      \
  CALL (rd_kafka_purge)                                                        \
  CALL (rd_kafka_topic_destroy)                                                \
  CALL (rd_kafka_topic_new)

static struct
{
  CALLS (GST_INFER_CALL)
} kafka;

static const char *const call_names[] = { CALLS (GST_INFER_CALL_NAME) };

static GstInferLibrary library = { .file = "librdkafka.so.1",
  .package = "librdkafka",
  .names = call_names,
  .n = G_N_ELEMENTS (call_names),
  .functions = &kafka };

typedef struct
{
  rd_kafka_t *producer;
  rd_kafka_topic_t *to;
  char *topic, *address;
  int timeout_ms;
  GstInferPublishNews news; /* sender's thread only */
} Kafka;

static void
on_delivered (
    rd_kafka_t *producer, const rd_kafka_message_t *message, void *data)
{
  Kafka *self = data;

  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    self->news.sent++;
  } else {
    self->news.lost++;
    self->news.reason = kafka.rd_kafka_err2str (message->err);
  }
}

static guint
kafka_close (gpointer data)
{
  Kafka *self = data;

  if (self->producer != NULL) {
    kafka.rd_kafka_purge (
        self->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    if (self->to != NULL)
      kafka.rd_kafka_topic_destroy (self->to);
    kafka.rd_kafka_destroy (self->producer);
  }
  g_free (self->topic);
  g_free (self->address);
  g_free (self);
  return 0;
}

static gboolean
set (rd_kafka_conf_t *conf, const char *key, const char *value, GError **error)
{
  char text[256];

  if (value == NULL
      || kafka.rd_kafka_conf_set (conf, key, value, text, sizeof text)
             == RD_KAFKA_CONF_OK)
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "Kafka: %s", text);
}

/* Returns NULL on failure.  (transfer full) */
static rd_kafka_conf_t *
configure (Kafka *self, const GstInferPublishConfig *config, GError **error)
{
  rd_kafka_conf_t *conf = kafka.rd_kafka_conf_new ();
  const char *login = config->username;
  g_autofree char *most = g_strdup_printf ("%u", config->queue_size);

  kafka.rd_kafka_conf_set_opaque (conf, self);
  kafka.rd_kafka_conf_set_dr_msg_cb (conf, on_delivered);
  kafka.rd_kafka_conf_set_log_cb (conf, NULL);
  if (set (conf, "bootstrap.servers", self->address, error)
      && set (conf, "client.id", config->client_id, error)
      && set (conf, "linger.ms", "5", error)
      && set (conf, "enable.idempotence", "true", error)
      && set (conf, "message.timeout.ms", "0", error)
      && set (conf, "reconnect.backoff.max.ms", "1000", error)
      && set (conf, "queue.buffering.max.messages", most, error)
      && set (conf, "partitioner", "murmur2_random", error)
      && set (conf, "sasl.mechanisms", login ? "PLAIN" : NULL, error)
      && set (conf, "security.protocol", login ? "SASL_PLAINTEXT" : NULL, error)
      && set (conf, "sasl.username", login, error)
      && set (conf, "sasl.password", login ? config->password : NULL, error))
    return conf;
  kafka.rd_kafka_conf_destroy (conf);
  return NULL;
}

/* Fails if no broker answers. */
static gboolean
find_cluster (Kafka *self, GError **error)
{
  const struct rd_kafka_metadata *metadata = NULL;
  rd_kafka_resp_err_t code = kafka.rd_kafka_metadata (
      self->producer, 0, NULL, &metadata, self->timeout_ms);

  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return infer_fail (error, INFER_ERROR_DEVICE,
        "Cannot reach the Kafka brokers at %s: %s", self->address,
        kafka.rd_kafka_err2str (code));
  kafka.rd_kafka_metadata_destroy (metadata);
  return TRUE;
}

static gpointer
kafka_open (const GstInferPublishConfig *config, GError **error)
{
  char text[256];

  if (config->address == NULL || config->topic == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "method=kafka needs 'address' (host:9092,…) and 'topic'");
    return NULL;
  }
  if (!gst_infer_library_load (&library, error)) {
    g_prefix_error (error, "method=kafka: ");
    return NULL;
  }
  Kafka *self = g_new0 (Kafka, 1);
  self->topic = g_strdup (config->topic);
  self->address = g_strdup (config->address);
  self->timeout_ms = (int) config->timeout;
  rd_kafka_conf_t *conf = configure (self, config, error);
  if (conf != NULL) {
    self->producer =
        kafka.rd_kafka_new (RD_KAFKA_PRODUCER, conf, text, sizeof text);
    if (self->producer == NULL) {
      kafka.rd_kafka_conf_destroy (conf);
      infer_fail (error, INFER_ERROR_FAILED, "Kafka: %s", text);
    } else if (find_cluster (self, error)) {
      self->to = kafka.rd_kafka_topic_new (self->producer, self->topic, NULL);
      if (self->to != NULL)
        return self;
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%s' is not a Kafka topic: %s", self->topic,
          kafka.rd_kafka_err2str (kafka.rd_kafka_last_error ()));
    }
  }
  kafka_close (self);
  return NULL;
}

/* Nothing more can be sent after a fatal error, such as a producer that the
 * cluster has fenced. */
static gboolean
fail (Kafka *self, rd_kafka_resp_err_t code, GError **error)
{
  char text[256] = "";

  if (code == RD_KAFKA_RESP_ERR__FATAL)
    code = kafka.rd_kafka_fatal_error (self->producer, text, sizeof text);
  return infer_fail (error, INFER_ERROR_FAILED,
      "Cannot publish to %s on %s: %s%s%s", self->topic, self->address,
      kafka.rd_kafka_err2str (code), text[0] != '\0' ? ": " : "", text);
}

static GstInferPublishResult
kafka_send (gpointer data, const GstInferPublishLine *line, GError **error)
{
  Kafka *self = data;

  if (kafka.rd_kafka_produce (self->to, RD_KAFKA_PARTITION_UA,
          RD_KAFKA_MSG_F_COPY, (gpointer) (gsize) line->text, line->size,
          line->key, strlen (line->key), NULL)
      == 0)
    return GST_INFER_PUBLISH_QUEUED;
  rd_kafka_resp_err_t code = kafka.rd_kafka_last_error ();
  if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL)
    return GST_INFER_PUBLISH_BUSY;
  fail (self, code, error);
  return GST_INFER_PUBLISH_FAILED;
}

static gboolean
kafka_settle (
    gpointer data, guint wait, GstInferPublishNews *news, GError **error)
{
  Kafka *self = data;

  kafka.rd_kafka_poll (self->producer, (int) wait);
  *news = self->news;
  self->news = (GstInferPublishNews){ 0 };
  return kafka.rd_kafka_fatal_error (self->producer, NULL, 0)
             == RD_KAFKA_RESP_ERR_NO_ERROR
         || fail (self, RD_KAFKA_RESP_ERR__FATAL, error);
}

const GstInferPublishMethod gst_infer_publish_kafka = {
  .name = "kafka",
  .description = "To a topic of a Kafka cluster",
  .open = kafka_open,
  .send = kafka_send,
  .settle = kafka_settle,
  .close = kafka_close,
};
