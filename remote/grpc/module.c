/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The client for gRPC: what the module exports. */

#include <inference.pb-c.h>

#include "protocol/status.h"
#include "remote/grpc/call.h"

/* --- calls that block --- */

typedef struct
{
  GrpcTag tag;
  GMutex lock;
  GCond changed;
  gboolean finished;
} Waiter;

static void
wake (GrpcTag *tag, gboolean ok)
{
  Waiter *waiter = (Waiter *) tag;

  g_mutex_lock (&waiter->lock);
  waiter->finished = TRUE;
  g_cond_signal (&waiter->changed);
  g_mutex_unlock (&waiter->lock);
}

typedef struct
{
  grpc_metadata token;
  gsize n_token;
  grpc_byte_buffer *sent, *received;
  grpc_metadata_array initial, trailing;
  grpc_status_code status;
  grpc_slice details;
} Exchange;

static gboolean
exchange (
    RemoteClient *client, Exchange *x, const char *method, gint64 timeout_us)
{
  Waiter waiter = { .tag = { wake } };
  grpc_call *call = remote_channel_call (client, method, timeout_us);
  grpc_op ops[6] = { { .op = GRPC_OP_SEND_INITIAL_METADATA },
    { .op = GRPC_OP_SEND_MESSAGE }, { .op = GRPC_OP_SEND_CLOSE_FROM_CLIENT },
    { .op = GRPC_OP_RECV_INITIAL_METADATA }, { .op = GRPC_OP_RECV_MESSAGE },
    { .op = GRPC_OP_RECV_STATUS_ON_CLIENT } };

  if (call == NULL)
    return FALSE;
  ops[0].data.send_initial_metadata.count = x->n_token;
  ops[0].data.send_initial_metadata.metadata = &x->token;
  ops[1].data.send_message.send_message = x->sent;
  ops[3].data.recv_initial_metadata.recv_initial_metadata = &x->initial;
  ops[4].data.recv_message.recv_message = &x->received;
  ops[5].data.recv_status_on_client.trailing_metadata = &x->trailing;
  ops[5].data.recv_status_on_client.status = &x->status;
  ops[5].data.recv_status_on_client.status_details = &x->details;
  g_mutex_init (&waiter.lock);
  g_cond_init (&waiter.changed);
  gboolean ok =
      grpc_call_start_batch (call, ops, 6, &waiter.tag, NULL) == GRPC_CALL_OK;
  g_mutex_lock (&waiter.lock);
  while (ok && !waiter.finished)
    g_cond_wait (&waiter.changed, &waiter.lock);
  g_mutex_unlock (&waiter.lock);
  g_mutex_clear (&waiter.lock);
  g_cond_clear (&waiter.changed);
  grpc_call_unref (call);
  return ok;
}

/* Sends @request to @method.  NULL on failure.  (transfer full) */
static GBytes *
ask (RemoteClient *client, const char *method, GByteArray *request,
    gint64 timeout_us, RemoteFailure *failure, GError **error)
{
  Exchange x = { .status = GRPC_STATUS_UNKNOWN,
    .details = grpc_empty_slice () };
  GBytes *answer = NULL;

  if (failure != NULL)
    *failure = REMOTE_ANSWERED;
  if (!remote_channel_token (client, &x.token, &x.n_token, error))
    return NULL;
  grpc_metadata_array_init (&x.initial);
  grpc_metadata_array_init (&x.trailing);
  grpc_slice slice = grpc_slice_from_copied_buffer (
      (const char *) request->data, request->len);
  x.sent = grpc_raw_byte_buffer_create (&slice, 1);
  grpc_slice_unref (slice);
  if (!exchange (client, &x, method, timeout_us))
    infer_fail (error, INFER_ERROR_FAILED, "%s: gRPC cannot start a call",
        client->host);
  else if (x.status != GRPC_STATUS_OK)
    remote_channel_fail (client, (int) x.status, &x.details, failure, error);
  else if ((answer = remote_take_message (x.received)) == NULL)
    infer_fail (error, INFER_ERROR_INVALID_DATA, "%s: %s gave no answer",
        client->host, method);
  remote_channel_release_token (&x.token, x.n_token);
  grpc_byte_buffer_destroy (x.sent);
  grpc_byte_buffer_destroy (x.received);
  grpc_metadata_array_destroy (&x.initial);
  grpc_metadata_array_destroy (&x.trailing);
  grpc_slice_unref (x.details);
  return answer;
}

/* --- metadata --- */

static GByteArray *
pack (const ProtobufCMessage *message)
{
  gsize size = protobuf_c_message_get_packed_size (message);
  GByteArray *bytes = g_byte_array_sized_new ((guint) size);

  g_byte_array_set_size (bytes, (guint) size);
  protobuf_c_message_pack (message, bytes->data);
  return bytes;
}

static char *
text (const char *constant)
{
  return (char *) (gsize) constant;
}

/* Only servers of Triton's kind have configurations. */
static gboolean
read_config (RemoteClient *client, const char *model, const char *version,
    gint64 timeout_us, ProtocolMetadata *metadata, GError **error)
{
  Inference__ModelConfigRequest request = INFERENCE__MODEL_CONFIG_REQUEST__INIT;

  request.name = text (model);
  request.version = text (version);
  g_autoptr (GByteArray) packed = pack (&request.base);
  g_autoptr (GBytes) answer =
      ask (client, "ModelConfig", packed, timeout_us, NULL, NULL);
  return answer == NULL || protocol_grpc_read_config (answer, metadata, error);
}

static ProtocolMetadata *
describe (RemoteClient *client, const char *model, const char *version,
    gint64 timeout_us, RemoteFailure *failure, GError **error)
{
  Inference__ModelMetadataRequest request =
      INFERENCE__MODEL_METADATA_REQUEST__INIT;

  request.name = text (model);
  request.version = text (version);
  g_autoptr (GByteArray) packed = pack (&request.base);
  g_autoptr (GBytes) answer =
      ask (client, "ModelMetadata", packed, timeout_us, failure, error);
  if (answer == NULL)
    return NULL;
  g_autoptr (ProtocolMetadata) metadata =
      protocol_grpc_read_metadata (answer, error);
  if (metadata != NULL
      && read_config (client, model, version, timeout_us, metadata, error))
    return g_steal_pointer (&metadata);
  g_prefix_error (error, "%s: ", client->host);
  return NULL;
}

static gboolean
has_extension (RemoteClient *client, const char *extension, gint64 timeout_us)
{
  Inference__ServerMetadataRequest request =
      INFERENCE__SERVER_METADATA_REQUEST__INIT;
  g_autoptr (GByteArray) packed = pack (&request.base);
  g_autoptr (GBytes) answer =
      ask (client, "ServerMetadata", packed, timeout_us, NULL, NULL);
  gboolean found = FALSE;
  gsize size;

  if (answer == NULL)
    return FALSE;
  const guint8 *bytes = g_bytes_get_data (answer, &size);
  Inference__ServerMetadataResponse *server =
      inference__server_metadata_response__unpack (NULL, size, bytes);
  if (server == NULL)
    return FALSE;
  for (gsize i = 0; i < server->n_extensions; i++)
    found |= g_str_equal (server->extensions[i], extension);
  inference__server_metadata_response__free_unpacked (server, NULL);
  return found;
}

static gboolean
is_ready (RemoteClient *client, const char *model, const char *version,
    gint64 timeout_us)
{
  Inference__ModelReadyRequest request = INFERENCE__MODEL_READY_REQUEST__INIT;

  request.name = text (model);
  request.version = text (version);
  g_autoptr (GByteArray) packed = pack (&request.base);
  g_autoptr (GBytes) answer =
      ask (client, "ModelReady", packed, timeout_us, NULL, NULL);
  gsize size;
  if (answer == NULL)
    return FALSE;
  const guint8 *bytes = g_bytes_get_data (answer, &size);
  Inference__ModelReadyResponse *response =
      inference__model_ready_response__unpack (NULL, size, bytes);
  const gboolean ready = response != NULL && response->ready;
  if (response != NULL)
    inference__model_ready_response__free_unpacked (response, NULL);
  return ready;
}

__attribute__ ((visibility ("default")))
const RemoteProtocol infer_remote_protocol = {
  .version = REMOTE_PROTOCOL_VERSION,
  .open = remote_channel_open,
  .close = remote_channel_close,
  .describe = describe,
  .has_extension = has_extension,
  .is_ready = is_ready,
  .call_new = remote_call_new,
  .call_free = remote_call_free,
  .call_start = remote_call_start,
  .call_cancel = remote_call_cancel,
  .call_finish = remote_call_finish,
};
