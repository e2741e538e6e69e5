/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/infer.h"

static void
clear_parameter (gpointer data)
{
  ProtocolParameter *parameter = data;

  g_free (parameter->key);
  g_free (parameter->string);
}

static void
clear_tensor (gpointer data)
{
  protocol_tensor_clear (data);
}

static void
clear_output (gpointer data)
{
  g_free (((ProtocolOutput *) data)->name);
}

static GArray *
new_array (gsize item, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) item);
  g_array_set_clear_func (array, clear);
  return array;
}

ProtocolInfer *
protocol_infer_new (const char *model, const char *version)
{
  ProtocolInfer *infer = g_new0 (ProtocolInfer, 1);

  infer->model = g_strdup (model);
  infer->version = g_strdup (version);
  infer->id = g_strdup ("");
  infer->parameters = new_array (sizeof (ProtocolParameter), clear_parameter);
  infer->tensors = new_array (sizeof (ProtocolTensor), clear_tensor);
  infer->outputs = new_array (sizeof (ProtocolOutput), clear_output);
  return infer;
}

void
protocol_infer_free (ProtocolInfer *infer)
{
  if (infer == NULL)
    return;
  g_free (infer->model);
  g_free (infer->version);
  g_free (infer->id);
  g_array_unref (infer->parameters);
  g_array_unref (infer->tensors);
  g_array_unref (infer->outputs);
  g_clear_pointer (&infer->message, g_bytes_unref);
  g_free (infer);
}

gboolean
protocol_infer_set (char **field, const char *value, GError **error)
{
  if (value != NULL && !g_utf8_validate (value, -1, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the message has a name, version or id that is not UTF-8");
  g_free (*field);
  *field = g_strdup (value != NULL ? value : "");
  return TRUE;
}

ProtocolTensor *
protocol_infer_add_tensor (ProtocolInfer *infer)
{
  g_array_set_size (infer->tensors, infer->tensors->len + 1);
  return protocol_infer_tensor (infer, infer->tensors->len - 1);
}

ProtocolOutput *
protocol_infer_add_output (ProtocolInfer *infer, const char *name)
{
  g_array_set_size (infer->outputs, infer->outputs->len + 1);
  ProtocolOutput *output =
      protocol_infer_output (infer, infer->outputs->len - 1);
  output->name = g_strdup (name);
  output->binary = infer->binary;
  return output;
}

ProtocolTensor *
protocol_infer_tensor (const ProtocolInfer *infer, guint i)
{
  return &g_array_index (infer->tensors, ProtocolTensor, i);
}

ProtocolOutput *
protocol_infer_output (const ProtocolInfer *infer, guint i)
{
  return &g_array_index (infer->outputs, ProtocolOutput, i);
}

/* --- parameters --- */

static ProtocolParameter *
add_parameter (
    ProtocolInfer *infer, const char *key, ProtocolParameterType type)
{
  GArray *array = infer->parameters;

  g_array_set_size (array, array->len + 1);
  ProtocolParameter *parameter =
      &g_array_index (array, ProtocolParameter, array->len - 1);
  parameter->key = g_strdup (key);
  parameter->type = type;
  return parameter;
}

void
protocol_infer_add_bool (ProtocolInfer *infer, const char *key, gboolean value)
{
  add_parameter (infer, key, PROTOCOL_BOOL)->integer = value;
}

void
protocol_infer_add_int (ProtocolInfer *infer, const char *key, gint64 value)
{
  add_parameter (infer, key, PROTOCOL_INT)->integer = value;
}

void
protocol_infer_add_double (ProtocolInfer *infer, const char *key, double value)
{
  add_parameter (infer, key, PROTOCOL_DOUBLE)->number = value;
}

void
protocol_infer_add_string (
    ProtocolInfer *infer, const char *key, const char *value)
{
  add_parameter (infer, key, PROTOCOL_STRING)->string = g_strdup (value);
}

const ProtocolParameter *
protocol_infer_find (const ProtocolInfer *infer, const char *key)
{
  for (guint i = 0; i < infer->parameters->len; i++) {
    const ProtocolParameter *parameter =
        &g_array_index (infer->parameters, ProtocolParameter, i);
    if (g_str_equal (parameter->key, key))
      return parameter;
  }
  return NULL;
}

gboolean
protocol_infer_get_bool (
    const ProtocolInfer *infer, const char *key, gboolean *flag, GError **error)
{
  const ProtocolParameter *parameter = protocol_infer_find (infer, key);

  if (parameter == NULL)
    return TRUE;
  if (parameter->type != PROTOCOL_BOOL
      && (parameter->type != PROTOCOL_INT
          || (parameter->integer != 0 && parameter->integer != 1)))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "parameter '%s' is not a bool", key);
  *flag = parameter->integer != 0;
  return TRUE;
}
