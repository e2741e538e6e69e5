/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection: its socket, and when it is closed. */

#include "tools/serve/rpc/private.h"

/* A peer that is silent for so long is asked whether it is there, and dropped
 * if it does not answer. */
#define MOST_SILENCE_US (60 * G_USEC_PER_SEC)
#define MOST_REFLECTION_US (20 * G_USEC_PER_SEC)
#define MOST_HANDSHAKE_US (20 * G_USEC_PER_SEC)
/* A client that is sent away may still be sending; closed at once, it would not
 * see why. */
#define MOST_FAREWELL_US (2 * G_USEC_PER_SEC)
#define MOST_RECEIPTS 16   /* before other connections have their turn */
#define FORGIVEN_RESETS 50 /* a second */
#define SMALL_OUT (16 << 10)

RpcConnection *
rpc_connection_ref (RpcConnection *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
rpc_connection_unref (gpointer data)
{
  RpcConnection *self = data;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  rpc_answers_clear (&self->held);
  protocol_http_message_clear (&self->out);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- sending --- */

/* With the lock held. */
static void
set_waits (RpcConnection *self, gboolean waits)
{
  if (self->waits != waits)
    g_atomic_int_add (&self->rpc->unsent, waits ? 1 : -1);
  self->waits = waits;
}

static void
reset_out (RpcConnection *self)
{
  ProtocolParts *parts = &self->out.parts;

  if (parts->size == 0)
    return;
  if (parts->buffer->len > SMALL_OUT) {
    protocol_parts_clear (parts);
    protocol_parts_init (parts);
  } else {
    g_byte_array_set_size (parts->buffer, 0);
    g_array_set_size (parts->parts, 0);
  }
  parts->size = self->out.sent = 0;
  rpc_answers_clear (&self->held);
}

/* With the lock held: sends what the session has.  Nothing is added to what
 * the socket has not taken: TLS wants to be asked again for the same bytes. */
static ProtocolStreamResult
send_some (RpcConnection *self)
{
  ProtocolStreamResult result;

  if (self->session == NULL || self->broken)
    return PROTOCOL_STREAM_FAILED;
  while ((result = protocol_http_stream_send (&self->stream, &self->out, NULL))
         == PROTOCOL_STREAM_DONE) {
    reset_out (self);
    if (nghttp2_session_send (self->session) != 0) {
      result = PROTOCOL_STREAM_FAILED;
      break;
    }
    if (self->out.parts.size == 0)
      return PROTOCOL_STREAM_DONE;
  }
  self->broken = result != PROTOCOL_STREAM_WAIT;
  return result;
}

static gboolean
has_unsent (const RpcConnection *self)
{
  return self->session != NULL && !self->broken
         && (nghttp2_session_want_write (self->session) != 0
             || !protocol_http_message_is_sent (&self->out));
}

static gboolean send_rest (gpointer self);

static gboolean
on_writable (gpointer self)
{
  send_rest (self);
  return G_SOURCE_CONTINUE;
}

/* On the thread. */
static gboolean
send_rest (gpointer data)
{
  RpcConnection *self = data;

  g_mutex_lock (&self->lock);
  const gboolean waits = send_some (self) == PROTOCOL_STREAM_WAIT;
  set_waits (self, waits);
  g_mutex_unlock (&self->lock);
  if (!waits)
    protocol_http_stream_unwatch (&self->writing);
  else if (self->writing == NULL)
    self->writing =
        protocol_http_stream_watch (&self->stream, TRUE, self->lane->context,
            on_writable, rpc_connection_ref (self), rpc_connection_unref);
  return G_SOURCE_REMOVE;
}

void
rpc_connection_lock (RpcConnection *self)
{
  g_mutex_lock (&self->lock);
}

void
rpc_connection_unlock (RpcConnection *self)
{
  const gboolean leaves =
      !self->waits
      && (self->stream.tls != NULL ? has_unsent (self)
                                   : send_some (self) == PROTOCOL_STREAM_WAIT);

  if (leaves)
    set_waits (self, TRUE);
  g_mutex_unlock (&self->lock);
  if (leaves)
    g_main_context_invoke_full (self->lane->context, G_PRIORITY_DEFAULT,
        send_rest, rpc_connection_ref (self), rpc_connection_unref);
}

/* --- the end --- */

void
rpc_connection_close (RpcConnection *self)
{
  GList *link;
  RpcCall *call;

  protocol_http_stream_unwatch (&self->reading);
  protocol_http_stream_unwatch (&self->writing);
  while ((call = g_queue_pop_head (&self->ready)) != NULL)
    rpc_call_unref (call);
  g_mutex_lock (&self->lock);
  const gboolean was_open = self->session != NULL;
  while ((link = g_queue_peek_head_link (&self->calls)) != NULL)
    rpc_call_close (link->data);
  g_clear_pointer (&self->session, nghttp2_session_del);
  protocol_http_stream_close (&self->stream);
  set_waits (self, FALSE);
  g_mutex_unlock (&self->lock);
  if (was_open && serve_lane_remove (self->lane->lane, self))
    rpc_connection_unref (self);
}

static void
say_farewell (RpcConnection *self)
{
  self->farewell = TRUE;
  self->used = g_get_monotonic_time ();
  if (self->stream.tls == NULL)
    g_socket_shutdown (self->stream.socket, FALSE, TRUE, NULL);
}

/* On the thread: ends what the session or the socket has ended. */
static void
end_if_over (RpcConnection *self)
{
  if (self->session == NULL || self->farewell)
    return;
  g_mutex_lock (&self->lock);
  const gboolean broken = self->broken,
                 over = nghttp2_session_want_read (self->session) == 0
                        && !has_unsent (self);
  g_mutex_unlock (&self->lock);
  if (broken)
    rpc_connection_close (self);
  else if (over)
    say_farewell (self);
}

/* --- receiving --- */

/* Gives the session what has come, and runs the calls that have a message. */
static void
handle (RpcConnection *self, const guint8 *bytes, gsize n)
{
  RpcCall *call;

  self->used = g_get_monotonic_time ();
  self->asked = 0;
  rpc_connection_lock (self);
  if (nghttp2_session_mem_recv (self->session, bytes, n) < 0)
    self->broken = TRUE;
  if (self->ready.length == 0) {
    rpc_connection_unlock (self);
    return;
  }
  g_mutex_unlock (&self->lock);
  while ((call = g_queue_pop_head (&self->ready)) != NULL) {
    rpc_call_run (call);
    rpc_call_unref (call);
  }
  /* Frames that no answer was sent with: window updates, acknowledgements. */
  rpc_connection_lock (self);
  rpc_connection_unlock (self);
}

static void
receive (RpcConnection *self)
{
  guint8 *space = self->lane->space;

  for (guint i = 0; i < MOST_RECEIPTS && self->session != NULL; i++) {
    gsize n;
    const ProtocolStreamResult result = protocol_http_stream_receive (
        &self->stream, space, RPC_SPACE_BYTES, &n, NULL);

    if (result == PROTOCOL_STREAM_WAIT)
      return;
    if (result != PROTOCOL_STREAM_DONE) {
      rpc_connection_close (self);
      return;
    }
    if (!self->farewell)
      handle (self, space, n);
    end_if_over (self);
    /* Less than asked for: the socket has no more. */
    if (n < RPC_SPACE_BYTES && self->stream.tls == NULL)
      return;
  }
}

static gboolean
on_readable (gpointer data)
{
  RpcConnection *self = data;

  rpc_connection_ref (self);
  receive (self);
  rpc_connection_unref (self);
  return G_SOURCE_CONTINUE;
}

/* --- lifetime --- */

void
rpc_connection_open (RpcLane *lane, GSocket *socket, GIOStream *tls)
{
  RpcConnection *self = g_new0 (RpcConnection, 1);

  g_atomic_ref_count_init (&self->refs);
  self->rpc = lane->rpc;
  self->lane = lane;
  self->opened = self->used = g_get_monotonic_time ();
  g_queue_init (&self->ready);
  g_queue_init (&self->calls);
  g_queue_init (&self->held);
  g_mutex_init (&self->lock);
  protocol_http_message_init (&self->out);
  protocol_http_stream_init (&self->stream, socket, tls);
  self->session = rpc_session_new (self);
  if (self->session == NULL) {
    protocol_http_stream_close (&self->stream);
    rpc_connection_unref (self);
    return;
  }
  serve_lane_add (lane->lane, self);
  self->reading =
      protocol_http_stream_watch (&self->stream, FALSE, lane->context,
          on_readable, rpc_connection_ref (self), rpc_connection_unref);
  rpc_connection_lock (self);
  rpc_connection_unlock (self);
}

void
rpc_connection_check (RpcConnection *self, gint64 now)
{
  const gint64 silence = now - self->used;

  rpc_connection_lock (self);
  self->resets -= MIN (self->resets, FORGIVEN_RESETS);
  if (self->settled && !self->farewell && self->asked == 0
      && silence > MOST_SILENCE_US) {
    self->asked = now;
    nghttp2_submit_ping (self->session, NGHTTP2_FLAG_NONE, NULL);
  }
  rpc_connection_unlock (self);
  if ((!self->settled && now - self->opened > MOST_HANDSHAKE_US)
      || (self->farewell && silence > MOST_FAREWELL_US)
      || (self->asked != 0 && now - self->asked > MOST_REFLECTION_US))
    rpc_connection_close (self);
  else
    end_if_over (self);
}

void
rpc_connection_drain (RpcConnection *self)
{
  rpc_connection_lock (self);
  nghttp2_submit_shutdown_notice (self->session);
  nghttp2_submit_ping (self->session, NGHTTP2_FLAG_NONE, NULL);
  rpc_connection_unlock (self);
}

void
rpc_connection_cancel (RpcConnection *self)
{
  rpc_connection_lock (self);
  for (GList *at = self->calls.head; at != NULL; at = at->next) {
    RpcCall *call = at->data;

    g_atomic_int_set (&call->gone, TRUE);
    rpc_answer_finish (
        call, PROTOCOL_GRPC_UNAVAILABLE, "the server is shutting down");
  }
  nghttp2_submit_goaway (self->session, NGHTTP2_FLAG_NONE,
      nghttp2_session_get_last_proc_stream_id (self->session), NGHTTP2_NO_ERROR,
      NULL, 0);
  rpc_connection_unlock (self);
}

void
rpc_connection_expire (RpcConnection *self, gint64 now)
{
  rpc_connection_lock (self);
  for (GList *at = self->calls.head; at != NULL; at = at->next) {
    RpcCall *call = at->data;

    if (call->deadline == 0 || call->finished)
      continue;
    if (call->deadline <= now) {
      g_atomic_int_set (&call->gone, TRUE);
      rpc_answer_finish (
          call, PROTOCOL_GRPC_DEADLINE_EXCEEDED, "the call's deadline is over");
    } else {
      self->lane->next_deadline =
          MIN (self->lane->next_deadline, call->deadline);
    }
  }
  rpc_connection_unlock (self);
}
