/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ModelCall: a whole model that is somewhere else, as one operation.  Its
 * inputs and outputs are the model's, in order; behind them come the value of a
 * variable and its next value, where the model keeps a state there. */

#include "inference/graph/ops/model-call.h"

#include "inference/graph/op.h"

static void
clear (gpointer data)
{
  InferModelCallAttrs *attrs = data;

  g_free (attrs->address);
  g_free (attrs->outputs);
}

/* "f32:1,?,3". */
static gboolean
parse_output (char *text, InferDesc *desc, GError **error)
{
  char *colon = strchr (text, ':');

  if (colon == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'outputs': '%.100s' is no type and shape", text);
  *colon = '\0';
  if (infer_type_from_name (text, &desc->type)
      && infer_shape_parse (colon + 1, &desc->shape, NULL, NULL, error))
    return TRUE;
  if (error == NULL || *error == NULL)
    infer_fail (error, INFER_ERROR_INVALID_MODEL, "'%.100s' is no type", text);
  g_prefix_error (error, "attribute 'outputs': ");
  return FALSE;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferModelCallAttrs *attrs = op->attrs;

  if (!infer_attr_require (from, error, "address", "outputs", NULL))
    return FALSE;
  g_auto (GStrv) outputs =
      g_strsplit (infer_attr_get (from, "outputs"), ";", -1);
  attrs->n_outputs = g_strv_length (outputs);
  if (attrs->n_outputs != op->n_outputs)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'outputs' has %u, the operation %u", attrs->n_outputs,
        op->n_outputs);
  attrs->address = g_strdup (infer_attr_get (from, "address"));
  attrs->outputs = g_new0 (InferDesc, attrs->n_outputs);
  for (guint i = 0; i < attrs->n_outputs; i++)
    if (!parse_output (outputs[i], &attrs->outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_shapes (InferShapeContext *context, GError **error)
{
  const InferModelCallAttrs *attrs = context->op->attrs;

  for (guint i = 0; i < context->n_outputs; i++)
    context->outputs[i] = attrs->outputs[i];
  return TRUE;
}

const char *
infer_op_model_call_address (const InferOperation *op)
{
  return ((const InferModelCallAttrs *) op->attrs)->address;
}

const InferOpClass infer_op_model_call = {
  .type = "ModelCall",
  .versions = "16",
  .flags = INFER_OP_IMPURE | INFER_OP_OWN_TYPES | INFER_OP_INTERNAL,
  .min_inputs = 0,
  .max_inputs = G_MAXUINT,
  .n_outputs = G_MAXUINT,
  .attrs_size = sizeof (InferModelCallAttrs),
  .parse = parse,
  .clear = clear,
  .infer_shapes = infer_shapes,
};
