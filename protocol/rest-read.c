/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "inference/base/json.h"
#include "protocol/datatype.h"
#include "protocol/rest-private.h"
#include "protocol/rest.h"

/* What reads tensors from a body. */
typedef struct
{
  ProtocolInfer *infer;
  const guint8 *binary; /* what is left behind the JSON */
  gsize left;
} Body;

/* Servers' own parameters may be of any type: what is no parameter here is
 * skipped in a response. */
static gboolean
read_parameters (ProtocolInfer *infer, InferJsonValue object, gboolean request,
    GError **error)
{
  for (guint i = 0; i < infer_json_length (object); i++) {
    const char *key = infer_json_key (object, i, NULL);
    const InferJsonValue value = infer_json_at (object, i);
    const char *string;
    gint64 integer;
    double number;
    gboolean flag;

    switch (infer_json_type (value)) {
      case INFER_JSON_STRING:
        if (!infer_json_to_string (value, &string, NULL, error))
          return FALSE;
        protocol_infer_add_string (infer, key, string);
        break;
      case INFER_JSON_BOOL:
        if (!infer_json_to_bool (value, &flag, error))
          return FALSE;
        protocol_infer_add_bool (infer, key, flag);
        break;
      case INFER_JSON_NUMBER:
        if (infer_json_to_int (value, &integer, NULL)) {
          protocol_infer_add_int (infer, key, integer);
          break;
        }
        if (!infer_json_to_number (value, &number, error))
          return FALSE;
        protocol_infer_add_double (infer, key, number);
        break;
      default:
        if (request)
          return infer_json_fail (
              value, error, "a bool, number or string was expected");
    }
  }
  return TRUE;
}

/* --- tensors --- */

static gboolean
read_shape (InferJsonValue tensor, gint64 *dims, guint *rank, GError **error)
{
  InferJsonValue shape;

  if (!infer_json_get_array (tensor, "shape", &shape, error))
    return FALSE;
  *rank = infer_json_length (shape);
  if (*rank > INFER_MAX_RANK)
    return infer_json_fail (shape, error,
        "%u dimensions; at most %d are possible", *rank, INFER_MAX_RANK);
  for (guint i = 0; i < *rank; i++)
    if (!infer_json_to_int (infer_json_at (shape, i), &dims[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
take_binary (
    Body *body, ProtocolTensor *tensor, InferJsonValue size, GError **error)
{
  gint64 bytes;

  if (!infer_json_to_int (size, &bytes, error))
    return FALSE;
  if (bytes < 0 || (guint64) bytes > body->left)
    return infer_json_fail (size, error,
        "%" G_GINT64_FORMAT " bytes; %zu are left behind the JSON", bytes,
        body->left);
  if (!protocol_tensor_set_data (tensor, body->binary, (gsize) bytes, error))
    return FALSE;
  tensor->binary = TRUE;
  body->binary += bytes;
  body->left -= (gsize) bytes;
  return TRUE;
}

static gboolean
read_tensor (Body *body, InferJsonValue value, GError **error)
{
  ProtocolTensor *tensor = protocol_infer_add_tensor (body->infer);
  const char *name, *datatype;
  InferJsonValue parameters = { 0 };
  gint64 dims[INFER_MAX_RANK];
  guint rank;

  if (!infer_json_get_string (value, "name", &name, error)
      || !infer_json_get_string (value, "datatype", &datatype, error)
      || !read_shape (value, dims, &rank, error)
      || !protocol_tensor_set_desc (tensor, name, datatype, dims, rank, error))
    return FALSE;
  if (!infer_json_opt_object (value, "parameters", &parameters, error))
    return FALSE;
  const InferJsonValue size = infer_json_find (parameters, "binary_data_size");
  const InferJsonValue data = infer_json_find (value, "data");
  if (infer_json_type (infer_json_find (parameters, "shared_memory_region"))
      != INFER_JSON_ABSENT)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "tensor '%s' is in shared memory, which is not supported: send its "
        "data",
        name);
  if (infer_json_type (size) == INFER_JSON_ABSENT)
    return protocol_rest_read_data (tensor, data, error);
  if (infer_json_type (data) > INFER_JSON_NULL)
    return infer_json_fail (
        value, error, "tensor '%s' has 'data' and binary data", name);
  return take_binary (body, tensor, size, error);
}

static gboolean
read_tensors (Body *body, InferJsonValue root, const char *key, GError **error)
{
  InferJsonValue list;

  if (!infer_json_get_array (root, key, &list, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (list); i++)
    if (!read_tensor (body, infer_json_at (list, i), error))
      return FALSE;
  if (body->left > 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%zu bytes behind the JSON belong to no tensor", body->left);
  return TRUE;
}

static gboolean
read_outputs (ProtocolInfer *infer, InferJsonValue root, GError **error)
{
  InferJsonValue list = { 0 };

  if (!infer_json_opt_array (root, "outputs", &list, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (list); i++) {
    const InferJsonValue item = infer_json_at (list, i);
    InferJsonValue parameters = { 0 };
    const char *name;
    gint64 classes = 0;

    if (!infer_json_get_string (item, "name", &name, error)
        || !infer_json_opt_object (item, "parameters", &parameters, error))
      return FALSE;
    ProtocolOutput *output = protocol_infer_add_output (infer, name);
    if (infer_json_type (parameters) != INFER_JSON_OBJECT)
      continue;
    if (!infer_json_opt_bool (parameters, "binary_data", &output->binary, error)
        || !infer_json_opt_int (parameters, "classification", &classes, error))
      return FALSE;
    output->classes = (guint) CLAMP (classes, 0, G_MAXINT);
    if (infer_json_type (infer_json_find (parameters, "shared_memory_region"))
        != INFER_JSON_ABSENT)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "output '%s' is asked for in shared memory, which is not supported",
          name);
  }
  return TRUE;
}

/* --- bodies --- */

static gboolean
opt_field (char **field, InferJsonValue root, const char *key, GError **error)
{
  const char *value = NULL;

  return infer_json_opt_string (root, key, &value, error)
         && protocol_infer_set (field, value, error);
}

static gboolean
read_body (Body *body, InferJsonValue root, gboolean request, GError **error)
{
  ProtocolInfer *infer = body->infer;
  InferJsonValue parameters = { 0 };

  if (infer_json_type (root) != INFER_JSON_OBJECT)
    return infer_json_fail (root, error, "an object was expected");
  if (!opt_field (&infer->id, root, "id", error)
      || !infer_json_opt_object (root, "parameters", &parameters, error)
      || !read_parameters (infer, parameters, request, error))
    return FALSE;
  if (!request)
    return opt_field (&infer->model, root, "model_name", error)
           && opt_field (&infer->version, root, "model_version", error)
           && read_tensors (body, root, "outputs", error);
  return protocol_infer_get_bool (
             infer, "binary_data_output", &infer->binary, error)
         && read_tensors (body, root, "inputs", error)
         && read_outputs (infer, root, error);
}

static ProtocolInfer *
read_message (GBytes *bytes, gssize json_size, gboolean request, GError **error)
{
  const char *what = request ? "the request" : "the response";
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  const gsize head = json_size < 0 ? size : (gsize) json_size;

  if (data == NULL) /* an empty body */
    data = "";
  if (head > size) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: " PROTOCOL_REST_HEADER " is %zu, but the body has %zu bytes", what,
        head, size);
    return NULL;
  }
  g_autoptr (GError) bad = NULL;
  g_autoptr (InferJson) json = infer_json_parse (what, data, head, &bad);
  g_autoptr (ProtocolInfer) infer = protocol_infer_new ("", "");
  Body body = { infer, (const guint8 *) data + head, size - head };

  infer->message = g_bytes_ref (bytes);
  if (json == NULL
      || !read_body (&body, infer_json_root (json), request, &bad)) {
    /* A malformed file is what the JSON reader takes it for. */
    if (bad->code == INFER_ERROR_INVALID_MODEL)
      bad->code = INFER_ERROR_INVALID_ARGUMENT;
    g_propagate_error (error, g_steal_pointer (&bad));
    return NULL;
  }
  return g_steal_pointer (&infer);
}

ProtocolInfer *
protocol_rest_read_request (GBytes *body, gssize json_size, GError **error)
{
  return read_message (body, json_size, TRUE, error);
}

ProtocolInfer *
protocol_rest_read_response (GBytes *body, gssize json_size, GError **error)
{
  return read_message (body, json_size, FALSE, error);
}

char *
protocol_rest_read_error (GBytes *body)
{
  gsize size;
  const char *data = g_bytes_get_data (body, &size);
  g_autoptr (InferJson) json =
      infer_json_parse ("the answer", data != NULL ? data : "", size, NULL);
  const char *message;

  if (json == NULL
      || !infer_json_get_string (
          infer_json_root (json), "error", &message, NULL))
    return NULL;
  return g_strdup (message);
}
