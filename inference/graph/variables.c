/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Variables, from their ReadValue and Assign operations. */

#include "inference/graph/model-private.h"

#include "inference/graph/ops/state.h"

static InferVariable *
find (InferModel *model, const char *name)
{
  const int place = infer_model_find_variable (model, name);

  return place < 0 ? NULL
                   : &g_array_index (model->variables, InferVariable, place);
}

static gboolean
fail_desc (const InferOperation *op, const InferDesc *have,
    const InferDesc *got, GError **error)
{
  g_autofree char *name = infer_operation_describe (op);
  g_autofree char *a = infer_shape_to_string (&have->shape);
  g_autofree char *b = infer_shape_to_string (&got->shape);

  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "operation %s: variable '%.200s' is %s %s, here it is %s %s", name,
      infer_op_variable_id (op), infer_type_name (have->type), a,
      infer_type_name (got->type), b);
}

static gboolean
add_read (InferModel *model, const InferOperation *op, GError **error)
{
  const char *id = infer_op_variable_id (op);
  const InferDesc *desc = &op->outputs[0].desc;
  InferVariable *variable = find (model, id);

  if (variable == NULL) {
    infer_model_add_variable (
        model, &(InferVariable){ (char *) (gsize) id, *desc, FALSE });
    return TRUE;
  }
  return (infer_type_merge (
              variable->desc.type, desc->type, &variable->desc.type)
             && infer_shape_merge (
                 &variable->desc.shape, &desc->shape, &variable->desc.shape))
         || fail_desc (op, &variable->desc, desc, error);
}

static gboolean
add_assign (InferModel *model, const InferOperation *op, GError **error)
{
  const char *id = infer_op_variable_id (op);
  const InferPort *port = &op->inputs[0];
  const InferDesc *desc = &port->op->outputs[port->index].desc;
  g_autofree char *name = NULL;
  InferVariable *variable = find (model, id);
  InferType type;
  InferShape shape;

  if (variable == NULL) {
    name = infer_operation_describe (op);
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "operation %s: no ReadValue reads the variable '%.200s'", name, id);
  }
  variable->assigned = TRUE;
  return (infer_type_merge (variable->desc.type, desc->type, &type)
             && infer_shape_merge (&variable->desc.shape, &desc->shape, &shape))
         || fail_desc (op, &variable->desc, desc, error);
}

/* Bodies nest only as deep as the reader allows. */
static gboolean
collect_reads (InferModel *model, const InferGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_read_value) && !add_read (model, op, error))
      return FALSE;
    for (guint b = 0; b < op->n_bodies; b++)
      if (!collect_reads (model, op->bodies[b].graph, error))
        return FALSE;
  }
  return TRUE;
}

static gboolean collect_assigns (InferModel *model, const InferGraph *graph,
    GHashTable *before, GError **error);

/* Only one of the branches of an If runs: each may assign a variable. */
static gboolean
collect_bodies (InferModel *model, const InferOperation *op, GHashTable *before,
    GError **error)
{
  g_autoptr (GPtrArray) branches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  GHashTableIter iter;
  gpointer id;

  for (guint b = 0; b < op->n_bodies; b++) {
    GHashTable *branch = g_hash_table_new (g_str_hash, g_str_equal);

    g_ptr_array_add (branches, branch);
    g_hash_table_iter_init (&iter, before);
    while (g_hash_table_iter_next (&iter, &id, NULL))
      g_hash_table_add (branch, id);
    if (!collect_assigns (model, op->bodies[b].graph, branch, error))
      return FALSE;
  }
  for (guint b = 0; b < branches->len; b++) {
    g_hash_table_iter_init (&iter, branches->pdata[b]);
    while (g_hash_table_iter_next (&iter, &id, NULL))
      g_hash_table_add (before, id);
  }
  return TRUE;
}

/* @before: variables that are assigned by now. */
static gboolean
collect_assigns (InferModel *model, const InferGraph *graph, GHashTable *before,
    GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op->n_bodies > 0 && !collect_bodies (model, op, before, error))
      return FALSE;
    if (!infer_op_is (op, &infer_op_assign))
      continue;
    const char *id = infer_op_variable_id (op);
    if (!g_hash_table_add (before, (gpointer) (gsize) id)) {
      g_autofree char *name = infer_operation_describe (op);

      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "operation %s: another Assign has given the variable '%.200s' its "
          "value",
          name, id);
    }
    if (!add_assign (model, op, error))
      return FALSE;
  }
  return TRUE;
}

/* --- variables without a shape in the file --- */

typedef struct
{
  GHashTable *reads;   /* variable → its last ReadValue */
  GHashTable *growing; /* variables whose shape changes */
  gboolean all;        /* take all as growing */
} Changes;

static void
note_reads (Changes *c, const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_read_value))
      g_hash_table_insert (
          c->reads, (gpointer) (gsize) infer_op_variable_id (op), op);
    for (guint b = 0; b < op->n_bodies; b++)
      note_reads (c, op->bodies[b].graph);
  }
}

static void
note_growing (Changes *c, const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      note_growing (c, op->bodies[b].graph);
    if (!infer_op_is (op, &infer_op_assign))
      continue;
    const InferOperation *read =
        g_hash_table_lookup (c->reads, infer_op_variable_id (op));
    if (read != NULL
        && (c->all
            || !infer_shape_equal (&read->outputs[0].desc.shape,
                &op->inputs[0].op->outputs[op->inputs[0].index].desc.shape)))
      g_hash_table_add (
          c->growing, (gpointer) (gsize) infer_op_variable_id (op));
  }
}

static gboolean
forget_growing (const Changes *c, const InferGraph *graph)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      changed |= forget_growing (c, op->bodies[b].graph);
    if (infer_op_is (op, &infer_op_read_value)
        && g_hash_table_contains (c->growing, infer_op_variable_id (op)))
      changed |= infer_op_variable_forget_initial (op);
  }
  return changed;
}

gboolean
infer_model_find_growing (InferModel *model, gboolean all)
{
  g_autoptr (GHashTable) reads = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) growing = g_hash_table_new (g_str_hash, g_str_equal);
  Changes c = { reads, growing, all };

  note_reads (&c, model->graph);
  note_growing (&c, model->graph);
  return g_hash_table_size (growing) > 0 && forget_growing (&c, model->graph);
}

gboolean
infer_model_collect_variables (InferModel *model, GError **error)
{
  g_array_set_size (model->variables, 0);
  g_hash_table_remove_all (model->variable_places);
  g_autoptr (GHashTable) before = g_hash_table_new (g_str_hash, g_str_equal);
  return collect_reads (model, model->graph, error)
         && collect_assigns (model, model->graph, before, error);
}
