/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection: requests one after the other.
 *
 * The front end's thread reads.  While a request is answered, the next one is
 * read but not begun; then reading rests.  The thread that has the answer sends
 * it, without waking the front end's: that one sends only what did not fit into
 * the socket, and all that goes through TLS. */

#include <string.h>

#include "tools/serve/rest/private.h"

#define MOST_REQUEST_US (60 * G_USEC_PER_SEC) /* between two parts of one */
#define MOST_IDLE_US (600 * G_USEC_PER_SEC)   /* between two requests */
/* A client that is refused may still be sending; closed at once, it would not
 * see why. */
#define MOST_FAREWELL_US (2 * G_USEC_PER_SEC)
#define MOST_RECEIPTS 16 /* before other connections have their turn */

struct _RestConnection
{
  gatomicrefcount refs;
  ServeRest *rest;
  gboolean metrics;
  ProtocolHttpStream stream;
  /* The thread's. */
  ProtocolHttp *http;
  GSource *reading, *writing;   /* nullable */
  gint64 used;                  /* when something has come last, µs */
  gboolean farewell;            /* what comes is dropped */
  ProtocolHttpProgress pending; /* of the request that rests */
  gboolean ended;               /* nothing more comes */
  GError *malformed;            /* of `http` */

  GMutex lock;
  RestExchange *exchange; /* that is answered now; nullable */
  gboolean rests;         /* the next request is there, or the end */
  gboolean closed;
};

static gboolean on_readable (gpointer connection);
static gboolean send_rest (gpointer exchange);
static void handle (RestConnection *self, ProtocolHttpProgress progress);

static RestConnection *
connection_ref (RestConnection *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
connection_unref (gpointer data)
{
  RestConnection *self = data;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  protocol_http_free (self->http);
  g_clear_error (&self->malformed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Its request in progress goes on, and its answer is dropped. */
void
rest_connection_close (RestConnection *self)
{
  RestExchange *sending = self->writing != NULL ? self->exchange : NULL;

  protocol_http_stream_unwatch (&self->reading);
  protocol_http_stream_unwatch (&self->writing);
  g_mutex_lock (&self->lock);
  const gboolean was_open = !self->closed;
  self->closed = TRUE;
  if (was_open && self->exchange != NULL)
    g_atomic_int_set (&self->exchange->gone, TRUE);
  protocol_http_stream_close (&self->stream);
  g_mutex_unlock (&self->lock);
  if (sending != NULL)
    send_rest (sending);
  if (was_open && serve_lane_remove (self->rest->lane, self))
    connection_unref (self);
}

/* --- sources --- */

static void
start_reading (RestConnection *self)
{
  if (self->reading != NULL || self->closed)
    return;
  self->reading =
      protocol_http_stream_watch (&self->stream, FALSE, self->rest->context,
          on_readable, connection_ref (self), connection_unref);
}

/* --- answers --- */

static void
say_farewell (RestConnection *self)
{
  self->farewell = TRUE;
  self->used = g_get_monotonic_time ();
  if (self->stream.tls == NULL)
    g_socket_shutdown (self->stream.socket, FALSE, TRUE, NULL);
  start_reading (self);
}

/* On the thread: goes on after the answer was sent. */
static void
go_on (RestConnection *self, gboolean closes)
{
  if (self->closed)
    return;
  self->used = g_get_monotonic_time ();
  if (closes) {
    say_farewell (self);
    return;
  }
  if (self->ended) {
    rest_connection_close (self);
    return;
  }
  const ProtocolHttpProgress progress = self->pending;
  self->pending = PROTOCOL_HTTP_MORE;
  g_mutex_lock (&self->lock);
  self->rests = FALSE;
  g_mutex_unlock (&self->lock);
  start_reading (self);
  handle (self, progress);
}

/* With the lock held: sends what can be sent.  DONE: the exchange is over. */
static ProtocolStreamResult
send_some (RestConnection *self, RestExchange *exchange)
{
  const ProtocolStreamResult result =
      self->closed
          ? PROTOCOL_STREAM_FAILED
          : protocol_http_stream_send (&self->stream, &exchange->message, NULL);

  if (result != PROTOCOL_STREAM_WAIT)
    self->exchange = NULL;
  return result;
}

static gboolean
on_writable (gpointer data)
{
  RestConnection *self = data;

  protocol_http_stream_unwatch (&self->writing);
  send_rest (self->exchange);
  return G_SOURCE_REMOVE;
}

/* On the thread. */
static gboolean
send_rest (gpointer data)
{
  RestExchange *exchange = data;
  RestConnection *self = connection_ref (exchange->connection);

  g_mutex_lock (&self->lock);
  const ProtocolStreamResult result = send_some (self, exchange);
  g_mutex_unlock (&self->lock);
  if (result == PROTOCOL_STREAM_WAIT) {
    self->writing =
        protocol_http_stream_watch (&self->stream, TRUE, self->rest->context,
            on_writable, connection_ref (self), connection_unref);
  } else {
    if (result == PROTOCOL_STREAM_DONE)
      go_on (self, exchange->closes);
    else
      rest_connection_close (self);
    rest_exchange_free (exchange);
    connection_unref (self); /* of the exchange */
  }
  connection_unref (self);
  return G_SOURCE_REMOVE;
}

void
rest_connection_send (RestConnection *self, RestExchange *exchange)
{
  ProtocolStreamResult result = PROTOCOL_STREAM_WAIT;
  gboolean rests = FALSE;

  g_mutex_lock (&self->lock);
  if (self->stream.tls == NULL && !exchange->closes && !self->rests)
    result = send_some (self, exchange);
  rests = self->rests;
  g_mutex_unlock (&self->lock);
  if (result == PROTOCOL_STREAM_DONE && !rests) {
    rest_exchange_free (exchange);
    connection_unref (self);
  } else {
    g_main_context_invoke (self->rest->context, send_rest, exchange);
  }
}

/* --- requests --- */

static RestExchange *
begin_exchange (RestConnection *self, gboolean closes)
{
  RestExchange *exchange =
      rest_exchange_new (self->rest, connection_ref (self));
  const char *method = protocol_http_method (self->http);

  exchange->headless = method != NULL && g_str_equal (method, "HEAD");
  exchange->metrics = self->metrics;
  exchange->closes = closes;
  exchange->http = self->http;
  g_mutex_lock (&self->lock);
  self->exchange = exchange;
  self->rests = closes;
  g_mutex_unlock (&self->lock);
  if (closes)
    protocol_http_stream_unwatch (&self->reading);
  return exchange;
}

/* Answers without reading on. */
static void
refuse (RestConnection *self, guint status, const char *text)
{
  rest_exchange_fail_status (begin_exchange (self, TRUE), status, text);
}

static gboolean
is_open_path (const char *path)
{
  return g_str_has_prefix (path, "/v2/health/");
}

/* Before the body.  FALSE: refused. */
static gboolean
check_head (RestConnection *self)
{
  const char *authorization =
      protocol_http_header (self->http, "Authorization");

  if (!self->metrics && !is_open_path (protocol_http_path (self->http))
      && !serve_server_allows (self->rest->server, authorization,
          authorization != NULL ? strlen (authorization) : 0)) {
    refuse (self, 401,
        "the header 'Authorization' must be 'Bearer TOKEN', with the server's "
        "token");
    return FALSE;
  }
  if (protocol_http_header (self->http, "Content-Encoding") != NULL) {
    refuse (self, 415, "compressed requests are not supported");
    return FALSE;
  }
  return TRUE;
}

/* A client that waits for it sends its body after a while without it, too. */
static void
encourage (RestConnection *self)
{
  const char *expect = protocol_http_header (self->http, "Expect");
  ProtocolHttpMessage message;

  if (expect == NULL || g_ascii_strcasecmp (expect, "100-continue") != 0)
    return;
  protocol_http_message_init (&message);
  g_string_append (message.head, "HTTP/1.1 100 Continue\r\n\r\n");
  protocol_http_stream_send (&self->stream, &message, NULL);
  protocol_http_message_clear (&message);
}

static void
dispatch (RestConnection *self)
{
  rest_route (begin_exchange (self, !protocol_http_stays (self->http)));
  if (!self->closed && !self->farewell)
    protocol_http_next (self->http);
}

/* Whether a request is answered now; then the next one, which has come, or the
 * end rests until go_on. */
static gboolean
rest_behind_answer (RestConnection *self)
{
  g_mutex_lock (&self->lock);
  const gboolean busy = self->exchange != NULL;
  self->rests = self->rests || busy;
  g_mutex_unlock (&self->lock);
  if (busy)
    protocol_http_stream_unwatch (&self->reading);
  return busy;
}

/* Handles the bytes that have been read. */
static void
handle (RestConnection *self, ProtocolHttpProgress progress)
{
  while (progress != PROTOCOL_HTTP_MORE) {
    if (rest_behind_answer (self)) {
      self->pending = progress;
      return;
    }
    if (progress == PROTOCOL_HTTP_FAILED) {
      refuse (
          self, protocol_http_status (self->http), self->malformed->message);
      return;
    }
    if (progress == PROTOCOL_HTTP_DONE)
      dispatch (self);
    else if (check_head (self))
      encourage (self);
    if (self->closed || self->farewell || self->reading == NULL)
      return;
    progress = protocol_http_add (self->http, 0, &self->malformed);
  }
}

static void
on_end (RestConnection *self)
{
  self->ended = TRUE;
  if (!rest_behind_answer (self))
    rest_connection_close (self);
}

static void
drop_received (RestConnection *self)
{
  guint8 space[8192];
  gsize n;

  const ProtocolStreamResult result = protocol_http_stream_receive (
      &self->stream, space, sizeof space, &n, NULL);
  if (result == PROTOCOL_STREAM_END || result == PROTOCOL_STREAM_FAILED)
    rest_connection_close (self);
}

static void
receive (RestConnection *self)
{
  for (guint i = 0; i < MOST_RECEIPTS && self->reading != NULL; i++) {
    gsize size, n;
    guint8 *space = protocol_http_space (self->http, &size);

    switch (
        protocol_http_stream_receive (&self->stream, space, size, &n, NULL)) {
      case PROTOCOL_STREAM_WAIT:
        return;
      case PROTOCOL_STREAM_END:
        on_end (self);
        return;
      case PROTOCOL_STREAM_FAILED:
        rest_connection_close (self);
        return;
      case PROTOCOL_STREAM_DONE:
        self->used = g_get_monotonic_time ();
        handle (self, protocol_http_add (self->http, n, &self->malformed));
        break;
    }
    /* Less than asked for: the socket has no more. */
    if (self->farewell || (n < size && self->stream.tls == NULL))
      return;
  }
}

static gboolean
on_readable (gpointer data)
{
  RestConnection *self = data;

  connection_ref (self);
  if (self->farewell)
    drop_received (self);
  else
    receive (self);
  connection_unref (self);
  return G_SOURCE_CONTINUE;
}

/* --- lifetime --- */

void
rest_connection_open (
    ServeRest *rest, GSocket *socket, GIOStream *tls, gboolean metrics)
{
  RestConnection *self = g_new0 (RestConnection, 1);
  g_atomic_ref_count_init (&self->refs);
  self->rest = rest;
  self->metrics = metrics;
  self->pending = PROTOCOL_HTTP_MORE;
  self->used = g_get_monotonic_time ();
  self->http = protocol_http_new (
      TRUE, (gsize) rest->server->settings->max_message_mb << 20);
  g_mutex_init (&self->lock);
  protocol_http_stream_init (&self->stream, socket, tls);
  serve_lane_add (rest->lane, self);
  start_reading (self);
}

void
rest_connection_check (RestConnection *self, gint64 now)
{
  const gint64 most = self->farewell                        ? MOST_FAREWELL_US
                      : protocol_http_is_empty (self->http) ? MOST_IDLE_US
                                                            : MOST_REQUEST_US;

  g_mutex_lock (&self->lock);
  const gboolean busy = self->exchange != NULL;
  g_mutex_unlock (&self->lock);
  if (!busy && now - self->used > most)
    rest_connection_close (self);
}
