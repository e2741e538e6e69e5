/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/rest/private.h"

#include <string.h>

#include "protocol/rest.h"
#include "protocol/status.h"

#define TOO_LARGE "infer-serve-too-large"

struct _ServeRest
{
  ServeServer *server;
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
  SoupServer *soup, *metrics; /* nullable */
  GThreadPool *slow;
  gint open; /* atomic: exchanges that are not answered */
};

typedef struct
{
  RestExchange *exchange;
  void (*run) (RestExchange *exchange);
} SlowExchange;

/* --- exchanges --- */

static void
exchange_free (RestExchange *exchange)
{
  g_atomic_int_add (&exchange->rest->open, -1);
  g_clear_pointer (&exchange->body, g_bytes_unref);
  g_clear_object (&exchange->message);
  g_free (exchange->model);
  g_free (exchange->version);
  g_free (exchange->verb);
  g_free (exchange);
}

static void
on_finished (SoupServerMessage *message, gpointer data)
{
  RestExchange *exchange = data;

  g_atomic_int_set (&exchange->gone, TRUE);
}

static void
set_body (SoupServerMessage *message, GBytes *body)
{
  SoupMessageBody *to = soup_server_message_get_response_body (message);

  soup_message_body_append_bytes (to, body);
  soup_message_body_complete (to);
}

/* On the front end's thread. */
static gboolean
send_answer (gpointer data)
{
  RestExchange *exchange = data;
  SoupServerMessage *message = exchange->message;
  SoupMessageHeaders *headers =
      soup_server_message_get_response_headers (message);

  g_signal_handlers_disconnect_by_data (message, exchange);
  if (!g_atomic_int_get (&exchange->gone)) {
    soup_server_message_set_status (message, exchange->status, NULL);
    soup_message_headers_set_content_type (headers,
        exchange->json_size < 0 ? "application/json"
                                : "application/octet-stream",
        NULL);
    if (exchange->json_size >= 0) {
      g_autofree char *size =
          g_strdup_printf ("%" G_GSSIZE_FORMAT, exchange->json_size);
      soup_message_headers_replace (headers, PROTOCOL_REST_HEADER, size);
    }
    if (exchange->body != NULL)
      set_body (message, exchange->body);
    else
      soup_message_headers_set_content_length (headers, 0);
    soup_server_message_unpause (message);
  }
  exchange_free (exchange);
  return G_SOURCE_REMOVE;
}

void
rest_exchange_answer (RestExchange *exchange)
{
  g_main_context_invoke (exchange->rest->context, send_answer, exchange);
}

void
rest_exchange_answer_json (RestExchange *exchange, guint status, char *json)
{
  exchange->status = status;
  exchange->json_size = -1;
  if (json != NULL)
    exchange->body = g_bytes_new_take (json, strlen (json));
  rest_exchange_answer (exchange);
}

void
rest_exchange_fail_status (
    RestExchange *exchange, guint status, const char *text)
{
  rest_exchange_answer_json (
      exchange, status, protocol_rest_write_error (text));
}

void
rest_exchange_fail (RestExchange *exchange, const GError *error)
{
  rest_exchange_fail_status (
      exchange, protocol_status_to_http (error), error->message);
}

static void
run_slow (gpointer data, gpointer unused)
{
  SlowExchange *slow = data;

  slow->run (slow->exchange);
  g_free (slow);
}

void
rest_exchange_run_slow (
    RestExchange *exchange, void (*run) (RestExchange *exchange))
{
  SlowExchange *slow = g_new (SlowExchange, 1);

  *slow = (SlowExchange){ exchange, run };
  g_thread_pool_push (exchange->rest->slow, slow, NULL);
}

/* --- before the body --- */

static void
refuse (SoupServerMessage *message, guint status, const char *text)
{
  g_autofree char *json = protocol_rest_write_error (text);
  g_autoptr (GBytes) body = g_bytes_new (json, strlen (json));

  soup_server_message_set_status (message, status, NULL);
  soup_message_headers_set_content_type (
      soup_server_message_get_response_headers (message), "application/json",
      NULL);
  /* The rest of the request is not read. */
  soup_message_headers_replace (
      soup_server_message_get_response_headers (message), "Connection",
      "close");
  set_body (message, body);
}

/* Without a length, the body is counted as it comes. */
static void
on_chunk (SoupServerMessage *message, GBytes *chunk, gpointer data)
{
  ServeRest *rest = data;
  SoupMessageBody *body = soup_server_message_get_request_body (message);

  if (body->length <= (goffset) rest->server->settings->max_message_mb << 20)
    return;
  soup_message_body_set_accumulate (body, FALSE);
  soup_message_body_truncate (body);
  g_object_set_data (G_OBJECT (message), TOO_LARGE, GINT_TO_POINTER (TRUE));
}

static gboolean
is_open_path (const char *path)
{
  return g_str_has_prefix (path, "/v2/health/");
}

static void
on_headers (SoupServer *soup, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  ServeRest *rest = data;
  SoupMessageHeaders *headers =
      soup_server_message_get_request_headers (message);
  const char *authorization =
      soup_message_headers_get_one (headers, "Authorization");
  const goffset most = (goffset) rest->server->settings->max_message_mb << 20;

  if (!is_open_path (path)
      && !serve_server_allows (rest->server, authorization,
          authorization != NULL ? strlen (authorization) : 0))
    refuse (message, 401,
        "the header 'Authorization' must be 'Bearer TOKEN', with the server's "
        "token");
  else if (soup_message_headers_get_content_length (headers) > most)
    refuse (message, 413, "the request is too large (--max-message)");
  else if (soup_message_headers_get_one (headers, "Content-Encoding") != NULL)
    refuse (message, 415, "compressed requests are not supported");
  else
    g_signal_connect (message, "got-chunk", G_CALLBACK (on_chunk), rest);
}

/* --- requests --- */

static void
on_request (SoupServer *soup, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  ServeRest *rest = data;
  RestExchange *exchange = g_new0 (RestExchange, 1);

  g_atomic_int_inc (&rest->open);
  exchange->rest = rest;
  exchange->server = rest->server;
  exchange->message = g_object_ref (message);
  exchange->json_size = -1;
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), exchange);
  soup_server_message_pause (message);
  if (g_object_get_data (G_OBJECT (message), TOO_LARGE) != NULL)
    rest_exchange_fail_status (
        exchange, 413, "the request is too large (--max-message)");
  else
    rest_route (exchange, path);
}

static void
on_metrics (SoupServer *soup, SoupServerMessage *message, const char *path,
    GHashTable *query, gpointer data)
{
  ServeRest *rest = data;

  if (strcmp (path, "/metrics") != 0) {
    refuse (message, 404, "metrics are at /metrics");
    return;
  }
  char *text = serve_server_metrics (rest->server);
  soup_server_message_set_status (message, 200, NULL);
  soup_server_message_set_response (message, "text/plain; version=0.0.4",
      SOUP_MEMORY_TAKE, text, strlen (text));
}

/* --- lifetime --- */

/* libsoup asks for every certificate, also one without errors. */
static gboolean
check_certificate (SoupServerMessage *message, GTlsCertificate *certificate,
    GTlsCertificateFlags errors, gpointer data)
{
  return errors == 0;
}

static void
on_started (SoupServer *soup, SoupServerMessage *message, gpointer data)
{
  g_signal_connect (
      message, "accept-certificate", G_CALLBACK (check_certificate), NULL);
}

static gboolean
set_tls (SoupServer *soup, const ServeSettings *settings, GError **error)
{
  g_autoptr (GError) failed = NULL;

  if (settings->certificate == NULL)
    return TRUE;
  g_autoptr (GTlsCertificate) certificate = g_tls_certificate_new_from_files (
      settings->certificate, settings->key, &failed);
  if (certificate != NULL && settings->client_ca != NULL) {
    g_autofree char *path = g_canonicalize_filename (settings->client_ca, NULL);
    g_autoptr (GTlsDatabase) database = g_tls_file_database_new (path, &failed);
    if (database != NULL) {
      soup_server_set_tls_database (soup, database);
      soup_server_set_tls_auth_mode (soup, G_TLS_AUTHENTICATION_REQUIRED);
      g_signal_connect (soup, "request-started", G_CALLBACK (on_started), NULL);
    }
  }
  if (failed != NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_ARGUMENT, "TLS: %s", failed->message);
  soup_server_set_tls_certificate (soup, certificate);
  return TRUE;
}

/* Every address that the name stands for. */
static gboolean
listen_on (
    SoupServer *soup, const ServeSettings *settings, int port, GError **error)
{
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autoptr (GError) failed = NULL;
  GList *addresses =
      g_resolver_lookup_by_name (resolver, settings->listen, NULL, &failed);
  gboolean done = addresses != NULL;

  for (GList *at = addresses; at != NULL && done; at = at->next) {
    g_autoptr (GSocketAddress) address =
        g_inet_socket_address_new (at->data, (guint16) port);
    done = soup_server_listen (soup, address,
        settings->certificate != NULL ? SOUP_SERVER_LISTEN_HTTPS : 0, &failed);
  }
  g_resolver_free_addresses (addresses);
  return done
         || infer_fail (error, INFER_ERROR_FAILED,
             "HTTP: cannot listen on %s, port %d: %s", settings->listen, port,
             failed->message);
}

static gboolean
open_ports (ServeRest *rest, GError **error)
{
  const ServeSettings *settings = rest->server->settings;

  if (settings->http_port > 0) {
    rest->soup = soup_server_new ("server-header", SERVE_NAME, NULL);
    soup_server_add_early_handler (rest->soup, NULL, on_headers, rest, NULL);
    soup_server_add_handler (rest->soup, NULL, on_request, rest, NULL);
    if (!set_tls (rest->soup, settings, error)
        || !listen_on (rest->soup, settings, settings->http_port, error))
      return FALSE;
  }
  if (settings->metrics_port > 0) {
    rest->metrics = soup_server_new ("server-header", SERVE_NAME, NULL);
    soup_server_add_handler (rest->metrics, NULL, on_metrics, rest, NULL);
    if (!set_tls (rest->metrics, settings, error)
        || !listen_on (rest->metrics, settings, settings->metrics_port, error))
      return FALSE;
  }
  return TRUE;
}

static gpointer
serve (gpointer data)
{
  ServeRest *rest = data;

  g_main_context_push_thread_default (rest->context);
  g_main_loop_run (rest->loop);
  g_main_context_pop_thread_default (rest->context);
  return NULL;
}

ServeRest *
serve_rest_new (ServeServer *server, GError **error)
{
  ServeRest *rest = g_new0 (ServeRest, 1);

  rest->server = server;
  rest->context = g_main_context_new ();
  rest->loop = g_main_loop_new (rest->context, FALSE);
  rest->slow = g_thread_pool_new (run_slow, NULL, 1, FALSE, NULL);
  g_main_context_push_thread_default (rest->context);
  const gboolean listens = open_ports (rest, error);
  g_main_context_pop_thread_default (rest->context);
  rest->thread = g_thread_new ("http", serve, rest);
  if (listens)
    return rest;
  serve_rest_free (rest, 0);
  return NULL;
}

static gboolean
stop_listening (gpointer data)
{
  ServeRest *rest = data;

  if (rest->soup != NULL)
    soup_server_disconnect (rest->soup);
  if (rest->metrics != NULL)
    soup_server_disconnect (rest->metrics);
  g_main_loop_quit (rest->loop);
  return G_SOURCE_REMOVE;
}

void
serve_rest_free (ServeRest *rest, double seconds)
{
  if (rest == NULL)
    return;
  const gint64 until =
      g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  while (g_atomic_int_get (&rest->open) > 0 && g_get_monotonic_time () < until)
    g_usleep (5000);
  g_main_context_invoke (rest->context, stop_listening, rest);
  g_thread_join (rest->thread);
  g_thread_pool_free (rest->slow, FALSE, TRUE);
  /* Inferences of clients that have gone end here. */
  while (g_atomic_int_get (&rest->open) > 0)
    g_main_context_iteration (rest->context, TRUE);
  g_clear_object (&rest->soup);
  g_clear_object (&rest->metrics);
  g_main_loop_unref (rest->loop);
  g_main_context_unref (rest->context);
  g_free (rest);
}
