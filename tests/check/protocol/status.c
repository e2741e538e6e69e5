/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every error has a status that says the same on the other side. */

#include "protocol/datatype.h"
#include "protocol/status.h"

static GError *
error_of (int code)
{
  return g_error_new_literal (INFER_ERROR, code, "text");
}

static void
test_round_trip (void)
{
  for (int code = INFER_ERROR_FAILED; code <= INFER_ERROR_DEVICE; code++) {
    g_autoptr (GError) error = error_of (code);
    const InferErrorCode expected =
        code == INFER_ERROR_BUSY ? INFER_ERROR_DEVICE : (InferErrorCode) code;

    g_assert_cmpint (
        protocol_status_from_grpc ((int) protocol_status_to_grpc (error)), ==,
        expected);
    g_assert_cmpint (
        protocol_status_from_http (protocol_status_to_http (error)), ==,
        expected);
    g_assert_cmpuint (protocol_status_to_http (error), >=, 400);
    g_assert_cmpint (protocol_status_to_grpc (error), !=, PROTOCOL_GRPC_OK);
  }
}

static void
test_known (void)
{
  g_autoptr (GError) bad = error_of (INFER_ERROR_INVALID_ARGUMENT);
  g_autoptr (GError) later = error_of (999);
  g_autoptr (GError) foreign =
      g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOENT, "text");

  g_assert_cmpint (protocol_status_to_grpc (NULL), ==, 0);
  g_assert_cmpuint (protocol_status_to_http (NULL), ==, 200);
  g_assert_cmpint (protocol_status_to_grpc (bad), ==, 3);
  g_assert_cmpuint (protocol_status_to_http (bad), ==, 400);
  g_assert_cmpint (protocol_status_to_grpc (later), ==, 13);
  g_assert_cmpuint (protocol_status_to_http (foreign), ==, 500);
  g_assert_cmpint (protocol_status_from_grpc (4), ==, INFER_ERROR_DEVICE);
  g_assert_cmpint (protocol_status_from_grpc (14), ==, INFER_ERROR_DEVICE);
  g_assert_cmpint (protocol_status_from_grpc (77), ==, INFER_ERROR_FAILED);
  g_assert_cmpint (
      protocol_status_from_http (413), ==, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (protocol_status_from_http (504), ==, INFER_ERROR_DEVICE);
}

static void
test_datatypes (void)
{
  static const char *const names[] = { "BOOL", "UINT8", "UINT16", "UINT32",
    "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64", "BF16",
    "BYTES" };
  InferType type;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_true (protocol_datatype_parse (names[i], &type));
    g_assert_cmpstr (protocol_datatype_name (type), ==, names[i]);
  }
  g_assert_false (protocol_datatype_parse ("fp32", &type));
  g_assert_null (protocol_datatype_name (INFER_TYPE_U4));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/protocol/status/round-trip", test_round_trip);
  g_test_add_func ("/protocol/status/known", test_known);
  g_test_add_func ("/protocol/datatype", test_datatypes);
  return g_test_run ();
}
