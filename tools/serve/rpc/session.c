/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What nghttp2 tells of a connection's frames, and what a client may do with
 * them. */

#include <string.h>

#include "tools/serve/rpc/private.h"

#define MOST_STREAMS 1000
#define FRAME_BYTES (1 << 20)
/* All streams together; each may have its own window beyond it only by turns.
 */
#define CONNECTION_WINDOW_BYTES (16 << 20)
/* A client that asks whether we are there more often, while we send it nothing,
 * is told so after two times. */
#define LEAST_PING_US (5 * G_USEC_PER_SEC)
#define MOST_STRIKES 2
/* Streams that a client opens and resets at once, or malformed ones. */
#define MOST_RESETS 1000

void
rpc_session_complain (RpcConnection *self, const char *reason)
{
  nghttp2_session *session = self->session;

  nghttp2_submit_goaway (session, NGHTTP2_FLAG_NONE,
      nghttp2_session_get_last_proc_stream_id (session),
      NGHTTP2_ENHANCE_YOUR_CALM, (const guint8 *) reason, strlen (reason));
  nghttp2_session_terminate_session (session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static void
count_reset (RpcConnection *self)
{
  if (++self->resets == MOST_RESETS)
    rpc_session_complain (self, "too_many_resets");
}

/* --- what comes --- */

static int
on_begin_headers (
    nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
  if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
    return 0;
  nghttp2_session_set_stream_user_data (
      session, frame->hd.stream_id, rpc_call_new (data, frame->hd.stream_id));
  return 0;
}

static int
on_header (nghttp2_session *session, const nghttp2_frame *frame,
    nghttp2_rcbuf *name, nghttp2_rcbuf *value, guint8 flags, void *data)
{
  RpcCall *call =
      frame->headers.cat == NGHTTP2_HCAT_REQUEST
          ? nghttp2_session_get_stream_user_data (session, frame->hd.stream_id)
          : NULL;

  if (call != NULL) {
    const nghttp2_vec n = nghttp2_rcbuf_get_buf (name),
                      v = nghttp2_rcbuf_get_buf (value);

    rpc_call_add_header (
        call, (const char *) n.base, n.len, (const char *) v.base, v.len);
  }
  return 0;
}

static int
on_data (nghttp2_session *session, guint8 flags, gint32 id, const guint8 *bytes,
    size_t size, void *data)
{
  RpcCall *call = nghttp2_session_get_stream_user_data (session, id);

  if (call != NULL)
    rpc_call_add (call, bytes, size);
  else
    nghttp2_session_consume (session, id, size);
  return 0;
}

static void
on_ping (RpcConnection *self)
{
  const gint64 now = g_get_monotonic_time ();
  const gboolean early =
      self->pinged != 0 && now - self->pinged < LEAST_PING_US;

  self->pinged = now;
  if (early && ++self->strikes > MOST_STRIKES)
    rpc_session_complain (self, "too_many_pings");
}

/* The client has seen that no further streams are taken. */
static void
on_pong (RpcConnection *self)
{
  nghttp2_session *session = self->session;

  if (self->lane->draining)
    nghttp2_submit_goaway (session, NGHTTP2_FLAG_NONE,
        nghttp2_session_get_last_proc_stream_id (session), NGHTTP2_NO_ERROR,
        NULL, 0);
}

static int
on_frame (nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
  RpcConnection *self = data;
  RpcCall *call =
      frame->hd.stream_id != 0
          ? nghttp2_session_get_stream_user_data (session, frame->hd.stream_id)
          : NULL;
  const gboolean acknowledges = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;

  switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
      self->settled = TRUE;
      break;
    case NGHTTP2_PING:
      if (acknowledges)
        on_pong (self);
      else
        on_ping (self);
      break;
    case NGHTTP2_RST_STREAM:
      if (call != NULL && !call->finished)
        count_reset (self);
      break;
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
      if (call == NULL)
        break;
      if (frame->hd.type == NGHTTP2_HEADERS
          && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        rpc_call_begin (call);
      if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
        rpc_call_end (call);
      break;
    default:
      break;
  }
  return 0;
}

static int
on_invalid_frame (
    nghttp2_session *session, const nghttp2_frame *frame, int error, void *data)
{
  count_reset (data);
  return 0;
}

static int
on_stream_close (nghttp2_session *session, gint32 id, guint32 error, void *data)
{
  RpcCall *call = nghttp2_session_get_stream_user_data (session, id);

  if (call != NULL) {
    nghttp2_session_set_stream_user_data (session, id, NULL);
    rpc_call_close (call);
  }
  return 0;
}

/* --- what goes --- */

static ssize_t
on_send (nghttp2_session *session, const guint8 *bytes, size_t size, int flags,
    void *data)
{
  RpcConnection *self = data;

  protocol_parts_append (&self->out.parts, bytes, size);
  return (ssize_t) size;
}

/* A client that still sends need not, once it has its answer. */
static int
on_sent (nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
  RpcConnection *self = data;
  const gint32 id = frame->hd.stream_id;

  if (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA
      || frame->hd.type == NGHTTP2_WINDOW_UPDATE) {
    self->pinged = 0;
    self->strikes = 0;
  }
  if (frame->hd.type == NGHTTP2_HEADERS
      && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0
      && nghttp2_session_get_stream_remote_close (session, id) == 0)
    nghttp2_submit_rst_stream (
        session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
  return 0;
}

/* --- a session --- */

nghttp2_session_callbacks *
rpc_session_callbacks_new (void)
{
  nghttp2_session_callbacks *callbacks;

  nghttp2_session_callbacks_new (&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback (
      callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback2 (callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback (
      callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback (callbacks, on_frame);
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback (
      callbacks, on_invalid_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback (
      callbacks, on_stream_close);
  nghttp2_session_callbacks_set_send_callback (callbacks, on_send);
  nghttp2_session_callbacks_set_send_data_callback (callbacks, rpc_answer_send);
  nghttp2_session_callbacks_set_on_frame_send_callback (callbacks, on_sent);
  return callbacks;
}

nghttp2_option *
rpc_session_options_new (void)
{
  nghttp2_option *options;

  nghttp2_option_new (&options);
  nghttp2_option_set_no_auto_window_update (options, 1);
  nghttp2_option_set_no_closed_streams (options, 1);
  return options;
}

nghttp2_session *
rpc_session_new (RpcConnection *connection)
{
  const nghttp2_settings_entry settings[] = {
    { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MOST_STREAMS },
    { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, RPC_WINDOW_BYTES },
    { NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_BYTES },
    { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, RPC_HEADER_BYTES },
    /* Streams are equal. */
    { NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1 },
  };
  nghttp2_session *session;

  if (nghttp2_session_server_new2 (&session, connection->rpc->callbacks,
          connection, connection->rpc->options)
      != 0)
    return NULL;
  nghttp2_submit_settings (
      session, NGHTTP2_FLAG_NONE, settings, G_N_ELEMENTS (settings));
  nghttp2_session_set_local_window_size (
      session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES);
  return session;
}
