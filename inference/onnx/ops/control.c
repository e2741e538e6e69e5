/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* If, Loop and Scan: their graphs become bodies. */

#include <string.h>

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

/* A graph that becomes a body. */
typedef struct
{
  OnnxNode *n;
  OnnxScope scope;
  InferBody body;
  GPtrArray *outputs;      /* (element-type utf8) */
  const InferDesc *params; /* of its inputs; NULL: it has none */
  guint n_params;
  gint64 *squeeze; /* per input: axis to take away; -1: none */
} Body;

static void
body_clear (Body *b)
{
  onnx_scope_clear (&b->scope);
  g_clear_pointer (&b->outputs, g_ptr_array_unref);
  infer_graph_free (b->body.graph);
  g_clear_pointer (&b->body.inputs, g_array_unref);
  g_clear_pointer (&b->body.outputs, g_array_unref);
  g_clear_pointer (&b->body.back_edges, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Body, body_clear)

static void
body_init (Body *b, OnnxNode *n, InferGraph *graph)
{
  *b = (Body){ .n = n, .body = { .graph = graph } };
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
  Body *b = data;
  InferPort port = { NULL, 0 };

  if (index >= b->n_params)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its graph has more inputs than are given");
  port.op = onnx_make_parameter (name, &b->params[index], error);
  if (port.op == NULL)
    return FALSE;
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

static gboolean
import_graph (Body *b, const char *attribute)
{
  const OnnxAttribute *a = g_hash_table_lookup (b->n->attributes, attribute);
  g_autoptr (GError) error = NULL;

  if (a == NULL || a->kind != ONNX_ATTRIBUTE_G) {
    onnx_fail (
        b->n, INFER_ERROR_INVALID_MODEL, "it has no graph '%s'", attribute);
    return FALSE;
  }
  if (onnx_import_graph (
          &b->scope, a->bytes, make_input, b, &b->outputs, &error))
    return TRUE;
  onnx_fail (b->n, error->code, "in '%s': %s", attribute, error->message);
  return FALSE;
}

static InferPort
find_output (Body *b, guint k)
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
static int
add_result (Body *b, InferPort port)
{
  g_autoptr (GError) error = NULL;
  InferOperation *op;

  if (port.op == NULL)
    return -1;
  op = infer_operation_make ("Result", b->n->name, 1, 1, &error, NULL);
  if (op == NULL) {
    onnx_fail (b->n, error->code, "%s", error->message);
    return -1;
  }
  infer_operation_connect (op, 0, port);
  infer_graph_add (b->body.graph, op);
  return (int) b->body.graph->results->len - 1;
}

static void
map_output (Body *b, guint external, int internal)
{
  const InferBodyPort port = { .external = (int) external,
    .internal = internal };

  g_array_append_val (b->body.outputs, port);
}

/* The captured values become inputs after the first @n_inputs of @inputs. */
static void
map_captures (Body *b, GArray *inputs)
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
static InferOperation *
make_operation (OnnxNode *n, const InferOpClass *klass, Body *bodies,
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

/* --- If --- */

/* The condition is known: the graph of the branch becomes part of this one. */
static void
import_branch (OnnxNode *n, const char *attribute)
{
  g_auto (Body) b = { 0 };

  body_init (&b, n, NULL);
  if (!import_graph (&b, attribute))
    return;
  for (guint k = 0; k < n->n_outputs; k++)
    n->outputs[k] = find_output (&b, k);
}

static void
free_bodies (Body *bodies)
{
  for (guint i = 0; i < 2; i++)
    body_clear (&bodies[i]);
}

void
onnx_import_if (OnnxNode *n)
{
  static const char *const branches[] = { "then_branch", "else_branch" };
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_autoptr (GArray) known = onnx_value_ints (n->inputs[0]);
  InferOperation *op = NULL;
  Body bodies[2];

  if (known != NULL && known->len == 1) {
    import_branch (n, branches[g_array_index (known, gint64, 0) == 0]);
    return;
  }
  g_array_append_val (inputs, n->inputs[0]);
  for (guint i = 0; i < 2; i++)
    body_init (&bodies[i], n, infer_graph_new ());
  for (guint i = 0; i < 2 && import_graph (&bodies[i], branches[i]); i++) {
    for (guint k = 0; k < n->n_outputs; k++)
      map_output (
          &bodies[i], k, add_result (&bodies[i], find_output (&bodies[i], k)));
    map_captures (&bodies[i], inputs);
  }
  op = make_operation (n, &infer_op_if, bodies, 2, inputs, n->n_outputs);
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
import_carried (Body *b, InferDesc *params, guint first, guint n, guint result)
{
  OnnxNode *node = b->n;
  const guint n_params = b->n_params;
  gint64 *const squeeze = b->squeeze;

  for (;;) {
    gboolean changed = FALSE;

    body_clear (b);
    body_init (b, node, infer_graph_new ());
    b->params = params;
    b->n_params = n_params;
    b->squeeze = squeeze;
    if (!import_graph (b, "body"))
      return FALSE;
    for (guint i = 0; i < n; i++) {
      InferDesc next = onnx_desc (find_output (b, result + i));

      changed = widen (&params[first + i], &next) || changed;
    }
    if (!changed || node->error != NULL)
      return node->error == NULL;
  }
}

static void
map_input (Body *b, int external, guint internal)
{
  const InferBodyPort port = { .external = external,
    .internal = (int) internal };

  g_array_append_val (b->body.inputs, port);
}

static void
map_back (Body *b, int from_result, guint to_parameter)
{
  const InferBackEdge edge = { from_result, (int) to_parameter };

  g_array_append_val (b->body.back_edges, edge);
}

/* A result of which each iteration gives a slice along @axis. */
static void
map_slices (
    Body *b, guint external, InferPort port, gint64 axis, gboolean backwards)
{
  OnnxScope *outside = b->n->scope;
  InferBodyPort map = { .external = (int) external, .sliced = TRUE };

  b->n->scope = &b->scope;
  port = onnx_unsqueeze (b->n, port, axis);
  b->n->scope = outside;
  map.internal = add_result (b, port);
  map.axis = axis;
  map.start = backwards ? -1 : 0;
  map.end = backwards ? 0 : -1;
  map.stride = backwards ? -1 : 1;
  map.part_size = 1;
  g_array_append_val (b->body.outputs, map);
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
  g_auto (Body) b = { 0 };
  InferOperation *op;

  params[0] = (InferDesc){ INFER_TYPE_I64, infer_shape_scalar () };
  params[1] = onnx_desc (condition);
  g_array_append_val (inputs, trips);
  g_array_append_val (inputs, condition);
  for (guint i = 0; i < carried; i++) {
    params[2 + i] = onnx_desc (n->inputs[2 + i]);
    g_array_append_val (inputs, n->inputs[2 + i]);
  }
  body_init (&b, n, infer_graph_new ());
  b.n_params = carried + 2;
  if (n->error != NULL || !import_carried (&b, params, 2, carried, 1))
    return;
  b.body.iteration_parameter = 0;
  map_input (&b, -1, 0);
  map_input (&b, 1, 1);
  b.body.condition_result = add_result (&b, find_output (&b, 0));
  map_output (&b, (guint) -1, b.body.condition_result);
  map_back (&b, b.body.condition_result, 1);
  for (guint i = 0; i < carried; i++) {
    int result = add_result (&b, find_output (&b, 1 + i));

    map_input (&b, (int) i + 2, i + 2);
    map_back (&b, result, i + 2);
    if (i < n->n_outputs)
      map_output (&b, i, result);
  }
  for (guint k = carried; k < n->n_outputs; k++)
    map_slices (&b, k, find_output (&b, 1 + k), 0, FALSE);
  map_captures (&b, inputs);
  op = make_operation (n, &infer_op_loop, &b, 1, inputs, n->n_outputs);
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
  g_auto (Body) b = { 0 };
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
  body_init (&b, n, infer_graph_new ());
  b.n_params = n->n_inputs;
  b.squeeze = squeeze;
  if (n->error != NULL || !import_carried (&b, params, 0, carried, 0))
    return;
  for (guint i = 0; i < n->n_inputs; i++) {
    InferBodyPort port = { .external = (int) i, .internal = (int) i };

    if (i >= carried) {
      gboolean backwards = item (n, "scan_input_directions", i - carried) != 0;

      port.sliced = TRUE;
      port.axis = squeeze[i];
      port.start = backwards ? -1 : 0;
      port.end = backwards ? 0 : -1;
      port.stride = backwards ? -1 : 1;
      port.part_size = 1;
    }
    g_array_append_val (b.body.inputs, port);
  }
  for (guint i = 0; i < carried; i++) {
    int result = add_result (&b, find_output (&b, i));

    map_back (&b, result, i);
    if (i < n->n_outputs)
      map_output (&b, i, result);
  }
  for (guint k = carried; k < n->n_outputs; k++) {
    InferPort port = find_output (&b, k);
    gint64 axis = item (n, "scan_output_axes", k - carried);

    if (axis < 0)
      axis += onnx_known_rank (n, port) + 1;
    map_slices (&b, k, port, axis,
        item (n, "scan_output_directions", k - carried) != 0);
  }
  map_captures (&b, inputs);
  op = make_operation (
      n, &infer_op_tensor_iterator, &b, 1, inputs, n->n_outputs);
  for (guint k = 0; op != NULL && k < n->n_outputs; k++)
    n->outputs[k] = (InferPort){ op, k };
}
