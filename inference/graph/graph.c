/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/graph.h"

#include "inference/base/tensor.h"

#include <string.h>

/* --- uses --- */

/* Makes room for one more.  The capacity of `uses` is a power of two. */
static void
grow_uses (InferOperation *op)
{
  if (op->uses != op->few_uses) {
    if (op->n_uses >= INFER_FEW_USES && (op->n_uses & (op->n_uses - 1)) == 0)
      op->uses = g_renew (InferUse, op->uses, 2 * op->n_uses);
  } else if (op->n_uses == INFER_FEW_USES) {
    op->uses = g_new (InferUse, 2 * INFER_FEW_USES);
    memcpy (op->uses, op->few_uses, sizeof op->few_uses);
  }
}

static void
add_use (InferOperation *op, guint input)
{
  InferOperation *from = op->inputs[input].op;

  if (from == NULL)
    return;
  grow_uses (from);
  op->places[input] = from->n_uses;
  from->uses[from->n_uses++] = (InferUse){ op, input };
}

static void
remove_use (InferOperation *op, guint input)
{
  InferOperation *from = op->inputs[input].op;

  if (from == NULL)
    return;
  InferUse last = from->uses[--from->n_uses];
  from->uses[op->places[input]] = last;
  last.op->places[last.input] = op->places[input];
}

static void
add_uses (InferOperation *op)
{
  /* Behind the inputs: make-operation.c. */
  op->places = (guint *) (gsize) (op->inputs + op->n_inputs + 1);
  for (guint i = 0; i < op->n_inputs; i++)
    add_use (op, i);
}

static void
remove_uses (InferOperation *op)
{
  for (guint i = 0; i < op->n_inputs; i++)
    remove_use (op, i);
}

void
infer_operation_connect (InferOperation *op, guint input, InferPort from)
{
  g_return_if_fail (input < op->n_inputs);
  if (op->places != NULL)
    remove_use (op, input);
  ((InferPort *) (gsize) op->inputs)[input] = from;
  if (op->places != NULL)
    add_use (op, input);
}

gboolean
infer_port_replace (InferPort from, InferPort to)
{
  gboolean changed = FALSE;

  if (infer_port_equal (&from, &to))
    return FALSE;
  /* The last use, visited already, takes the place of the removed one. */
  for (guint i = from.op->n_uses; i-- > 0;) {
    const InferUse use = from.op->uses[i];

    if (use.op->inputs[use.input].index != from.index)
      continue;
    infer_operation_connect (use.op, use.input, to);
    changed = TRUE;
  }
  return changed;
}

gboolean
infer_graph_check_uses (const InferGraph *graph)
{
  gsize inputs = 0, uses = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    uses += op->n_uses;
    for (guint b = 0; b < op->n_bodies; b++)
      if (!infer_graph_check_uses (op->bodies[b].graph))
        return FALSE;
    for (guint k = 0; k < op->n_inputs; k++) {
      const InferOperation *from = op->inputs[k].op;

      if (from == NULL)
        continue;
      inputs++;
      if (op->places[k] >= from->n_uses)
        return FALSE;
      const InferUse *use = &from->uses[op->places[k]];
      if (use->op != op || use->input != k)
        return FALSE;
    }
  }
  return inputs == uses;
}

/* --- graphs --- */

InferGraph *
infer_graph_new (void)
{
  InferGraph *graph = infer_new0 (InferGraph, 1);

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

    for (guint k = 0; k < op->n_inputs; k++) {
      InferPort from = op->inputs[k];

      if (from.op == NULL)
        continue;
      from.op = copy->operations->pdata[from.op->index];
      infer_operation_connect (op, k, from);
    }
    add_uses (op);
  }
  copy_list (copy->parameters, graph->parameters, copy->operations);
  copy_list (copy->results, graph->results, copy->operations);
  copy_list (copy->assigns, graph->assigns, copy->operations);
  return copy;
}

static void
append (InferGraph *graph, InferOperation *op)
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

void
infer_graph_add (InferGraph *graph, InferOperation *op)
{
  g_return_if_fail (op->places == NULL);
  append (graph, op);
  add_uses (op);
}

void
infer_graph_remove (InferGraph *graph, InferOperation *op)
{
  guint at = graph->operations->len;

  g_return_if_fail (op->n_uses == 0);
  remove_uses (op);
  g_ptr_array_remove (graph->parameters, op);
  g_ptr_array_remove (graph->results, op);
  g_ptr_array_remove (graph->assigns, op);
  /* From the end: passes remove operations that they added last. */
  while (at > 0 && graph->operations->pdata[at - 1] != op)
    at--;
  g_return_if_fail (at > 0);
  g_ptr_array_remove_index (graph->operations, at - 1); /* frees it */
}

void
infer_graph_take_body (InferGraph *graph, InferGraph *body)
{
  g_ptr_array_set_free_func (body->operations, NULL);
  for (guint i = 0; i < body->operations->len; i++) {
    InferOperation *op = body->operations->pdata[i];

    if (!infer_op_is (op, &infer_op_parameter)
        && !infer_op_is (op, &infer_op_result)) {
      append (graph, op);
      continue;
    }
    remove_uses (op);
    infer_operation_free (op);
  }
  g_ptr_array_set_size (body->operations, 0);
  g_ptr_array_set_size (body->parameters, 0);
  g_ptr_array_set_size (body->results, 0);
  g_ptr_array_set_size (body->assigns, 0);
  g_ptr_array_set_free_func (
      body->operations, (GDestroyNotify) infer_operation_free);
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
  MARK_OPEN, /* on the path from the root of the visit */
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

/* Depth first along the inputs, with an explicit stack: a model may be a chain
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

    if (top->next_input == top->op->n_inputs) {
      marks[top->op->index] = MARK_DONE;
      g_ptr_array_add (order, top->op);
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    InferOperation *producer = top->op->inputs[top->next_input++].op;
    if (producer == NULL || marks[producer->index] == MARK_DONE)
      continue;
    if (marks[producer->index] == MARK_OPEN)
      return fail_cycle (producer, error);
    marks[producer->index] = MARK_OPEN;
    g_array_append_val (stack, ((Visit){ producer, 0 }));
  }
  return TRUE;
}

/* Numbered. */
static gboolean
is_sorted (const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL && op->inputs[k].op->index >= i)
        return FALSE;
  }
  return TRUE;
}

gboolean
infer_graph_sort (InferGraph *graph, GError **error)
{
  const guint n = graph->operations->len;

  number_operations (graph);
  if (is_sorted (graph))
    return TRUE;
  g_autofree guint8 *marks = infer_new0 (guint8, n + 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  g_autoptr (GPtrArray) order = g_ptr_array_sized_new (n);

  for (guint i = 0; i < n; i++)
    if (marks[i] == MARK_NEW
        && !visit (graph->operations->pdata[i], marks, stack, order, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    graph->operations->pdata[i] = order->pdata[i];
  number_operations (graph);
  return TRUE;
}

/* --- sweeping --- */

static gboolean
is_root (const InferGraph *graph, const InferOperation *op)
{
  return infer_op_is (op, &infer_op_parameter)
         || infer_op_is (op, &infer_op_result)
         || infer_op_is (op, &infer_op_assign);
}

/* A body may assign a variable although nothing reads its owner's outputs. */
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
  g_autofree gboolean *needed = infer_new0 (gboolean, n + 1);
  guint n_needed = 0, kept = 0;

  number_operations (graph);
  for (guint i = n; i-- > 0;) {
    const InferOperation *op = graph->operations->pdata[i];

    needed[i] |= is_root (graph, op) || has_assign (op);
    n_needed += needed[i] != FALSE;
    for (guint k = 0; needed[i] && k < op->n_inputs; k++)
      if (op->inputs[k].op != NULL)
        needed[op->inputs[k].op->index] = TRUE;
  }
  if (n_needed == n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!needed[i])
      remove_uses (graph->operations->pdata[i]);
  for (guint i = 0; i < n; i++)
    if (needed[i])
      graph->operations->pdata[kept++] = graph->operations->pdata[i];
    else
      infer_operation_free (graph->operations->pdata[i]);
  g_ptr_array_set_free_func (graph->operations, NULL);
  g_ptr_array_set_size (graph->operations, (int) kept);
  g_ptr_array_set_free_func (
      graph->operations, (GDestroyNotify) infer_operation_free);
  number_operations (graph);
  return TRUE;
}
