/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/ops/body.h"

#include "inference/onnx/proto.h"

void
onnx_body_clear (OnnxBody *b)
{
  onnx_scope_clear (&b->scope);
  g_clear_pointer (&b->outputs, g_ptr_array_unref);
  infer_graph_free (b->body.graph);
  g_clear_pointer (&b->body.inputs, g_array_unref);
  g_clear_pointer (&b->body.outputs, g_array_unref);
  g_clear_pointer (&b->body.back_edges, g_array_unref);
}

void
onnx_body_init (OnnxBody *b, OnnxNode *n, InferGraph *graph)
{
  *b = (OnnxBody){ .n = n, .body = { .graph = graph } };
  b->body.inputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
  b->body.outputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
  b->body.back_edges = g_array_new (FALSE, TRUE, sizeof (InferBackEdge));
  b->body.iteration_parameter = b->body.condition_result = -1;
  onnx_scope_init (&b->scope, n->scope->file, n->scope,
      graph != NULL ? graph : n->scope->graph, n->scope->opsets);
}

/* An input of the body's graph. */
static gboolean
make_input (OnnxScope *scope, const char *name, const InferDesc *desc,
    guint index, gpointer data, GError **error)
{
  OnnxBody *b = data;
  InferPort port = { NULL, 0 };

  if (index >= b->n_params)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its graph has more inputs than are given");
  port.op = onnx_make_parameter (name, &b->params[index], error);
  if (port.op == NULL)
    return FALSE;
  b->n_inputs++;
  infer_graph_add (scope->graph, port.op);
  if (b->squeeze != NULL && b->squeeze[index] >= 0) {
    /* An importer's helpers add to the graph of the node's scope. */
    OnnxScope *outside = b->n->scope;

    b->n->scope = scope;
    port = onnx_squeeze (b->n, port, b->squeeze[index]);
    b->n->scope = outside;
    if (port.op == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "an input cannot be cut into slices");
  }
  return onnx_scope_set (scope, name, port, error);
}

gboolean
onnx_body_import (OnnxBody *b, const char *attribute)
{
  const OnnxAttribute *a = onnx_attribute (b->n, attribute);
  g_autoptr (GError) error = NULL;

  if (a == NULL || a->kind != ONNX_ATTRIBUTE_G) {
    onnx_fail (
        b->n, INFER_ERROR_INVALID_MODEL, "it has no graph '%s'", attribute);
    return FALSE;
  }
  b->n_inputs = 0;
  if (!onnx_import_graph (
          &b->scope, a->bytes, make_input, b, &b->outputs, &error)) {
    onnx_fail (b->n, error->code, "in '%s': %s", attribute, error->message);
    return FALSE;
  }
  if (b->n_inputs == b->n_params)
    return TRUE;
  onnx_fail (b->n, INFER_ERROR_INVALID_MODEL,
      "its graph '%s' has %u inputs, %u are given", attribute, b->n_inputs,
      b->n_params);
  return FALSE;
}

InferPort
onnx_body_output (OnnxBody *b, guint k)
{
  g_autoptr (GError) error = NULL;
  InferPort port = { NULL, 0 };

  if (k >= b->outputs->len)
    onnx_fail (b->n, INFER_ERROR_INVALID_MODEL,
        "its graph has %u outputs, too few", b->outputs->len);
  else if (!onnx_scope_find (&b->scope, b->outputs->pdata[k], &port, &error))
    onnx_fail (b->n, error->code, "%s", error->message);
  return port;
}

/* Adds a result of @port to the body.  Returns its index. */
int
onnx_body_add_result (OnnxBody *b, InferPort port)
{
  g_autoptr (GError) error = NULL;
  InferOperation *op;

  if (port.op == NULL)
    return -1;
  if (onnx_sequence (b->n, port) != NULL) {
    onnx_fail (b->n, INFER_ERROR_UNSUPPORTED, "its graph gives a sequence");
    return -1;
  }
  op = infer_operation_make ("Result", b->n->name, 1, 1, &error, NULL);
  if (op == NULL) {
    onnx_fail (b->n, error->code, "%s", error->message);
    return -1;
  }
  infer_operation_connect (op, 0, port);
  infer_graph_add (b->body.graph, op);
  return (int) b->body.graph->results->len - 1;
}

void
onnx_body_map_output (OnnxBody *b, guint external, int internal)
{
  const InferBodyPort port = { .external = (int) external,
    .internal = internal };

  g_array_append_val (b->body.outputs, port);
}

/* The captured values become inputs after the first @n_inputs of @inputs. */
void
onnx_body_map_captures (OnnxBody *b, GArray *inputs)
{
  for (guint i = 0; i < b->scope.captures->len; i++) {
    const OnnxCapture *c = &g_array_index (b->scope.captures, OnnxCapture, i);
    InferBodyPort port = { .external = (int) inputs->len };
    guint at = 0;

    g_ptr_array_find (b->body.graph->parameters, c->parameter, &at);
    port.internal = (int) at;
    g_array_append_val (inputs, c->outer);
    g_array_append_val (b->body.inputs, port);
  }
}

/* Moves @bodies into an operation of @type with @inputs. */
InferOperation *
onnx_body_finish (OnnxNode *n, const InferOpClass *klass, OnnxBody *bodies,
    guint n_bodies, const GArray *inputs, guint n_outputs)
{
  guint version = infer_op_class_version (klass, G_MAXUINT);
  g_autofree char *opset = g_strdup_printf ("opset%u", version);
  g_autoptr (GError) error = NULL;
  InferOperation *op;

  if (n->error != NULL)
    return NULL;
  op = infer_operation_new (
      klass, version, opset, n->name, inputs->len, n_outputs);
  op->n_bodies = n_bodies;
  op->bodies = g_new0 (InferBody, n_bodies);
  for (guint i = 0; i < n_bodies; i++) {
    op->bodies[i] = bodies[i].body;
    bodies[i].body = (InferBody){ 0 };
    infer_graph_sweep (op->bodies[i].graph);
    if (!infer_graph_sort (op->bodies[i].graph, &error)) {
      onnx_fail (n, error->code, "%s", error->message);
      infer_operation_free (op);
      return NULL;
    }
  }
  return onnx_take (
      n, op, inputs->len, (const InferPort *) (gpointer) inputs->data);
}

void
onnx_body_map_input (OnnxBody *b, int external, guint internal)
{
  const InferBodyPort port = { .external = external,
    .internal = (int) internal };

  g_array_append_val (b->body.inputs, port);
}

/* One element of the axis at a time. */
static InferBodyPort
slices (int external, int internal, gint64 axis, gboolean backwards)
{
  return (InferBodyPort){ .external = external,
    .internal = internal,
    .sliced = TRUE,
    .axis = axis,
    .start = backwards ? -1 : 0,
    .end = backwards ? 0 : -1,
    .stride = backwards ? -1 : 1,
    .part_size = 1 };
}

void
onnx_body_map_sliced_input (
    OnnxBody *b, int external, guint internal, gint64 axis, gboolean backwards)
{
  const InferBodyPort port = slices (external, (int) internal, axis, backwards);

  g_array_append_val (b->body.inputs, port);
}

void
onnx_body_map_back (OnnxBody *b, int from_result, guint to_parameter)
{
  const InferBackEdge edge = { from_result, (int) to_parameter };

  g_array_append_val (b->body.back_edges, edge);
}

/* A result of which each iteration gives a slice along @axis. */
void
onnx_body_map_slices (OnnxBody *b, guint external, InferPort port, gint64 axis,
    gboolean backwards)
{
  OnnxScope *outside = b->n->scope;

  b->n->scope = &b->scope;
  port = onnx_unsqueeze (b->n, port, axis);
  b->n->scope = outside;
  InferBodyPort map =
      slices ((int) external, onnx_body_add_result (b, port), axis, backwards);
  g_array_append_val (b->body.outputs, map);
}
