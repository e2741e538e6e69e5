/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inserts Converts from sub-byte types to whole bytes before operations whose
 * class lacks INFER_OP_SUB_BYTE: a Gather of u4 rows is computed in u8. */

#include "inference/passes/pass.h"

static InferType
whole_type (InferType type)
{
  switch (type) {
    case INFER_TYPE_I4:
    case INFER_TYPE_I2:
      return INFER_TYPE_I8;
    case INFER_TYPE_U4:
    case INFER_TYPE_U2:
    case INFER_TYPE_U1:
      return INFER_TYPE_U8;
    case INFER_TYPE_NF4:
    case INFER_TYPE_F4E2M1:
      return INFER_TYPE_F32;
    default:
      return INFER_TYPE_DYNAMIC;
  }
}

static gboolean
insert_convert (
    InferGraph *graph, InferOperation *reader, guint input, InferType type)
{
  const InferPort from = reader->inputs[input];
  g_autofree char *name =
      g_strdup_printf ("%s/%s", from.op->name, infer_type_name (type));
  InferOperation *op = infer_operation_make ("Convert", name, 1, 1, NULL,
      "destination_type", infer_type_name (type), NULL);

  if (op == NULL)
    return FALSE;
  infer_operation_connect (op, 0, from);
  op->outputs[0].desc = from.op->outputs[from.index].desc;
  op->outputs[0].desc.type = type;
  infer_graph_add (graph, op);
  infer_operation_connect (reader, input, (InferPort){ op, 0 });
  return TRUE;
}

/* Outputs of the sub-byte type become the wide type. */
static void
widen_outputs (InferOperation *op, InferType small, InferType whole)
{
  for (guint k = 0; k < op->n_outputs; k++)
    if (op->outputs[k].desc.type == small)
      op->outputs[k].desc.type = whole;
}

/* Operations whose input types other operations or the user fix. */
static gboolean
is_fixed (const InferOperation *op)
{
  static const InferOpClass *const fixed[] = { &infer_op_assign,
    &infer_op_binary_convolution, &infer_op_read_value, &infer_op_result,
    NULL };

  return op->n_bodies > 0 || infer_op_class_in (op->klass, fixed);
}

/* Updates a reader of widened values: most take the wide type, fixed ones get a
 * Convert back. */
static gboolean
follow (InferGraph *graph, InferOperation *op, const InferType *was)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *from = &op->inputs[i];
    InferType type, small = was[i];

    if (from->op == NULL)
      continue;
    type = from->op->outputs[from->index].desc.type;
    if (small == INFER_TYPE_DYNAMIC || small == type)
      continue;
    if (is_fixed (op))
      changed = insert_convert (graph, op, i, small) || changed;
    else if ((op->klass->flags & INFER_OP_CONVERTS) == 0)
      widen_outputs (op, small, type);
  }
  return changed;
}

static gboolean
run (InferGraph *graph, InferCache *cache)
{
  const guint n = graph->operations->len;
  g_autoptr (GHashTable) narrow = g_hash_table_new (NULL, NULL);
  gboolean changed = FALSE;

  for (guint o = 0; o < n; o++) {
    InferOperation *op = graph->operations->pdata[o];
    g_autofree InferType *was = g_new0 (InferType, op->n_inputs + 1);
    const InferType before =
        op->n_outputs > 0 ? op->outputs[0].desc.type : INFER_TYPE_DYNAMIC;

    for (guint i = 0; i < op->n_inputs; i++) {
      const InferPort *from = &op->inputs[i];
      InferType small, whole;

      if (from->op == NULL)
        continue;
      was[i] =
          (InferType) GPOINTER_TO_INT (g_hash_table_lookup (narrow, from->op));
      small = from->op->outputs[from->index].desc.type;
      whole = whole_type (small);
      if (whole == INFER_TYPE_DYNAMIC
          || (op->klass->flags & INFER_OP_SUB_BYTE) != 0
          || !insert_convert (graph, op, i, whole))
        continue;
      widen_outputs (op, small, whole);
      changed = TRUE;
    }
    changed = follow (graph, op, was) || changed;
    if (op->n_outputs > 0 && op->outputs[0].desc.type != before)
      g_hash_table_insert (narrow, op, GINT_TO_POINTER ((int) before));
  }
  return changed;
}

const InferPass infer_pass_widen_sub_byte = { "widen-sub-byte", .run = run };
