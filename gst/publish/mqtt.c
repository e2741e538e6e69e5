/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines as messages of a topic on an MQTT broker, through Eclipse Paho, which
 * is loaded when it is needed and reconnects; meanwhile it queues messages.
 *
 * The session is not clean: messages of quality 1 and 2 that the broker had not
 * confirmed when the connection broke are sent again on the next one. */

#include <MQTTAsync.h>
#include <string.h>

#include "gst/common/library.h"
#include "gst/publish/publish.h"

/* --- Paho --- */

#define CALLS(CALL)                                                            \
  CALL (MQTTAsync_connect)                                                     \
  CALL (MQTTAsync_createWithOptions)                                           \
  CALL (MQTTAsync_destroy)                                                     \
  CALL (MQTTAsync_disconnect)                                                  \
  CALL (MQTTAsync_send)                                                        \
  CALL (MQTTAsync_strerror)

static struct
{
  CALLS (GST_INFER_CALL)
} paho;

static const char *const call_names[] = { CALLS (GST_INFER_CALL_NAME) };

static GstInferLibrary library = { .file = "libpaho-mqtt3a.so.1",
  .package = "the MQTT client of Eclipse Paho (paho-mqtt3a)",
  .names = call_names,
  .n = G_N_ELEMENTS (call_names),
  .functions = &paho };

typedef struct
{
  MQTTAsync client;
  char *topic, *address;
  guint qos;
  gint64 timeout_us;

  guint sent, lost; /* since the last settle (); atomic */

  GMutex lock; /* guards the members below */
  GCond changed;
  gboolean answered, connected;
  int code; /* of the failed connection */
  char *reason;
} Mqtt;

static void
on_connected (void *data, MQTTAsync_successData *response)
{
  Mqtt *self = data;

  g_mutex_lock (&self->lock);
  self->answered = self->connected = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
on_refused (void *data, MQTTAsync_failureData *response)
{
  Mqtt *self = data;

  g_mutex_lock (&self->lock);
  self->answered = TRUE;
  self->code = response != NULL ? response->code : 0;
  g_free (self->reason);
  self->reason = g_strdup (response != NULL && response->message != NULL
                               ? response->message
                               : paho.MQTTAsync_strerror (self->code));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static guint
mqtt_close (gpointer data)
{
  Mqtt *self = data;
  MQTTAsync_disconnectOptions options = MQTTAsync_disconnectOptions_initializer;

  if (self->client != NULL) {
    options.timeout = 100;
    paho.MQTTAsync_disconnect (self->client, &options);
    paho.MQTTAsync_destroy (&self->client);
  }
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self->reason);
  g_free (self->topic);
  g_free (self->address);
  g_free (self);
  return 0;
}

/* FALSE: refused, or no answer within the timeout. */
static gboolean
wait_connected (Mqtt *self, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + self->timeout_us;

  g_mutex_lock (&self->lock);
  while (!self->answered
         && g_cond_wait_until (&self->changed, &self->lock, deadline))
    continue;
  gboolean connected = self->connected;
  if (!connected)
    infer_fail (error, INFER_ERROR_DEVICE,
        "Cannot connect to the MQTT broker at %s: %s", self->address,
        self->answered ? self->reason : "no answer in time");
  g_mutex_unlock (&self->lock);
  return connected;
}

static gboolean
connect_client (Mqtt *self, const GstInferPublishConfig *config, GError **error)
{
  MQTTAsync_connectOptions options = MQTTAsync_connectOptions_initializer;

  options.cleansession = 0;
  options.keepAliveInterval = 20;
  options.automaticReconnect = 1;
  options.minRetryInterval = 1;
  options.maxRetryInterval = 4;
  options.connectTimeout = (int) MAX (self->timeout_us / G_USEC_PER_SEC, 1);
  options.username = config->username;
  options.password = config->password;
  options.onSuccess = on_connected;
  options.onFailure = on_refused;
  options.context = self;
  int code = paho.MQTTAsync_connect (self->client, &options);
  if (code != MQTTASYNC_SUCCESS)
    return infer_fail (error, INFER_ERROR_DEVICE,
        "Cannot connect to the MQTT broker at %s: %s", self->address,
        paho.MQTTAsync_strerror (code));
  return wait_connected (self, error);
}

static gpointer
mqtt_open (const GstInferPublishConfig *config, GError **error)
{
  MQTTAsync_createOptions options = MQTTAsync_createOptions_initializer;

  if (config->address == NULL || config->topic == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "method=mqtt needs 'address' (tcp://host:1883) and 'topic'");
    return NULL;
  }
  if (!gst_infer_library_load (&library, error)) {
    g_prefix_error (error, "method=mqtt: ");
    return NULL;
  }
  Mqtt *self = g_new0 (Mqtt, 1);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->topic = g_strdup (config->topic);
  self->address = strstr (config->address, "://") != NULL
                      ? g_strdup (config->address)
                      : g_strconcat ("tcp://", config->address, NULL);
  self->qos = config->mqtt_qos;
  self->timeout_us = (gint64) config->timeout * 1000;
  g_autofree char *id =
      config->client_id != NULL
          ? g_strdup (config->client_id)
          : g_strdup_printf ("inferpublish-%08x", g_random_int ());
  options.sendWhileDisconnected = 1;
  options.maxBufferedMessages = (int) config->queue_size;
  int code = paho.MQTTAsync_createWithOptions (&self->client, self->address, id,
      MQTTCLIENT_PERSISTENCE_NONE, NULL, &options);
  if (code != MQTTASYNC_SUCCESS)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' is not the address of an MQTT broker: %s", self->address,
        paho.MQTTAsync_strerror (code));
  else if (connect_client (self, config, error))
    return self;
  mqtt_close (self);
  return NULL;
}

static void
on_sent (void *data, MQTTAsync_successData *response)
{
  Mqtt *self = data;

  g_atomic_int_inc ((gint *) &self->sent);
}

static void
on_lost (void *data, MQTTAsync_failureData *response)
{
  Mqtt *self = data;

  g_atomic_int_inc ((gint *) &self->lost);
}

static GstInferPublishResult
mqtt_send (gpointer data, const GstInferPublishLine *line, GError **error)
{
  Mqtt *self = data;
  MQTTAsync_responseOptions answer = MQTTAsync_responseOptions_initializer;

  answer.onSuccess = on_sent;
  answer.onFailure = on_lost;
  answer.context = self;
  int code = paho.MQTTAsync_send (self->client, self->topic, (int) line->size,
      line->text, (int) self->qos, 0, &answer);
  if (code == MQTTASYNC_SUCCESS)
    return GST_INFER_PUBLISH_QUEUED;
  if (code == MQTTASYNC_MAX_BUFFERED_MESSAGES || code == MQTTASYNC_DISCONNECTED
      || code == MQTTASYNC_NO_MORE_MSGIDS)
    return GST_INFER_PUBLISH_BUSY;
  infer_fail (error, INFER_ERROR_FAILED, "Cannot publish to %s on %s: %s",
      self->topic, self->address, paho.MQTTAsync_strerror (code));
  return GST_INFER_PUBLISH_FAILED;
}

static gboolean
mqtt_settle (
    gpointer data, guint wait, GstInferPublishNews *news, GError **error)
{
  Mqtt *self = data;

  if (wait > 0)
    g_usleep (wait * 1000);
  news->sent = g_atomic_int_and (&self->sent, 0);
  news->lost = g_atomic_int_and (&self->lost, 0);
  if (news->lost > 0)
    news->reason = "the connection to the MQTT broker ended";
  return TRUE;
}

const GstInferPublishMethod gst_infer_publish_mqtt = {
  .name = "mqtt",
  .description = "To a topic of an MQTT broker",
  .open = mqtt_open,
  .send = mqtt_send,
  .settle = mqtt_settle,
  .close = mqtt_close,
};
