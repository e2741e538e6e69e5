/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* If, Loop and Scan: their graphs become bodies. */

#include <string.h>

#include "inference/onnx/ops/body.h"
#include "inference/onnx/ops/importers.h"

/* --- If --- */

/* The condition is known: the graph of the branch becomes part of this one. */
static void
import_branch (OnnxNode *n, const char *attribute)
{
  g_auto (OnnxBody) b = { 0 };

  onnx_body_init (&b, n, NULL);
  if (!onnx_body_import (&b, attribute))
    return;
  for (guint k = 0; k < n->n_outputs; k++)
    n->outputs[k] = onnx_body_output (&b, k);
}

static void
free_bodies (OnnxBody *bodies)
{
  for (guint i = 0; i < 2; i++)
    onnx_body_clear (&bodies[i]);
}

void
onnx_import_if (OnnxNode *n)
{
  static const char *const branches[] = { "then_branch", "else_branch" };
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_autoptr (GArray) known = onnx_value_ints (n->inputs[0]);
  InferOperation *op = NULL;
  OnnxBody bodies[2];

  if (known != NULL && known->len == 1) {
    import_branch (n, branches[g_array_index (known, gint64, 0) == 0]);
    return;
  }
  g_array_append_val (inputs, n->inputs[0]);
  for (guint i = 0; i < 2; i++)
    onnx_body_init (&bodies[i], n, infer_graph_new ());
  for (guint i = 0; i < 2 && onnx_body_import (&bodies[i], branches[i]); i++) {
    for (guint k = 0; k < n->n_outputs; k++)
      onnx_body_map_output (&bodies[i], k,
          onnx_body_add_result (&bodies[i], onnx_body_output (&bodies[i], k)));
    onnx_body_map_captures (&bodies[i], inputs);
  }
  op = onnx_body_finish (n, &infer_op_if, bodies, 2, inputs, n->n_outputs);
  free_bodies (bodies);
  for (guint k = 0; op != NULL && k < n->n_outputs; k++)
    n->outputs[k] = (InferPort){ op, k };
}

/* --- loops --- */

/* What is known of a loop-carried value in all iterations: what its first
 * value and the next ones have in common. */
static gboolean
widen (InferDesc *desc, const InferDesc *next)
{
  InferDesc before = *desc;

  if (desc->shape.rank != next->shape.rank)
    desc->shape = infer_shape_dynamic ();
  for (int d = 0; d < desc->shape.rank; d++)
    if (desc->shape.dims[d] != next->shape.dims[d])
      desc->shape.dims[d] = INFER_DYNAMIC;
  return before.shape.rank != desc->shape.rank
         || memcmp (before.shape.dims, desc->shape.dims,
                (gsize) MAX (desc->shape.rank, 0) * sizeof (gint64))
                != 0;
}

/* Imports the body again until the shapes of carried values are the same after
 * an iteration as before.  The carried values are inputs [@first, @first + @n)
 * of the graph, and its outputs from @result. */
static gboolean
import_carried (
    OnnxBody *b, InferDesc *params, guint first, guint n, guint result)
{
  OnnxNode *node = b->n;
  const guint n_params = b->n_params;
  gint64 *const squeeze = b->squeeze;

  for (;;) {
    gboolean changed = FALSE;

    onnx_body_clear (b);
    onnx_body_init (b, node, infer_graph_new ());
    b->params = params;
    b->n_params = n_params;
    b->squeeze = squeeze;
    if (!onnx_body_import (b, "body"))
      return FALSE;
    for (guint i = 0; i < n; i++) {
      InferDesc next = onnx_desc (onnx_body_output (b, result + i));

      changed = widen (&params[first + i], &next) || changed;
    }
    if (!changed || node->error != NULL)
      return node->error == NULL;
  }
}

/* Inputs of the body's graph: the iteration, the condition, carried values;
 * outputs: the condition, carried values, slices. */
void
onnx_import_loop (OnnxNode *n)
{
  guint carried = n->n_inputs > 2 ? n->n_inputs - 2 : 0;
  g_autofree InferDesc *params = g_new0 (InferDesc, carried + 2);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (InferPort));
  InferPort trips = onnx_given (n, 0) ? n->inputs[0] : onnx_i64 (n, -1);
  InferPort condition =
      onnx_given (n, 1) ? n->inputs[1] : onnx_scalar (n, INFER_TYPE_BOOLEAN, 1);
  g_auto (OnnxBody) b = { 0 };
  InferOperation *op;

  params[0] = (InferDesc){ INFER_TYPE_I64, infer_shape_scalar () };
  params[1] = onnx_desc (condition);
  g_array_append_val (inputs, trips);
  g_array_append_val (inputs, condition);
  for (guint i = 0; i < carried; i++) {
    params[2 + i] = onnx_desc (n->inputs[2 + i]);
    g_array_append_val (inputs, n->inputs[2 + i]);
  }
  onnx_body_init (&b, n, infer_graph_new ());
  b.n_params = carried + 2;
  if (n->error != NULL || !import_carried (&b, params, 2, carried, 1))
    return;
  b.body.iteration_parameter = 0;
  onnx_body_map_input (&b, -1, 0);
  onnx_body_map_input (&b, 1, 1);
  b.body.condition_result = onnx_body_add_result (&b, onnx_body_output (&b, 0));
  onnx_body_map_output (&b, (guint) -1, b.body.condition_result);
  onnx_body_map_back (&b, b.body.condition_result, 1);
  for (guint i = 0; i < carried; i++) {
    int result = onnx_body_add_result (&b, onnx_body_output (&b, 1 + i));

    onnx_body_map_input (&b, (int) i + 2, i + 2);
    onnx_body_map_back (&b, result, i + 2);
    if (i < n->n_outputs)
      onnx_body_map_output (&b, i, result);
  }
  for (guint k = carried; k < n->n_outputs; k++)
    onnx_body_map_slices (&b, k, onnx_body_output (&b, 1 + k), 0, FALSE);
  onnx_body_map_captures (&b, inputs);
  op = onnx_body_finish (n, &infer_op_loop, &b, 1, inputs, n->n_outputs);
  for (guint k = 0; op != NULL && k < n->n_outputs; k++)
    n->outputs[k] = (InferPort){ op, k };
}

/* Item @i of a list attribute. */
static gint64
item (OnnxNode *n, const char *attribute, guint i)
{
  const GArray *list = onnx_ints (n, attribute);

  return list != NULL && i < list->len ? g_array_index (list, gint64, i) : 0;
}

/* Inputs of the body's graph: carried values, then slices. */
void
onnx_import_scan (OnnxNode *n)
{
  gint64 scanned = onnx_int (n, "num_scan_inputs", 0);
  g_autofree InferDesc *params = g_new0 (InferDesc, n->n_inputs + 1);
  g_autofree gint64 *squeeze = g_new0 (gint64, n->n_inputs + 1);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_auto (OnnxBody) b = { 0 };
  InferOperation *op;

  if (n->opset < 9 || scanned < 1 || scanned > n->n_inputs) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        n->opset < 9 ? "Scan of opset 8 is not supported"
                     : "its num_scan_inputs does not fit its inputs");
    return;
  }
  guint carried = n->n_inputs - (guint) scanned;
  for (guint i = 0; i < n->n_inputs; i++) {
    params[i] = onnx_desc (n->inputs[i]);
    squeeze[i] = -1;
    g_array_append_val (inputs, n->inputs[i]);
    if (i < carried)
      continue;
    squeeze[i] = onnx_axis (n, item (n, "scan_input_axes", i - carried),
        onnx_known_rank (n, n->inputs[i]));
    params[i].shape.dims[squeeze[i]] = 1;
  }
  onnx_body_init (&b, n, infer_graph_new ());
  b.n_params = n->n_inputs;
  b.squeeze = squeeze;
  if (n->error != NULL || !import_carried (&b, params, 0, carried, 0))
    return;
  for (guint i = 0; i < n->n_inputs; i++) {
    if (i < carried)
      onnx_body_map_input (&b, (int) i, i);
    else
      onnx_body_map_sliced_input (&b, (int) i, i, squeeze[i],
          item (n, "scan_input_directions", i - carried) != 0);
  }
  for (guint i = 0; i < carried; i++) {
    int result = onnx_body_add_result (&b, onnx_body_output (&b, i));

    onnx_body_map_back (&b, result, i);
    if (i < n->n_outputs)
      onnx_body_map_output (&b, i, result);
  }
  for (guint k = carried; k < n->n_outputs; k++) {
    InferPort port = onnx_body_output (&b, k);
    gint64 axis = item (n, "scan_output_axes", k - carried);

    if (axis < 0)
      axis += onnx_known_rank (n, port) + 1;
    onnx_body_map_slices (&b, k, port, axis,
        item (n, "scan_output_directions", k - carried) != 0);
  }
  onnx_body_map_captures (&b, inputs);
  op = onnx_body_finish (
      n, &infer_op_tensor_iterator, &b, 1, inputs, n->n_outputs);
  for (guint k = 0; op != NULL && k < n->n_outputs; k++)
    n->outputs[k] = (InferPort){ op, k };
}
