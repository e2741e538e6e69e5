/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages as byte buffers, and the answers of unary calls. */

#include <grpc/byte_buffer_reader.h>
#include <string.h>

#include "protocol/status.h"
#include "tools/serve/rpc/private.h"

/* Status texts travel as headers, which have limits. */
#define TEXT_MOST 1000

/* --- byte buffers --- */

static grpc_slice
part_slice (const ProtocolParts *parts, guint i, ProtocolInfer *response)
{
  const ProtocolPart *part = &g_array_index (parts->parts, ProtocolPart, i);
  ProtocolTensor *tensor = part->data != NULL && response != NULL
                               ? protocol_infer_tensor (response, part->tensor)
                               : NULL;

  if (tensor == NULL || tensor->owned == NULL)
    return grpc_slice_from_copied_buffer (
        protocol_parts_data (parts, i), part->size);
  gpointer owned = g_steal_pointer (&tensor->owned);
  return grpc_slice_new_with_user_data (owned, part->size, g_free, owned);
}

grpc_byte_buffer *
rpc_buffer_new (const ProtocolParts *parts, ProtocolInfer *response)
{
  const guint n = parts->parts->len;
  g_autofree grpc_slice *slices = g_new (grpc_slice, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    slices[i] = part_slice (parts, i, response);
  grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create (slices, n);
  for (guint i = 0; i < n; i++)
    grpc_slice_unref (slices[i]);
  return buffer;
}

static void
free_slice (gpointer slice)
{
  grpc_slice_unref (*(grpc_slice *) slice);
  g_free (slice);
}

GBytes *
rpc_buffer_read (grpc_byte_buffer *buffer)
{
  grpc_byte_buffer_reader reader;
  grpc_slice slice;

  if (!grpc_byte_buffer_reader_init (&reader, buffer)) {
    grpc_byte_buffer_destroy (buffer);
    return NULL;
  }
  if (!grpc_byte_buffer_reader_next (&reader, &slice))
    slice = grpc_empty_slice ();
  if (GRPC_SLICE_LENGTH (slice) != grpc_byte_buffer_length (buffer)) {
    grpc_slice_unref (slice);
    grpc_byte_buffer_reader_destroy (&reader);
    grpc_byte_buffer_reader_init (&reader, buffer);
    slice = grpc_byte_buffer_reader_readall (&reader);
  }
  grpc_byte_buffer_reader_destroy (&reader);
  grpc_byte_buffer_destroy (buffer);
  /* Of small slices the bytes are in the slice itself. */
  grpc_slice *kept = g_memdup2 (&slice, sizeof slice);
  return g_bytes_new_with_free_func (GRPC_SLICE_START_PTR (*kept),
      GRPC_SLICE_LENGTH (*kept), free_slice, kept);
}

/* --- answers --- */

void
rpc_call_set_status (
    RpcCall *call, grpc_op *op, grpc_status_code code, const char *text)
{
  *op = (grpc_op){ .op = GRPC_OP_SEND_STATUS_FROM_SERVER };
  op->data.send_status_from_server.status = code;
  if (text == NULL)
    return;
  g_autofree char *shorter = g_strndup (text, MIN (strlen (text), TEXT_MOST));
  g_autofree char *valid = g_utf8_make_valid (shorter, -1);
  call->details_text = grpc_slice_from_copied_string (valid);
  call->has_text = TRUE;
  op->data.send_status_from_server.status_details = &call->details_text;
}

static void
on_written (RpcCall *call, gboolean ok)
{
  rpc_call_unref (call);
}

static void
send_unary (RpcCall *call, grpc_byte_buffer *message, grpc_status_code code,
    const char *text)
{
  grpc_op ops[4] = { { .op = GRPC_OP_SEND_INITIAL_METADATA } };
  guint n = 1;

  if (message != NULL) {
    ops[n].op = GRPC_OP_SEND_MESSAGE;
    ops[n++].data.send_message.send_message = message;
  }
  rpc_call_set_status (call, &ops[n++], code, text);
  if (rpc_call_claim_end (call)) {
    ops[n].op = GRPC_OP_RECV_CLOSE_ON_SERVER;
    ops[n++].data.recv_close_on_server.cancelled = &call->cancelled;
  }
  call->written = (RpcTag){ on_written, call };
  if (grpc_call_start_batch (call->call, ops, n, &call->written, NULL)
      != GRPC_CALL_OK)
    rpc_call_unref (call);
  /* The batch has taken references to its slices. */
  if (message != NULL)
    grpc_byte_buffer_destroy (message);
}

void
rpc_call_reply (
    RpcCall *call, const ProtocolParts *parts, ProtocolInfer *response)
{
  send_unary (call, rpc_buffer_new (parts, response), GRPC_STATUS_OK, NULL);
}

void
rpc_call_fail_code (RpcCall *call, grpc_status_code code, const char *text)
{
  send_unary (call, NULL, code, text);
}

void
rpc_call_fail (RpcCall *call, const GError *error)
{
  rpc_call_fail_code (
      call, (grpc_status_code) protocol_status_to_grpc (error), error->message);
}
