/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/graph.h"

#include <string.h>

/* --- operations --- */

InferOperation *
infer_operation_new (const InferOpClass *klass, guint version,
    const char *opset, const char *name, guint n_inputs, guint n_outputs)
{
  InferOperation *op = g_new0 (InferOperation, 1);

  op->klass = klass;
  op->version = version;
  op->opset = g_strdup (opset);
  op->name = g_strdup (name);
  op->n_inputs = n_inputs;
  op->inputs = g_new0 (InferPort, n_inputs + 1);
  op->n_outputs = n_outputs;
  op->outputs = g_new0 (InferOutput, MAX (n_outputs, 1));
  for (guint k = 0; k < n_outputs; k++) {
    op->outputs[k].desc.shape = infer_shape_dynamic ();
    op->outputs[k].names = g_new0 (char *, 1);
  }
  op->attrs = g_atomic_rc_box_alloc0 (MAX (klass->attrs_size, 1));
  return op;
}

static void
clear_nothing (gpointer attrs)
{
}

static void
release_attrs (InferOperation *op)
{
  g_atomic_rc_box_release_full (
      op->attrs, op->klass->clear != NULL ? op->klass->clear : clear_nothing);
}

void
infer_operation_renew_attrs (InferOperation *op)
{
  release_attrs (op);
  op->attrs = g_atomic_rc_box_alloc0 (MAX (op->klass->attrs_size, 1));
  op->attrs_hash = (InferHash){ 0 };
}

static void
body_clear (InferBody *body)
{
  infer_graph_free (body->graph);
  g_clear_pointer (&body->inputs, g_array_unref);
  g_clear_pointer (&body->outputs, g_array_unref);
  g_clear_pointer (&body->back_edges, g_array_unref);
}

void
infer_operation_free (InferOperation *op)
{
  if (op == NULL)
    return;
  for (guint k = 0; k < op->n_outputs; k++)
    g_strfreev (op->outputs[k].names);
  for (guint i = 0; i < op->n_bodies; i++)
    body_clear (&op->bodies[i]);
  release_attrs (op);
  infer_tensor_unref (op->value);
  g_free (op->bodies);
  g_free (op->inputs);
  g_free (op->outputs);
  g_free (op->name);
  g_free (op->opset);
  g_free (op);
}

InferOperation *
infer_operation_copy (const InferOperation *op)
{
  InferOperation *copy = g_memdup2 (op, sizeof *op);

  copy->name = g_strdup (op->name);
  copy->opset = g_strdup (op->opset);
  copy->inputs = g_new0 (InferPort, op->n_inputs + 1);
  copy->outputs = g_new0 (InferOutput, MAX (op->n_outputs, 1));
  copy->attrs = g_atomic_rc_box_acquire (op->attrs);
  copy->bodies = g_new0 (InferBody, op->n_bodies + 1);
  if (op->value != NULL)
    infer_tensor_ref (op->value);
  for (guint i = 0; i < op->n_inputs; i++)
    copy->inputs[i] = op->inputs[i];
  for (guint k = 0; k < op->n_outputs; k++) {
    copy->outputs[k].desc = op->outputs[k].desc;
    copy->outputs[k].names = g_strdupv (op->outputs[k].names);
  }
  for (guint i = 0; i < op->n_bodies; i++) {
    copy->bodies[i] = op->bodies[i];
    copy->bodies[i].graph = infer_graph_copy (op->bodies[i].graph);
    copy->bodies[i].inputs = g_array_copy (op->bodies[i].inputs);
    copy->bodies[i].outputs = g_array_copy (op->bodies[i].outputs);
    copy->bodies[i].back_edges = g_array_copy (op->bodies[i].back_edges);
  }
  return copy;
}

static guint
newest_version (const InferOpClass *klass)
{
  return infer_op_class_version (klass, G_MAXUINT);
}

InferOperation *
infer_operation_make (const char *type, const char *name, guint n_inputs,
    guint n_outputs, GError **error, ...)
{
  const InferOpClass *klass = infer_op_class_find (type);
  g_autoptr (InferAttributes) attributes = infer_attributes_new ();
  g_autoptr (InferOperation) op = NULL;
  g_autofree char *opset = NULL;
  const char *key;
  va_list args;

  if (klass == NULL) {
    infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "this build has no operation %s", type);
    return NULL;
  }
  va_start (args, error);
  while ((key = va_arg (args, const char *)) != NULL)
    infer_attributes_set (attributes, key, va_arg (args, const char *));
  va_end (args);
  opset = g_strdup_printf ("opset%u", newest_version (klass));
  op = infer_operation_new (
      klass, newest_version (klass), opset, name, n_inputs, n_outputs);
  op->attrs_hash = infer_attributes_hash (attributes);
  if (klass->parse != NULL && !klass->parse (op, attributes, error))
    return NULL;
  return g_steal_pointer (&op);
}

InferOperation *
infer_operation_make_const (
    const char *name, InferTensor *value, GError **error)
{
  const InferOpClass *klass = infer_op_class_find ("Const");
  InferOperation *op;

  if (klass == NULL) {
    infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "this build has no operation Const");
    return NULL;
  }
  op = infer_operation_new (klass, 1, "opset1", name, 0, 1);
  op->value = infer_tensor_ref (value);
  op->outputs[0].desc = (InferDesc){ value->type, value->shape };
  return op;
}

InferOperation *
infer_operation_make_read (
    const char *id, const InferDesc *desc, guint n_inputs, GError **error)
{
  g_autofree char *text = infer_shape_to_string (&desc->shape);

  /* "[1,?]" → "1,?" */
  text[strlen (text) - 1] = '\0';
  return infer_operation_make ("ReadValue", id, n_inputs, 1, error,
      "variable_id", id, "variable_type", infer_type_name (desc->type),
      "variable_shape", text + 1, NULL);
}

InferOperation *
infer_operation_make_assign (const char *name, const char *id, GError **error)
{
  return infer_operation_make (
      "Assign", name, 1, 0, error, "variable_id", id, NULL);
}

/* --- graphs --- */

InferGraph *
infer_graph_new (void)
{
  InferGraph *graph = g_new0 (InferGraph, 1);

  graph->operations =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_operation_free);
  graph->parameters = g_ptr_array_new ();
  graph->results = g_ptr_array_new ();
  graph->assigns = g_ptr_array_new ();
  return graph;
}

void
infer_graph_free (InferGraph *graph)
{
  if (graph == NULL)
    return;
  g_ptr_array_unref (graph->parameters);
  g_ptr_array_unref (graph->results);
  g_ptr_array_unref (graph->assigns);
  g_ptr_array_unref (graph->operations);
  g_free (graph);
}

static void
copy_list (GPtrArray *to, const GPtrArray *from, const GPtrArray *copies)
{
  for (guint i = 0; i < from->len; i++) {
    const InferOperation *op = from->pdata[i];

    g_ptr_array_add (to, copies->pdata[op->index]);
  }
}

InferGraph *
infer_graph_copy (const InferGraph *graph)
{
  InferGraph *copy = infer_graph_new ();

  for (guint i = 0; i < graph->operations->len; i++)
    g_ptr_array_add (
        copy->operations, infer_operation_copy (graph->operations->pdata[i]));
  for (guint i = 0; i < copy->operations->len; i++) {
    InferOperation *op = copy->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        op->inputs[k].op = copy->operations->pdata[op->inputs[k].op->index];
  }
  copy_list (copy->parameters, graph->parameters, copy->operations);
  copy_list (copy->results, graph->results, copy->operations);
  copy_list (copy->assigns, graph->assigns, copy->operations);
  return copy;
}

void
infer_graph_add (InferGraph *graph, InferOperation *op)
{
  op->index = graph->operations->len;
  g_ptr_array_add (graph->operations, op);
  if (infer_op_is (op, &infer_op_parameter))
    g_ptr_array_add (graph->parameters, op);
  else if (infer_op_is (op, &infer_op_result))
    g_ptr_array_add (graph->results, op);
  else if (infer_op_is (op, &infer_op_assign))
    g_ptr_array_add (graph->assigns, op);
}

static void
number_operations (InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++)
    ((InferOperation *) graph->operations->pdata[i])->index = i;
}

/* --- order --- */

typedef enum
{
  MARK_NEW = 0,
  MARK_OPEN, /* on the way from a reader to what it reads */
  MARK_DONE,
} Mark;

typedef struct
{
  InferOperation *op;
  guint next_input;
} Visit;

static gboolean
fail_cycle (const InferOperation *op, GError **error)
{
  g_autofree char *name = infer_operation_describe (op);

  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "operation %s: it is part of a cycle", name);
}

/* Depth first along the inputs, with a stack of its own: a model may be a chain
 * of any length. */
static gboolean
visit (InferOperation *root, guint8 *marks, GArray *stack, GPtrArray *order,
    GError **error)
{
  Visit first = { root, 0 };

  g_array_append_val (stack, first);
  marks[root->index] = MARK_OPEN;
  while (stack->len > 0) {
    Visit *top = &g_array_index (stack, Visit, stack->len - 1);
    InferOperation *producer;

    if (top->next_input == top->op->n_inputs) {
      marks[top->op->index] = MARK_DONE;
      g_ptr_array_add (order, top->op);
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    producer = top->op->inputs[top->next_input++].op;
    if (producer == NULL || marks[producer->index] == MARK_DONE)
      continue;
    if (marks[producer->index] == MARK_OPEN)
      return fail_cycle (producer, error);
    marks[producer->index] = MARK_OPEN;
    g_array_append_val (stack, ((Visit){ producer, 0 }));
  }
  return TRUE;
}

gboolean
infer_graph_sort (InferGraph *graph, GError **error)
{
  const guint n = graph->operations->len;
  g_autofree guint8 *marks = g_new0 (guint8, n + 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  g_autoptr (GPtrArray) order = g_ptr_array_sized_new (n);

  number_operations (graph);
  for (guint i = 0; i < n; i++)
    if (marks[i] == MARK_NEW
        && !visit (graph->operations->pdata[i], marks, stack, order, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    graph->operations->pdata[i] = order->pdata[i];
  number_operations (graph);
  return TRUE;
}

/* --- changes
 */

gboolean
infer_graph_replace (
    InferGraph *graph, const InferPort *from, const InferPort *to)
{
  const InferPort old = *from, new = *to;
  gboolean changed = FALSE;

  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++)
      if (infer_port_equal (&op->inputs[k], &old)) {
        op->inputs[k] = new;
        changed = TRUE;
      }
  }
  return changed;
}

static gboolean
is_root (const InferGraph *graph, const InferOperation *op)
{
  return infer_op_is (op, &infer_op_parameter)
         || infer_op_is (op, &infer_op_result)
         || infer_op_is (op, &infer_op_assign);
}

/* A body may assign a variable although nobody reads its owner's outputs. */
static gboolean
has_assign (const InferOperation *op)
{
  for (guint i = 0; i < op->n_bodies; i++) {
    const InferGraph *body = op->bodies[i].graph;

    if (body->assigns->len > 0)
      return TRUE;
    for (guint k = 0; k < body->operations->len; k++)
      if (has_assign (body->operations->pdata[k]))
        return TRUE;
  }
  return FALSE;
}

gboolean
infer_graph_sweep (InferGraph *graph)
{
  const guint n = graph->operations->len;
  g_autofree gboolean *needed = g_new0 (gboolean, n + 1);
  g_autoptr (GPtrArray) kept =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_operation_free);
  gboolean changed;

  number_operations (graph);
  for (guint i = n; i-- > 0;) {
    const InferOperation *op = graph->operations->pdata[i];

    needed[i] |= is_root (graph, op) || has_assign (op);
    for (guint k = 0; needed[i] && k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        needed[op->inputs[k].op->index] = TRUE;
  }
  for (guint i = 0; i < n; i++)
    if (needed[i])
      g_ptr_array_add (kept, graph->operations->pdata[i]);
    else
      infer_operation_free (graph->operations->pdata[i]);
  changed = kept->len < n;
  g_ptr_array_set_free_func (graph->operations, NULL);
  g_ptr_array_unref (graph->operations);
  graph->operations = g_steal_pointer (&kept);
  number_operations (graph);
  return changed;
}

static gboolean
number_of (const InferOperation *op, double *number)
{
  const InferTensor *value = op != NULL ? op->value : NULL;

  if (value == NULL || !infer_type_is_real (value->type)
      || infer_shape_count (&value->shape) != 1)
    return FALSE;
  infer_convert (number, INFER_TYPE_F64, value->data, value->type, 1);
  return TRUE;
}

gboolean
infer_port_number (const InferPort *port, double *number)
{
  return number_of (port->op, number);
}

gboolean
infer_port_stored_number (const InferPort *port, double *number)
{
  const InferOperation *op = port->op;

  return number_of (
      infer_op_is (op, &infer_op_convert) ? op->inputs[0].op : op, number);
}
