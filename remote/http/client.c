/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/http/client.h"

#include "protocol/rest.h"
#include "protocol/status.h"

/* One connection carries one request at a time. */
#define MOST_CONNECTIONS 256
#define IDLE_S 60

static gpointer
run_context (gpointer data)
{
  GMainContext *context = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);

  g_main_context_push_thread_default (context);
  g_main_loop_run (loop);
  return NULL;
}

/* The thread stays: a client may be closed on it. */
GMainContext *
remote_http_context (void)
{
  static gsize made;
  static GMainContext *context;

  if (g_once_init_enter (&made)) {
    context = g_main_context_new ();
    g_thread_unref (g_thread_new ("infer-http", run_context, context));
    g_once_init_leave (&made, 1);
  }
  return context;
}

/* --- sessions --- */

static gboolean
make_session (RemoteClient *client, const RemoteTarget *target, GError **error)
{
  g_autoptr (GTlsDatabase) database = NULL;
  g_autoptr (GError) cause = NULL;

  if (target->tls && target->ca != NULL) {
    g_autofree char *path = g_canonicalize_filename (target->ca, NULL);

    database = g_tls_file_database_new (path, &cause);
  }
  if (cause == NULL && target->certificate != NULL && target->key != NULL)
    client->certificate = g_tls_certificate_new_from_files (
        target->certificate, target->key, &cause);
  if (cause != NULL)
    return infer_fail (error, INFER_ERROR_NOT_FOUND, "%s", cause->message);
  client->session = soup_session_new_with_options ("max-conns",
      MOST_CONNECTIONS, "max-conns-per-host", MOST_CONNECTIONS, "idle-timeout",
      IDLE_S, "timeout", 0, "user-agent", "inferfilter", NULL);
  if (database != NULL)
    soup_session_set_tls_database (client->session, database);
  return TRUE;
}

typedef struct
{
  RemoteClient *client;
  const RemoteTarget *target;
  GError **error;
  GMutex lock;
  GCond changed;
  gboolean done, ok;
} Opening;

static gboolean
open_there (gpointer data)
{
  Opening *opening = data;

  g_mutex_lock (&opening->lock);
  opening->ok = make_session (opening->client, opening->target, opening->error);
  opening->done = TRUE;
  g_cond_signal (&opening->changed);
  g_mutex_unlock (&opening->lock);
  return G_SOURCE_REMOVE;
}

/* A session works in the context in which it is made: made on another thread,
 * each of its steps would wait for that one. */
static gboolean
make_session_there (
    RemoteClient *client, const RemoteTarget *target, GError **error)
{
  Opening opening = { .client = client, .target = target, .error = error };

  g_mutex_init (&opening.lock);
  g_cond_init (&opening.changed);
  g_main_context_invoke (remote_http_context (), open_there, &opening);
  g_mutex_lock (&opening.lock);
  while (!opening.done)
    g_cond_wait (&opening.changed, &opening.lock);
  g_mutex_unlock (&opening.lock);
  g_mutex_clear (&opening.lock);
  g_cond_clear (&opening.changed);
  return opening.ok;
}

RemoteClient *
remote_http_open (const RemoteTarget *target, GError **error)
{
  RemoteClient *client = g_new0 (RemoteClient, 1);

  client->host = g_strdup (target->host);
  client->base = g_strdup_printf (
      "%s://%s/v2", target->tls ? "https" : "http", target->host);
  client->token_file = g_strdup (target->token_file);
  if (make_session_there (client, target, error))
    return client;
  remote_http_close (client);
  return NULL;
}

static gboolean
free_session (gpointer session)
{
  soup_session_abort (session);
  g_object_unref (session);
  return G_SOURCE_REMOVE;
}

void
remote_http_close (RemoteClient *client)
{
  if (client->session != NULL)
    g_main_context_invoke (
        remote_http_context (), free_session, client->session);
  g_clear_object (&client->certificate);
  g_free (client->base);
  g_free (client->host);
  g_free (client->token_file);
  g_free (client);
}

/* --- messages --- */

static gboolean
add_token (RemoteClient *client, SoupMessage *message, GError **error)
{
  g_autofree char *token = NULL;
  g_autoptr (GError) cause = NULL;

  if (client->token_file == NULL)
    return TRUE;
  if (!g_file_get_contents (client->token_file, &token, NULL, &cause))
    return infer_fail (error, INFER_ERROR_NOT_FOUND, "%s", cause->message);
  g_strstrip (token);
  for (const char *c = token; *c != '\0'; c++)
    if (*c < ' ' || *c > '~')
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: a token is one line of printable ASCII", client->token_file);
  g_autofree char *value = g_strconcat ("Bearer ", token, NULL);
  soup_message_headers_replace (
      soup_message_get_request_headers (message), "Authorization", value);
  return TRUE;
}

SoupMessage *
remote_http_message (
    RemoteClient *client, const char *method, const char *path, GError **error)
{
  g_autofree char *url = g_strdup_printf (
      "%s%s%s", client->base, path[0] != '\0' ? "/" : "", path);
  g_autoptr (SoupMessage) message = soup_message_new (method, url);

  if (message == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "'%s' is no URL", url);
    return NULL;
  }
  soup_message_set_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  if (client->certificate != NULL)
    soup_message_set_tls_client_certificate (message, client->certificate);
  return add_token (client, message, error) ? g_steal_pointer (&message) : NULL;
}

char *
remote_http_model_path (
    const char *model, const char *version, const char *tail)
{
  g_autofree char *name = g_uri_escape_string (model, NULL, FALSE);
  g_autofree char *number = g_uri_escape_string (version, NULL, FALSE);

  return g_strconcat ("models/", name, number[0] != '\0' ? "/versions/" : "",
      number, tail, NULL);
}

/* --- what failed --- */

static RemoteFailure
failure_of (guint status)
{
  switch (status) {
    case 404:
    case 409:
    case 412:
      return REMOTE_MISSING;
    case 429:
      return REMOTE_NOT_DONE;
    case 408:
    case 500:
    case 502:
    case 503:
    case 504:
      return REMOTE_UNKNOWN;
    default:
      return REMOTE_ANSWERED;
  }
}

gboolean
remote_http_check (const RemoteClient *client, SoupMessage *message,
    GBytes *body, const GError *cause, RemoteFailure *failure, GError **error)
{
  const guint status = soup_message_get_status (message);

  if (cause != NULL) {
    *failure = REMOTE_UNKNOWN;
    return infer_fail (error, INFER_ERROR_DEVICE, "%s: %s", client->host,
        g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)
            ? "no answer in time"
            : cause->message);
  }
  if (status == 200)
    return TRUE;
  g_autofree char *said = body != NULL ? protocol_rest_read_error (body) : NULL;
  *failure = failure_of (status);
  return infer_fail (error, protocol_status_from_http (status), "%s: %s",
      client->host, said != NULL ? said : soup_status_get_phrase (status));
}
