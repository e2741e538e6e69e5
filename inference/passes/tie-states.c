/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns pairs of a state input and a state output into variables. */

#include "inference/graph/model-private.h"

#include <string.h>

static gboolean
check_pair (const InferDesc *input, const InferDesc *output, GError **error)
{
  g_autofree char *in = infer_shape_to_string (&input->shape);
  g_autofree char *out = infer_shape_to_string (&output->shape);
  InferType type;
  InferShape shape;

  return (infer_type_merge (input->type, output->type, &type)
             && infer_shape_merge (&input->shape, &output->shape, &shape))
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "the input is %s %s, the output %s %s",
             infer_type_name (input->type), in, infer_type_name (output->type),
             out);
}

static gboolean
tie (InferModel *model, const char *input, const char *output, GError **error)
{
  InferGraph *graph = model->graph;
  g_autofree char *name = g_strdup (input);
  InferOperation *parameter, *result, *read, *assign;
  int in, out;

  in = infer_model_find_input (model, input, error);
  out = in < 0 ? -1 : infer_model_find_output (model, output, error);
  if (out < 0)
    return FALSE;
  parameter = graph->parameters->pdata[in];
  result = graph->results->pdata[out];
  if (!check_pair (
          &parameter->outputs[0].desc, &result->outputs[0].desc, error))
    return FALSE;
  read =
      infer_operation_make_read (name, &parameter->outputs[0].desc, 0, error);
  if (read == NULL)
    return FALSE;
  infer_graph_add (graph, read);
  infer_port_replace ((InferPort){ parameter, 0 }, (InferPort){ read, 0 });
  assign = infer_operation_make_assign (result->name, name, error);
  if (assign == NULL)
    return FALSE;
  infer_operation_connect (assign, 0, result->inputs[0]);
  infer_graph_add (graph, assign);
  infer_graph_remove (graph, parameter);
  infer_graph_remove (graph, result);
  return TRUE;
}

InferModel *
infer_model_tie_states (
    const InferModel *model, const char *const *pairs, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);

  for (guint i = 0; pairs[i] != NULL; i++) {
    const char *equals = strchr (pairs[i], '=');
    g_autofree char *input = NULL;

    if (equals == NULL) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: '%.200s' is not a pair 'input=output'", model->path, pairs[i]);
      return NULL;
    }
    input = g_strndup (pairs[i], (gsize) (equals - pairs[i]));
    if (!tie (copy, input, equals + 1, error)) {
      g_prefix_error (error, "state pair '%.200s': ", pairs[i]);
      return NULL;
    }
  }
  if (infer_model_settle (copy, error))
    return g_steal_pointer (&copy);
  g_prefix_error (error, "%s: ", model->path);
  return NULL;
}
