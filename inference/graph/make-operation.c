/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/graph.h"

#include "inference/base/tensor.h"

#include <string.h>

/* --- the block of an operation --- */

static char *no_names[] = { NULL };

static gsize
aligned (gsize size)
{
  return (size + sizeof (gpointer) - 1) / sizeof (gpointer) * sizeof (gpointer);
}

static InferOutput *
outputs_in_block (const InferOperation *op)
{
  return (InferOutput *) (gsize) (op + 1);
}

/* [operation][outputs][inputs, and one more][places][opset][name]; zeroed but
 * for the texts. */
static InferOperation *
block_new (guint n_inputs, guint n_outputs, const char *opset, const char *name)
{
  const gsize outputs =
      sizeof (InferOperation) + MAX (n_outputs, 1) * sizeof (InferOutput);
  const gsize inputs = outputs + ((gsize) n_inputs + 1) * sizeof (InferPort);
  const gsize places = inputs + aligned (n_inputs * sizeof (guint));
  const gsize opset_size = strlen (opset) + 1, name_size = strlen (name) + 1;
  char *block = g_malloc (places + opset_size + name_size);
  InferOperation *op = (gpointer) block;

  memset (block, 0, places);
  op->n_outputs = n_outputs;
  op->outputs = outputs_in_block (op);
  op->n_inputs = n_inputs;
  op->inputs = (gpointer) (block + outputs);
  op->opset = memcpy (block + places, opset, opset_size);
  op->name = memcpy (block + places + opset_size, name, name_size);
  op->uses = op->few_uses;
  for (guint k = 0; k < n_outputs; k++)
    op->outputs[k].names = no_names;
  return op;
}

InferOperation *
infer_operation_new (const InferOpClass *klass, guint version,
    const char *opset, const char *name, guint n_inputs, guint n_outputs)
{
  InferOperation *op = block_new (n_inputs, n_outputs, opset, name);

  op->klass = klass;
  op->version = version;
  for (guint k = 0; k < n_outputs; k++)
    op->outputs[k].desc.shape.rank = INFER_DYNAMIC;
  if (klass->attrs_size > 0)
    op->attrs = infer_rc_box_zeroed (klass->attrs_size);
  return op;
}

/* One block: [pointers][texts].  no_names: there are none. */
static GStrv
names_copy (const char *const *names)
{
  gsize n = 0, size = 0;

  for (; names != NULL && names[n] != NULL; n++)
    size += strlen (names[n]) + 1;
  if (n == 0)
    return no_names;
  GStrv copy = g_malloc ((n + 1) * sizeof *copy + size);
  char *at = (char *) (copy + n + 1);
  for (gsize i = 0; i < n; i++) {
    copy[i] = at;
    at = g_stpcpy (at, names[i]) + 1;
  }
  copy[n] = NULL;
  return copy;
}

void
infer_output_set_names (InferOutput *output, const char *const *names)
{
  GStrv old = output->names;

  output->names = names_copy (names);
  if (old != no_names)
    g_free (old);
}

void
infer_output_set_name (InferOutput *output, const char *name)
{
  infer_output_set_names (output, (const char *const[]){ name, NULL });
}

InferOutput *
infer_operation_add_output (InferOperation *op)
{
  const gsize have = op->n_outputs * sizeof (InferOutput);
  InferOutput *outputs = g_malloc (have + sizeof (InferOutput));

  memcpy (outputs, op->outputs, have);
  if (op->outputs != outputs_in_block (op))
    g_free (op->outputs);
  op->outputs = outputs;
  InferOutput *added = &op->outputs[op->n_outputs++];
  *added = (InferOutput){ .desc = { .shape = infer_shape_dynamic () },
    .names = no_names };
  return added;
}

/* --- its parts --- */

static void
clear_nothing (gpointer attrs)
{
}

static void
release_attrs (InferOperation *op)
{
  if (op->attrs != NULL)
    g_atomic_rc_box_release_full (
        op->attrs, op->klass->clear != NULL ? op->klass->clear : clear_nothing);
}

void
infer_operation_renew_attrs (InferOperation *op)
{
  release_attrs (op);
  op->attrs = op->klass->attrs_size > 0
                  ? infer_rc_box_zeroed (op->klass->attrs_size)
                  : NULL;
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
    infer_output_set_names (&op->outputs[k], NULL);
  for (guint i = 0; i < op->n_bodies; i++)
    body_clear (&op->bodies[i]);
  release_attrs (op);
  g_clear_pointer (&op->attrs_texts, g_atomic_rc_box_release);
  infer_tensor_unref (op->value);
  g_free (op->bodies);
  if (op->uses != op->few_uses)
    g_free (op->uses);
  if (op->outputs != outputs_in_block (op))
    g_free (op->outputs);
  g_free (op);
}

InferOperation *
infer_operation_copy (const InferOperation *op)
{
  InferOperation *copy =
      block_new (op->n_inputs, op->n_outputs, op->opset, op->name);

  copy->index = op->index;
  copy->klass = op->klass;
  copy->version = op->version;
  copy->attrs_hash = op->attrs_hash;
  copy->n_bodies = op->n_bodies;
  copy->kept = op->kept;
  memcpy ((gpointer) (gsize) copy->inputs, op->inputs,
      op->n_inputs * sizeof *op->inputs);
  if (op->attrs != NULL)
    copy->attrs = g_atomic_rc_box_acquire (op->attrs);
  if (op->attrs_texts != NULL)
    copy->attrs_texts = g_atomic_rc_box_acquire (op->attrs_texts);
  if (op->value != NULL)
    copy->value = infer_tensor_ref (op->value);
  for (guint k = 0; k < op->n_outputs; k++) {
    copy->outputs[k].desc = op->outputs[k].desc;
    copy->outputs[k].names =
        names_copy ((const char *const *) op->outputs[k].names);
  }
  if (op->n_bodies > 0)
    copy->bodies = infer_new0 (InferBody, op->n_bodies);
  for (guint i = 0; i < op->n_bodies; i++) {
    copy->bodies[i] = op->bodies[i];
    copy->bodies[i].graph = infer_graph_copy (op->bodies[i].graph);
    copy->bodies[i].inputs = g_array_copy (op->bodies[i].inputs);
    copy->bodies[i].outputs = g_array_copy (op->bodies[i].outputs);
    copy->bodies[i].back_edges = g_array_copy (op->bodies[i].back_edges);
  }
  return copy;
}

const char *
infer_opset_text (guint version, char text[INFER_OPSET_TEXT])
{
  char *at = text + INFER_OPSET_TEXT;

  *--at = '\0';
  do
    *--at = (char) ('0' + version % 10);
  while ((version /= 10) > 0);
  return memcpy (at - strlen ("opset"), "opset", strlen ("opset"));
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
  char opset[INFER_OPSET_TEXT];
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
  const guint version = newest_version (klass);
  g_autoptr (InferOperation) op = infer_operation_new (klass, version,
      infer_opset_text (version, opset), name, n_inputs, n_outputs);
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
