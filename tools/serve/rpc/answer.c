/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers: messages as frames, and the status behind them. */

#include <string.h>

#include "tools/serve/rpc/private.h"

/* Status texts travel as headers, which have limits. */
#define TEXT_MOST 1000
/* Less is copied among the frames, more is sent from where it lies. */
#define BORROW_LEAST 2048
/* Of frames; more is left to the session until the socket has taken them. */
#define OUT_MOST (512 << 10)
#define FRAME_HEAD_BYTES 9

/* --- messages --- */

RpcAnswer *
rpc_answer_new (ProtocolParts *parts, ProtocolInfer *response)
{
  RpcAnswer *answer = g_new0 (RpcAnswer, 1);
  const gsize size = parts->size;

  answer->link.data = answer;
  answer->parts = *parts;
  *parts = (ProtocolParts){ .parts = NULL };
  answer->response = response;
  for (guint i = 1; i < RPC_PREFIX_BYTES; i++)
    answer->prefix[i] = (guint8) (size >> 8 * (RPC_PREFIX_BYTES - 1 - i));
  return answer;
}

void
rpc_answer_free (RpcAnswer *answer)
{
  protocol_parts_clear (&answer->parts);
  protocol_infer_free (answer->response);
  g_free (answer);
}

void
rpc_answers_clear (GQueue *answers)
{
  GList *link;

  while ((link = g_queue_pop_head_link (answers)) != NULL)
    rpc_answer_free (link->data);
}

static gsize
answer_left (const RpcAnswer *answer)
{
  return RPC_PREFIX_BYTES + answer->parts.size - answer->sent;
}

/* The next piece of @answer, of at most @most bytes. */
static gconstpointer
next_piece (RpcAnswer *answer, gsize most, gsize *size)
{
  const guint8 *data = answer->prefix + answer->sent;

  *size = RPC_PREFIX_BYTES - answer->sent;
  if (answer->sent >= RPC_PREFIX_BYTES) {
    const ProtocolPart *part =
        &g_array_index (answer->parts.parts, ProtocolPart, answer->part);

    *size = part->size - answer->offset;
    data = (const guint8 *) protocol_parts_data (&answer->parts, answer->part)
           + answer->offset;
    if (*size <= most) {
      answer->part++;
      answer->offset = 0;
    } else {
      answer->offset += most;
    }
  }
  *size = MIN (*size, most);
  answer->sent += *size;
  return data;
}

static void
append_piece (RpcConnection *self, RpcAnswer *answer, gsize most, gsize *size)
{
  gconstpointer data = next_piece (answer, most, size);

  /* TLS makes a record of each piece. */
  if (*size < BORROW_LEAST || self->stream.tls != NULL) {
    protocol_parts_append (&self->out.parts, data, *size);
  } else {
    protocol_parts_append_borrowed (&self->out.parts, data, *size, 0);
    answer->borrowed = TRUE;
  }
}

int
rpc_answer_send (nghttp2_session *session, nghttp2_frame *frame,
    const guint8 *head, size_t length, nghttp2_data_source *source,
    void *connection)
{
  RpcConnection *self = connection;
  RpcCall *call = source->ptr;

  if (self->out.parts.size > OUT_MOST)
    return NGHTTP2_ERR_WOULDBLOCK;
  protocol_parts_append (&self->out.parts, head, FRAME_HEAD_BYTES);
  call->unsent -= length;
  while (length > 0) {
    RpcAnswer *answer = g_queue_peek_head (&call->answers);
    gsize size;

    append_piece (self, answer, length, &size);
    length -= size;
    if (answer_left (answer) > 0)
      continue;
    g_queue_pop_head_link (&call->answers);
    if (answer->borrowed)
      g_queue_push_tail_link (&self->held, &answer->link);
    else
      rpc_answer_free (answer);
    if (call->stream != NULL)
      rpc_stream_sent (call);
  }
  return 0;
}

/* --- headers --- */

static nghttp2_nv
header (const char *name, const char *value, guint8 flags)
{
  return (nghttp2_nv){ (guint8 *) (guintptr) name, (guint8 *) (guintptr) value,
    strlen (name), strlen (value),
    (guint8) (flags | NGHTTP2_NV_FLAG_NO_COPY_NAME) };
}

static nghttp2_nv
constant (const char *name, const char *value)
{
  return header (name, value, NGHTTP2_NV_FLAG_NO_COPY_VALUE);
}

/* As headers can have it: in ASCII, with the rest as %XX. */
static char *
encode_text (const char *text)
{
  g_autofree char *shorter = g_strndup (text, MIN (strlen (text), TEXT_MOST));
  g_autofree char *valid = g_utf8_make_valid (shorter, -1);
  GString *encoded = g_string_new (NULL);

  for (const char *at = valid; *at != '\0'; at++)
    if (*at < ' ' || *at > '~' || *at == '%')
      g_string_append_printf (encoded, "%%%02X", (guchar) *at);
    else
      g_string_append_c (encoded, *at);
  return g_string_free (encoded, FALSE);
}

#define STATUS_MOST 3

/* The headers of the call's status; *@encoded has the text of one. */
static guint
make_status (const RpcCall *call, nghttp2_nv *headers, char **encoded)
{
  static const char *const codes[] = { "0", "1", "2", "3", "4", "5", "6", "7",
    "8", "9", "10", "11", "12", "13", "14", "15", "16" };
  guint n = 0;

  headers[n++] = constant ("grpc-status", codes[call->code]);
  if (call->text != NULL) {
    *encoded = encode_text (call->text);
    headers[n++] = header ("grpc-message", *encoded, 0);
  }
  if (call->encoding == RPC_ENCODING_UNKNOWN)
    headers[n++] = constant ("grpc-accept-encoding", RPC_ENCODINGS);
  return n;
}

/* Of nghttp2: says how many bytes the next frame has, or that it is the last.
 */
static ssize_t
on_read (nghttp2_session *session, gint32 id, guint8 *buffer, size_t most,
    guint32 *flags, nghttp2_data_source *source, void *connection)
{
  RpcCall *call = source->ptr;
  const gsize n = MIN (most, call->unsent);

  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (n == call->unsent && call->finished) {
    nghttp2_nv headers[STATUS_MOST];
    g_autofree char *encoded = NULL;

    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_trailer (
        session, id, headers, make_status (call, headers, &encoded));
    return (ssize_t) n;
  }
  call->deferred = n == 0;
  return n > 0 ? (ssize_t) n : NGHTTP2_ERR_DEFERRED;
}

void
rpc_answer_begin (RpcCall *call)
{
  const nghttp2_nv headers[] = { constant (":status", "200"),
    constant ("content-type", "application/grpc") };
  const nghttp2_data_provider provider = { { .ptr = call }, on_read };

  if (call->closed || call->begun)
    return;
  call->begun = TRUE;
  nghttp2_submit_response (call->connection->session, call->id, headers,
      G_N_ELEMENTS (headers), &provider);
}

static void
resume (RpcCall *call)
{
  if (!call->deferred)
    return;
  call->deferred = FALSE;
  nghttp2_session_resume_data (call->connection->session, call->id);
}

void
rpc_answer_push (RpcCall *call, RpcAnswer *answer)
{
  if (call->closed || call->finished) {
    rpc_answer_free (answer);
    return;
  }
  call->unsent += answer_left (answer);
  g_queue_push_tail_link (&call->answers, &answer->link);
  resume (call);
}

/* A response without messages. */
static void
send_status (RpcCall *call)
{
  nghttp2_nv headers[2 + STATUS_MOST] = { constant (":status", "200"),
    constant ("content-type", "application/grpc") };
  g_autofree char *encoded = NULL;
  const guint n = make_status (call, headers + 2, &encoded);

  call->begun = TRUE;
  nghttp2_submit_response (
      call->connection->session, call->id, headers, 2 + n, NULL);
}

void
rpc_answer_finish (RpcCall *call, ProtocolGrpcCode code, const char *text)
{
  if (call->closed || call->finished)
    return;
  call->finished = TRUE;
  call->code = code;
  call->text = g_strdup (text);
  if (!call->begun && call->unsent == 0)
    send_status (call);
  else
    resume (call);
}

void
rpc_answer_http (RpcCall *call, guint status)
{
  g_autofree char *number = g_strdup_printf ("%u", status);
  const nghttp2_nv headers[] = { header (":status", number, 0) };

  if (call->closed || call->begun)
    return;
  call->begun = call->finished = TRUE;
  nghttp2_submit_response (
      call->connection->session, call->id, headers, 1, NULL);
}
