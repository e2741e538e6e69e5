/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of the Open Inference Protocol over HTTP: the first byte says which,
 * the next two how much of the rest is JSON. */

#include "tests/fuzz/support/fuzz.h"

#include "protocol/metadata.h"
#include "protocol/rest.h"

static void
try_infer (GBytes *body, gssize json_size, gboolean request)
{
  g_autoptr (GError) error = NULL, unwritable = NULL;
  g_autoptr (ProtocolInfer) infer =
      request ? protocol_rest_read_request (body, json_size, &error)
              : protocol_rest_read_response (body, json_size, &error);
  g_auto (ProtocolParts) parts = { 0 };
  gssize size;

  g_assert_true ((infer == NULL) == (error != NULL));
  if (infer == NULL)
    return;
  protocol_parts_init (&parts);
  if (!protocol_rest_write_response (infer, &parts, &size, &unwritable)) {
    g_assert_nonnull (unwritable);
    return;
  }
  g_autoptr (GBytes) again = protocol_parts_join (&parts);
  g_autoptr (ProtocolInfer) back =
      protocol_rest_read_response (again, size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->tensors->len, ==, infer->tensors->len);
  for (guint i = 0; i < infer->tensors->len; i++) {
    const ProtocolTensor *x = protocol_infer_tensor (infer, i);
    const ProtocolTensor *y = protocol_infer_tensor (back, i);
    g_assert_cmpmem (x->data, x->size, y->data, y->size);
  }
}

static void
try_metadata (GBytes *body)
{
  g_autoptr (GError) error = NULL, bad = NULL;
  g_autoptr (ProtocolMetadata) metadata =
      protocol_rest_read_metadata (body, &error);
  g_autoptr (ProtocolMetadata) config = protocol_metadata_new ("fuzz");
  g_autoptr (GString) json = g_string_new (NULL);

  g_assert_true ((metadata == NULL) == (error != NULL));
  g_assert_true (
      protocol_rest_read_config (body, config, &bad) == (bad == NULL));
  if (metadata != NULL)
    protocol_rest_write_metadata (metadata, json);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 3)
    return 0;
  const gssize json_size = data[1] | data[2] << 8;
  g_autoptr (GBytes) body = g_bytes_new (data + 3, size - 3);
  g_autofree char *text = protocol_rest_read_error (body);
  g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
  if (data[0] % 3 == 2)
    try_metadata (body);
  else
    try_infer (body, json_size == 0xffff ? -1 : json_size, data[0] % 3 == 0);
  return 0;
}
