/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FlexAttention: graphs change scores and probabilities. */

#include <math.h>

#include "inference/onnx/ops/attention.h"
#include "inference/onnx/preview/importers.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

static gboolean
bind_input (OnnxScope *scope, const char *name, const InferDesc *desc,
    guint index, gpointer data, GError **error)
{
  const InferPort *x = data;

  if (index > 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "its graph has more than one input");
  return onnx_scope_set (scope, name, *x, error);
}

/* The output of the graph in @attribute for @x; @x if there is no graph. */
static InferPort
modify (OnnxNode *n, const char *attribute, InferPort x)
{
  const OnnxAttribute *a = onnx_attribute (n, attribute);
  g_auto (OnnxScope) scope = { 0 };
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  InferPort y = { NULL, 0 };

  if (a == NULL || n->error != NULL)
    return x;
  onnx_scope_init (
      &scope, n->scope->file, n->scope, n->scope->graph, n->scope->opsets);
  if (a->kind != ONNX_ATTRIBUTE_G)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "its %s is no graph", attribute);
  else if (!onnx_import_graph (
               &scope, a->bytes, bind_input, &x, &outputs, &error))
    onnx_fail (n, error->code, "in '%s': %s", attribute, error->message);
  else if (outputs->len != 1)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "its %s has %u outputs, not one",
        attribute, outputs->len);
  else if (!onnx_scope_find (&scope, outputs->pdata[0], &y, &error))
    onnx_fail (n, error->code, "in '%s': %s", attribute, error->message);
  return y;
}

void
onnx_import_preview_flex_attention (OnnxNode *n)
{
  InferPort q = n->inputs[0], k = n->inputs[1], v = n->inputs[2], scores, y;
  InferType type = onnx_known_type (n, q);
  InferType precision = onnx_type_attribute (n, "softmax_precision",
      type == INFER_TYPE_F64 ? INFER_TYPE_F64 : INFER_TYPE_F32);
  gint64 heads = onnx_dim (q, 1), kv_heads = onnx_dim (k, 1);
  double scale = onnx_float (n, "scale", 0);
  InferPort root;

  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0
      || onnx_dim (q, 3) < 1) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "its numbers of heads, which must be multiples, and the size of a head "
        "must be known");
    return;
  }
  if (!onnx_has (n, "scale"))
    scale = 1 / sqrt ((double) onnx_dim (q, 3));
  /* The root on either side, as the definition has it. */
  root = onnx_scalar (n, type, sqrt (scale));
  k = onnx_repeat_heads (n, k, heads / kv_heads);
  v = onnx_repeat_heads (n, v, heads / kv_heads);
  scores = OP (n, "MatMul", "transpose_b=true", OP (n, "Multiply", "", q, root),
      OP (n, "Multiply", "", k, root));
  scores = modify (n, "score_mod", onnx_convert (n, scores, precision));
  y = modify (n, "prob_mod", OP (n, "Softmax", "axis=-1", scores));
  n->outputs[0] =
      onnx_convert (n, OP (n, "MatMul", "", y, onnx_convert (n, v, precision)),
          onnx_type (n->inputs[2]));
}
