/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/datatype.h"
#include "protocol/grpc-private.h"
#include "protocol/wire.h"

#define REQUEST_RAW 7  /* raw_input_contents */
#define RESPONSE_RAW 6 /* raw_output_contents */

/* A message without its raw contents, and those. */
typedef struct
{
  GByteArray *rest;
  GArray *raw; /* ProtocolSpan */
  ProtocolAllocator allocator;
  ProtobufCMessage *message;
} Split;

static void
split_clear (Split *split)
{
  g_byte_array_unref (split->rest);
  g_array_unref (split->raw);
  if (split->message != NULL)
    protobuf_c_message_free_unpacked (
        split->message, &split->allocator.allocator);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Split, split_clear)

static void
split_init (Split *split)
{
  *split = (Split){
    .rest = g_byte_array_new (),
    .raw = g_array_new (FALSE, FALSE, sizeof (ProtocolSpan)),
  };
}

static gboolean
split_read (Split *split, const ProtobufCMessageDescriptor *descriptor,
    GBytes *message, guint field, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);

  if (!protocol_wire_split (descriptor->short_name, data, size, field,
          split->rest, split->raw, error))
    return FALSE;
  split->message = protocol_unpack (descriptor, descriptor->short_name,
      split->rest->data, split->rest->len, &split->allocator, error);
  return split->message != NULL;
}

/* --- reading --- */

static gboolean
read_parameter (ProtocolInfer *infer, const Inference__ParameterEntry *entry,
    GError **error)
{
  const Inference__InferParameter *value = entry->value;

  if (!g_utf8_validate (entry->key, -1, NULL))
    return infer_fail (
        error, INFER_ERROR_INVALID_ARGUMENT, "a parameter's name is not UTF-8");
  switch (value != NULL ? value->parameter_choice_case : 0) {
    case INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_BOOL_PARAM:
      protocol_infer_add_bool (infer, entry->key, value->bool_param);
      return TRUE;
    case INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_INT64_PARAM:
      protocol_infer_add_int (infer, entry->key, value->int64_param);
      return TRUE;
    case INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_DOUBLE_PARAM:
      protocol_infer_add_double (infer, entry->key, value->double_param);
      return TRUE;
    case INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_UINT64_PARAM:
      if (value->uint64_param > G_MAXINT64)
        return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
            "parameter '%s' is larger than 2^63 - 1", entry->key);
      protocol_infer_add_int (infer, entry->key, (gint64) value->uint64_param);
      return TRUE;
    case INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_STRING_PARAM:
      if (!g_utf8_validate (value->string_param, -1, NULL))
        return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
            "parameter '%s' is not UTF-8", entry->key);
      protocol_infer_add_string (infer, entry->key, value->string_param);
      return TRUE;
    default:
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "parameter '%s' has no value", entry->key);
  }
}

static gboolean
read_head (ProtocolInfer *infer, const char *model, const char *version,
    const char *id, Inference__ParameterEntry *const *entries, gsize n,
    GError **error)
{
  if (!protocol_infer_set (&infer->model, model, error)
      || !protocol_infer_set (&infer->version, version, error)
      || !protocol_infer_set (&infer->id, id, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!read_parameter (infer, entries[i], error))
      return FALSE;
  return TRUE;
}

/* Shared memory is of one machine and of clients that are trusted with it. */
static gboolean
refuse_shared_memory (const Inference__InferTensor *from, GError **error)
{
  for (gsize i = 0; i < from->n_parameters; i++)
    if (g_str_equal (from->parameters[i]->key, "shared_memory_region"))
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "tensor '%s' is in shared memory, which is not supported: send its "
          "data",
          from->name);
  return TRUE;
}

/* Some servers send a message of typed contents that has none. */
static gboolean
has_contents (const Inference__InferTensorContents *c)
{
  return c != NULL
         && (c->n_bool_contents > 0 || c->n_int_contents > 0
             || c->n_int64_contents > 0 || c->n_uint_contents > 0
             || c->n_uint64_contents > 0 || c->n_fp32_contents > 0
             || c->n_fp64_contents > 0 || c->n_bytes_contents > 0);
}

/* Raw contents are given for all tensors or for none. */
static gboolean
read_tensors (ProtocolInfer *infer, Inference__InferTensor *const *from,
    gsize n, const GArray *raw, GError **error)
{
  if (raw->len > 0 && raw->len != n)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the message has %zu tensors and raw contents of %u", n, raw->len);
  for (gsize i = 0; i < n; i++) {
    const Inference__InferTensor *t = from[i];
    ProtocolTensor *tensor = protocol_infer_add_tensor (infer);

    if (!protocol_tensor_set_desc (
            tensor, t->name, t->datatype, t->shape, t->n_shape, error)
        || !refuse_shared_memory (t, error))
      return FALSE;
    if (raw->len > 0) {
      const ProtocolSpan *span = &g_array_index (raw, ProtocolSpan, i);
      if (has_contents (t->contents))
        return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
            "tensor '%s' has typed contents and raw contents", t->name);
      if (!protocol_tensor_set_data (tensor, span->data, span->size, error))
        return FALSE;
    } else {
      const Inference__InferTensorContents none =
          INFERENCE__INFER_TENSOR_CONTENTS__INIT;
      if (!protocol_contents_read (
              t->contents != NULL ? t->contents : &none, tensor, error))
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
read_outputs (ProtocolInfer *infer, const Inference__ModelInferRequest *request,
    GError **error)
{
  for (gsize i = 0; i < request->n_outputs; i++) {
    const Inference__RequestedOutput *from = request->outputs[i];

    if (!g_utf8_validate (from->name, -1, NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "the name of requested output %zu is not UTF-8", i);
    ProtocolOutput *output = protocol_infer_add_output (infer, from->name);
    for (gsize p = 0; p < from->n_parameters; p++) {
      const Inference__ParameterEntry *entry = from->parameters[p];

      if (g_str_equal (entry->key, "classification") && entry->value != NULL)
        output->classes =
            (guint) CLAMP (entry->value->int64_param, 0, G_MAXINT);
      if (g_str_equal (entry->key, "shared_memory_region"))
        return infer_fail (error, INFER_ERROR_UNSUPPORTED,
            "output '%s' is asked for in shared memory, which is not supported",
            from->name);
    }
  }
  return TRUE;
}

ProtocolInfer *
protocol_grpc_read_request (GBytes *message, GError **error)
{
  g_auto (Split) split;

  split_init (&split);
  if (!split_read (&split, &inference__model_infer_request__descriptor, message,
          REQUEST_RAW, error))
    return NULL;
  const Inference__ModelInferRequest *request =
      (const Inference__ModelInferRequest *) split.message;
  g_autoptr (ProtocolInfer) infer = protocol_infer_new ("", "");
  infer->message = g_bytes_ref (message);
  if (!read_head (infer, request->model_name, request->model_version,
          request->id, request->parameters, request->n_parameters, error)
      || !read_tensors (
          infer, request->inputs, request->n_inputs, split.raw, error)
      || !read_outputs (infer, request, error))
    return NULL;
  return g_steal_pointer (&infer);
}

ProtocolInfer *
protocol_grpc_read_response (GBytes *message, GError **error)
{
  g_auto (Split) split;

  split_init (&split);
  if (!split_read (&split, &inference__model_infer_response__descriptor,
          message, RESPONSE_RAW, error))
    return NULL;
  const Inference__ModelInferResponse *response =
      (const Inference__ModelInferResponse *) split.message;
  g_autoptr (ProtocolInfer) infer = protocol_infer_new ("", "");
  infer->message = g_bytes_ref (message);
  if (!read_head (infer, response->model_name, response->model_version,
          response->id, response->parameters, response->n_parameters, error)
      || !read_tensors (
          infer, response->outputs, response->n_outputs, split.raw, error))
    return NULL;
  return g_steal_pointer (&infer);
}

gboolean
protocol_grpc_read_stream_response (
    GBytes *message, ProtocolInfer **infer, char **failure, GError **error)
{
  g_auto (Split) split;

  split_init (&split);
  *infer = NULL;
  *failure = NULL;
  if (!split_read (&split, &inference__model_stream_infer_response__descriptor,
          message, 2, error))
    return FALSE;
  const Inference__ModelStreamInferResponse *response =
      (const Inference__ModelStreamInferResponse *) split.message;
  if (split.raw->len > 0) {
    const ProtocolSpan *span =
        &g_array_index (split.raw, ProtocolSpan, split.raw->len - 1);
    g_autoptr (GBytes) inner = g_bytes_new_from_bytes (message,
        (gsize) (span->data
                 - (const guint8 *) g_bytes_get_data (message, NULL)),
        span->size);
    *infer = protocol_grpc_read_response (inner, error);
    if (*infer == NULL)
      return FALSE;
  }
  if (response->error_message[0] != '\0')
    *failure = g_utf8_make_valid (response->error_message, -1);
  return TRUE;
}
