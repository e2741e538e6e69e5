/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/serve/http2.h"

/* --- what comes --- */

static int
on_header (nghttp2_session *session, const nghttp2_frame *frame,
    const guint8 *name, size_t name_length, const guint8 *value,
    size_t value_length, guint8 flags, void *data)
{
  Call *call =
      nghttp2_session_get_stream_user_data (session, frame->hd.stream_id);

  g_hash_table_replace (call->headers,
      g_strndup ((const char *) name, name_length),
      g_strndup ((const char *) value, value_length));
  return 0;
}

static int
on_data (nghttp2_session *session, guint8 flags, gint32 id, const guint8 *bytes,
    size_t size, void *data)
{
  Call *call = nghttp2_session_get_stream_user_data (session, id);

  g_byte_array_append (call->data, bytes, (guint) size);
  return 0;
}

static void
note_goaway (Client *client, const nghttp2_goaway *frame)
{
  client->goaway = TRUE;
  client->goaway_error = frame->error_code;
  if (frame->opaque_data_len == 0)
    return;
  g_free (client->goaway_text);
  client->goaway_text =
      g_strndup ((const char *) frame->opaque_data, frame->opaque_data_len);
}

static int
on_frame (nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
  Client *client = data;

  switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
      client->settled = TRUE;
      for (gsize i = 0; i < frame->settings.niv; i++) {
        const gint32 id = frame->settings.iv[i].settings_id;

        if (id < (gint32) G_N_ELEMENTS (client->settings))
          client->settings[id] = frame->settings.iv[i].value;
      }
      break;
    case NGHTTP2_PING:
      client->pongs += (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
      break;
    case NGHTTP2_GOAWAY:
      note_goaway (client, &frame->goaway);
      break;
    case NGHTTP2_HEADERS: {
      Call *call =
          nghttp2_session_get_stream_user_data (session, frame->hd.stream_id);
      call->n_blocks++;
      break;
    }
    default:
      break;
  }
  return 0;
}

static int
on_close (nghttp2_session *session, gint32 id, guint32 error, void *data)
{
  Call *call = nghttp2_session_get_stream_user_data (session, id);

  if (call != NULL) {
    call->over = TRUE;
    call->error = error;
  }
  return 0;
}

/* --- what goes --- */

static ssize_t
on_send (nghttp2_session *session, const guint8 *bytes, size_t size, int flags,
    void *data)
{
  Client *client = data;
  const gssize sent = send (client->fd, bytes, size, MSG_NOSIGNAL);

  client->closed = client->closed || sent < 0;
  return sent < 0 ? (ssize_t) size : sent;
}

static ssize_t
on_read (nghttp2_session *session, gint32 id, guint8 *buffer, size_t most,
    guint32 *flags, nghttp2_data_source *source, void *data)
{
  Call *call = source->ptr;
  const guint n = (guint) MIN (most, call->out->len);

  if (n > 0)
    memcpy (buffer, call->out->data, n);
  g_byte_array_remove_range (call->out, 0, n);
  if (call->ends && call->out->len == 0)
    *flags |= NGHTTP2_DATA_FLAG_EOF;
  else if (n == 0)
    call->waits = TRUE;
  return n == 0 && call->waits ? NGHTTP2_ERR_DEFERRED : (ssize_t) n;
}

/* --- a client --- */

static int
connect_to (guint port)
{
  const struct sockaddr_in address = { .sin_family = AF_INET,
    .sin_port = htons ((guint16) port),
    .sin_addr = { htonl (INADDR_LOOPBACK) } };
  const int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (
      connect (fd, (const struct sockaddr *) &address, sizeof address), ==, 0);
  return fd;
}

Client *
client_new (guint port, guint32 window)
{
  const nghttp2_settings_entry settings[] = {
    { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window },
  };
  Client *client = g_new0 (Client, 1);
  nghttp2_session_callbacks *callbacks;

  client->fd = connect_to (port);
  nghttp2_session_callbacks_new (&callbacks);
  nghttp2_session_callbacks_set_on_header_callback (callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback (
      callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback (callbacks, on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback (callbacks, on_close);
  nghttp2_session_callbacks_set_send_callback (callbacks, on_send);
  nghttp2_session_client_new (&client->session, callbacks, client);
  nghttp2_session_callbacks_del (callbacks);
  nghttp2_submit_settings (
      client->session, NGHTTP2_FLAG_NONE, settings, G_N_ELEMENTS (settings));
  g_assert_true (client_run (client, &client->settled, 20));
  return client;
}

void
client_free (Client *client)
{
  nghttp2_session_del (client->session);
  close (client->fd);
  g_free (client->goaway_text);
  g_free (client);
}

gboolean
client_run (Client *client, const gboolean *flag, double seconds)
{
  const gint64 until =
      g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  guint8 space[65536];

  for (;;) {
    struct pollfd ready = { client->fd, POLLIN, 0 };

    nghttp2_session_send (client->session);
    if (*flag)
      return TRUE;
    const gint64 left = until - g_get_monotonic_time ();
    if (left <= 0 || client->closed)
      return FALSE;
    if (poll (&ready, 1, (int) (left / 1000) + 1) <= 0)
      continue;
    const gssize n = recv (client->fd, space, sizeof space, 0);
    if (n <= 0)
      client->closed = TRUE;
    else
      nghttp2_session_mem_recv (client->session, space, (gsize) n);
  }
}

/* --- a call --- */

#define MOST_HEADERS 16

static guint
set_header (
    const char *(*list)[2], guint n, const char *name, const char *value)
{
  guint i = 0;

  while (i < n && !g_str_equal (list[i][0], name))
    i++;
  g_assert_cmpuint (i, <, MOST_HEADERS);
  list[i][0] = name;
  list[i][1] = value;
  return MAX (n, i + 1);
}

static nghttp2_nv
pair (const char *name, const char *value)
{
  return (nghttp2_nv){ (guint8 *) (guintptr) name, (guint8 *) (guintptr) value,
    strlen (name), strlen (value), NGHTTP2_NV_FLAG_NONE };
}

Call *
client_call (Client *client, const char *path, gconstpointer body, gsize n,
    gboolean ends, const char *const *headers)
{
  const char *list[MOST_HEADERS][2] = { { ":method", "POST" },
    { ":scheme", "http" }, { ":path", path }, { ":authority", "localhost" },
    { "te", "trailers" }, { "content-type", "application/grpc" } };
  guint n_list = 6, n_sent = 0;
  nghttp2_nv sent[MOST_HEADERS];
  Call *call = g_new0 (Call, 1);

  for (; headers != NULL && headers[0] != NULL; headers += 2)
    n_list = set_header (list, n_list, headers[0], headers[1]);
  for (guint i = 0; i < n_list; i++)
    if (list[i][1][0] != '\0')
      sent[n_sent++] = pair (list[i][0], list[i][1]);
  *call = (Call){ .client = client,
    .out = g_byte_array_new (),
    .ends = ends,
    .headers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
    .data = g_byte_array_new () };
  g_byte_array_append (call->out, body, (guint) n);
  const nghttp2_data_provider provider = { { .ptr = call }, on_read };
  call->id = nghttp2_submit_request (
      client->session, NULL, sent, n_sent, &provider, call);
  g_assert_cmpint (call->id, >, 0);
  return call;
}

void
call_write (Call *call, gconstpointer data, gsize n, gboolean ends)
{
  g_byte_array_append (call->out, data, (guint) n);
  call->ends = ends;
  if (call->waits)
    nghttp2_session_resume_data (call->client->session, call->id);
  call->waits = FALSE;
}

void
call_finish (Call *call)
{
  g_assert_true (client_run (call->client, &call->over, 30));
}

const char *
call_header (const Call *call, const char *name)
{
  return g_hash_table_lookup (call->headers, name);
}

void
call_free (Call *call)
{
  if (!call->over)
    nghttp2_session_set_stream_user_data (
        call->client->session, call->id, NULL);
  g_byte_array_unref (call->out);
  g_byte_array_unref (call->data);
  g_hash_table_unref (call->headers);
  g_free (call);
}
