/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection that carries HTTP, with TLS or without.  Nothing blocks.
 *
 * A stream without TLS may send on one thread while it receives on another. */

#pragma once

#include <gio/gio.h>

#include "protocol/http/http.h"
#include "protocol/parts.h"

typedef struct
{
  GSocket *socket;
  GIOStream *tls; /* NULL: without */
} ProtocolHttpStream;

typedef enum
{
  PROTOCOL_STREAM_DONE,
  PROTOCOL_STREAM_WAIT, /* the stream is not ready */
  PROTOCOL_STREAM_END,
  PROTOCOL_STREAM_FAILED,
} ProtocolStreamResult;

/* A head, which ends with its empty line, and a body. */
typedef struct
{
  GString *head;
  ProtocolParts parts;
  gsize sent; /* of both */
} ProtocolHttpMessage;

void protocol_http_message_init (ProtocolHttpMessage *message);
void protocol_http_message_clear (ProtocolHttpMessage *message);
gboolean protocol_http_message_is_sent (const ProtocolHttpMessage *message);

/* Keeps @socket; takes @tls (nullable), which is over it. */
void protocol_http_stream_init (
    ProtocolHttpStream *stream, GSocket *socket, GIOStream *tls);
void protocol_http_stream_close (ProtocolHttpStream *stream);
/* Calls @call with @data on @context when the stream can be read, or, if
 * @write, written; also when its peer has gone.  @release frees @data at the
 * end. (transfer full) */
GSource *protocol_http_stream_watch (ProtocolHttpStream *stream, gboolean write,
    GMainContext *context, GSourceFunc call, gpointer data,
    GDestroyNotify release);
/* Ends *@source, if there is one; it becomes NULL. */
void protocol_http_stream_unwatch (GSource **source);

/* Receives once; DONE: *@n bytes are at @space. */
ProtocolStreamResult protocol_http_stream_receive (ProtocolHttpStream *stream,
    gpointer space, gsize size, gsize *n, GError **error);
/* Sends as much as the stream takes; DONE: all of @message is sent. */
ProtocolStreamResult protocol_http_stream_send (
    ProtocolHttpStream *stream, ProtocolHttpMessage *message, GError **error);
