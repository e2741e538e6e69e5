/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of the Open Inference Protocol over gRPC: the first byte says which.
 * What is read is written, and reads back to the same. */

#include "tests/fuzz/support/fuzz.h"

#include "protocol/grpc.h"
#include "protocol/metadata.h"

static void
check_same (const ProtocolInfer *a, const ProtocolInfer *b)
{
  g_assert_cmpstr (a->model, ==, b->model);
  g_assert_cmpuint (a->parameters->len, ==, b->parameters->len);
  g_assert_cmpuint (a->outputs->len, ==, b->outputs->len);
  g_assert_cmpuint (a->tensors->len, ==, b->tensors->len);
  for (guint i = 0; i < a->tensors->len; i++) {
    const ProtocolTensor *x = protocol_infer_tensor (a, i);
    const ProtocolTensor *y = protocol_infer_tensor (b, i);

    g_assert_cmpint (x->type, ==, y->type);
    g_assert_true (infer_shape_equal (&x->shape, &y->shape));
    g_assert_cmpmem (x->data, x->size, y->data, y->size);
  }
}

static void
try_infer (GBytes *message, gboolean request)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolInfer) infer =
      request ? protocol_grpc_read_request (message, &error)
              : protocol_grpc_read_response (message, &error);
  g_auto (ProtocolParts) parts = { 0 };

  g_assert_true ((infer == NULL) == (error != NULL));
  if (infer == NULL)
    return;
  protocol_parts_init (&parts);
  if (request)
    protocol_grpc_write_request (infer, &parts);
  else
    protocol_grpc_write_response (infer, &parts);
  g_autoptr (GBytes) again = protocol_parts_join (&parts);
  g_autoptr (ProtocolInfer) back =
      request ? protocol_grpc_read_request (again, &error)
              : protocol_grpc_read_response (again, &error);
  g_assert_no_error (error);
  check_same (infer, back);
}

static void
try_stream (GBytes *message)
{
  g_autoptr (ProtocolInfer) infer = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *failure = NULL;

  g_assert_true (
      protocol_grpc_read_stream_response (message, &infer, &failure, &error)
      == (error == NULL));
  g_assert_true (failure == NULL || g_utf8_validate (failure, -1, NULL));
}

static void
try_metadata (GBytes *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolMetadata) metadata =
      protocol_grpc_read_metadata (message, &error);
  g_auto (ProtocolParts) parts = { 0 };

  g_assert_true ((metadata == NULL) == (error != NULL));
  if (metadata == NULL)
    return;
  protocol_parts_init (&parts);
  protocol_grpc_write_metadata (metadata, &parts);
  protocol_grpc_write_config (metadata, &parts);
}

static void
try_config (GBytes *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolMetadata) metadata = protocol_metadata_new ("fuzz");

  g_assert_true (
      protocol_grpc_read_config (message, metadata, &error) == (error == NULL));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  g_autoptr (GBytes) message = g_bytes_new (data + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      try_infer (message, TRUE);
      break;
    case 1:
      try_infer (message, FALSE);
      break;
    case 2:
      try_stream (message);
      break;
    case 3:
      try_metadata (message);
      break;
    default:
      try_config (message);
  }
  return 0;
}
