/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/tensors.h"

#include "protocol/datatype.h"
#include "protocol/metadata.h"

static gboolean
is_checkpoint (const char *name)
{
  return g_str_equal (name, PROTOCOL_STATE_EXTENSION);
}

const ProtocolTensor *
serve_tensors_checkpoint (const ProtocolInfer *message)
{
  for (guint i = 0; i < message->tensors->len; i++)
    if (is_checkpoint (protocol_infer_tensor (message, i)->name))
      return protocol_infer_tensor (message, i);
  return NULL;
}

/* --- checks --- */

static gboolean
check_input (const InferModel *model, const char *name,
    const ProtocolTensor *tensor, gboolean *seen, GError **error)
{
  const int index = infer_model_find_input (model, tensor->name, error);

  if (index < 0)
    return FALSE;
  const InferDesc *desc = infer_model_input_desc (model, (guint) index);
  if (seen[index])
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s': input '%s' is given twice", name, tensor->name);
  seen[index] = TRUE;
  if (desc->type != tensor->type) {
    const char *wanted = protocol_datatype_name (desc->type);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s': input '%s' is %s, not %s", name, tensor->name,
        wanted != NULL ? wanted : infer_type_name (desc->type),
        protocol_datatype_name (tensor->type));
  }
  if (infer_shape_matches (&desc->shape, &tensor->shape))
    return TRUE;
  g_autofree char *wanted = infer_shape_to_string (&desc->shape);
  g_autofree char *given = infer_shape_to_string (&tensor->shape);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "model '%s': input '%s' has the shape %s, not %s", name, tensor->name,
      wanted, given);
}

static gboolean
check_checkpoint (const char *name, const ProtocolTensor *tensor,
    gboolean stateful, GError **error)
{
  if (!stateful)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s': the request belongs to no sequence, or the model has no "
        "states: it cannot take '%s'",
        name, tensor->name);
  if (tensor->type != INFER_TYPE_U8 || tensor->shape.rank != 1)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s': '%s' must be UINT8 of one dimension", name, tensor->name);
  return TRUE;
}

static gboolean
check_outputs (const InferModel *model, const char *name,
    const ProtocolInfer *message, GError **error)
{
  for (guint i = 0; i < message->outputs->len; i++) {
    const ProtocolOutput *output = protocol_infer_output (message, i);

    if (output->classes > 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "model '%s': output '%s' is asked for as classes, which is not "
          "supported: ask for the tensor",
          name, output->name);
    if (!is_checkpoint (output->name)
        && infer_model_find_output (model, output->name, error) < 0)
      return FALSE;
  }
  return TRUE;
}

/* A name that is not the model's is a wrong argument, not a missing model. */
static gboolean
fail_argument (GError **error, GError *bad)
{
  if (bad->code == INFER_ERROR_NOT_FOUND)
    bad->code = INFER_ERROR_INVALID_ARGUMENT;
  g_propagate_error (error, bad);
  return FALSE;
}

gboolean
serve_tensors_check (const InferModel *model, const char *name,
    const ProtocolInfer *message, gboolean stateful, GError **error)
{
  const guint n = infer_model_n_inputs (model);
  g_autofree gboolean *seen = g_new0 (gboolean, MAX (n, 1));
  GError *bad = NULL;

  for (guint i = 0; i < message->tensors->len; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (message, i);

    if (!(is_checkpoint (tensor->name)
                ? check_checkpoint (name, tensor, stateful, &bad)
                : check_input (model, name, tensor, seen, &bad)))
      return fail_argument (error, bad);
  }
  for (guint i = 0; i < n; i++)
    if (!seen[i])
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "model '%s': input '%s' is missing", name,
          infer_model_input_name (model, i));
  return check_outputs (model, name, message, &bad)
         || fail_argument (error, bad);
}

/* --- copies --- */

gboolean
serve_tensors_set (
    InferRequest *request, const ProtocolInfer *message, GError **error)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < message->tensors->len; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (message, i);

    if (is_checkpoint (tensor->name))
      continue;
    const int index = infer_model_find_input (model, tensor->name, error);
    InferTensor *input = index < 0 ? NULL
                                   : infer_request_set_input_shape (request,
                                       (guint) index, &tensor->shape, error);
    if (input == NULL || !protocol_tensor_copy (tensor, input, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_output (InferRequest *request, guint index, const char *name,
    gboolean binary, ProtocolInfer *response, GError **error)
{
  const InferTensor *value = infer_request_get_output (request, index, error);
  ProtocolTensor *tensor = protocol_infer_add_tensor (response);

  if (value == NULL || !protocol_tensor_from_infer (tensor, name, value, error))
    return FALSE;
  /* The request's own memory belongs to its next run. */
  if (tensor->owned == NULL)
    protocol_tensor_take_data (
        tensor, g_memdup2 (tensor->data, tensor->size), tensor->size);
  tensor->binary = binary;
  return TRUE;
}

gboolean
serve_tensors_get (InferRequest *request, const ProtocolInfer *message,
    ProtocolInfer *response, GError **error)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < message->outputs->len; i++) {
    const ProtocolOutput *output = protocol_infer_output (message, i);

    if (is_checkpoint (output->name))
      continue;
    const int index = infer_model_find_output (model, output->name, error);
    if (index < 0
        || !add_output (request, (guint) index, output->name, output->binary,
            response, error))
      return FALSE;
  }
  if (message->outputs->len > 0)
    return TRUE;
  for (guint i = 0; i < infer_model_n_outputs (model); i++)
    if (!add_output (request, i, infer_model_output_name (model, i),
            message->binary, response, error))
      return FALSE;
  return TRUE;
}

void
serve_tensors_add_checkpoint (const ProtocolInfer *message,
    ProtocolInfer *response, guint8 *data, gsize size)
{
  ProtocolTensor *tensor = protocol_infer_add_tensor (response);

  tensor->name = g_strdup (PROTOCOL_STATE_EXTENSION);
  tensor->type = INFER_TYPE_U8;
  tensor->shape = infer_shape_make (1, (gint64) size);
  tensor->binary = message->binary;
  for (guint i = 0; i < message->outputs->len; i++)
    if (is_checkpoint (protocol_infer_output (message, i)->name))
      tensor->binary = protocol_infer_output (message, i)->binary;
  protocol_tensor_take_data (tensor, data, size);
}
