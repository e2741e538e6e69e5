/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/datatype.h"
#include "protocol/grpc-private.h"
#include "protocol/wire.h"

#define REQUEST_RAW 7  /* raw_input_contents */
#define RESPONSE_RAW 6 /* raw_output_contents */

/* The repeated fields of a message; their strings are those of the source. */
typedef struct
{
  Inference__ParameterEntry *entries, **entry_list;
  Inference__InferParameter *values;
  Inference__InferTensor *tensors, **tensor_list;
  Inference__RequestedOutput *outputs, **output_list;
} Lists;

static void
lists_clear (Lists *lists)
{
  g_free (lists->entries);
  g_free (lists->entry_list);
  g_free (lists->values);
  g_free (lists->tensors);
  g_free (lists->tensor_list);
  g_free (lists->outputs);
  g_free (lists->output_list);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lists, lists_clear)

static void
set_value (Inference__InferParameter *value, const ProtocolParameter *parameter)
{
  switch (parameter->type) {
    case PROTOCOL_BOOL:
      value->parameter_choice_case =
          INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_BOOL_PARAM;
      value->bool_param = (protobuf_c_boolean) parameter->integer;
      break;
    case PROTOCOL_INT:
      value->parameter_choice_case =
          INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_INT64_PARAM;
      value->int64_param = parameter->integer;
      break;
    case PROTOCOL_DOUBLE:
      value->parameter_choice_case =
          INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_DOUBLE_PARAM;
      value->double_param = parameter->number;
      break;
    case PROTOCOL_STRING:
      value->parameter_choice_case =
          INFERENCE__INFER_PARAMETER__PARAMETER_CHOICE_STRING_PARAM;
      value->string_param = parameter->string;
      break;
  }
}

static void
fill_parameters (Lists *lists, const ProtocolInfer *infer)
{
  const guint n = infer->parameters->len;

  lists->entries = g_new (Inference__ParameterEntry, n);
  lists->entry_list = g_new (Inference__ParameterEntry *, n);
  lists->values = g_new (Inference__InferParameter, n);
  for (guint i = 0; i < n; i++) {
    const ProtocolParameter *parameter =
        &g_array_index (infer->parameters, ProtocolParameter, i);

    inference__infer_parameter__init (&lists->values[i]);
    set_value (&lists->values[i], parameter);
    inference__parameter_entry__init (&lists->entries[i]);
    lists->entries[i].key = parameter->key;
    lists->entries[i].value = &lists->values[i];
    lists->entry_list[i] = &lists->entries[i];
  }
}

static void
fill_tensors (Lists *lists, const ProtocolInfer *infer)
{
  const guint n = infer->tensors->len;

  lists->tensors = g_new (Inference__InferTensor, n);
  lists->tensor_list = g_new (Inference__InferTensor *, n);
  for (guint i = 0; i < n; i++) {
    ProtocolTensor *tensor = protocol_infer_tensor (infer, i);
    Inference__InferTensor *to = &lists->tensors[i];

    inference__infer_tensor__init (to);
    to->name = tensor->name;
    /* It is only read. */
    to->datatype = (char *) (guintptr) protocol_datatype_name (tensor->type);
    to->n_shape = (gsize) tensor->shape.rank;
    to->shape = tensor->shape.dims;
    lists->tensor_list[i] = to;
  }
}

static void
fill_outputs (Lists *lists, const ProtocolInfer *infer)
{
  const guint n = infer->outputs->len;

  lists->outputs = g_new (Inference__RequestedOutput, n);
  lists->output_list = g_new (Inference__RequestedOutput *, n);
  for (guint i = 0; i < n; i++) {
    inference__requested_output__init (&lists->outputs[i]);
    lists->outputs[i].name = protocol_infer_output (infer, i)->name;
    lists->output_list[i] = &lists->outputs[i];
  }
}

static void
append_raw (const ProtocolInfer *infer, guint field, ProtocolParts *parts)
{
  for (guint i = 0; i < infer->tensors->len; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (infer, i);

    protocol_wire_append_header (parts, field, tensor->size);
    protocol_parts_append_borrowed (parts, tensor->data, tensor->size, i);
  }
}

void
protocol_grpc_write_request (const ProtocolInfer *infer, ProtocolParts *parts)
{
  Inference__ModelInferRequest message = INFERENCE__MODEL_INFER_REQUEST__INIT;
  g_auto (Lists) lists = { 0 };

  fill_parameters (&lists, infer);
  fill_tensors (&lists, infer);
  fill_outputs (&lists, infer);
  message.model_name = infer->model;
  message.model_version = infer->version;
  message.id = infer->id;
  message.n_parameters = infer->parameters->len;
  message.parameters = lists.entry_list;
  message.n_inputs = infer->tensors->len;
  message.inputs = lists.tensor_list;
  message.n_outputs = infer->outputs->len;
  message.outputs = lists.output_list;
  protocol_pack (&message, parts);
  append_raw (infer, REQUEST_RAW, parts);
}

void
protocol_grpc_write_response (const ProtocolInfer *infer, ProtocolParts *parts)
{
  Inference__ModelInferResponse message = INFERENCE__MODEL_INFER_RESPONSE__INIT;
  g_auto (Lists) lists = { 0 };

  fill_parameters (&lists, infer);
  fill_tensors (&lists, infer);
  message.model_name = infer->model;
  message.model_version = infer->version;
  message.id = infer->id;
  message.n_parameters = infer->parameters->len;
  message.parameters = lists.entry_list;
  message.n_outputs = infer->tensors->len;
  message.outputs = lists.tensor_list;
  protocol_pack (&message, parts);
  append_raw (infer, RESPONSE_RAW, parts);
}

void
protocol_grpc_write_stream_response (
    const ProtocolInfer *infer, const char *failure, ProtocolParts *parts)
{
  Inference__ModelStreamInferResponse message =
      INFERENCE__MODEL_STREAM_INFER_RESPONSE__INIT;
  g_autofree char *text = g_strdup (failure != NULL ? failure : "");

  message.error_message = text;
  protocol_pack (&message, parts);
  if (infer == NULL)
    return;
  g_auto (ProtocolParts) inner;
  protocol_parts_init (&inner);
  protocol_grpc_write_response (infer, &inner);
  protocol_wire_append_header (parts, 2, inner.size);
  protocol_parts_append_parts (parts, &inner);
}
