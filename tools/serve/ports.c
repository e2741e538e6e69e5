/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/ports.h"

#include "infer/error.h"

#define BACKLOG 1024
#define MOST_ACCEPTED 64 /* before connections have their turn */

struct _ServeLane
{
  ServePorts *ports;
  guint index;
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread; /* nullable */
  /* The thread's. */
  GHashTable *handshakes;  /* set of Arrival, in TLS's handshake */
  GHashTable *connections; /* set */
};

struct _ServePorts
{
  const ServePortsKind *kind;
  gpointer front;
  const ServeSettings *settings;
  GTlsCertificate *certificate; /* nullable */
  GTlsDatabase *client_ca;      /* nullable */
  ServeLane *lanes;
  guint n_lanes;
  /* Of the first lane. */
  GPtrArray *listeners; /* (element-type Listener) */
  guint next;           /* the lane of the next connection */
};

typedef struct
{
  ServePorts *ports;
  GSocket *socket;
  GSource *source; /* NULL: while no descriptor is left */
  int port;
} Listener;

/* A connection before it is open. */
typedef struct
{
  ServeLane *lane;
  GSocket *socket;
  GIOStream *tls;            /* nullable */
  GCancellable *cancellable; /* nullable */
  gint64 begun;
  int port;
} Arrival;

static void
arrival_free (gpointer data)
{
  Arrival *arrival = data;

  g_clear_object (&arrival->tls);
  g_clear_object (&arrival->cancellable);
  g_object_unref (arrival->socket);
  g_free (arrival);
}

/* --- TLS --- */

static void
on_handshake (GObject *stream, GAsyncResult *result, gpointer data)
{
  Arrival *arrival = data;
  ServePorts *ports = arrival->lane->ports;
  const gboolean ok = g_tls_connection_handshake_finish (
      G_TLS_CONNECTION (stream), result, NULL);

  g_hash_table_remove (arrival->lane->handshakes, arrival);
  if (ok)
    ports->kind->open (ports->front, arrival->lane, arrival->socket,
        g_steal_pointer (&arrival->tls), arrival->port);
  else
    g_socket_close (arrival->socket, NULL);
  arrival_free (arrival);
}

/* A server is asked about every certificate, also one without errors. */
static gboolean
check_certificate (GTlsConnection *tls, GTlsCertificate *certificate,
    GTlsCertificateFlags errors, gpointer data)
{
  return errors == 0;
}

/* Takes @arrival. */
static void
begin_handshake (Arrival *arrival)
{
  ServePorts *ports = arrival->lane->ports;
  g_autoptr (GSocketConnection) plain =
      g_socket_connection_factory_create_connection (arrival->socket);
  GTlsConnection *tls = (GTlsConnection *) g_tls_server_connection_new (
      G_IO_STREAM (plain), ports->certificate, NULL);

  if (tls == NULL) {
    arrival_free (arrival);
    return;
  }
  if (ports->kind->protocols != NULL)
    g_tls_connection_set_advertised_protocols (tls, ports->kind->protocols);
  if (ports->client_ca != NULL) {
    g_tls_connection_set_database (tls, ports->client_ca);
    g_object_set (
        tls, "authentication-mode", G_TLS_AUTHENTICATION_REQUIRED, NULL);
    g_signal_connect (
        tls, "accept-certificate", G_CALLBACK (check_certificate), NULL);
  }
  arrival->tls = G_IO_STREAM (tls);
  arrival->cancellable = g_cancellable_new ();
  arrival->begun = g_get_monotonic_time ();
  g_hash_table_add (arrival->lane->handshakes, arrival);
  g_tls_connection_handshake_async (
      tls, G_PRIORITY_DEFAULT, arrival->cancellable, on_handshake, arrival);
}

static gboolean
read_certificates (ServePorts *ports, GError **error)
{
  const ServeSettings *settings = ports->settings;
  g_autoptr (GError) failed = NULL;

  if (settings->certificate == NULL)
    return TRUE;
  ports->certificate = g_tls_certificate_new_from_files (
      settings->certificate, settings->key, &failed);
  if (ports->certificate != NULL && settings->client_ca != NULL) {
    g_autofree char *path = g_canonicalize_filename (settings->client_ca, NULL);

    ports->client_ca = G_TLS_DATABASE (g_tls_file_database_new (path, &failed));
  }
  return failed == NULL
         || infer_fail (
             error, INFER_ERROR_INVALID_ARGUMENT, "TLS: %s", failed->message);
}

/* --- listening --- */

static void
listener_free (gpointer data)
{
  Listener *listener = data;

  if (listener->source != NULL) {
    g_source_destroy (listener->source);
    g_source_unref (listener->source);
  }
  g_socket_close (listener->socket, NULL);
  g_object_unref (listener->socket);
  g_free (listener);
}

/* On the lane's thread. */
static gboolean
open_arrival (gpointer data)
{
  Arrival *arrival = *(Arrival **) data;
  ServePorts *ports = arrival->lane->ports;

  *(Arrival **) data = NULL;
  if (ports->certificate != NULL) {
    begin_handshake (arrival);
    return G_SOURCE_REMOVE;
  }
  ports->kind->open (
      ports->front, arrival->lane, arrival->socket, NULL, arrival->port);
  arrival_free (arrival);
  return G_SOURCE_REMOVE;
}

/* The lane has ended before it could open the connection. */
static void
drop_arrival (gpointer data)
{
  g_clear_pointer ((Arrival **) data, arrival_free);
  g_free (data);
}

static void
hand_over (ServePorts *ports, GSocket *socket, int port)
{
  ServeLane *lane = &ports->lanes[ports->next];
  Arrival **held = g_new (Arrival *, 1);

  ports->next = (ports->next + 1) % ports->n_lanes;
  g_socket_set_blocking (socket, FALSE);
  *held = g_new (Arrival, 1);
  **held =
      (Arrival){ .lane = lane, .socket = g_object_ref (socket), .port = port };
  g_main_context_invoke_full (
      lane->context, G_PRIORITY_DEFAULT, open_arrival, held, drop_arrival);
}

/* Where a connection cannot be accepted, it waits until on_tick. */
static gboolean
on_connection (GSocket *socket, GIOCondition condition, gpointer data)
{
  Listener *listener = data;

  for (guint i = 0; i < MOST_ACCEPTED; i++) {
    g_autoptr (GError) failed = NULL;
    g_autoptr (GSocket) accepted = g_socket_accept (socket, NULL, &failed);

    if (accepted != NULL) {
      hand_over (listener->ports, accepted, listener->port);
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
start_listening (Listener *listener)
{
  if (listener->source != NULL)
    return;
  listener->source = g_socket_create_source (listener->socket, G_IO_IN, NULL);
  g_source_set_callback (
      listener->source, G_SOURCE_FUNC (on_connection), listener, NULL);
  g_source_attach (listener->source, listener->ports->lanes[0].context);
}

static gboolean
listen_at (ServePorts *ports, GInetAddress *address, int port, GError **error)
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
  Listener *listener = g_new0 (Listener, 1);
  *listener = (Listener){ ports, g_steal_pointer (&socket), NULL, port };
  start_listening (listener);
  g_ptr_array_add (ports->listeners, listener);
  return TRUE;
}

/* Every address that the name stands for. */
gboolean
serve_ports_listen (
    ServePorts *ports, int port, const char *option, GError **error)
{
  const char *name = ports->settings->listen;
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autoptr (GError) failed = NULL;
  GList *addresses = g_resolver_lookup_by_name (resolver, name, NULL, &failed);
  gboolean done = addresses != NULL;

  for (GList *at = addresses; at != NULL && done; at = at->next)
    done = listen_at (ports, at->data, port, &failed);
  g_resolver_free_addresses (addresses);
  return done
         || infer_fail (error, INFER_ERROR_FAILED,
             "%s: cannot listen on %s, port %d (%s): %s", ports->kind->name,
             name, port, option, failed->message);
}

static gboolean
stop_listening (gpointer data)
{
  ServePorts *ports = data;

  g_ptr_array_set_size (ports->listeners, 0);
  return G_SOURCE_REMOVE;
}

void
serve_ports_shut (ServePorts *ports)
{
  g_main_context_invoke (ports->lanes[0].context, stop_listening, ports);
}

/* --- the threads --- */

void
serve_lane_foreach (ServeLane *lane,
    void (*call) (gpointer connection, gpointer data), gpointer data)
{
  guint n;
  g_autofree gpointer *connections =
      g_hash_table_get_keys_as_array (lane->connections, &n);

  for (guint i = 0; i < n; i++)
    call (connections[i], data);
}

static void
cancel_handshakes (ServeLane *lane, gint64 until)
{
  guint n;
  g_autofree gpointer *handshakes =
      g_hash_table_get_keys_as_array (lane->handshakes, &n);

  for (guint i = 0; i < n; i++) {
    const Arrival *arrival = handshakes[i];

    if (arrival->begun < until)
      g_cancellable_cancel (arrival->cancellable);
  }
}

static void
check_connection (gpointer connection, gpointer kind)
{
  ((const ServePortsKind *) kind)->check (connection, g_get_monotonic_time ());
}

static gboolean
on_tick (gpointer data)
{
  ServeLane *lane = data;
  ServePorts *ports = lane->ports;

  serve_lane_foreach (
      lane, check_connection, (gpointer) (guintptr) ports->kind);
  cancel_handshakes (
      lane, g_get_monotonic_time () - ports->kind->most_handshake_us);
  for (guint i = 0; i < ports->listeners->len && lane->index == 0; i++)
    start_listening (ports->listeners->pdata[i]);
  return G_SOURCE_CONTINUE;
}

static void
close_connection (gpointer connection, gpointer kind)
{
  ((const ServePortsKind *) kind)->close (connection);
}

static void
close_all (ServeLane *lane)
{
  serve_lane_foreach (
      lane, close_connection, (gpointer) (guintptr) lane->ports->kind);
  cancel_handshakes (lane, G_MAXINT64);
}

static gboolean
stop (gpointer data)
{
  ServeLane *lane = data;

  close_all (lane);
  g_main_loop_quit (lane->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
serve (gpointer data)
{
  ServeLane *lane = data;
  g_autoptr (GSource) tick = g_timeout_source_new_seconds (1);

  g_main_context_push_thread_default (lane->context);
  g_source_set_callback (tick, on_tick, lane, NULL);
  g_source_attach (tick, lane->context);
  g_main_loop_run (lane->loop);
  g_source_destroy (tick);
  /* Handshakes that were cancelled end here. */
  while (g_hash_table_size (lane->handshakes) > 0
         || g_main_context_pending (lane->context)) {
    g_main_context_iteration (lane->context, TRUE);
    close_all (lane);
  }
  g_main_context_pop_thread_default (lane->context);
  return NULL;
}

/* --- lifetime --- */

ServePorts *
serve_ports_new (const ServePortsKind *kind, gpointer front, guint n_lanes,
    const ServeSettings *settings, GError **error)
{
  ServePorts *ports = g_new0 (ServePorts, 1);

  ports->kind = kind;
  ports->front = front;
  ports->settings = settings;
  ports->n_lanes = n_lanes;
  ports->lanes = g_new0 (ServeLane, n_lanes);
  ports->listeners = g_ptr_array_new_with_free_func (listener_free);
  for (guint i = 0; i < n_lanes; i++) {
    ServeLane *lane = &ports->lanes[i];

    *lane = (ServeLane){ .ports = ports,
      .index = i,
      .context = g_main_context_new (),
      .handshakes = g_hash_table_new (NULL, NULL),
      .connections = g_hash_table_new (NULL, NULL) };
    lane->loop = g_main_loop_new (lane->context, FALSE);
  }
  if (read_certificates (ports, error))
    return ports;
  serve_ports_free (ports);
  return NULL;
}

void
serve_ports_free (ServePorts *ports)
{
  if (ports == NULL)
    return;
  g_ptr_array_unref (ports->listeners);
  for (guint i = 0; i < ports->n_lanes; i++) {
    ServeLane *lane = &ports->lanes[i];

    g_main_loop_unref (lane->loop);
    g_main_context_unref (lane->context);
    g_hash_table_unref (lane->handshakes);
    g_hash_table_unref (lane->connections);
  }
  g_clear_object (&ports->certificate);
  g_clear_object (&ports->client_ca);
  g_free (ports->lanes);
  g_free (ports);
}

void
serve_ports_start (ServePorts *ports)
{
  for (guint i = 0; i < ports->n_lanes; i++)
    ports->lanes[i].thread =
        g_thread_new (ports->kind->name, serve, &ports->lanes[i]);
}

void
serve_ports_stop (ServePorts *ports)
{
  if (ports->lanes[0].thread == NULL)
    return;
  serve_ports_shut (ports);
  for (guint i = 0; i < ports->n_lanes; i++) {
    g_main_context_invoke (ports->lanes[i].context, stop, &ports->lanes[i]);
    g_thread_join (g_steal_pointer (&ports->lanes[i].thread));
  }
}

void
serve_ports_await (ServePorts *ports, gint *open)
{
  while (g_atomic_int_get (open) > 0) {
    for (guint i = 0; i < ports->n_lanes; i++)
      while (g_main_context_iteration (ports->lanes[i].context, FALSE))
        ;
    g_usleep (1000);
  }
}

ServeLane *
serve_ports_lane (ServePorts *ports, guint i)
{
  return &ports->lanes[i];
}

guint
serve_lane_index (const ServeLane *lane)
{
  return lane->index;
}

GMainContext *
serve_lane_context (ServeLane *lane)
{
  return lane->context;
}

void
serve_lane_add (ServeLane *lane, gpointer connection)
{
  g_hash_table_add (lane->connections, connection);
}

gboolean
serve_lane_remove (ServeLane *lane, gpointer connection)
{
  return g_hash_table_remove (lane->connections, connection);
}
