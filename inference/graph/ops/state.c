/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/state.h"

#include "inference/graph/graph.h"

/* graph/variables.c checks the operations of a variable against each other. */
typedef struct
{
  char *variable_id;
  InferDesc desc; /* dynamic if absent in the file */
  gboolean like_initial;
} StateAttrs;

const char *
infer_op_variable_id (const InferOperation *op)
{
  return ((const StateAttrs *) op->attrs)->variable_id;
}

static StateAttrs *
renew (InferOperation *op)
{
  StateAttrs copy = *(const StateAttrs *) op->attrs;

  copy.variable_id = g_strdup (copy.variable_id);
  infer_operation_renew_attrs (op);
  *(StateAttrs *) op->attrs = copy;
  return op->attrs;
}

gboolean
infer_op_variable_forget_initial (InferOperation *op)
{
  const StateAttrs *old = op->attrs;

  if (!old->like_initial || old->desc.shape.rank >= 0)
    return FALSE;
  renew (op)->like_initial = FALSE;
  return TRUE;
}

void
infer_op_variable_open (InferOperation *op, int axis)
{
  const StateAttrs *attrs = op->attrs;

  if (axis < attrs->desc.shape.rank)
    renew (op)->desc.shape.dims[axis] = INFER_DYNAMIC;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  StateAttrs *attrs = op->attrs;
  const char *shape = infer_attr_get (from, "variable_shape");

  attrs->desc.shape = infer_shape_dynamic ();
  if (!infer_attr_require (from, error, "variable_id", NULL)
      || !infer_attr_type (from, "variable_type", &attrs->desc.type, error))
    return FALSE;
  if (shape != NULL
      && !infer_shape_parse (shape, &attrs->desc.shape, NULL, NULL, error)) {
    g_prefix_error (error, "attribute 'variable_shape': ");
    return FALSE;
  }
  attrs->variable_id = g_strdup (infer_attr_get (from, "variable_id"));
  attrs->like_initial = attrs->desc.shape.rank < 0;
  return TRUE;
}

static void
clear (gpointer data)
{
  g_free (((StateAttrs *) data)->variable_id);
}

static gboolean
fail_value (const StateAttrs *attrs, const InferDesc *initial, GError **error)
{
  g_autofree char *want = infer_shape_to_string (&attrs->desc.shape);
  g_autofree char *got = infer_shape_to_string (&initial->shape);

  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "variable '%.200s' is %s %s, the value for it %s %s", attrs->variable_id,
      infer_type_name (attrs->desc.type), want, infer_type_name (initial->type),
      got);
}

/* The output has the type and shape of the variable, since its value changes.
 * If the file gives none, those of the initial value, until an Assign of
 * another shape shows that it changes. */
static gboolean
read_value_infer (InferShapeContext *context, GError **error)
{
  const StateAttrs *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  InferShape merged;

  *out = attrs->desc;
  if (context->n_inputs == 0)
    return TRUE;
  const InferDesc *initial = &context->inputs[0];
  if (!infer_type_merge (attrs->desc.type, initial->type, &out->type)
      || !infer_shape_merge (&attrs->desc.shape, &initial->shape, &merged))
    return fail_value (attrs, initial, error);
  if (attrs->like_initial)
    out->shape = initial->shape;
  return TRUE;
}

static gboolean
assign_infer (InferShapeContext *context, GError **error)
{
  const StateAttrs *attrs = context->op->attrs;
  InferDesc out = attrs->desc;

  if (!infer_type_merge (out.type, context->inputs[0].type, &out.type)
      || !infer_shape_merge (&out.shape, &context->inputs[0].shape, &out.shape))
    return fail_value (attrs, &context->inputs[0], error);
  if (context->n_outputs > 0)
    context->outputs[0] = out;
  return TRUE;
}

const InferOpClass infer_op_read_value = {
  .type = "ReadValue",
  .versions = "3,6",
  .flags = INFER_OP_STATEFUL | INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .max_inputs = 1,
  .attrs_size = sizeof (StateAttrs),
  .parse = parse,
  .clear = clear,
  .infer_shapes = read_value_infer,
};

const InferOpClass infer_op_assign = {
  .type = "Assign",
  .versions = "3,6",
  .flags = INFER_OP_STATEFUL | INFER_OP_OWN_TYPES | INFER_OP_SUB_BYTE,
  .min_inputs = 1,
  .n_outputs = G_MAXUINT,
  .attrs_size = sizeof (StateAttrs),
  .parse = parse,
  .clear = clear,
  .infer_shapes = assign_infer,
};
