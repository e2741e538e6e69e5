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

/* Beside a ScaledDotProductAttention, its product of queries and keys. */
static gboolean
add_scores (InferModel *model, const InferOperation *attention,
    WhisperScores *scores, GError **error)
{
  const InferShape *q = &speech_port_desc (&attention->inputs[0])->shape;
  double scale = q->rank > 0 && q->dims[q->rank - 1] > 0
                     ? 1 / sqrt ((double) q->dims[q->rank - 1])
                     : 1;
  InferOperation *product = infer_operation_make ("MatMul", "scores", 2, 1,
      error, "transpose_a", "false", "transpose_b", "true", NULL);

  if (product == NULL)
    return FALSE;
  infer_operation_connect (product, 0, attention->inputs[0]);
  infer_operation_connect (product, 1, attention->inputs[1]);
  product->outputs[0].desc.type = speech_port_desc (attention->inputs)->type;
  infer_graph_add (model->graph, product);
  /* With a scale that is not known, heads are compared after a softmax. */
  if (attention->n_inputs > 4 && attention->inputs[4].op != NULL
      && !infer_port_stored_number (&attention->inputs[4], &scale))
    scale = 1;
  *scores = (WhisperScores){ { product, 0 }, (float) scale };
  return TRUE;
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

  *scores = g_array_new (FALSE, FALSE, sizeof (WhisperScores));
  for (guint i = 0; i < n; i++) {
    const InferOperation *op = model->graph->operations->pdata[i];
    WhisperScores one = { .scale = 1 };

    if (infer_op_is (op, &infer_op_scaled_dot_product_attention)
        && is_cross (&op->inputs[1])) {
      if (!add_scores (model, op, &one, error))
        return FALSE;
      g_array_append_val (*scores, one);
    } else if (infer_op_is (op, &infer_op_softmax)
               && is_score (&op->inputs[0])) {
      one.port = op->inputs[0];
      g_array_append_val (*scores, one);
    }
  }
  return TRUE;
}
