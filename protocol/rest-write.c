/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/datatype.h"
#include "protocol/json-text.h"
#include "protocol/rest-private.h"
#include "protocol/rest.h"

/* Of a request: outputs that it does not name are to be binary. */
#define BINARY_OUTPUT "binary_data_output"

/* @wishes: adds BINARY_OUTPUT. */
static void
write_parameters (const ProtocolInfer *infer, gboolean wishes, GString *json)
{
  g_string_append_c (json, '{');
  if (wishes)
    g_string_append (json, "\"" BINARY_OUTPUT "\":true");
  for (guint i = 0; i < infer->parameters->len; i++) {
    const ProtocolParameter *parameter =
        &g_array_index (infer->parameters, ProtocolParameter, i);

    protocol_json_key (json, parameter->key);
    switch (parameter->type) {
      case PROTOCOL_BOOL:
        g_string_append (json, parameter->integer ? "true" : "false");
        break;
      case PROTOCOL_INT:
        g_string_append_printf (json, "%" G_GINT64_FORMAT, parameter->integer);
        break;
      case PROTOCOL_DOUBLE:
        protocol_json_number (json, parameter->number, FALSE);
        break;
      case PROTOCOL_STRING:
        protocol_json_string (json, parameter->string);
        break;
    }
  }
  g_string_append_c (json, '}');
}

static gboolean
write_tensor (const ProtocolTensor *tensor, GString *json, GError **error)
{
  protocol_json_next (json);
  g_string_append_c (json, '{');
  protocol_json_add_string (json, "name", tensor->name);
  protocol_json_add_string (
      json, "datatype", protocol_datatype_name (tensor->type));
  protocol_json_key (json, "shape");
  g_string_append_c (json, '[');
  for (int i = 0; i < tensor->shape.rank; i++) {
    protocol_json_next (json);
    g_string_append_printf (json, "%" G_GINT64_FORMAT, tensor->shape.dims[i]);
  }
  g_string_append_c (json, ']');
  if (tensor->binary) {
    protocol_json_key (json, "parameters");
    g_string_append_printf (json, "{\"binary_data_size\":%zu}", tensor->size);
  } else {
    protocol_json_key (json, "data");
    g_string_append_c (json, '[');
    if (!protocol_rest_write_data (tensor, json, error))
      return FALSE;
    g_string_append_c (json, ']');
  }
  g_string_append_c (json, '}');
  return TRUE;
}

static gboolean
write_tensors (
    const ProtocolInfer *infer, const char *key, GString *json, GError **error)
{
  protocol_json_key (json, key);
  g_string_append_c (json, '[');
  for (guint i = 0; i < infer->tensors->len; i++)
    if (!write_tensor (protocol_infer_tensor (infer, i), json, error))
      return FALSE;
  g_string_append_c (json, ']');
  return TRUE;
}

static void
write_outputs (const ProtocolInfer *infer, GString *json)
{
  if (infer->outputs->len == 0)
    return;
  protocol_json_key (json, "outputs");
  g_string_append_c (json, '[');
  for (guint i = 0; i < infer->outputs->len; i++) {
    const ProtocolOutput *output = protocol_infer_output (infer, i);

    protocol_json_next (json);
    g_string_append_c (json, '{');
    protocol_json_add_string (json, "name", output->name);
    protocol_json_key (json, "parameters");
    g_string_append_printf (
        json, "{\"binary_data\":%s}}", output->binary ? "true" : "false");
  }
  g_string_append_c (json, ']');
}

/* The JSON, then binary tensors. */
static void
append_all (const ProtocolInfer *infer, const GString *json,
    ProtocolParts *parts, gssize *json_size)
{
  *json_size = -1;
  protocol_parts_append (parts, json->str, json->len);
  for (guint i = 0; i < infer->tensors->len; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (infer, i);

    if (!tensor->binary)
      continue;
    *json_size = (gssize) json->len;
    protocol_parts_append_borrowed (parts, tensor->data, tensor->size, i);
  }
}

static gboolean
write_message (
    const ProtocolInfer *infer, gboolean request, GString *json, GError **error)
{
  g_string_append_c (json, '{');
  if (!request) {
    protocol_json_add_string (json, "model_name", infer->model);
    protocol_json_add_string (json, "model_version", infer->version);
  }
  if (infer->id[0] != '\0')
    protocol_json_add_string (json, "id", infer->id);
  const gboolean wishes = request && infer->binary
                          && protocol_infer_find (infer, BINARY_OUTPUT) == NULL;
  if (infer->parameters->len > 0 || wishes) {
    protocol_json_key (json, "parameters");
    write_parameters (infer, wishes, json);
  }
  if (!write_tensors (infer, request ? "inputs" : "outputs", json, error))
    return FALSE;
  if (request)
    write_outputs (infer, json);
  g_string_append_c (json, '}');
  return TRUE;
}

static gboolean
write_parts (const ProtocolInfer *infer, gboolean request, ProtocolParts *parts,
    gssize *json_size, GError **error)
{
  GString *json = g_string_new (NULL);
  const gboolean done = write_message (infer, request, json, error);

  if (done)
    append_all (infer, json, parts, json_size);
  g_string_free (json, TRUE);
  return done;
}

gboolean
protocol_rest_write_request (const ProtocolInfer *infer, ProtocolParts *parts,
    gssize *json_size, GError **error)
{
  return write_parts (infer, TRUE, parts, json_size, error);
}

gboolean
protocol_rest_write_response (const ProtocolInfer *infer, ProtocolParts *parts,
    gssize *json_size, GError **error)
{
  return write_parts (infer, FALSE, parts, json_size, error);
}

char *
protocol_rest_write_error (const char *message)
{
  GString *json = g_string_new ("{");

  protocol_json_add_string (json, "error", message);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
