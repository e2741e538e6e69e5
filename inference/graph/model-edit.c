/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies of models with other input shapes or more outputs. */

#include "inference/graph/model-private.h"

#include "inference/graph/ops/parameter.h"

#include <string.h>

static InferModel *
settled (InferModel *model, GError **error)
{
  if (infer_model_settle (model, error))
    return model;
  g_prefix_error (error, "%s: ", infer_model_get_path (model));
  infer_model_unref (model);
  return NULL;
}

InferModel *
infer_model_reshape (const InferModel *model, guint n, const guint *inputs,
    const InferShape *shapes, GError **error)
{
  InferModel *copy = infer_model_copy (model);

  for (guint i = 0; i < n; i++) {
    if (inputs[i] >= copy->graph->parameters->len) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: no input %u, it has %u", model->path, inputs[i],
          copy->graph->parameters->len);
      infer_model_unref (copy);
      return NULL;
    }
    InferOperation *op = copy->graph->parameters->pdata[inputs[i]];
    InferParameterAttrs attrs = *(const InferParameterAttrs *) op->attrs;
    attrs.desc.shape = attrs.lower = attrs.upper = shapes[i];
    for (int d = 0; d < shapes[i].rank; d++)
      if (shapes[i].dims[d] < 0) {
        attrs.lower.dims[d] = 0;
        attrs.upper.dims[d] = G_MAXINT64;
      }
    infer_operation_renew_attrs (op);
    *(InferParameterAttrs *) op->attrs = attrs;
  }
  return settled (copy, error);
}

/* --- more outputs --- */

static InferOperation *
find_operation (const InferGraph *graph, const char *name)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    if (strcmp (op->name, name) == 0)
      return op;
  }
  return NULL;
}

static gboolean
find_tensor (const InferGraph *graph, const char *name, InferPort *port)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_outputs; k++)
      if (g_strv_contains ((const char *const *) op->outputs[k].names, name)) {
        *port = (InferPort){ op, k };
        return TRUE;
      }
  }
  return FALSE;
}

/* "operation", "operation:port" (names may have colons too), "tensor name". */
static gboolean
find_port (const InferGraph *graph, const char *text, InferPort *port)
{
  const char *colon = strrchr (text, ':');
  guint64 index;

  *port = (InferPort){ find_operation (graph, text), 0 };
  if (port->op != NULL || find_tensor (graph, text, port))
    return TRUE;
  if (colon == NULL
      || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT, &index, NULL))
    return FALSE;
  g_autofree char *name = g_strndup (text, (gsize) (colon - text));
  *port = (InferPort){ find_operation (graph, name), (guint) index };
  return port->op != NULL;
}

static gboolean
add_output (InferGraph *graph, const char *text, GError **error)
{
  const InferOpClass *klass = infer_op_class_find ("Result");
  InferPort port;

  if (!find_port (graph, text, &port))
    return infer_fail (
        error, INFER_ERROR_NOT_FOUND, "no operation or port '%.200s'", text);
  if (infer_op_is (port.op, &infer_op_result))
    port = port.op->inputs[0];
  if (port.index >= port.op->n_outputs)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "no port '%.200s': the operation has %u outputs", text,
        port.op->n_outputs);
  InferOperation *result = infer_operation_new (klass, 1, "opset1", text, 1, 1);
  infer_operation_connect (result, 0, port);
  infer_output_set_name (&result->outputs[0], text);
  infer_graph_add (graph, result);
  return TRUE;
}

InferModel *
infer_model_add_outputs (
    const InferModel *model, const char *const *ports, GError **error)
{
  InferModel *copy = infer_model_copy (model);

  for (guint i = 0; ports[i] != NULL; i++)
    if (!add_output (copy->graph, ports[i], error)) {
      g_prefix_error (error, "%s: ", model->path);
      infer_model_unref (copy);
      return NULL;
    }
  return settled (copy, error);
}

/* --- more information --- */

void
infer_model_put_rt_info (InferModel *model, const char *key, const char *value)
{
  GHashTable *info =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer old_key, old;

  /* Copies of the model share the table. */
  g_hash_table_iter_init (&iter, model->rt_info);
  while (g_hash_table_iter_next (&iter, &old_key, &old))
    g_hash_table_insert (info, g_strdup (old_key), g_strdup (old));
  g_hash_table_replace (info, g_strdup (key), g_strdup (value));
  g_hash_table_unref (model->rt_info);
  model->rt_info = info;
}

InferModel *
infer_model_set_info (
    const InferModel *model, const char *const *pairs, GError **error)
{
  InferModel *copy = infer_model_copy (model);

  for (guint i = 0; pairs[i] != NULL && pairs[i + 1] != NULL; i += 2) {
    g_autofree char *key = g_strconcat ("model_info/", pairs[i], NULL);

    infer_model_put_rt_info (copy, key, pairs[i + 1]);
  }
  return settled (copy, error);
}
