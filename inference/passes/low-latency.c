/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns the recurrent state of loops and sequences into variables, so that a
 * sequence can be processed in pieces: OpenVINO's LowLatency2, for pieces of
 * any length.  The pass inline-bodies later inlines loops of one iteration. */

#include "inference/graph/model-private.h"

#include "inference/graph/ops/recurrent.h"

#include <string.h>

typedef struct
{
  InferGraph *graph;
  guint made;
} LowLatency;

/* Input @input of @op, of desc @desc, is read from the variable @id, whose
 * initial value is the former input; output @output is its next value. */
static gboolean
add_variable (LowLatency *self, InferOperation *op, guint input, guint output,
    const InferDesc *desc, const char *id, GError **error)
{
  g_autofree char *save = g_strconcat (id, "/assign", NULL);
  InferOperation *read, *assign;

  read = infer_operation_make_read (id, desc, 1, error);
  if (read == NULL)
    return FALSE;
  infer_operation_connect (read, 0, op->inputs[input]);
  infer_graph_add (self->graph, read);
  infer_operation_connect (op, input, (InferPort){ read, 0 });
  assign = infer_operation_make_assign (save, id, error);
  if (assign == NULL)
    return FALSE;
  infer_operation_connect (assign, 0, (InferPort){ op, output });
  infer_graph_add (self->graph, assign);
  self->made++;
  return TRUE;
}

/* Whether the input is a variable already. */
static gboolean
is_stateful (const InferOperation *op, guint input)
{
  return infer_op_is (op->inputs[input].op, &infer_op_read_value);
}

/* --- LSTMSequence, GRUSequence, RNNSequence --- */

static gboolean
convert_sequence (
    LowLatency *self, InferOperation *op, guint n_states, GError **error)
{
  const InferRecurrent *attrs = op->attrs;

  if (attrs->direction != INFER_DIRECTION_FORWARD)
    return TRUE;
  for (guint i = 0; i < n_states; i++) {
    const guint input = 1 + i;
    const InferPort *port = &op->inputs[input];
    g_autofree char *id = g_strdup_printf ("%s/variable_%u", op->name, i);

    if (!is_stateful (op, input)
        && !add_variable (self, op, input, 1 + i,
            &port->op->outputs[port->index].desc, id, error))
      return FALSE;
  }
  return TRUE;
}

/* --- TensorIterator and Loop --- */

/* The output with a body's result after the last iteration, added if there is
 * none. */
static guint
last_value_output (InferOperation *op, int result)
{
  InferBody *body = &op->bodies[0];
  const InferOperation *source = body->graph->results->pdata[result];
  InferBodyPort port = { .internal = result };

  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *have =
        &g_array_index (body->outputs, InferBodyPort, i);

    if (have->internal == result && have->external >= 0 && !have->sliced)
      return (guint) have->external;
  }
  port.external = (int) op->n_outputs;
  g_array_append_val (body->outputs, port);
  infer_operation_add_output (op)->desc = source->outputs[0].desc;
  return op->n_outputs - 1;
}

static gboolean
convert_loop (LowLatency *self, InferOperation *op, GError **error)
{
  const InferBody *body = &op->bodies[0];

  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort port = g_array_index (body->inputs, InferBodyPort, i);
    int result = -1;

    for (guint k = 0; k < body->back_edges->len; k++) {
      const InferBackEdge *edge =
          &g_array_index (body->back_edges, InferBackEdge, k);

      if (edge->to_parameter == port.internal)
        result = edge->from_result;
    }
    if (result < 0 || port.external < 0
        || is_stateful (op, (guint) port.external))
      continue;
    const InferOperation *parameter =
        body->graph->parameters->pdata[port.internal];
    g_autofree char *id =
        g_strdup_printf ("%s/%s/variable_%u", op->name, parameter->name, i);
    if (!add_variable (self, op, (guint) port.external,
            last_value_output (op, result), &parameter->outputs[0].desc, id,
            error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
convert (LowLatency *self, InferOperation *op, GError **error)
{
  if (infer_op_is (op, &infer_op_lstm_sequence))
    return convert_sequence (self, op, 2, error);
  if (infer_op_is (op, &infer_op_gru_sequence)
      || infer_op_is (op, &infer_op_rnn_sequence))
    return convert_sequence (self, op, 1, error);
  if (infer_op_is (op, &infer_op_tensor_iterator)
      || infer_op_is (op, &infer_op_loop))
    return convert_loop (self, op, error);
  return TRUE;
}

InferModel *
infer_model_low_latency (const InferModel *model, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  LowLatency self = { copy->graph, 0 };
  const guint n = copy->graph->operations->len;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n; i++)
    ok = convert (&self, copy->graph->operations->pdata[i], error);
  if (ok && self.made == 0)
    ok = infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "it has no TensorIterator, Loop or forward recurrent sequence whose "
        "state is not a variable already");
  if (ok && infer_model_settle (copy, error))
    return g_steal_pointer (&copy);
  g_prefix_error (error, "%s: low latency: ", model->path);
  return NULL;
}
