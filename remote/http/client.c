/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/http/exchange.h"

#include "protocol/rest.h"
#include "protocol/status.h"

#define PORT 8000

/* --- lifetime --- */

static void
on_event (GSocketClient *connector, GSocketClientEvent event,
    GSocketConnectable *address, GIOStream *stream, gpointer data)
{
  RemoteClient *client = data;

  if (event != G_SOCKET_CLIENT_TLS_HANDSHAKING)
    return;
  g_tls_client_connection_set_server_identity (
      G_TLS_CLIENT_CONNECTION (stream), client->identity);
  if (client->ca != NULL)
    g_tls_connection_set_database (G_TLS_CONNECTION (stream), client->ca);
  if (client->certificate != NULL)
    g_tls_connection_set_certificate (
        G_TLS_CONNECTION (stream), client->certificate);
}

static gboolean
read_certificates (
    RemoteClient *client, const RemoteTarget *target, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (target->tls && target->ca != NULL) {
    g_autofree char *path = g_canonicalize_filename (target->ca, NULL);

    client->ca = G_TLS_DATABASE (g_tls_file_database_new (path, &cause));
  }
  if (cause == NULL && target->certificate != NULL && target->key != NULL)
    client->certificate = g_tls_certificate_new_from_files (
        target->certificate, target->key, &cause);
  return cause == NULL
         || infer_fail (error, INFER_ERROR_NOT_FOUND, "%s", cause->message);
}

static gboolean
find_addresses (
    RemoteClient *client, const RemoteTarget *target, GError **error)
{
  g_autoptr (GError) cause = NULL;

  client->identity = g_network_address_parse (target->host, PORT, &cause);
  if (cause == NULL)
    client->address = g_network_address_parse (
        target->place != NULL ? target->place : target->host, PORT, &cause);
  return cause == NULL
         || infer_fail (
             error, INFER_ERROR_INVALID_ARGUMENT, "%s", cause->message);
}

RemoteClient *
remote_http_open (const RemoteTarget *target, GError **error)
{
  RemoteClient *client = g_new0 (RemoteClient, 1);

  client->host =
      g_strdup (target->place != NULL ? target->place : target->host);
  client->name = g_strdup (target->host);
  client->token_file = g_strdup (target->token_file);
  client->tls = target->tls;
  g_mutex_init (&client->lock);
  g_queue_init (&client->idle);
  client->connector = g_socket_client_new ();
  g_socket_client_set_enable_proxy (client->connector, FALSE);
  g_socket_client_set_tls (client->connector, target->tls);
  g_signal_connect (client->connector, "event", G_CALLBACK (on_event), client);
  if (read_certificates (client, target, error)
      && find_addresses (client, target, error))
    return client;
  remote_http_close (client);
  return NULL;
}

static gboolean
free_client (gpointer data)
{
  RemoteClient *client = data;

  remote_http_connections_close (client);
  g_signal_handlers_disconnect_by_data (client->connector, client);
  g_object_unref (client->connector);
  g_clear_object (&client->address);
  g_clear_object (&client->identity);
  g_clear_object (&client->ca);
  g_clear_object (&client->certificate);
  g_mutex_clear (&client->lock);
  g_free (client->host);
  g_free (client->name);
  g_free (client->token_file);
  g_free (client);
  return G_SOURCE_REMOVE;
}

/* On the thread: idle connections are read there. */
void
remote_http_close (RemoteClient *client)
{
  g_main_context_invoke (remote_http_context (), free_client, client);
}

/* --- heads --- */

static gboolean
add_token (RemoteClient *client, GString *head, GError **error)
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
  g_string_append_printf (head, "Authorization: Bearer %s\r\n", token);
  return TRUE;
}

gboolean
remote_http_write_head (RemoteClient *client, GString *head, const char *method,
    const char *path, gsize size, gssize json_size, GError **error)
{
  g_string_append_printf (head,
      "%s /v2%s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: inferfilter\r\n", method,
      path[0] != '\0' ? "/" : "", path, client->name);
  if (size > 0)
    g_string_append_printf (head, "Content-Type: %s\r\nContent-Length: %zu\r\n",
        json_size >= 0 ? "application/octet-stream" : "application/json", size);
  if (json_size >= 0)
    g_string_append_printf (
        head, PROTOCOL_REST_HEADER ": %" G_GSSIZE_FORMAT "\r\n", json_size);
  if (!add_token (client, head, error))
    return FALSE;
  g_string_append (head, "\r\n");
  return TRUE;
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
remote_http_check (const RemoteClient *client, guint status, GBytes *body,
    const GError *cause, RemoteFailure *failure, GError **error)
{
  if (cause != NULL) {
    *failure = REMOTE_UNKNOWN;
    return infer_fail (
        error, INFER_ERROR_DEVICE, "%s: %s", client->host, cause->message);
  }
  if (status == 200)
    return TRUE;
  g_autofree char *said = body != NULL ? protocol_rest_read_error (body) : NULL;
  *failure = failure_of (status);
  return infer_fail (error, protocol_status_from_http (status), "%s: %s",
      client->host, said != NULL ? said : protocol_status_phrase (status));
}
