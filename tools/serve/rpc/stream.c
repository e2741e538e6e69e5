/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ModelStreamInfer: requests and responses without waiting for each other,
 * responses in the order of the requests.  A request that fails is answered in
 * the stream, which goes on. */

#include "protocol/grpc.h"
#include "tools/serve/rpc/private.h"

/* Requests of a stream that are not answered; the client's next ones stay in
 * the connection. */
#define MOST 64

typedef struct
{
  RpcCall *call;
  char *id, *model, *version; /* of the request, for an error */
  grpc_byte_buffer *message;  /* NULL: not done */
} Entry;

struct _RpcStream
{
  GMutex lock;
  GQueue entries; /* Entry, in order */
  gboolean reading, writing;
  gboolean ended; /* the client sends no more */
  gboolean closing;
};

static void on_read (RpcCall *call, gboolean ok);
static void on_sent (RpcCall *call, gboolean ok);

static void
entry_free (Entry *entry)
{
  if (entry->message != NULL)
    grpc_byte_buffer_destroy (entry->message);
  g_free (entry->id);
  g_free (entry->model);
  g_free (entry->version);
  g_free (entry);
}

void
rpc_stream_free (RpcStream *stream)
{
  Entry *entry;

  while ((entry = g_queue_pop_head (&stream->entries)) != NULL)
    entry_free (entry);
  g_mutex_clear (&stream->lock);
  g_free (stream);
}

/* --- sending, with the lock held --- */

static gboolean
start (RpcCall *call, const grpc_op *op, RpcTag *tag)
{
  rpc_call_ref (call);
  if (grpc_call_start_batch (call->call, op, 1, tag, NULL) == GRPC_CALL_OK)
    return TRUE;
  rpc_call_unref (call);
  return FALSE;
}

/* Sends what is next: an answer, or the end. */
static void
send_next (RpcCall *call)
{
  RpcStream *stream = call->stream;
  Entry *head = g_queue_peek_head (&stream->entries);
  grpc_op op = { .op = GRPC_OP_SEND_MESSAGE };

  if (stream->writing || stream->closing)
    return;
  if (head != NULL && head->message != NULL) {
    op.data.send_message.send_message = head->message;
    stream->writing = start (call, &op, &call->written);
    entry_free (g_queue_pop_head (&stream->entries));
  } else if (head == NULL && stream->ended) {
    stream->closing = TRUE;
    rpc_call_set_status (call, &op, GRPC_STATUS_OK, NULL);
    start (call, &op, &call->written);
  }
}

static void
read_next (RpcCall *call)
{
  RpcStream *stream = call->stream;
  grpc_op op = { .op = GRPC_OP_RECV_MESSAGE };

  if (stream->reading || stream->ended || stream->entries.length >= MOST)
    return;
  op.data.recv_message.recv_message = &call->payload;
  stream->reading = start (call, &op, &call->read);
  stream->ended = !stream->reading;
}

static void
on_sent (RpcCall *call, gboolean ok)
{
  RpcStream *stream = call->stream;

  g_mutex_lock (&stream->lock);
  stream->writing = FALSE;
  if (!ok) /* the client has gone */
    stream->closing = TRUE;
  else
    send_next (call);
  read_next (call);
  g_mutex_unlock (&stream->lock);
  rpc_call_unref (call);
}

/* --- requests --- */

/* On any thread. */
static void
on_done (ProtocolInfer *response, const GError *error, gpointer data)
{
  Entry *entry = data;
  RpcCall *call = entry->call;
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  if (error != NULL) {
    g_autoptr (ProtocolInfer) empty =
        protocol_infer_new (entry->model, entry->version);
    protocol_infer_set (&empty->id, entry->id, NULL);
    protocol_grpc_write_stream_response (empty, error->message, &parts);
  } else {
    protocol_grpc_write_stream_response (response, NULL, &parts);
  }
  grpc_byte_buffer *message = rpc_buffer_new (&parts, response);
  protocol_infer_free (response);
  g_mutex_lock (&call->stream->lock);
  entry->message = message;
  send_next (call);
  g_mutex_unlock (&call->stream->lock);
  rpc_call_unref (call);
}

static void
begin_request (RpcCall *call, GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  ProtocolInfer *request =
      bytes != NULL ? protocol_grpc_read_request (bytes, &error) : NULL;
  Entry *entry = g_new0 (Entry, 1);

  if (bytes == NULL)
    infer_fail (&error, INFER_ERROR_UNSUPPORTED,
        "the message is compressed in a way that is not supported");
  entry->call = rpc_call_ref (call);
  entry->id = g_strdup (request != NULL ? request->id : "");
  entry->model = g_strdup (request != NULL ? request->model : "");
  entry->version = g_strdup (request != NULL ? request->version : "");
  g_mutex_lock (&call->stream->lock);
  g_queue_push_tail (&call->stream->entries, entry);
  g_mutex_unlock (&call->stream->lock);
  if (request == NULL)
    on_done (NULL, error, entry);
  else
    serve_server_infer (call->server, request, &call->gone, on_done, entry);
}

static void
on_read (RpcCall *call, gboolean ok)
{
  RpcStream *stream = call->stream;
  grpc_byte_buffer *payload = g_steal_pointer (&call->payload);

  if (ok && payload != NULL) {
    g_autoptr (GBytes) bytes = rpc_buffer_read (payload);
    begin_request (call, bytes);
  }
  g_mutex_lock (&stream->lock);
  stream->reading = FALSE;
  stream->ended |= !ok || payload == NULL;
  read_next (call);
  send_next (call);
  g_mutex_unlock (&stream->lock);
  rpc_call_unref (call);
}

void
rpc_stream_begin (RpcCall *call)
{
  RpcStream *stream = g_new0 (RpcStream, 1);
  grpc_op op = { .op = GRPC_OP_SEND_INITIAL_METADATA };

  g_mutex_init (&stream->lock);
  g_queue_init (&stream->entries);
  call->stream = stream;
  call->written = (RpcTag){ on_sent, call };
  call->read = (RpcTag){ on_read, call };
  g_mutex_lock (&stream->lock);
  stream->writing = start (call, &op, &call->written);
  read_next (call);
  g_mutex_unlock (&stream->lock);
  rpc_call_unref (call);
}
