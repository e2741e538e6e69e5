/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/attention.h"

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/graph/edit.h"

/* Whether @port is one of the keys or values, perhaps moved. */
static gboolean
is_cross (const InferPort *port)
{
  static const InferOpClass *const moves[] = { &infer_op_gather,
    &infer_op_transpose, &infer_op_reshape, &infer_op_convert,
    &infer_op_multiply, NULL };
  const InferOperation *op = port->op;

  while (op != NULL && infer_op_class_in (op->klass, moves))
    op = op->inputs[0].op;
  return infer_op_is (op, &infer_op_parameter)
         && g_str_has_prefix (op->name, "cross.");
}

static InferOperation *
add_scale (InferModel *model, InferPort from, double factor, GError **error)
{
  InferShape one = infer_shape_scalar ();
  g_autoptr (InferTensor) value =
      infer_tensor_new (whisper_port_desc (&from)->type, &one, error);
  InferOperation *constant =
      value == NULL ? NULL : infer_operation_make_const ("scale", value, error);

  if (constant == NULL)
    return NULL;
  infer_graph_add (model->graph, constant);
  infer_convert (value->data, value->type, &factor, INFER_TYPE_F64, 1);
  InferOperation *scale =
      infer_operation_make ("Multiply", "scaled", 2, 1, error, NULL);
  if (scale == NULL)
    return NULL;
  infer_operation_connect (scale, 0, from);
  infer_operation_connect (scale, 1, (InferPort){ constant, 0 });
  infer_graph_add (model->graph, scale);
  return scale;
}

/* Beside a ScaledDotProductAttention, its scores. */
static gboolean
add_scores (InferModel *model, const InferOperation *attention, InferPort *port,
    GError **error)
{
  const InferShape *q = &whisper_port_desc (&attention->inputs[0])->shape;
  double scale = q->rank > 0 && q->dims[q->rank - 1] > 0
                     ? 1 / sqrt ((double) q->dims[q->rank - 1])
                     : 1;
  InferOperation *product = infer_operation_make ("MatMul", "scores", 2, 1,
      error, "transpose_a", "false", "transpose_b", "true", NULL);

  if (product == NULL)
    return FALSE;
  infer_operation_connect (product, 0, attention->inputs[0]);
  infer_operation_connect (product, 1, attention->inputs[1]);
  product->outputs[0].desc.type = whisper_port_desc (attention->inputs)->type;
  infer_graph_add (model->graph, product);
  *port = (InferPort){ product, 0 };
  if (attention->n_inputs > 4 && attention->inputs[4].op != NULL
      && !infer_port_stored_number (&attention->inputs[4], &scale))
    return TRUE; /* scaled otherwise: heads are compared after a softmax */
  if (fabs (scale - 1) < 1e-9)
    return TRUE;
  InferOperation *scaled = add_scale (model, *port, scale, error);
  *port = (InferPort){ scaled, 0 };
  return scaled != NULL;
}

/* Whether @port, which a softmax is taken of, is a product with keys, perhaps
 * masked. */
static gboolean
is_score (const InferPort *port)
{
  const InferOperation *op = port->op;

  while (infer_op_is (op, &infer_op_add) || infer_op_is (op, &infer_op_reshape))
    op = op->inputs[0].op;
  return infer_op_is (op, &infer_op_matmul) && is_cross (&op->inputs[1]);
}

gboolean
whisper_find_scores (InferModel *model, GArray **scores, GError **error)
{
  guint n = model->graph->operations->len;

  *scores = g_array_new (FALSE, FALSE, sizeof (InferPort));
  for (guint i = 0; i < n; i++) {
    const InferOperation *op = model->graph->operations->pdata[i];
    InferPort port;

    if (infer_op_is (op, &infer_op_scaled_dot_product_attention)
        && is_cross (&op->inputs[1])) {
      if (!add_scores (model, op, &port, error))
        return FALSE;
      g_array_append_val (*scores, port);
    } else if (infer_op_is (op, &infer_op_softmax)
               && is_score (&op->inputs[0])) {
      g_array_append_val (*scores, op->inputs[0]);
    }
  }
  return TRUE;
}
