/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages over gRPC: what is written is read back, what is malformed is
 * refused. */

#include <string.h>

#include "protocol/grpc-private.h"
#include "protocol/metadata.h"

static const float floats[] = { 1, -2.5f, 3e-40f, 4, 5, 6 };

static ProtocolInfer *
make (void)
{
  ProtocolInfer *infer = protocol_infer_new ("digits", "3");
  g_autoptr (GError) error = NULL;
  static const gint64 dims[] = { 2, 3 }, none[] = { 0 };

  protocol_infer_set (&infer->id, "req é", NULL);
  protocol_infer_add_int (infer, "sequence_id", G_GINT64_CONSTANT (1) << 40);
  protocol_infer_add_bool (infer, "sequence_start", TRUE);
  protocol_infer_add_string (infer, "text", "value");
  protocol_infer_add_double (infer, "double", 0.1);
  ProtocolTensor *tensor = protocol_infer_add_tensor (infer);
  g_assert_true (
      protocol_tensor_set_desc (tensor, "x", "FP32", dims, 2, &error));
  g_assert_true (
      protocol_tensor_set_data (tensor, floats, sizeof floats, &error));
  tensor = protocol_infer_add_tensor (infer);
  g_assert_true (
      protocol_tensor_set_desc (tensor, "empty", "INT64", none, 1, &error));
  g_assert_true (protocol_tensor_set_data (tensor, NULL, 0, &error));
  protocol_infer_add_output (infer, "y");
  return infer;
}

static void
check (const ProtocolInfer *infer)
{
  const ProtocolParameter *id = protocol_infer_find (infer, "sequence_id");

  g_assert_cmpstr (infer->model, ==, "digits");
  g_assert_cmpstr (infer->version, ==, "3");
  g_assert_cmpstr (infer->id, ==, "req é");
  g_assert_cmpuint (infer->parameters->len, ==, 4);
  g_assert_cmpint (id->type, ==, PROTOCOL_INT);
  g_assert_cmpint (id->integer, ==, G_GINT64_CONSTANT (1) << 40);
  g_assert_cmpstr (protocol_infer_find (infer, "text")->string, ==, "value");
  g_assert_cmpfloat (protocol_infer_find (infer, "double")->number, ==, 0.1);
  g_assert_true (protocol_infer_find (infer, "sequence_start")->integer);
  g_assert_cmpuint (infer->tensors->len, ==, 2);
  const ProtocolTensor *x = protocol_infer_tensor (infer, 0);
  g_assert_cmpstr (x->name, ==, "x");
  g_assert_cmpint (x->type, ==, INFER_TYPE_F32);
  g_assert_cmpint (x->shape.dims[1], ==, 3);
  g_assert_cmpmem (x->data, x->size, floats, sizeof floats);
  const ProtocolTensor *empty = protocol_infer_tensor (infer, 1);
  g_assert_cmpuint (empty->size, ==, 0);
  g_assert_cmpint (empty->type, ==, INFER_TYPE_I64);
}

/* Also: neither side has copied the tensor's data. */
static void
test_request (void)
{
  g_autoptr (ProtocolInfer) infer = make ();
  g_autoptr (GError) error = NULL;
  g_auto (ProtocolParts) parts;
  gboolean borrowed = FALSE;

  protocol_parts_init (&parts);
  protocol_grpc_write_request (infer, &parts);
  for (guint i = 0; i < parts.parts->len; i++)
    borrowed |= protocol_parts_data (&parts, i) == floats;
  g_assert_true (borrowed);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, parts.size);
  g_autoptr (ProtocolInfer) back = protocol_grpc_read_request (bytes, &error);
  g_assert_no_error (error);
  check (back);
  g_assert_cmpuint (back->outputs->len, ==, 1);
  g_assert_cmpstr (protocol_infer_output (back, 0)->name, ==, "y");
  const char *from = g_bytes_get_data (bytes, NULL);
  const char *data = protocol_infer_tensor (back, 0)->data;
  g_assert_true (data > from && data < from + g_bytes_get_size (bytes));
}

static void
test_response (void)
{
  g_autoptr (ProtocolInfer) infer = make ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolInfer) streamed = NULL;
  g_autofree char *failure = NULL;
  g_auto (ProtocolParts) parts, stream;

  protocol_parts_init (&parts);
  protocol_parts_init (&stream);
  protocol_grpc_write_response (infer, &parts);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  g_autoptr (ProtocolInfer) back = protocol_grpc_read_response (bytes, &error);
  g_assert_no_error (error);
  check (back);

  protocol_grpc_write_stream_response (infer, "it failed", &stream);
  g_autoptr (GBytes) message = protocol_parts_join (&stream);
  g_assert_true (protocol_grpc_read_stream_response (
      message, &streamed, &failure, &error));
  check (streamed);
  g_assert_cmpstr (failure, ==, "it failed");
}

static void
test_stream_error (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolInfer) infer = NULL;
  g_autofree char *failure = NULL;
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  protocol_grpc_write_stream_response (NULL, "no", &parts);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  g_assert_true (
      protocol_grpc_read_stream_response (bytes, &infer, &failure, &error));
  g_assert_null (infer);
  g_assert_cmpstr (failure, ==, "no");
}

/* --- typed contents --- */

/* A request with one input, packed by protobuf-c. */
static ProtocolInfer *
read_typed (const char *datatype, gint64 n,
    Inference__InferTensorContents *contents, GError **error)
{
  Inference__ModelInferRequest request = INFERENCE__MODEL_INFER_REQUEST__INIT;
  Inference__InferTensor tensor = INFERENCE__INFER_TENSOR__INIT;
  Inference__InferTensor *list[] = { &tensor };
  g_autofree char *type = g_strdup (datatype);
  char name[] = "x";
  g_auto (ProtocolParts) parts;

  tensor.name = name;
  tensor.datatype = type;
  tensor.n_shape = 1;
  tensor.shape = &n;
  tensor.contents = contents;
  request.n_inputs = 1;
  request.inputs = list;
  protocol_parts_init (&parts);
  protocol_pack (&request, &parts);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  return protocol_grpc_read_request (bytes, error);
}

static void
test_typed (void)
{
  Inference__InferTensorContents c = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
  g_autoptr (GError) error = NULL;
  gint32 ints[] = { -128, 127, 300 };
  float reals[] = { 1.5f, -0.f };
  protobuf_c_boolean flags[] = { 1, 0 };
  static const gint8 narrow[] = { -128, 127 };
  static const guint8 bools[] = { 1, 0 };

  c.int_contents = ints;
  c.n_int_contents = 2;
  g_autoptr (ProtocolInfer) i8 = read_typed ("INT8", 2, &c, &error);
  g_assert_no_error (error);
  const ProtocolTensor *x = protocol_infer_tensor (i8, 0);
  g_assert_cmpmem (x->data, x->size, narrow, 2);
  c.n_int_contents = 3;
  g_assert_null (read_typed ("INT8", 3, &c, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "300"));
  g_clear_error (&error);
  g_assert_null (read_typed ("INT32", 4, &c, &error));
  g_assert_nonnull (strstr (error->message, "3 values"));
  g_clear_error (&error);
  g_assert_null (read_typed ("FP16", 1, &c, &error));
  g_assert_nonnull (strstr (error->message, "raw contents"));
  g_clear_error (&error);

  c.fp32_contents = reals;
  c.n_fp32_contents = 2;
  g_autoptr (ProtocolInfer) f32 = read_typed ("FP32", 2, &c, &error);
  g_assert_no_error (error);
  x = protocol_infer_tensor (f32, 0);
  g_assert_cmpmem (x->data, x->size, reals, sizeof reals);
  c.bool_contents = flags;
  c.n_bool_contents = 2;
  g_autoptr (ProtocolInfer) flag = read_typed ("BOOL", 2, &c, &error);
  x = protocol_infer_tensor (flag, 0);
  g_assert_cmpmem (x->data, x->size, bools, 2);
}

/* MLServer sends empty typed contents beside raw ones. */
static void
test_empty_typed (void)
{
  Inference__ModelInferRequest request = INFERENCE__MODEL_INFER_REQUEST__INIT;
  Inference__InferTensorContents none = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
  Inference__InferTensor tensor = INFERENCE__INFER_TENSOR__INIT;
  Inference__InferTensor *list[] = { &tensor };
  ProtobufCBinaryData raw = { 4, (guint8 *) (gsize) "abcd" };
  protobuf_c_boolean flags[] = { 1 };
  char name[] = "x", type[] = "UINT8";
  gint64 n = 4;

  tensor.name = name;
  tensor.datatype = type;
  tensor.n_shape = 1;
  tensor.shape = &n;
  tensor.contents = &none;
  request.n_inputs = 1;
  request.inputs = list;
  request.n_raw_input_contents = 1;
  request.raw_input_contents = &raw;
  for (guint filled = 0; filled < 2; filled++) {
    g_auto (ProtocolParts) parts;
    g_autoptr (GError) error = NULL;

    none.bool_contents = flags;
    none.n_bool_contents = filled;
    protocol_parts_init (&parts);
    protocol_pack (&request, &parts);
    g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
    g_autoptr (ProtocolInfer) infer =
        protocol_grpc_read_request (bytes, &error);
    if (filled) {
      g_assert_null (infer);
      g_assert_nonnull (strstr (error->message, "typed contents and raw"));
    } else {
      g_assert_no_error (error);
      g_assert_cmpmem (protocol_infer_tensor (infer, 0)->data, 4, "abcd", 4);
    }
  }
}

static void
test_typed_strings (void)
{
  Inference__InferTensorContents c = INFERENCE__INFER_TENSOR_CONTENTS__INIT;
  g_autoptr (GError) error = NULL;
  guint8 text[] = { 'a', 'b' };
  ProtobufCBinaryData strings[] = { { 2, text }, { 0, NULL } };

  c.bytes_contents = strings;
  c.n_bytes_contents = 2;
  g_autoptr (ProtocolInfer) infer = read_typed ("BYTES", 2, &c, &error);
  g_assert_no_error (error);
  const ProtocolTensor *x = protocol_infer_tensor (infer, 0);
  g_assert_cmpmem (x->data, x->size, "\2\0\0\0ab\0\0\0\0", 10);
}

/* --- bad messages --- */

/* Cut anywhere, a message is an error or one that lacks fields, and never more
 * than that; with any byte changed as well. */
static void
test_cut_and_changed (void)
{
  g_autoptr (ProtocolInfer) infer = make ();
  g_auto (ProtocolParts) parts;
  guint refused = 0;

  protocol_parts_init (&parts);
  protocol_grpc_write_request (infer, &parts);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  for (gsize n = 0; n < size; n++) {
    g_autoptr (GBytes) cut = g_bytes_new (data, n);
    g_autoptr (GError) error = NULL;
    g_autoptr (ProtocolInfer) back = protocol_grpc_read_request (cut, &error);

    refused += back == NULL;
    g_assert_true ((back == NULL) == (error != NULL));
    if (error != NULL)
      g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  }
  g_assert_cmpuint (refused, >, size / 2);
  for (gsize n = 0; n < 256 * size; n++) {
    g_autofree guint8 *copy = g_memdup2 (data, size);
    copy[n / 256] = (guint8) n;
    g_autoptr (GBytes) changed =
        g_bytes_new_take (g_steal_pointer (&copy), size);
    g_autoptr (ProtocolInfer) back = protocol_grpc_read_request (changed, NULL);
  }
}

static void
refuse (const char *message, gsize size, const char *words)
{
  g_autoptr (GBytes) bytes = g_bytes_new (message, size);
  g_autoptr (GError) error = NULL;

  g_assert_null (protocol_grpc_read_request (bytes, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  if (strstr (error->message, words) == NULL)
    g_error ("'%s' does not say '%s'", error->message, words);
}

#define REFUSE(message, words) refuse (message, sizeof (message) - 1, words)

static void
test_refused (void)
{
  /* A field number of 0; one too large; a group; bytes that are not there; a
   * varint of 11 bytes. */
  REFUSE ("\x02\x00", "no field number");
  REFUSE ("\xff\xff\xff\xff\xff\x01", "no field number");
  REFUSE ("\x0b", "field 1");
  REFUSE ("\x3a\x05xy", "field 7 at byte 0");
  REFUSE ("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "field 7");
  REFUSE ("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "field 1");
  /* Names that are not UTF-8; raw contents of no tensor; no name. */
  REFUSE ("\x0a\x01\xff", "UTF-8");
  REFUSE ("\x3a\x01x", "0 tensors and raw contents of 1");
  REFUSE ("\x2a\x00", "no name");
  /* A tensor x of FP32 [-1]; of [1] with 3 bytes; of FP31. */
  REFUSE ("\x2a\x15\x0a\x01x\x12\x04"
          "FP32\x1a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
      "dimension 0 is -1");
  REFUSE ("\x2a\x0c\x0a\x01x\x12\x04"
          "FP32\x1a\x01\x01\x3a\x03"
          "abc",
      "3 bytes; 4 were expected");
  REFUSE ("\x2a\x0c\x0a\x01x\x12\x04"
          "FP31\x1a\x01\x01",
      "'FP31'");
}

/* 4 MB of empty tensors would be 350 MB of structures. */
static void
test_bomb (void)
{
  const gsize n = 2 << 20;
  g_autofree char *text = g_malloc (2 * n);

  for (gsize i = 0; i < n; i++)
    memcpy (text + 2 * i, "\x2a\x00", 2);
  refuse (text, 2 * n, "too many fields");
}

/* --- metadata --- */

static ProtocolMetadata *
make_metadata (void)
{
  ProtocolMetadata *metadata = protocol_metadata_new ("m");
  InferDesc desc = { INFER_TYPE_F16,
    infer_shape_make (2, (gint64) -1, (gint64) 40) };

  g_ptr_array_add (metadata->versions, g_strdup ("7"));
  protocol_metadata_add_port (metadata->inputs, "in", &desc);
  desc = (InferDesc){ INFER_TYPE_I64, infer_shape_dynamic () };
  protocol_metadata_add_port (metadata->outputs, "out", &desc);
  metadata->sequences = TRUE;
  metadata->idle_us = 5000000;
  g_ptr_array_add (metadata->settings, g_strdup ("model_info/labels"));
  g_ptr_array_add (metadata->settings, g_strdup ("a b"));
  return metadata;
}

static void
test_metadata (void)
{
  g_autoptr (ProtocolMetadata) metadata = make_metadata ();
  g_autoptr (GError) error = NULL;
  g_auto (ProtocolParts) parts, config;

  protocol_parts_init (&parts);
  protocol_parts_init (&config);
  protocol_grpc_write_metadata (metadata, &parts);
  protocol_grpc_write_config (metadata, &config);
  g_autoptr (GBytes) bytes = protocol_parts_join (&parts);
  g_autoptr (GBytes) config_bytes = protocol_parts_join (&config);
  g_autoptr (ProtocolMetadata) back =
      protocol_grpc_read_metadata (bytes, &error);
  g_assert_no_error (error);
  g_assert_true (protocol_grpc_read_config (config_bytes, back, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (back->name, ==, "m");
  g_assert_cmpstr (g_ptr_array_index (back->versions, 0), ==, "7");
  const ProtocolPort *in = &g_array_index (back->inputs, ProtocolPort, 0);
  g_assert_cmpstr (in->name, ==, "in");
  g_assert_cmpint (in->desc.type, ==, INFER_TYPE_F16);
  g_assert_cmpint (in->desc.shape.dims[0], ==, INFER_DYNAMIC);
  g_assert_cmpint (in->desc.shape.dims[1], ==, 40);
  const ProtocolPort *out = &g_array_index (back->outputs, ProtocolPort, 0);
  g_assert_cmpint (out->desc.shape.rank, ==, 1);
  g_assert_true (back->sequences);
  g_assert_cmpuint (back->idle_us, ==, 5000000);
  g_assert_cmpstr (
      protocol_metadata_setting (back, "model_info/labels"), ==, "a b");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/protocol/grpc/request", test_request);
  g_test_add_func ("/protocol/grpc/response", test_response);
  g_test_add_func ("/protocol/grpc/stream-error", test_stream_error);
  g_test_add_func ("/protocol/grpc/typed", test_typed);
  g_test_add_func ("/protocol/grpc/empty-typed", test_empty_typed);
  g_test_add_func ("/protocol/grpc/typed-strings", test_typed_strings);
  g_test_add_func ("/protocol/grpc/cut-and-changed", test_cut_and_changed);
  g_test_add_func ("/protocol/grpc/refused", test_refused);
  g_test_add_func ("/protocol/grpc/bomb", test_bomb);
  g_test_add_func ("/protocol/grpc/metadata", test_metadata);
  return g_test_run ();
}
