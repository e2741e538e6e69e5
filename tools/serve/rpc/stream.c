/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ModelStreamInfer: requests and responses without waiting for each other,
 * responses in the order of the requests.  A request that fails is answered in
 * the stream, which goes on. */

#include "protocol/grpc.h"
#include "tools/serve/rpc/private.h"

/* Requests of a stream whose answers are not sent; the client's next ones stay
 * in its window. */
#define MOST 64
/* So many are left when the thread goes on: it is not woken for each. */
#define FEW (MOST / 2)

typedef struct
{
  RpcCall *call;
  char *id, *model, *version; /* of the request, for an error */
  RpcAnswer *answer;          /* NULL: not done */
} Entry;

/* With the connection's lock. */
struct _RpcStream
{
  GQueue entries; /* Entry, in order */
  gboolean rests; /* the thread waits for answers before it goes on */
};

static void
entry_free (Entry *entry)
{
  if (entry->answer != NULL)
    rpc_answer_free (entry->answer);
  g_free (entry->id);
  g_free (entry->model);
  g_free (entry->version);
  g_free (entry);
}

void
rpc_stream_begin (RpcCall *call)
{
  call->stream = g_new0 (RpcStream, 1);
  g_queue_init (&call->stream->entries);
  rpc_answer_begin (call);
}

void
rpc_stream_free (RpcStream *stream)
{
  Entry *entry;

  while ((entry = g_queue_pop_head (&stream->entries)) != NULL)
    entry_free (entry);
  g_free (stream);
}

static guint
load (const RpcCall *call)
{
  return call->stream->entries.length + call->answers.length;
}

gboolean
rpc_stream_reads (const RpcCall *call)
{
  return call->messages.length == 0 && load (call) < MOST;
}

static gboolean
go_on (gpointer call)
{
  rpc_stream_run (call);
  return G_SOURCE_REMOVE;
}

static void
release (gpointer call)
{
  rpc_call_unref (call);
}

void
rpc_stream_sent (RpcCall *call)
{
  if (!call->stream->rests || load (call) > FEW)
    return;
  call->stream->rests = FALSE;
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, go_on, rpc_call_ref (call), release);
  g_source_attach (source, call->connection->lane->context);
}

/* --- answers --- */

/* With the lock held: the status, behind the last answer. */
static void
finish_if_over (RpcCall *call)
{
  if (!call->ended || call->messages.length > 0
      || call->stream->entries.length > 0)
    return;
  if (rpc_reader_is_empty (&call->reader))
    rpc_answer_finish (call, PROTOCOL_GRPC_OK, NULL);
  else
    rpc_answer_finish (
        call, PROTOCOL_GRPC_INVALID_ARGUMENT, "the last request is cut short");
}

/* With the lock held: hands over the answers whose turn it is. */
static void
send_next (RpcCall *call)
{
  GQueue *entries = &call->stream->entries;
  Entry *head;

  while ((head = g_queue_peek_head (entries)) != NULL && head->answer != NULL) {
    rpc_answer_push (call, g_steal_pointer (&head->answer));
    entry_free (g_queue_pop_head (entries));
  }
  finish_if_over (call);
}

static RpcAnswer *
make_answer (const Entry *entry, ProtocolInfer *response, const GError *error)
{
  ProtocolParts parts;

  protocol_parts_init (&parts);
  if (error != NULL) {
    g_autoptr (ProtocolInfer) empty =
        protocol_infer_new (entry->model, entry->version);
    protocol_infer_set (&empty->id, entry->id, NULL);
    protocol_grpc_write_stream_response (empty, error->message, &parts);
  } else {
    protocol_grpc_write_stream_response (response, NULL, &parts);
  }
  return rpc_answer_new (&parts, response);
}

/* On any thread. */
static void
on_done (ProtocolInfer *response, const GError *error, gpointer data)
{
  Entry *entry = data;
  RpcCall *call = entry->call;
  RpcAnswer *answer = make_answer (entry, response, error);

  rpc_connection_lock (call->connection);
  entry->answer = answer;
  send_next (call);
  rpc_connection_unlock (call->connection);
  rpc_call_unref (call);
}

/* --- requests --- */

static void
begin_request (RpcCall *call, RpcMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes =
      rpc_message_open (message, call->encoding, call->reader.most, &error);
  ProtocolInfer *request =
      bytes != NULL ? protocol_grpc_read_request (bytes, &error) : NULL;
  Entry *entry = g_new0 (Entry, 1);

  entry->call = rpc_call_ref (call);
  entry->id = g_strdup (request != NULL ? request->id : "");
  entry->model = g_strdup (request != NULL ? request->model : "");
  entry->version = g_strdup (request != NULL ? request->version : "");
  g_mutex_lock (&call->connection->lock);
  g_queue_push_tail (&call->stream->entries, entry);
  g_mutex_unlock (&call->connection->lock);
  if (request == NULL)
    on_done (NULL, error, entry);
  else
    serve_server_infer (call->server, request, &call->gone, on_done, entry);
}

/* With the lock held: the next request; NULL: there is none, or it has to
 * wait. */
static RpcMessage *
take_next (RpcCall *call)
{
  RpcStream *stream = call->stream;

  if (call->finished || call->closed)
    return NULL;
  stream->rests = load (call) >= MOST;
  GList *link = stream->rests ? NULL : g_queue_pop_head_link (&call->messages);
  return link != NULL ? link->data : NULL;
}

void
rpc_stream_run (RpcCall *call)
{
  RpcConnection *connection = call->connection;
  RpcMessage *message;

  g_mutex_lock (&connection->lock);
  while ((message = take_next (call)) != NULL) {
    g_mutex_unlock (&connection->lock);
    begin_request (call, message);
    g_mutex_lock (&connection->lock);
  }
  if (!call->closed && call->unconsumed > 0 && rpc_stream_reads (call)) {
    nghttp2_session_consume_stream (
        connection->session, call->id, call->unconsumed);
    call->unconsumed = 0;
  }
  finish_if_over (call);
  rpc_connection_unlock (connection);
}
