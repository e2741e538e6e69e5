/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/http/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define MOST_PIECES 16

void
protocol_http_message_init (ProtocolHttpMessage *message)
{
  message->head = g_string_new (NULL);
  protocol_parts_init (&message->parts);
  message->sent = 0;
}

void
protocol_http_message_clear (ProtocolHttpMessage *message)
{
  if (message->head != NULL)
    g_string_free (g_steal_pointer (&message->head), TRUE);
  protocol_parts_clear (&message->parts);
}

gboolean
protocol_http_message_is_sent (const ProtocolHttpMessage *message)
{
  return message->sent == message->head->len + message->parts.size;
}

void
protocol_http_stream_init (
    ProtocolHttpStream *stream, GSocket *socket, GIOStream *tls)
{
  stream->socket = g_object_ref (socket);
  stream->tls = tls;
  g_socket_set_option (stream->socket, IPPROTO_TCP, TCP_NODELAY, 1, NULL);
}

static void
on_closed (GObject *stream, GAsyncResult *result, gpointer socket)
{
  g_io_stream_close_finish (G_IO_STREAM (stream), result, NULL);
  g_socket_close (socket, NULL);
  g_object_unref (socket);
}

/* TLS says goodbye, which may take as long as the peer wants. */
void
protocol_http_stream_close (ProtocolHttpStream *stream)
{
  if (stream->socket == NULL)
    return;
  if (stream->tls != NULL) {
    g_io_stream_close_async (stream->tls, G_PRIORITY_DEFAULT, NULL, on_closed,
        g_object_ref (stream->socket));
    g_clear_object (&stream->tls);
  } else {
    g_socket_close (stream->socket, NULL);
  }
  g_clear_object (&stream->socket);
}

typedef struct
{
  GSourceFunc call;
  gpointer data;
  GDestroyNotify release;
} Callback;

static void
callback_free (gpointer data)
{
  Callback *callback = data;

  callback->release (callback->data);
  g_free (callback);
}

static gboolean
on_socket_ready (GSocket *socket, GIOCondition condition, gpointer data)
{
  const Callback *callback = data;

  return callback->call (callback->data);
}

static gboolean
on_tls_ready (GObject *stream, gpointer data)
{
  const Callback *callback = data;

  return callback->call (callback->data);
}

static GSource *
make_source (ProtocolHttpStream *stream, gboolean write)
{
  if (stream->tls == NULL)
    return g_socket_create_source (
        stream->socket, write ? G_IO_OUT : G_IO_IN, NULL);
  if (write)
    return g_pollable_output_stream_create_source (
        G_POLLABLE_OUTPUT_STREAM (g_io_stream_get_output_stream (stream->tls)),
        NULL);
  return g_pollable_input_stream_create_source (
      G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (stream->tls)),
      NULL);
}

/* GLib takes a source that may not recurse off the poll while its callback
 * runs, and writes to the context's eventfd at both ends: four system calls and
 * a poll that finds nothing, for each message.  No callback iterates a context
 * here. */
GSource *
protocol_http_stream_watch (ProtocolHttpStream *stream, gboolean write,
    GMainContext *context, GSourceFunc call, gpointer data,
    GDestroyNotify release)
{
  GSource *source = make_source (stream, write);
  Callback *callback = g_new (Callback, 1);

  *callback = (Callback){ call, data, release };
  g_source_set_can_recurse (source, TRUE);
  g_source_set_callback (source,
      stream->tls != NULL ? G_SOURCE_FUNC (on_tls_ready)
                          : G_SOURCE_FUNC (on_socket_ready),
      callback, callback_free);
  g_source_attach (source, context);
  return source;
}

void
protocol_http_stream_unwatch (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static ProtocolStreamResult
fail (int number, GError **error)
{
  infer_fail (error, INFER_ERROR_DEVICE, "%s", g_strerror (number));
  return PROTOCOL_STREAM_FAILED;
}

/* Of an operation of GIO that has given @n. */
static ProtocolStreamResult
result_of (gssize n, GError *cause, GError **error)
{
  if (n >= 0)
    return n > 0 ? PROTOCOL_STREAM_DONE : PROTOCOL_STREAM_END;
  g_autoptr (GError) failed = cause;
  if (g_error_matches (failed, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    return PROTOCOL_STREAM_WAIT;
  infer_fail (error, INFER_ERROR_DEVICE, "%s", failed->message);
  return PROTOCOL_STREAM_FAILED;
}

ProtocolStreamResult
protocol_http_stream_receive (ProtocolHttpStream *stream, gpointer space,
    gsize size, gsize *n, GError **error)
{
  gssize got;

  if (stream->tls != NULL) {
    GError *cause = NULL;

    got = g_pollable_input_stream_read_nonblocking (
        G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (stream->tls)),
        space, size, NULL, &cause);
    *n = (gsize) MAX (got, 0);
    return result_of (got, cause, error);
  }
  do
    got = recv (g_socket_get_fd (stream->socket), space, size, MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  *n = (gsize) MAX (got, 0);
  if (got < 0)
    return errno == EAGAIN ? PROTOCOL_STREAM_WAIT : fail (errno, error);
  return got > 0 ? PROTOCOL_STREAM_DONE : PROTOCOL_STREAM_END;
}

/* --- sending --- */

/* Lists at most MOST_PIECES pieces of @message that are not sent yet. */
static guint
list_pieces (const ProtocolHttpMessage *message, struct iovec *pieces)
{
  const ProtocolParts *parts = &message->parts;
  gsize skip = message->sent;
  guint n = 0;

  for (guint i = 0; i <= parts->parts->len && n < MOST_PIECES; i++) {
    const gsize size =
        i == 0 ? message->head->len
               : g_array_index (parts->parts, ProtocolPart, i - 1).size;
    const char *data =
        i == 0 ? message->head->str : protocol_parts_data (parts, i - 1);

    if (skip < size)
      pieces[n++] =
          (struct iovec){ (void *) (gsize) (data + skip), size - skip };
    skip -= MIN (skip, size);
  }
  return n;
}

static ProtocolStreamResult
send_plain (
    GSocket *socket, struct iovec *pieces, guint n, gsize *sent, GError **error)
{
  const struct msghdr header = { .msg_iov = pieces, .msg_iovlen = n };
  gssize done;

  do
    done = sendmsg (
        g_socket_get_fd (socket), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (done < 0 && errno == EINTR);
  *sent = (gsize) MAX (done, 0);
  if (done < 0)
    return errno == EAGAIN ? PROTOCOL_STREAM_WAIT : fail (errno, error);
  return PROTOCOL_STREAM_DONE;
}

static ProtocolStreamResult
send_tls (
    GIOStream *tls, const struct iovec *piece, gsize *sent, GError **error)
{
  GError *cause = NULL;
  const gssize done = g_pollable_output_stream_write_nonblocking (
      G_POLLABLE_OUTPUT_STREAM (g_io_stream_get_output_stream (tls)),
      piece->iov_base, piece->iov_len, NULL, &cause);

  *sent = (gsize) MAX (done, 0);
  return result_of (done, cause, error);
}

ProtocolStreamResult
protocol_http_stream_send (
    ProtocolHttpStream *stream, ProtocolHttpMessage *message, GError **error)
{
  struct iovec pieces[MOST_PIECES];
  guint n;

  while ((n = list_pieces (message, pieces)) > 0) {
    gsize sent;
    const ProtocolStreamResult result =
        stream->tls != NULL
            ? send_tls (stream->tls, &pieces[0], &sent, error)
            : send_plain (stream->socket, pieces, n, &sent, error);

    if (result != PROTOCOL_STREAM_DONE)
      return result;
    message->sent += sent;
  }
  return PROTOCOL_STREAM_DONE;
}
