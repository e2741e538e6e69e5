/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/inputs.h"

#include <string.h>

#include "infer/error.h"

static void
clear_input (gpointer data)
{
  EngineInput *input = data;
  g_free (input->name);
  infer_tensor_unref (input->tensor);
}

GArray *
inputs_new (void)
{
  GArray *inputs = g_array_new (FALSE, FALSE, sizeof (EngineInput));
  g_array_set_clear_func (inputs, clear_input);
  return inputs;
}

void
inputs_add (GArray *inputs, const char *name, InferTensor *tensor)
{
  EngineInput input = { g_strdup (name), tensor };
  g_array_append_val (inputs, input);
}

char *
input_to_text (const EngineInput *input)
{
  const InferShape *shape = &input->tensor->shape;
  GString *text = g_string_new (infer_type_name (input->tensor->type));
  g_string_append_c (text, ':');
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (
        text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", shape->dims[i]);
  g_string_append_printf (text, ":%s", input->name);
  return g_string_free (text, FALSE);
}

gboolean
inputs_add_text (GArray *inputs, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 3);
  InferShape shape = { .rank = 0 };
  InferType type;
  if (g_strv_length (parts) != 3 || !infer_type_from_name (parts[0], &type))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%.100s' is not TYPE:DIMS:NAME", text);
  if (parts[1][0] != '\0'
      && !infer_shape_parse (parts[1], &shape, NULL, NULL, error))
    return FALSE;
  InferTensor *tensor = infer_tensor_new (type, &shape, error);
  if (tensor == NULL)
    return FALSE;
  if (tensor->size > 0)
    memset (tensor->data, 0, tensor->size);
  inputs_add (inputs, parts[2], tensor);
  return TRUE;
}

static gboolean
agrees (const InferTensor *tensor, InferType type, const InferShape *shape)
{
  if (tensor->type != type || tensor->shape.rank != shape->rank)
    return FALSE;
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] >= 0 && shape->dims[i] != tensor->shape.dims[i])
      return FALSE;
  return TRUE;
}

static InferTensor *
find_match (const GArray *inputs, const char *name, guint index, InferType type,
    const InferShape *shape)
{
  for (guint i = 0; i < inputs->len; i++) {
    const EngineInput *input = &g_array_index (inputs, EngineInput, i);
    if (g_str_equal (input->name, name) && agrees (input->tensor, type, shape))
      return input->tensor;
  }
  if (index >= inputs->len)
    return NULL;
  InferTensor *tensor = g_array_index (inputs, EngineInput, index).tensor;
  return agrees (tensor, type, shape) ? tensor : NULL;
}

InferTensor *
inputs_match (const GArray *inputs, const char *name, guint index,
    InferType type, const InferShape *shape, GError **error)
{
  InferTensor *found = find_match (inputs, name, index, type, shape);
  InferShape whole = *shape;
  if (found != NULL)
    return infer_tensor_ref (found);
  for (int i = 0; i < whole.rank; i++)
    whole.dims[i] = whole.dims[i] < 0 ? 1 : whole.dims[i];
  return infer_tensor_new (type, &whole, error);
}
