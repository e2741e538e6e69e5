/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/grpc/channel.h"

#include <grpc/grpc_security.h>
#include <grpc/support/time.h>

#include "protocol/status.h"

#define SERVICE "/inference.GRPCInferenceService/"

/* A peer that vanished without closing its connection is noticed after these:
 * without traffic for the first, no answer to a ping within the second. */
#define KEEPALIVE_MS 20000
#define KEEPALIVE_TIMEOUT_MS 5000
/* Between two attempts to connect. */
#define FIRST_BACKOFF_MS 100
#define LAST_BACKOFF_MS 2000
/* Bytes of an answer that a server may send before we ask for them: so much
 * from the first one on; gRPC's default of 64 kB grows only as it probes. */
#define WINDOW_BYTES (1 << 20)

/* --- the queue --- */

static gpointer
run_queue (gpointer data)
{
  grpc_completion_queue *queue = data;

  for (;;) {
    grpc_event event = grpc_completion_queue_next (
        queue, gpr_inf_future (GPR_CLOCK_REALTIME), NULL);

    if (event.type == GRPC_QUEUE_SHUTDOWN)
      return NULL;
    if (event.type == GRPC_OP_COMPLETE) {
      GrpcTag *tag = event.tag;

      tag->finished (tag, event.success);
    }
  }
}

/* One queue and one thread for the process, from the first channel on: a
 * channel may be closed on that thread. */
static grpc_completion_queue *
find_queue (GError **error)
{
  static GMutex lock;
  static grpc_completion_queue *queue;
  static GThread *thread;
  g_autoptr (GError) failure = NULL;

  g_mutex_lock (&lock);
  if (queue == NULL) {
    grpc_init ();
    queue = grpc_completion_queue_create_for_next (NULL);
  }
  if (thread == NULL)
    thread = g_thread_try_new ("infer-grpc", run_queue, queue, &failure);
  const gboolean ok = thread != NULL;
  g_mutex_unlock (&lock);
  if (ok)
    return queue;
  infer_fail (error, INFER_ERROR_NO_MEMORY,
      "no thread for calls of gRPC can be started: %s", failure->message);
  return NULL;
}

/* --- channels --- */

static gboolean
read_file (const char *path, char **text, GError **error)
{
  g_autoptr (GError) cause = NULL;

  *text = NULL;
  return path == NULL || g_file_get_contents (path, text, NULL, &cause)
         || infer_fail (error, INFER_ERROR_NOT_FOUND, "%s", cause->message);
}

static grpc_channel_credentials *
make_credentials (const RemoteTarget *target, GError **error)
{
  g_autofree char *ca = NULL, *certificate = NULL, *key = NULL;
  grpc_ssl_pem_key_cert_pair pair;

  if (!target->tls)
    return grpc_insecure_credentials_create ();
  if (!read_file (target->ca, &ca, error)
      || !read_file (target->certificate, &certificate, error)
      || !read_file (target->key, &key, error))
    return NULL;
  pair = (grpc_ssl_pem_key_cert_pair){ key, certificate };
  grpc_channel_credentials *credentials = grpc_ssl_credentials_create (
      ca, certificate != NULL && key != NULL ? &pair : NULL, NULL, NULL);
  if (credentials == NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the certificates cannot be used", target->host);
  return credentials;
}

static grpc_arg
number (const char *key, int value)
{
  grpc_arg arg = { .type = GRPC_ARG_INTEGER, .key = (char *) (gsize) key };

  arg.value.integer = value;
  return arg;
}

static grpc_arg
text (const char *key, char *value)
{
  grpc_arg arg = { .type = GRPC_ARG_STRING, .key = (char *) (gsize) key };

  arg.value.string = value;
  return arg;
}

static grpc_channel *
make_channel (const RemoteTarget *target, GError **error)
{
  grpc_channel_credentials *credentials = make_credentials (target, error);
  const char *place = target->place != NULL ? target->place : target->host;
  g_autofree char *name = g_strndup (target->host, strcspn (target->host, ":"));
  grpc_arg args[14];
  gsize n = 0;

  if (credentials == NULL)
    return NULL;
  args[n++] = number (GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, G_MAXINT);
  args[n++] = number (GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1);
  args[n++] = number (GRPC_ARG_KEEPALIVE_TIME_MS, KEEPALIVE_MS);
  args[n++] = number (GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS);
  args[n++] = number (GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, FIRST_BACKOFF_MS);
  args[n++] = number (GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, FIRST_BACKOFF_MS * 10);
  args[n++] = number (GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, LAST_BACKOFF_MS);
  args[n++] = number (GRPC_ARG_ENABLE_RETRIES, 0);
  args[n++] = number (GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  args[n++] = number (GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  args[n++] = number (GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, WINDOW_BYTES);
  if (target->authority != NULL)
    args[n++] = text (GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, target->authority);
  else if (target->place != NULL && target->tls)
    args[n++] = text (GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, name);
  if (target->place != NULL)
    args[n++] = text (GRPC_ARG_DEFAULT_AUTHORITY, target->host);
  const grpc_channel_args all = { n, args };
  grpc_channel *channel = grpc_channel_create (place, credentials, &all);
  grpc_channel_credentials_release (credentials);
  if (channel == NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' is no address of a gRPC server", place);
  return channel;
}

RemoteClient *
remote_channel_open (const RemoteTarget *target, GError **error)
{
  grpc_completion_queue *queue = find_queue (error);

  if (queue == NULL)
    return NULL;
  grpc_channel *channel = make_channel (target, error);
  if (channel == NULL)
    return NULL;
  RemoteClient *client = g_new0 (RemoteClient, 1);
  client->channel = channel;
  client->queue = queue;
  client->host =
      g_strdup (target->place != NULL ? target->place : target->host);
  client->token_file = g_strdup (target->token_file);
  return client;
}

void
remote_channel_close (RemoteClient *client)
{
  grpc_channel_destroy (client->channel);
  g_free (client->host);
  g_free (client->token_file);
  g_free (client);
}

/* --- calls --- */

grpc_call *
remote_channel_call (RemoteClient *client, const char *name, gint64 timeout_us)
{
  g_autofree char *path = g_strconcat (SERVICE, name, NULL);
  grpc_slice method = grpc_slice_from_copied_string (path);
  grpc_call *call = grpc_channel_create_call (client->channel, NULL,
      GRPC_PROPAGATE_DEFAULTS, client->queue, method, NULL,
      gpr_time_add (gpr_now (GPR_CLOCK_MONOTONIC),
          gpr_time_from_micros (timeout_us, GPR_TIMESPAN)),
      NULL);

  grpc_slice_unref (method);
  return call;
}

gboolean
remote_channel_token (
    RemoteClient *client, grpc_metadata *metadata, gsize *n, GError **error)
{
  g_autofree char *token = NULL;

  *n = 0;
  if (!read_file (client->token_file, &token, error))
    return FALSE;
  if (token == NULL)
    return TRUE;
  g_autofree char *value = g_strconcat ("Bearer ", g_strstrip (token), NULL);
  *metadata =
      (grpc_metadata){ .key = grpc_slice_from_static_string ("authorization"),
        .value = grpc_slice_from_copied_string (value) };
  if (!grpc_header_nonbin_value_is_legal (metadata->value)) {
    grpc_slice_unref (metadata->value);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: a token is one line of printable ASCII", client->token_file);
  }
  *n = 1;
  return TRUE;
}

void
remote_channel_release_token (grpc_metadata *metadata, gsize n)
{
  if (n > 0)
    grpc_slice_unref (metadata->value);
}

void
remote_channel_fail (const RemoteClient *client, int code,
    const grpc_slice *details, RemoteFailure *failure, GError **error)
{
  g_autofree char *text =
      g_utf8_make_valid ((const char *) GRPC_SLICE_START_PTR (*details),
          (gssize) GRPC_SLICE_LENGTH (*details));
  RemoteFailure what = REMOTE_ANSWERED;

  /* An idle connection that breaks is UNAVAILABLE as a server is that cannot be
   * reached: only our caller can tell whether it is safe to repeat. */
  if (code == GRPC_STATUS_UNAVAILABLE || code == GRPC_STATUS_DEADLINE_EXCEEDED
      || code == GRPC_STATUS_CANCELLED || code == GRPC_STATUS_UNKNOWN
      || code == GRPC_STATUS_INTERNAL)
    what = REMOTE_UNKNOWN;
  else if (code == GRPC_STATUS_NOT_FOUND
           || code == GRPC_STATUS_FAILED_PRECONDITION)
    what = REMOTE_MISSING;
  else if (code == GRPC_STATUS_RESOURCE_EXHAUSTED)
    what = REMOTE_NOT_DONE;
  if (failure != NULL)
    *failure = what;
  infer_fail (error, protocol_status_from_grpc (code), "%s: %s", client->host,
      code == GRPC_STATUS_DEADLINE_EXCEEDED ? "no answer in time"
      : text[0] != '\0'                     ? text
                        : "the call failed without a reason");
}
