/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages over HTTP: JSON, and data behind it. */

#include <math.h>
#include <string.h>

#include "protocol/metadata.h"
#include "protocol/rest.h"

static ProtocolInfer *
read_text (const char *text, gsize size, gssize json_size, GError **error)
{
  g_autoptr (GBytes) body = g_bytes_new (text, size);

  return protocol_rest_read_request (body, json_size, error);
}

static void
add_tensor (ProtocolInfer *infer, const char *datatype, gint64 n,
    gconstpointer data, gsize size, gboolean binary)
{
  g_autoptr (GError) error = NULL;
  ProtocolTensor *tensor = protocol_infer_add_tensor (infer);

  protocol_tensor_set_desc (tensor, datatype, datatype, &n, 1, &error);
  g_assert_no_error (error);
  protocol_tensor_set_data (tensor, data, size, &error);
  g_assert_no_error (error);
  tensor->binary = binary;
}

/* All types, in JSON and behind it. */
static void
test_round_trip (gconstpointer data)
{
  const gboolean binary = GPOINTER_TO_INT (data);
  static const float f32[] = { 0.1f, -3e-39f, -0.f };
  static const double f64[] = { 0.1, 1e300 };
  static const gint64 i64[] = { G_MININT64, G_MAXINT64 };
  static const guint8 u8[] = { 0, 255 }, flags[] = { 1, 0 };
  static const guint16 f16[] = { 0x3c00, 0x0001 }, bf16[] = { 0x3f80, 1 };
  static const gint16 i16[] = { G_MININT16, G_MAXINT16 };
  g_autoptr (ProtocolInfer) infer = protocol_infer_new ("m", "1");
  g_autoptr (GError) error = NULL;
  g_auto (ProtocolParts) parts;
  gssize json_size;

  protocol_infer_set (&infer->id, "4\"2\n", NULL);
  protocol_infer_add_int (infer, "sequence_id", 42);
  protocol_infer_add_string (infer, "s", "x");
  protocol_infer_add_bool (infer, "b", TRUE);
  protocol_infer_add_double (infer, "d", 0.5);
  add_tensor (infer, "FP32", 3, f32, sizeof f32, binary);
  add_tensor (infer, "FP64", 2, f64, sizeof f64, binary);
  add_tensor (infer, "INT64", 2, i64, sizeof i64, binary);
  add_tensor (infer, "UINT8", 2, u8, sizeof u8, binary);
  add_tensor (infer, "BOOL", 2, flags, sizeof flags, binary);
  add_tensor (infer, "FP16", 2, f16, sizeof f16, binary);
  add_tensor (infer, "BF16", 2, bf16, sizeof bf16, binary);
  add_tensor (infer, "INT16", 2, i16, sizeof i16, binary);
  add_tensor (infer, "BYTES", 2, "\2\0\0\0\"b\0\0\0\0", 10, binary);
  protocol_parts_init (&parts);
  g_assert_true (
      protocol_rest_write_response (infer, &parts, &json_size, &error));
  g_assert_cmpint (json_size < 0, ==, !binary);
  g_autoptr (GBytes) body = protocol_parts_join (&parts);
  g_autoptr (ProtocolInfer) back =
      protocol_rest_read_response (body, json_size, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (back->model, ==, "m");
  g_assert_cmpstr (back->id, ==, "4\"2\n");
  g_assert_cmpint (protocol_infer_find (back, "sequence_id")->integer, ==, 42);
  g_assert_cmpfloat (protocol_infer_find (back, "d")->number, ==, 0.5);
  g_assert_cmpuint (back->tensors->len, ==, infer->tensors->len);
  for (guint i = 0; i < infer->tensors->len; i++) {
    const ProtocolTensor *a = protocol_infer_tensor (infer, i);
    const ProtocolTensor *b = protocol_infer_tensor (back, i);
    g_assert_cmpint (a->type, ==, b->type);
    g_assert_cmpmem (a->data, a->size, b->data, b->size);
  }
}

static void
test_request (void)
{
  static const char text[] =
      "{\"id\":\"7\",\"parameters\":{\"binary_data_output\":true},"
      "\"inputs\":[{\"name\":\"a\",\"datatype\":\"FP32\",\"shape\":[2,2],"
      "\"data\":[[1,2],[3,4.5]]},{\"name\":\"b\",\"datatype\":\"UINT8\","
      "\"shape\":[3],\"parameters\":{\"binary_data_size\":3}}],"
      "\"outputs\":[{\"name\":\"y\"},{\"name\":\"z\",\"parameters\":"
      "{\"binary_data\":false,\"classification\":2}}]}xyz";
  static const float expected[] = { 1, 2, 3, 4.5f };
  const gsize size = sizeof text - 1;
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolInfer) infer =
      read_text (text, size, (gssize) size - 3, &error);

  g_assert_no_error (error);
  const ProtocolTensor *a = protocol_infer_tensor (infer, 0);
  const ProtocolTensor *b = protocol_infer_tensor (infer, 1);
  g_assert_cmpmem (a->data, a->size, expected, sizeof expected);
  g_assert_cmpmem (b->data, b->size, "xyz", 3);
  g_assert_true (protocol_infer_output (infer, 0)->binary);
  g_assert_false (protocol_infer_output (infer, 1)->binary);
  g_assert_cmpuint (protocol_infer_output (infer, 1)->classes, ==, 2);
}

/* Others' servers: null for what is absent, parameters of any type. */
static void
test_foreign_response (void)
{
  static const char text[] =
      "{\"id\":null,\"model_name\":\"m\",\"model_version\":null,"
      "\"parameters\":{\"content_type\":null,\"headers\":{\"a\":[1]}},"
      "\"outputs\":[{\"name\":\"y\",\"datatype\":\"UINT8\",\"shape\":[2],"
      "\"parameters\":null,\"data\":[7,8]},{\"name\":\"z\",\"datatype\":"
      "\"UINT8\",\"shape\":[1],\"parameters\":{\"binary_data_size\":1},"
      "\"data\":null}]}!";
  const gsize size = sizeof text - 1;
  g_autoptr (GBytes) body = g_bytes_new_static (text, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolInfer) infer =
      protocol_rest_read_response (body, (gssize) size - 1, &error);

  g_assert_no_error (error);
  const ProtocolTensor *y = protocol_infer_tensor (infer, 0),
                       *z = protocol_infer_tensor (infer, 1);
  g_assert_cmpmem (y->data, y->size, "\x07\x08", 2);
  g_assert_cmpmem (z->data, z->size, "!", 1);
  g_assert_cmpuint (infer->parameters->len, ==, 0);
}

/* What a client asks for is in the message, also where it names no output. */
static void
test_binary_outputs (void)
{
  for (guint named = 0; named < 2; named++) {
    g_autoptr (ProtocolInfer) infer = protocol_infer_new ("m", "1");
    g_autoptr (GError) error = NULL;
    g_auto (ProtocolParts) parts;
    gssize json_size;

    infer->binary = TRUE;
    protocol_infer_add_int (infer, "sequence_id", 1);
    if (named)
      protocol_infer_add_output (infer, "y");
    protocol_parts_init (&parts);
    g_assert_true (
        protocol_rest_write_request (infer, &parts, &json_size, &error));
    g_autoptr (GBytes) body = protocol_parts_join (&parts);
    g_autoptr (ProtocolInfer) back =
        protocol_rest_read_request (body, json_size, &error);
    g_assert_no_error (error);
    g_assert_true (back->binary);
    g_assert_cmpint (protocol_infer_find (back, "sequence_id")->integer, ==, 1);
    if (named)
      g_assert_true (protocol_infer_output (back, 0)->binary);
  }
}

#define TENSOR(type, shape, rest)                                              \
  "{\"inputs\":[{\"name\":\"a\",\"datatype\":\"" type "\",\"shape\":" shape    \
  "," rest "}]}"

static void
test_refused (void)
{
  static const struct
  {
    const char *text, *words;
    gssize json_size;
  } cases[] = {
    { "", "too early", -1 },
    { "[]", "an object was expected", -1 },
    { "{", "too early", -1 },
    { "{}", "inputs", -1 },
    { "{\"inputs\":[1]}", "an object was expected", -1 },
    { "{\"inputs\":[]}xx", "belong to no tensor", 13 },
    { "{\"inputs\":[]}", "the body has 13 bytes", 14 },
    { TENSOR ("FP32", "[2]", "\"data\":[1]"), "1 values", -1 },
    { TENSOR ("FP32", "[2]", "\"data\":[1,2,3]"), "3 values", -1 },
    { TENSOR ("FP32", "[1]", "\"data\":[\"x\"]"), "number", -1 },
    { TENSOR ("FP32", "[1]", "\"x\":1"), "neither 'data'", -1 },
    { TENSOR ("FP32", "[-1]", "\"data\":[1]"), "dimension 0 is -1", -1 },
    { TENSOR ("FP32", "[1.5]", "\"data\":[1]"), "integer", -1 },
    { TENSOR ("FP33", "[1]", "\"data\":[1]"), "FP33", -1 },
    { TENSOR ("UINT8", "[1]", "\"data\":[256]"), "256", -1 },
    { TENSOR ("UINT64", "[1]", "\"data\":[-1]"), "-1", -1 },
    { TENSOR ("BOOL", "[1]", "\"data\":[2]"), "bool", -1 },
    { TENSOR ("INT32", "[1000000,1000000,1000]", "\"data\":[]"), "0 values",
        -1 },
    { TENSOR ("INT32", "[4611686018427387904,8]", "\"data\":[]"), "too large",
        -1 },
    { TENSOR ("UINT8", "[9]", "\"parameters\":{\"binary_data_size\":9}"),
        "0 are left", -1 },
    { TENSOR ("UINT8", "[1]", "\"parameters\":{\"binary_data_size\":-1}"),
        "-1 bytes", -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (read_text (
        cases[i].text, strlen (cases[i].text), cases[i].json_size, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    if (strstr (error->message, cases[i].words) == NULL)
      g_error ("'%s' does not say '%s'", error->message, cases[i].words);
  }
}

static void
test_unwritable (void)
{
  static const float bad[] = { 1, NAN };
  g_autoptr (ProtocolInfer) infer = protocol_infer_new ("m", "1");
  g_autoptr (GError) error = NULL;
  g_auto (ProtocolParts) parts;
  gssize json_size;

  add_tensor (infer, "FP32", 2, bad, sizeof bad, FALSE);
  protocol_parts_init (&parts);
  g_assert_false (
      protocol_rest_write_response (infer, &parts, &json_size, &error));
  g_assert_nonnull (strstr (error->message, "not a number"));
  g_assert_nonnull (strstr (error->message, "binary"));
}

static void
test_error (void)
{
  g_autofree char *text = protocol_rest_write_error ("no \"x\"");
  g_autoptr (GBytes) body = g_bytes_new_static (text, strlen (text));
  g_autofree char *back = protocol_rest_read_error (body);
  g_autoptr (GBytes) none = g_bytes_new_static ("<html>", 6);

  g_assert_cmpstr (back, ==, "no \"x\"");
  g_assert_null (protocol_rest_read_error (none));
}

static void
test_metadata (void)
{
  g_autoptr (ProtocolMetadata) metadata = protocol_metadata_new ("m");
  const InferDesc desc = { INFER_TYPE_F32,
    infer_shape_make (2, (gint64) -1, (gint64) 4) };
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) json = g_string_new (NULL);
  g_autoptr (GString) config = g_string_new (NULL);

  protocol_metadata_add_port (metadata->inputs, "in", &desc);
  g_ptr_array_add (metadata->settings, g_strdup ("key"));
  g_ptr_array_add (metadata->settings, g_strdup ("va\"lue"));
  metadata->sequences = TRUE;
  metadata->idle_us = 3;
  protocol_rest_write_metadata (metadata, json);
  protocol_rest_write_config (metadata, config);
  g_autoptr (GBytes) body = g_bytes_new (json->str, json->len);
  g_autoptr (GBytes) config_body = g_bytes_new (config->str, config->len);
  g_autoptr (ProtocolMetadata) back =
      protocol_rest_read_metadata (body, &error);
  g_assert_no_error (error);
  g_assert_true (protocol_rest_read_config (config_body, back, &error));
  g_assert_no_error (error);
  const ProtocolPort *in = &g_array_index (back->inputs, ProtocolPort, 0);
  g_assert_cmpstr (in->name, ==, "in");
  g_assert_true (infer_shape_equal (&in->desc.shape, &desc.shape));
  g_assert_cmpstr (protocol_metadata_setting (back, "key"), ==, "va\"lue");
  g_assert_true (back->sequences);
  g_assert_cmpuint (back->idle_us, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func (
      "/protocol/rest/json", GINT_TO_POINTER (FALSE), test_round_trip);
  g_test_add_data_func (
      "/protocol/rest/binary", GINT_TO_POINTER (TRUE), test_round_trip);
  g_test_add_func ("/protocol/rest/foreign-response", test_foreign_response);
  g_test_add_func ("/protocol/rest/request", test_request);
  g_test_add_func ("/protocol/rest/binary-outputs", test_binary_outputs);
  g_test_add_func ("/protocol/rest/refused", test_refused);
  g_test_add_func ("/protocol/rest/unwritable", test_unwritable);
  g_test_add_func ("/protocol/rest/error", test_error);
  g_test_add_func ("/protocol/rest/metadata", test_metadata);
  return g_test_run ();
}
