/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ports, and the thread. */

#include "tools/serve/rest/private.h"

#define BACKLOG 1024
#define MOST_ACCEPTED 64 /* before connections have their turn */

typedef struct
{
  ServeRest *rest;
  GSocket *socket;
  GSource *source; /* NULL: while no descriptor is left */
  gboolean metrics;
} RestListener;

/* --- listening --- */

static void
listener_free (gpointer data)
{
  RestListener *listener = data;

  if (listener->source != NULL) {
    g_source_destroy (listener->source);
    g_source_unref (listener->source);
  }
  g_socket_close (listener->socket, NULL);
  g_object_unref (listener->socket);
  g_free (listener);
}

/* Where a connection cannot be accepted, it waits until on_tick. */
static gboolean
on_connection (GSocket *socket, GIOCondition condition, gpointer data)
{
  RestListener *listener = data;

  for (guint i = 0; i < MOST_ACCEPTED; i++) {
    g_autoptr (GError) failed = NULL;
    g_autoptr (GSocket) accepted = g_socket_accept (socket, NULL, &failed);

    if (accepted != NULL) {
      rest_connection_open (listener->rest, accepted, listener->metrics);
      continue;
    }
    if (g_error_matches (failed, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)
        || g_error_matches (failed, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED))
      return G_SOURCE_CONTINUE;
    g_clear_pointer (&listener->source, g_source_unref);
    return G_SOURCE_REMOVE;
  }
  return G_SOURCE_CONTINUE;
}

static void
start_listening (RestListener *listener)
{
  if (listener->source != NULL)
    return;
  listener->source = g_socket_create_source (listener->socket, G_IO_IN, NULL);
  g_source_set_callback (
      listener->source, G_SOURCE_FUNC (on_connection), listener, NULL);
  g_source_attach (listener->source, listener->rest->context);
}

static gboolean
listen_at (ServeRest *rest, GInetAddress *address, int port, gboolean metrics,
    GError **error)
{
  g_autoptr (GSocketAddress) place =
      g_inet_socket_address_new (address, (guint16) port);
  g_autoptr (GSocket) socket =
      g_socket_new (g_inet_address_get_family (address), G_SOCKET_TYPE_STREAM,
          G_SOCKET_PROTOCOL_TCP, error);

  if (socket == NULL)
    return FALSE;
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_listen_backlog (socket, BACKLOG);
  if (!g_socket_bind (socket, place, TRUE, error)
      || !g_socket_listen (socket, error))
    return FALSE;
  RestListener *listener = g_new0 (RestListener, 1);
  *listener = (RestListener){ rest, g_steal_pointer (&socket), NULL, metrics };
  start_listening (listener);
  g_ptr_array_add (rest->listeners, listener);
  return TRUE;
}

/* Every address that the name stands for. */
static gboolean
listen_on (ServeRest *rest, int port, gboolean metrics, GError **error)
{
  const char *name = rest->server->settings->listen;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autoptr (GError) failed = NULL;
  GList *addresses = g_resolver_lookup_by_name (resolver, name, NULL, &failed);
  gboolean done = addresses != NULL;

  for (GList *at = addresses; at != NULL && done; at = at->next)
    done = listen_at (rest, at->data, port, metrics, &failed);
  g_resolver_free_addresses (addresses);
  return done
         || infer_fail (error, INFER_ERROR_FAILED,
             "HTTP: cannot listen on %s, port %d: %s", name, port,
             failed->message);
}

/* --- the thread --- */

static gboolean
on_tick (gpointer data)
{
  ServeRest *rest = data;
  const gint64 now = g_get_monotonic_time ();
  guint n;
  g_autofree gpointer *connections =
      g_hash_table_get_keys_as_array (rest->connections, &n);

  for (guint i = 0; i < n; i++)
    rest_connection_check (connections[i], now);
  for (guint i = 0; i < rest->listeners->len; i++)
    start_listening (rest->listeners->pdata[i]);
  return G_SOURCE_CONTINUE;
}

static gboolean
stop (gpointer data)
{
  ServeRest *rest = data;
  guint n;
  g_autofree gpointer *connections =
      g_hash_table_get_keys_as_array (rest->connections, &n);

  g_ptr_array_set_size (rest->listeners, 0);
  for (guint i = 0; i < n; i++)
    rest_connection_close (connections[i]);
  g_main_loop_quit (rest->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
serve (gpointer data)
{
  ServeRest *rest = data;
  g_autoptr (GSource) tick = g_timeout_source_new_seconds (1);

  g_main_context_push_thread_default (rest->context);
  g_source_set_callback (tick, on_tick, rest, NULL);
  g_source_attach (tick, rest->context);
  g_main_loop_run (rest->loop);
  g_source_destroy (tick);
  /* Handshakes that were cancelled end here. */
  while (g_main_context_iteration (rest->context, FALSE))
    ;
  g_main_context_pop_thread_default (rest->context);
  return NULL;
}

/* --- lifetime --- */

static gboolean
read_certificates (ServeRest *rest, GError **error)
{
  const ServeSettings *settings = rest->server->settings;
  g_autoptr (GError) failed = NULL;

  if (settings->certificate == NULL)
    return TRUE;
  rest->certificate = g_tls_certificate_new_from_files (
      settings->certificate, settings->key, &failed);
  if (rest->certificate != NULL && settings->client_ca != NULL) {
    g_autofree char *path = g_canonicalize_filename (settings->client_ca, NULL);

    rest->client_ca = G_TLS_DATABASE (g_tls_file_database_new (path, &failed));
  }
  return failed == NULL
         || infer_fail (
             error, INFER_ERROR_INVALID_ARGUMENT, "TLS: %s", failed->message);
}

static gboolean
open_ports (ServeRest *rest, GError **error)
{
  const ServeSettings *settings = rest->server->settings;

  return read_certificates (rest, error)
         && (settings->http_port == 0
             || listen_on (rest, settings->http_port, FALSE, error))
         && (settings->metrics_port == 0
             || listen_on (rest, settings->metrics_port, TRUE, error));
}

ServeRest *
serve_rest_new (ServeServer *server, GError **error)
{
  ServeRest *rest = g_new0 (ServeRest, 1);

  rest->server = server;
  rest->context = g_main_context_new ();
  rest->loop = g_main_loop_new (rest->context, FALSE);
  rest->slow =
      g_thread_pool_new (rest_exchange_run_slow_now, NULL, 1, FALSE, NULL);
  rest->listeners = g_ptr_array_new_with_free_func (listener_free);
  rest->connections = g_hash_table_new (NULL, NULL);
  const gboolean listens = open_ports (rest, error);
  rest->thread = g_thread_new ("http", serve, rest);
  if (listens)
    return rest;
  serve_rest_free (rest, 0);
  return NULL;
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
  g_main_context_invoke (rest->context, stop, rest);
  g_thread_join (rest->thread);
  g_thread_pool_free (rest->slow, FALSE, TRUE);
  /* Inferences of clients that have gone end here. */
  while (g_atomic_int_get (&rest->open) > 0)
    if (!g_main_context_iteration (rest->context, FALSE))
      g_usleep (1000);
  g_ptr_array_unref (rest->listeners);
  g_hash_table_unref (rest->connections);
  g_clear_object (&rest->certificate);
  g_clear_object (&rest->client_ca);
  g_main_loop_unref (rest->loop);
  g_main_context_unref (rest->context);
  g_free (rest);
}
