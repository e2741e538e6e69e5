/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A call: its headers, its messages, and the method that it runs. */

#include <string.h>

#include "tools/serve/rpc/private.h"

#define HEADER_OVERHEAD 32 /* of each, as HTTP/2 counts */
#define HTTP_OK 200

typedef struct
{
  RpcCall *call;
  GBytes *message;
} SlowCall;

/* --- lifetime --- */

RpcCall *
rpc_call_new (RpcConnection *connection, gint32 id)
{
  RpcCall *call = g_new0 (RpcCall, 1);
  ServeServer *server = connection->rpc->server;

  g_atomic_int_inc (&connection->rpc->open);
  g_atomic_ref_count_init (&call->refs);
  call->connection = rpc_connection_ref (connection);
  call->server = server;
  call->id = id;
  call->link.data = call;
  call->http_status = HTTP_OK;
  call->allowed = serve_server_allows (server, NULL, 0);
  rpc_reader_init (
      &call->reader, (gsize) server->settings->max_message_mb << 20);
  g_queue_init (&call->messages);
  g_queue_init (&call->answers);
  g_queue_push_tail_link (&connection->calls, &call->link);
  return call;
}

RpcCall *
rpc_call_ref (RpcCall *call)
{
  g_atomic_ref_count_inc (&call->refs);
  return call;
}

void
rpc_call_unref (RpcCall *call)
{
  RpcConnection *connection = call->connection;

  if (!g_atomic_ref_count_dec (&call->refs))
    return;
  if (call->stream != NULL)
    rpc_stream_free (call->stream);
  rpc_reader_clear (&call->reader);
  rpc_messages_clear (&call->messages);
  rpc_answers_clear (&call->answers);
  g_free (call->text);
  g_free (call);
  g_atomic_int_add (&connection->rpc->open, -1);
  rpc_connection_unref (connection);
}

/* Memory that is on its way to the socket stays. */
static void
hold_answers (RpcCall *call)
{
  RpcConnection *connection = call->connection;
  RpcAnswer *head = g_queue_peek_head (&call->answers);

  if (head == NULL || !head->borrowed)
    return;
  g_queue_pop_head_link (&call->answers);
  g_queue_push_tail_link (&connection->held, &head->link);
}

void
rpc_call_close (RpcCall *call)
{
  if (call->closed)
    return;
  call->closed = TRUE;
  if (!call->finished || call->unsent > 0)
    g_atomic_int_set (&call->gone, TRUE);
  hold_answers (call);
  g_queue_unlink (&call->connection->calls, &call->link);
  rpc_call_unref (call);
}

/* --- headers --- */

static void
read_method (RpcCall *call, const char *value, gsize length)
{
  if (!rpc_is_text (value, length, "POST"))
    call->http_status = 405;
}

static void
read_path (RpcCall *call, const char *value, gsize length)
{
  call->method = rpc_method_find (value, length);
}

static void
read_content_type (RpcCall *call, const char *value, gsize length)
{
  static const char grpc[] = "application/grpc";
  const gsize n = sizeof grpc - 1;

  call->is_grpc = length >= n && memcmp (value, grpc, n) == 0
                  && (length == n || value[n] == '+' || value[n] == ';');
}

static void
read_authorization (RpcCall *call, const char *value, gsize length)
{
  call->allowed = serve_server_allows (call->server, value, length);
}

static void
read_encoding (RpcCall *call, const char *value, gsize length)
{
  call->encoding = rpc_encoding_find (value, length);
}

/* At most eight digits and a unit. */
static void
read_timeout (RpcCall *call, const char *value, gsize length)
{
  static const struct
  {
    char unit;
    gint64 ns;
  } units[] = { { 'n', 1 }, { 'u', 1000 }, { 'm', 1000000 },
    { 'S', 1000000000 }, { 'M', G_GINT64_CONSTANT (60000000000) },
    { 'H', G_GINT64_CONSTANT (3600000000000) } };
  gint64 number = 0;

  if (length < 2 || length > 9)
    return;
  for (gsize i = 0; i < length - 1; i++) {
    if (!g_ascii_isdigit (value[i]))
      return;
    number = 10 * number + (value[i] - '0');
  }
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (units[i].unit == value[length - 1])
      call->deadline =
          g_get_monotonic_time ()
          + (number < G_MAXINT64 / 4 / units[i].ns ? number * units[i].ns / 1000
                                                   : G_MAXINT64 / 4000);
}

void
rpc_call_add_header (RpcCall *call, const char *name, gsize name_length,
    const char *value, gsize value_length)
{
  static const struct
  {
    const char *name;
    void (*read) (RpcCall *call, const char *value, gsize length);
  } headers[] = {
    { ":method", read_method },
    { ":path", read_path },
    { "content-type", read_content_type },
    { "authorization", read_authorization },
    { "grpc-encoding", read_encoding },
    { "grpc-timeout", read_timeout },
  };

  call->header_bytes += name_length + value_length + HEADER_OVERHEAD;
  if (call->header_bytes > RPC_HEADER_BYTES)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    if (rpc_is_text (name, name_length, headers[i].name)) {
      headers[i].read (call, value, value_length);
      return;
    }
}

/* Why the call cannot be served; NULL: it can. */
static const char *
find_fault (const RpcCall *call, ProtocolGrpcCode *code)
{
  if (call->header_bytes > RPC_HEADER_BYTES) {
    *code = PROTOCOL_GRPC_RESOURCE_EXHAUSTED;
    return "the headers are longer than 32 kB";
  }
  if (call->method == NULL) {
    *code = PROTOCOL_GRPC_UNIMPLEMENTED;
    return "there is no such method on this server";
  }
  if (!call->method->open && !call->allowed) {
    *code = PROTOCOL_GRPC_UNAUTHENTICATED;
    return "the header 'authorization' must be 'Bearer TOKEN', with the "
           "server's token";
  }
  if (call->encoding == RPC_ENCODING_UNKNOWN) {
    *code = PROTOCOL_GRPC_UNIMPLEMENTED;
    return "the messages are compressed in a way that is not supported";
  }
  return NULL;
}

static void
note_deadline (const RpcCall *call)
{
  RpcLane *lane = call->connection->lane;

  if (call->deadline == 0 || call->deadline >= lane->next_deadline)
    return;
  lane->next_deadline = call->deadline;
  g_source_set_ready_time (lane->deadline, call->deadline);
}

void
rpc_call_begin (RpcCall *call)
{
  ProtocolGrpcCode code;

  if (call->http_status == HTTP_OK && !call->is_grpc)
    call->http_status = 415;
  if (call->http_status != HTTP_OK) {
    rpc_answer_http (call, call->http_status);
    return;
  }
  const char *fault = find_fault (call, &code);
  if (fault != NULL) {
    rpc_answer_finish (call, code, fault);
    return;
  }
  note_deadline (call);
  if (call->method->run == NULL)
    rpc_stream_begin (call);
}

/* --- messages --- */

static void
enqueue (RpcCall *call)
{
  if (call->queued)
    return;
  call->queued = TRUE;
  g_queue_push_tail (&call->connection->ready, rpc_call_ref (call));
}

/* Bytes that are dropped are consumed, too. */
static void
consume (RpcCall *call, gsize size)
{
  nghttp2_session *session = call->connection->session;

  if (call->stream == NULL || call->finished || rpc_stream_reads (call)) {
    nghttp2_session_consume (session, call->id, size);
  } else {
    nghttp2_session_consume_connection (session, size);
    call->unconsumed += size;
  }
}

void
rpc_call_add (RpcCall *call, const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;

  consume (call, size);
  if (call->finished || call->taken)
    return;
  if (!rpc_reader_add (&call->reader, data, size, &call->messages, &error)) {
    rpc_answer_finish (call, protocol_status_to_grpc (error), error->message);
    g_atomic_int_set (&call->gone, TRUE);
  } else if (call->messages.length > 0) {
    call->taken = call->stream == NULL;
    enqueue (call);
  }
}

void
rpc_call_end (RpcCall *call)
{
  call->ended = TRUE;
  if (call->finished || call->taken)
    return;
  if (call->stream == NULL)
    rpc_answer_finish (
        call, PROTOCOL_GRPC_INVALID_ARGUMENT, "the call has no message");
  else
    enqueue (call);
}

/* --- running --- */

static void
run_unary (RpcCall *call)
{
  g_autoptr (GError) error = NULL;
  GList *link = g_queue_pop_head_link (&call->messages);

  if (link == NULL)
    return;
  g_autoptr (GBytes) message =
      rpc_message_open (link->data, call->encoding, call->reader.most, &error);
  rpc_call_ref (call); /* of who works on it */
  if (message == NULL) {
    rpc_call_fail (call, error);
  } else if (call->method->slow) {
    SlowCall *slow = g_new (SlowCall, 1);
    *slow = (SlowCall){ call, g_steal_pointer (&message) };
    g_thread_pool_push (call->connection->rpc->slow, slow, NULL);
  } else {
    call->method->run (call, message);
  }
}

void
rpc_call_run (RpcCall *call)
{
  call->queued = FALSE;
  if (call->stream != NULL)
    rpc_stream_run (call);
  else if (!g_atomic_int_get (&call->gone))
    run_unary (call);
}

void
rpc_call_run_slow (gpointer data, gpointer unused)
{
  SlowCall *slow = data;

  slow->call->method->run (slow->call, slow->message);
  g_bytes_unref (slow->message);
  g_free (slow);
}

/* --- the answer --- */

void
rpc_call_reply (RpcCall *call, ProtocolParts *parts, ProtocolInfer *response)
{
  RpcAnswer *answer = rpc_answer_new (parts, response);

  rpc_connection_lock (call->connection);
  rpc_answer_push (call, answer);
  rpc_answer_finish (call, PROTOCOL_GRPC_OK, NULL);
  rpc_answer_begin (call);
  rpc_connection_unlock (call->connection);
  rpc_call_unref (call);
}

void
rpc_call_fail_code (RpcCall *call, ProtocolGrpcCode code, const char *text)
{
  rpc_connection_lock (call->connection);
  rpc_answer_finish (call, code, text);
  rpc_connection_unlock (call->connection);
  rpc_call_unref (call);
}

void
rpc_call_fail (RpcCall *call, const GError *error)
{
  rpc_call_fail_code (call, protocol_status_to_grpc (error), error->message);
}
