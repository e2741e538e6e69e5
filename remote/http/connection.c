/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Connections: one request at a time, and kept for the next one. */

#include "protocol/rest.h"
#include "remote/http/exchange.h"

#define MOST_IDLE 64
#define MOST_BODY ((gsize) 1 << 31)
/* A server may close an idle connection at any moment, and what is sent then
 * may be sent again, but for a step of a sequence. */
#define FRESH_US G_USEC_PER_SEC

struct _HttpConnection
{
  gatomicrefcount refs;
  RemoteClient *client;
  ProtocolHttpStream stream;
  /* The thread's. */
  ProtocolHttp *http;
  GSource *reading, *writing; /* nullable */

  GMutex lock;
  HttpExchange *exchange; /* nullable: it is idle */
  gboolean reused, closed;
  gint64 used; /* with the client's lock, while it is idle */
};

static gboolean on_readable (gpointer connection);
static gboolean on_writable (gpointer connection);

static HttpConnection *
connection_ref (HttpConnection *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
connection_unref (gpointer data)
{
  HttpConnection *self = data;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  protocol_http_free (self->http);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* On the thread: its exchange, which is over.  (nullable) */
static HttpExchange *
close_connection (HttpConnection *self)
{
  RemoteClient *client = self->client;

  protocol_http_stream_unwatch (&self->reading);
  protocol_http_stream_unwatch (&self->writing);
  g_mutex_lock (&self->lock);
  HttpExchange *x = g_steal_pointer (&self->exchange);
  const gboolean was_open = !self->closed;
  self->closed = TRUE;
  protocol_http_stream_close (&self->stream);
  g_mutex_unlock (&self->lock);
  if (x != NULL)
    x->connection = NULL;
  g_mutex_lock (&client->lock);
  g_queue_remove (&client->idle, self);
  g_mutex_unlock (&client->lock);
  if (was_open)
    connection_unref (self); /* its own */
  return x;
}

/* --- sources --- */

static void
start_source (HttpConnection *self, GSource **source, gboolean write)
{
  if (*source == NULL && !self->closed)
    *source = protocol_http_stream_watch (&self->stream, write,
        remote_http_context (), write ? on_writable : on_readable,
        connection_ref (self), connection_unref);
}

/* --- sending --- */

/* On the thread: sends what is left.  If that fails, why is read. */
static gboolean
on_writable (gpointer data)
{
  HttpConnection *self = data;
  ProtocolStreamResult result = PROTOCOL_STREAM_DONE;

  protocol_http_stream_unwatch (&self->writing);
  g_mutex_lock (&self->lock);
  if (self->exchange != NULL && !self->closed)
    result = protocol_http_stream_send (
        &self->stream, &self->exchange->message, NULL);
  g_mutex_unlock (&self->lock);
  if (result == PROTOCOL_STREAM_WAIT)
    start_source (self, &self->writing, TRUE);
  return G_SOURCE_REMOVE;
}

static void
finish_sending (HttpConnection *self)
{
  g_main_context_invoke_full (remote_http_context (), G_PRIORITY_HIGH,
      on_writable, connection_ref (self), connection_unref);
}

/* With the lock held.  FALSE: the rest of it is for `finish_sending`. */
static gboolean
send_over (HttpConnection *self, HttpExchange *x, gboolean listed)
{
  self->exchange = x;
  x->connection = self;
  x->message.sent = 0;
  if (!listed)
    remote_http_exchange_list (x);
  return self->stream.tls == NULL
         && protocol_http_stream_send (&self->stream, &x->message, NULL)
                != PROTOCOL_STREAM_WAIT;
}

/* An idle connection.  (transfer full) (nullable) */
static HttpConnection *
take_idle (RemoteClient *client, gboolean once)
{
  HttpConnection *self = NULL;

  g_mutex_lock (&client->lock);
  const HttpConnection *last = g_queue_peek_tail (&client->idle);
  if (last != NULL
      && (!once || g_get_monotonic_time () - last->used < FRESH_US))
    self = connection_ref (g_queue_pop_tail (&client->idle));
  g_mutex_unlock (&client->lock);
  return self;
}

gboolean
remote_http_connection_send (HttpExchange *x, gboolean listed)
{
  RemoteClient *client = x->client;
  const gboolean once = x->once;
  gboolean open = FALSE;
  HttpConnection *self;

  while (!open && (self = take_idle (client, once)) != NULL) {
    gboolean sent = TRUE;

    g_mutex_lock (&self->lock);
    open = !self->closed;
    if (open)
      sent = send_over (self, x, listed);
    g_mutex_unlock (&self->lock);
    if (!sent)
      finish_sending (self);
    connection_unref (self);
  }
  return open;
}

/* --- responses --- */

/* Keeps it for the next request. */
static void
make_idle (HttpConnection *self)
{
  RemoteClient *client = self->client;
  HttpConnection *oldest = NULL;

  self->reused = TRUE;
  g_mutex_lock (&client->lock);
  self->used = g_get_monotonic_time ();
  g_queue_push_tail (&client->idle, self);
  if (client->idle.length > MOST_IDLE)
    oldest = g_queue_pop_head (&client->idle);
  g_mutex_unlock (&client->lock);
  if (oldest != NULL)
    close_connection (oldest);
}

static void
complete (HttpConnection *self)
{
  ProtocolHttp *http = self->http;
  gint64 json_size;

  g_mutex_lock (&self->lock);
  HttpExchange *x = g_steal_pointer (&self->exchange);
  g_mutex_unlock (&self->lock);
  x->connection = NULL;
  x->status = protocol_http_status (http);
  if (!protocol_http_header_size (http, PROTOCOL_REST_HEADER, &json_size))
    json_size = -1;
  x->json_size = (gssize) json_size;
  x->body = protocol_http_take_body (http);
  const gboolean stays =
      protocol_http_stays (http) && protocol_http_message_is_sent (&x->message);
  protocol_http_next (http);
  if (stays && protocol_http_is_empty (http))
    make_idle (self);
  else
    close_connection (self);
  remote_http_exchange_finish (x);
}

static gboolean
is_idle (HttpConnection *self)
{
  g_mutex_lock (&self->lock);
  const gboolean idle = self->exchange == NULL;
  g_mutex_unlock (&self->lock);
  return idle;
}

/* Without a whole response.  What an idle connection, closed by the server, has
 * not delivered goes over another one. */
static void
break_connection (HttpConnection *self, GError *cause)
{
  const gboolean again = self->reused && protocol_http_is_empty (self->http);
  HttpExchange *x = close_connection (self);

  if (x == NULL || (again && !x->once)) {
    g_clear_error (&cause);
    if (x != NULL)
      remote_http_connection_open (x);
  } else {
    remote_http_exchange_fail (
        x, cause != NULL
               ? cause
               : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED,
                   "the connection has ended before the answer"));
  }
}

static void
handle (HttpConnection *self, ProtocolHttpProgress progress, GError *bad)
{
  while (progress == PROTOCOL_HTTP_HEAD)
    progress = protocol_http_add (self->http, 0, &bad);
  if (progress == PROTOCOL_HTTP_DONE)
    complete (self);
  else if (progress == PROTOCOL_HTTP_FAILED)
    break_connection (self, bad);
}

static void
receive (HttpConnection *self)
{
  while (self->reading != NULL) {
    gsize size, n;
    guint8 *space = protocol_http_space (self->http, &size);
    g_autoptr (GError) error = NULL;
    GError *bad = NULL;
    const ProtocolStreamResult result =
        protocol_http_stream_receive (&self->stream, space, size, &n, &error);

    if (result == PROTOCOL_STREAM_WAIT)
      return;
    if (result == PROTOCOL_STREAM_FAILED || is_idle (self)) {
      break_connection (self, g_steal_pointer (&error));
    } else if (result == PROTOCOL_STREAM_END) {
      if (protocol_http_end (self->http, NULL) == PROTOCOL_HTTP_DONE)
        complete (self);
      else
        break_connection (self, NULL);
    } else {
      const ProtocolHttpProgress progress =
          protocol_http_add (self->http, n, &bad);
      handle (self, progress, bad);
      if (progress != PROTOCOL_HTTP_MORE && n < size)
        return; /* most likely that was all */
    }
  }
}

static gboolean
on_readable (gpointer data)
{
  HttpConnection *self = data;

  connection_ref (self);
  receive (self);
  connection_unref (self);
  return G_SOURCE_CONTINUE;
}

/* --- opening and closing --- */

static void
on_connected (GObject *source, GAsyncResult *result, gpointer data)
{
  HttpExchange *x = data;
  GError *cause = NULL;
  g_autoptr (GSocketConnection) connection =
      g_socket_client_connect_finish (G_SOCKET_CLIENT (source), result, &cause);

  g_clear_object (&x->connecting);
  if (connection == NULL || x->ends) {
    remote_http_exchange_fail (x, cause != NULL
                                      ? cause
                                      : g_error_new_literal (G_IO_ERROR,
                                          G_IO_ERROR_CANCELLED, "cancelled"));
    return;
  }
  HttpConnection *self = g_new0 (HttpConnection, 1);
  g_atomic_ref_count_init (&self->refs);
  self->client = x->client;
  self->http = protocol_http_new (FALSE, MOST_BODY);
  g_mutex_init (&self->lock);
  protocol_http_stream_init (&self->stream,
      g_socket_connection_get_socket (connection),
      x->client->tls ? G_IO_STREAM (g_object_ref (connection)) : NULL);
  start_source (self, &self->reading, FALSE);
  g_mutex_lock (&self->lock);
  const gboolean sent = send_over (self, x, TRUE);
  g_mutex_unlock (&self->lock);
  if (!sent)
    on_writable (self);
}

void
remote_http_connection_open (HttpExchange *x)
{
  RemoteClient *client = x->client;

  x->connecting = g_cancellable_new ();
  g_socket_client_connect_async (
      client->connector, client->address, x->connecting, on_connected, x);
}

void
remote_http_connection_abort (HttpExchange *x)
{
  close_connection (x->connection);
  remote_http_exchange_fail (
      x, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled"));
}

void
remote_http_connections_close (RemoteClient *client)
{
  HttpConnection *self;

  while ((self = g_queue_peek_head (&client->idle)) != NULL)
    close_connection (self);
}
