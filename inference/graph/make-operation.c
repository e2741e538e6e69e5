/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/graph.h"

#include <string.h>

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
infer_operation_note_attributes (
    InferOperation *op, InferAttributes *attributes)
{
  op->attrs_hash = infer_attr_hash (attributes);
  g_clear_pointer (&op->attrs_texts, g_atomic_rc_box_release);
  op->attrs_texts = infer_attr_pack (attributes);
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
  g_clear_pointer (&op->attrs_texts, g_atomic_rc_box_release);
  infer_tensor_unref (op->value);
  g_free (op->bodies);
  g_free ((gpointer) (gsize) op->inputs);
  g_free (op->places);
  g_free (op->uses);
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
  copy->inputs =
      g_memdup2 (op->inputs, (op->n_inputs + 1) * sizeof *op->inputs);
  copy->places = NULL;
  copy->uses = NULL;
  copy->n_uses = 0;
  copy->outputs = g_new0 (InferOutput, MAX (op->n_outputs, 1));
  copy->attrs = g_atomic_rc_box_acquire (op->attrs);
  if (op->attrs_texts != NULL)
    copy->attrs_texts = g_atomic_rc_box_acquire (op->attrs_texts);
  copy->bodies = g_new0 (InferBody, op->n_bodies + 1);
  if (op->value != NULL)
    infer_tensor_ref (op->value);
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
  g_autoptr (InferAttributes) attributes = infer_attr_new ();
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
    infer_attr_set (attributes, key, va_arg (args, const char *));
  va_end (args);
  opset = g_strdup_printf ("opset%u", newest_version (klass));
  g_autoptr (InferOperation) op = infer_operation_new (
      klass, newest_version (klass), opset, name, n_inputs, n_outputs);
  infer_operation_note_attributes (op, attributes);
  if (klass->parse != NULL && !klass->parse (op, attributes, error))
    return NULL;
  return g_steal_pointer (&op);
}

InferOperation *
infer_operation_make_const (
    const char *name, InferTensor *value, GError **error)
{
  const InferOpClass *klass = infer_op_class_find ("Const");

  if (klass == NULL) {
    infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "this build has no operation Const");
    return NULL;
  }
  InferOperation *op = infer_operation_new (klass, 1, "opset1", name, 0, 1);
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

/* --- ports --- */

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
