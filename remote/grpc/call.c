/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One call for one request: ModelInfer, or ModelStreamInfer with one message
 * each way. */

#include "remote/grpc/call.h"

#include <grpc/byte_buffer_reader.h>
#include <grpc/support/time.h>

#include "protocol/grpc.h"

typedef enum
{
  IDLE,
  WAITING, /* for the time of a repetition */
  RUNNING,
  FINISHED,
} State;

struct _RemoteCall
{
  GrpcTag tag; /* first: the queue gives it back */
  RemoteClient *client;
  void (*done) (gpointer data);
  gpointer data;

  GMutex lock; /* guards `state` and `call` against cancel */
  State state;
  gboolean cancelled;
  grpc_call *call;

  gboolean stream;
  grpc_op ops[6];
  grpc_metadata token;
  gsize n_token;
  grpc_byte_buffer *sent, *received;
  grpc_metadata_array initial, trailing;
  grpc_status_code status;
  grpc_slice details;
};

/* --- the message --- */

/* Memory of tensors, borrowed by slices. */
typedef struct
{
  gatomicrefcount refs;
  gpointer keep;
  void (*release) (gpointer keep);
} Lease;

static void
release_lease (void *data)
{
  Lease *lease = data;

  if (!g_atomic_ref_count_dec (&lease->refs))
    return;
  if (lease->release != NULL)
    lease->release (lease->keep);
  g_free (lease);
}

static grpc_slice
make_slice (const ProtocolParts *parts, guint i, Lease *lease)
{
  const ProtocolPart *part = &g_array_index (parts->parts, ProtocolPart, i);

  if (part->data == NULL)
    return grpc_slice_from_copied_buffer (
        protocol_parts_data (parts, i), part->size);
  g_atomic_ref_count_inc (&lease->refs);
  return grpc_slice_new_with_user_data (
      (void *) (gsize) part->data, part->size, release_lease, lease);
}

static grpc_byte_buffer *
make_message (const RemoteRequest *request)
{
  g_auto (ProtocolParts) parts = { 0 };
  Lease *lease = g_new0 (Lease, 1);

  g_atomic_ref_count_init (&lease->refs);
  lease->keep = request->keep;
  lease->release = request->release;
  protocol_parts_init (&parts);
  protocol_grpc_write_request (request->infer, &parts);
  g_autofree grpc_slice *slices = g_new (grpc_slice, parts.parts->len);
  for (guint i = 0; i < parts.parts->len; i++)
    slices[i] = make_slice (&parts, i, lease);
  grpc_byte_buffer *message =
      grpc_raw_byte_buffer_create (slices, parts.parts->len);
  for (guint i = 0; i < parts.parts->len; i++)
    grpc_slice_unref (slices[i]);
  release_lease (lease);
  return message;
}

static void
free_slice (gpointer data)
{
  grpc_slice *slice = data;

  grpc_slice_unref (*slice);
  g_free (slice);
}

GBytes *
remote_take_message (grpc_byte_buffer *buffer)
{
  grpc_byte_buffer_reader reader;

  if (buffer == NULL || !grpc_byte_buffer_reader_init (&reader, buffer))
    return NULL;
  grpc_slice *slice = g_new (grpc_slice, 1);
  *slice = grpc_byte_buffer_reader_readall (&reader);
  grpc_byte_buffer_reader_destroy (&reader);
  return g_bytes_new_with_free_func (GRPC_SLICE_START_PTR (*slice),
      GRPC_SLICE_LENGTH (*slice), free_slice, slice);
}

/* --- the call --- */

RemoteCall *
remote_call_new (RemoteClient *client)
{
  RemoteCall *self = g_new0 (RemoteCall, 1);

  self->client = client;
  g_mutex_init (&self->lock);
  return self;
}

void
remote_call_free (RemoteCall *self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
release_call (RemoteCall *self)
{
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->call, grpc_call_unref);
  self->state = IDLE;
  g_mutex_unlock (&self->lock);
  remote_channel_release_token (&self->token, self->n_token);
  self->n_token = 0;
  g_clear_pointer (&self->sent, grpc_byte_buffer_destroy);
  g_clear_pointer (&self->received, grpc_byte_buffer_destroy);
  grpc_metadata_array_destroy (&self->initial);
  grpc_metadata_array_destroy (&self->trailing);
  grpc_slice_unref (self->details);
}

static void
fill_operations (RemoteCall *self)
{
  memset (self->ops, 0, sizeof self->ops);
  self->ops[0].op = GRPC_OP_SEND_INITIAL_METADATA;
  self->ops[0].data.send_initial_metadata.count = self->n_token;
  self->ops[0].data.send_initial_metadata.metadata = &self->token;
  self->ops[1].op = GRPC_OP_SEND_MESSAGE;
  self->ops[1].data.send_message.send_message = self->sent;
  self->ops[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
  self->ops[3].op = GRPC_OP_RECV_INITIAL_METADATA;
  self->ops[3].data.recv_initial_metadata.recv_initial_metadata =
      &self->initial;
  self->ops[4].op = GRPC_OP_RECV_MESSAGE;
  self->ops[4].data.recv_message.recv_message = &self->received;
  self->ops[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  self->ops[5].data.recv_status_on_client.trailing_metadata = &self->trailing;
  self->ops[5].data.recv_status_on_client.status = &self->status;
  self->ops[5].data.recv_status_on_client.status_details = &self->details;
}

/* With the lock held. */
static gboolean
send_call (RemoteCall *self)
{
  self->state = RUNNING;
  return grpc_call_start_batch (
             self->call, self->ops, G_N_ELEMENTS (self->ops), self, NULL)
         == GRPC_CALL_OK;
}

/* On the queue's thread: the delay is over, or the call. */
static void
on_finished (GrpcTag *tag, gboolean ok)
{
  RemoteCall *self = (RemoteCall *) tag;
  gboolean finished = TRUE;

  g_mutex_lock (&self->lock);
  if (self->state == WAITING && !self->cancelled)
    finished = !send_call (self);
  if (finished && self->state == WAITING)
    self->status = GRPC_STATUS_CANCELLED;
  if (finished)
    self->state = FINISHED;
  g_mutex_unlock (&self->lock);
  if (finished)
    self->done (self->data);
}

/* gRPC has no timer for its callers, but watches a channel for so long, and
 * less long if the channel gets a connection or loses it. */
static void
wait_before (RemoteCall *self, gint64 delay_us)
{
  grpc_channel *channel = self->client->channel;

  grpc_channel_watch_connectivity_state (channel,
      grpc_channel_check_connectivity_state (channel, 1),
      gpr_time_add (gpr_now (GPR_CLOCK_MONOTONIC),
          gpr_time_from_micros (delay_us, GPR_TIMESPAN)),
      self->client->queue, self);
}

gboolean
remote_call_start (RemoteCall *self, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error)
{
  self->tag.finished = on_finished;
  self->done = done;
  self->data = data;
  self->status = GRPC_STATUS_UNKNOWN;
  self->details = grpc_empty_slice ();
  grpc_metadata_array_init (&self->initial);
  grpc_metadata_array_init (&self->trailing);
  self->stream = request->stream;
  self->sent = make_message (request);
  if (!remote_channel_token (
          self->client, &self->token, &self->n_token, error)) {
    release_call (self);
    return FALSE;
  }
  fill_operations (self);
  g_mutex_lock (&self->lock);
  self->cancelled = FALSE;
  self->call = remote_channel_call (self->client,
      self->stream ? "ModelStreamInfer" : "ModelInfer",
      request->timeout_us + request->delay_us);
  gboolean ok = self->call != NULL;
  if (ok && request->delay_us > 0) {
    self->state = WAITING;
    wait_before (self, request->delay_us);
  } else if (ok) {
    ok = send_call (self);
  }
  g_mutex_unlock (&self->lock);
  if (ok)
    return TRUE;
  release_call (self);
  return infer_fail (error, INFER_ERROR_FAILED, "%s: gRPC cannot start a call",
      self->client->host);
}

void
remote_call_cancel (RemoteCall *self)
{
  g_mutex_lock (&self->lock);
  self->cancelled = TRUE;
  if (self->state == RUNNING)
    grpc_call_cancel (self->call, NULL);
  g_mutex_unlock (&self->lock);
}

/* In a stream a request that fails is answered with a text: the server has it
 * and would refuse it again. */
static ProtocolInfer *
read_answer (
    RemoteCall *self, GBytes *message, RemoteFailure *failure, GError **error)
{
  g_autofree char *said = NULL;
  ProtocolInfer *answer = NULL;

  *failure = REMOTE_GARBLED;
  if (!self->stream)
    return protocol_grpc_read_response (message, error);
  if (!protocol_grpc_read_stream_response (message, &answer, &said, error))
    return NULL;
  if (said == NULL && answer != NULL)
    return answer;
  protocol_infer_free (answer);
  *failure = REMOTE_ANSWERED;
  infer_fail (error, INFER_ERROR_FAILED, "%s",
      said != NULL ? said : "the answer is empty");
  return NULL;
}

ProtocolInfer *
remote_call_finish (RemoteCall *self, RemoteFailure *failure, GError **error)
{
  ProtocolInfer *answer = NULL;

  *failure = REMOTE_ANSWERED;
  if (self->cancelled) {
    infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
  } else if (self->status != GRPC_STATUS_OK) {
    remote_channel_fail (
        self->client, (int) self->status, &self->details, failure, error);
  } else {
    g_autoptr (GBytes) message = remote_take_message (self->received);

    if (message != NULL) {
      answer = read_answer (self, message, failure, error);
    } else {
      *failure = REMOTE_GARBLED;
      infer_fail (error, INFER_ERROR_INVALID_DATA, "the answer is empty");
    }
    if (answer == NULL)
      g_prefix_error (error, "%s: ", self->client->host);
  }
  release_call (self);
  return answer;
}
