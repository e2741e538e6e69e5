/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LinearAttention: a matrix [key, value] for each head is the state, which each
 * position reads after it has added to it. */

#include <math.h>

#include "inference/onnx/ops/body.h"
#include "inference/onnx/ops/importers.h"

typedef enum
{
  QUERY,
  KEY,
  VALUE,
  DECAY,
  BETA,
  N_OPERANDS
} Operand;

typedef struct
{
  OnnxNode *n;
  gint64 heads, group; /* of keys; queries for each of them */
  gint64 key_size, value_size;
  double scale;
  gboolean decays, corrects;
  InferPort in[N_OPERANDS]; /* [batch, position, …] as f32; decays: optional */
} Linear;

static gboolean
read_sizes (Linear *l)
{
  OnnxNode *n = l->n;
  gint64 queries = onnx_int (n, "q_num_heads", 0);
  g_autofree char *rule = onnx_text (n, "update_rule", "gated_delta");

  l->heads = onnx_int (n, "kv_num_heads", 0);
  l->decays = g_str_has_prefix (rule, "gated");
  l->corrects = g_str_has_suffix (rule, "delta");
  if (l->heads < 1 || queries < l->heads || queries % l->heads != 0
      || onnx_given (n, 4) != l->decays || onnx_given (n, 5) != l->corrects) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its numbers of heads or its inputs do not fit update_rule=%.40s",
        rule);
    return FALSE;
  }
  l->group = queries / l->heads;
  l->key_size = onnx_dim (n->inputs[0], 2) / queries;
  l->value_size = onnx_dim (n->inputs[2], 2) / l->heads;
  if (l->key_size < 1 || l->value_size < 1) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "the sizes of its queries and values must be known");
    return FALSE;
  }
  l->scale = onnx_float (n, "scale", 0);
  if (l->scale == 0)
    l->scale = 1 / sqrt ((double) l->key_size);
  return TRUE;
}

static InferPort
first_state (Linear *l)
{
  OnnxNode *n = l->n;

  if (onnx_given (n, 3))
    return onnx_convert (n, n->inputs[3], INFER_TYPE_F32);
  return onnx_fill (n, onnx_scalar (n, INFER_TYPE_F32, 0),
      OP (n, "Concat", "axis=0", onnx_dim_of (n, n->inputs[0], 0),
          I64S (n, l->heads, l->key_size, l->value_size)));
}

static InferPort
reshape (OnnxNode *n, InferPort x, gint64 a, gint64 b, gint64 c)
{
  return OP (n, "Reshape", "special_zero=true", x, I64S (n, 0, a, b, c));
}

/* One position: @x are its operands [batch, 1, …].  Returns what it reads
 * [batch, head × value]. */
static InferPort
step (const Linear *l, const InferPort x[N_OPERANDS], InferPort *state)
{
  OnnxNode *n = l->n;
  InferPort q = reshape (n, x[QUERY], l->heads, l->group, -1);
  InferPort k = reshape (n, x[KEY], l->heads, 1, -1);
  InferPort v = reshape (n, x[VALUE], l->heads, 1, -1);

  if (l->decays)
    *state = OP (n, "Multiply", "", *state,
        OP (n, "Exp", "", reshape (n, x[DECAY], l->heads, -1, 1)));
  if (l->corrects)
    v = OP (n, "Multiply", "", reshape (n, x[BETA], -1, 1, 1),
        OP (n, "Subtract", "", v, OP (n, "MatMul", "", k, *state)));
  *state =
      OP (n, "Add", "", *state, OP (n, "MatMul", "transpose_a=true", k, v));
  return OP (n, "Reshape", "special_zero=true",
      OP (n, "Multiply", "", OP (n, "MatMul", "", q, *state),
          onnx_scalar (n, INFER_TYPE_F32, l->scale)),
      I64S (n, 0, -1));
}

/* A parameter of the body for @outer, whose axis 1 is cut if @sliced. */
static InferPort
add_parameter (OnnxBody *b, GArray *inputs, InferPort outer, gboolean sliced)
{
  g_autoptr (GError) error = NULL;
  InferDesc desc = onnx_desc (outer);
  guint index = inputs->len;

  if (sliced && desc.shape.rank > 1)
    desc.shape.dims[1] = 1;
  InferOperation *op = onnx_make_parameter (b->n->name, &desc, &error);
  if (op == NULL) {
    onnx_fail (b->n, error->code, "%s", error->message);
    return (InferPort){ NULL, 0 };
  }
  infer_graph_add (b->body.graph, op);
  g_array_append_val (inputs, outer);
  if (sliced)
    onnx_body_map_sliced_input (b, (int) index, index, 1, FALSE);
  else
    onnx_body_map_input (b, (int) index, index);
  return (InferPort){ op, 0 };
}

void
onnx_import_linear_attention (OnnxNode *n)
{
  static const guint numbers[N_OPERANDS] = { 0, 1, 2, 4, 5 };
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_auto (OnnxBody) b = { 0 };
  OnnxScope *outside = n->scope;
  Linear l = { .n = n };
  InferPort x[N_OPERANDS] = { 0 }, state, y;
  InferOperation *op;

  onnx_body_init (&b, n, infer_graph_new ());
  if (!read_sizes (&l))
    return;
  InferType type = onnx_known_type (n, n->inputs[0]);
  InferType state_type = onnx_given (n, 3) ? onnx_type (n->inputs[3]) : type;
  state = add_parameter (&b, inputs, first_state (&l), FALSE);
  for (guint i = 0; i < N_OPERANDS; i++)
    if (onnx_given (n, numbers[i]))
      x[i] = add_parameter (&b, inputs,
          onnx_convert (n, n->inputs[numbers[i]], INFER_TYPE_F32), TRUE);
  if (n->error != NULL)
    return;
  n->scope = &b.scope;
  y = step (&l, x, &state);
  n->scope = outside;
  int result = onnx_body_add_result (&b, state);
  onnx_body_map_back (&b, result, 0);
  onnx_body_map_output (&b, 1, result);
  onnx_body_map_slices (&b, 0, y, 1, FALSE);
  op = onnx_body_finish (n, &infer_op_tensor_iterator, &b, 1, inputs, 2);
  n->outputs[0] = onnx_convert (n, (InferPort){ op, 0 }, type);
  n->outputs[1] = onnx_convert (n, (InferPort){ op, 1 }, state_type);
}
