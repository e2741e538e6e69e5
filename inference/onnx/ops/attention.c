/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention and rotary embeddings. */

#include <math.h>

#include "inference/onnx/ops/attention.h"
#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

/* Operands of Attention, in the form [batch, head, position, feature]. */
typedef struct
{
  InferPort q, k, v;
  InferPort past; /* positions before those of q, [1] */
  gint64 repeat;  /* heads of q for each one of k */
  InferType type;
} Operands;

InferPort
onnx_split_heads (OnnxNode *n, InferPort x, gint64 heads)
{
  if (heads < 1)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "it has no number of heads");
  x = OP (n, "Reshape", "special_zero=true", x, I64S (n, 0, 0, heads, -1));
  return onnx_transpose (n, x, (gint64[]){ 0, 2, 1, 3 }, 4);
}

InferPort
onnx_merge_heads (OnnxNode *n, InferPort x)
{
  x = onnx_transpose (n, x, (gint64[]){ 0, 2, 1, 3 }, 4);
  return OP (n, "Reshape", "special_zero=true", x, I64S (n, 0, 0, -1));
}

InferPort
onnx_repeat_heads (OnnxNode *n, InferPort x, gint64 times)
{
  InferPort shape = onnx_shape_of (n, x), wide;

  if (times == 1)
    return x;
  wide =
      OP (n, "Tile", "", onnx_unsqueeze (n, x, 2), I64S (n, 1, 1, times, 1, 1));
  return onnx_reshape (
      n, wide, OP (n, "Multiply", "", shape, I64S (n, 1, times, 1, 1)));
}

InferPort
onnx_mask_bias (
    OnnxNode *n, InferPort allowed, InferType type, double otherwise)
{
  return OP (n, "Select", "", allowed, onnx_scalar (n, type, 0),
      onnx_scalar (n, type, otherwise));
}

static InferPort
soft_cap (OnnxNode *n, InferPort scores, double cap)
{
  InferPort most = onnx_scalar_like (n, scores, cap);

  return OP (n, "Multiply", "",
      OP (n, "Tanh", "", OP (n, "Divide", "", scores, most)), most);
}

InferPort
onnx_attend (OnnxNode *n, InferPort q, InferPort k, InferPort v, InferPort bias,
    double scale, double cap)
{
  InferPort scores;

  if (cap <= 0)
    return OP (n, "ScaledDotProductAttention", "causal=false", q, k, v,
        bias.op != NULL ? bias : onnx_scalar_like (n, q, 0),
        onnx_scalar_like (n, q, scale));
  scores = OP (n, "Multiply", "", OP (n, "MatMul", "transpose_b=true", q, k),
      onnx_scalar_like (n, q, scale));
  scores = soft_cap (n, scores, cap);
  if (bias.op != NULL)
    scores = OP (n, "Add", "", scores, bias);
  return OP (n, "MatMul", "", OP (n, "Softmax", "axis=-1", scores), v);
}

/* --- Attention of ai.onnx --- */

static InferPort
heads_of (OnnxNode *n, guint input, const char *attribute)
{
  return onnx_known_rank (n, n->inputs[input]) == 4
             ? n->inputs[input]
             : onnx_split_heads (
                 n, n->inputs[input], onnx_int (n, attribute, 0));
}

static Operands
read_operands (OnnxNode *n)
{
  Operands o = { .type = onnx_known_type (n, X), .repeat = 1 };
  gint64 q_heads, k_heads;

  o.q = heads_of (n, 0, "q_num_heads");
  o.k = heads_of (n, 1, "kv_num_heads");
  o.v = heads_of (n, 2, "kv_num_heads");
  o.past = I64S (n, 0);
  if (onnx_given (n, 4)) {
    o.past = onnx_dim_of (n, n->inputs[4], 2);
    o.k = OP (n, "Concat", "axis=2", n->inputs[4], o.k);
    o.v = OP (n, "Concat", "axis=2", n->inputs[5], o.v);
  } else if (onnx_given (n, 6)) {
    /* [batch] → [batch, 1, 1, 1] */
    o.past = OP (n, "Subtract", "",
        onnx_reshape (n, n->inputs[6], I64S (n, -1, 1, 1, 1)),
        onnx_dim_of (n, o.q, 2));
  }
  n->outputs[1] = o.k;
  n->outputs[2] = o.v;
  q_heads = onnx_dim (o.q, 1);
  k_heads = onnx_dim (o.k, 1);
  if (q_heads != k_heads) {
    if (q_heads < 1 || k_heads < 1 || q_heads % k_heads != 0)
      onnx_fail (n, INFER_ERROR_UNSUPPORTED,
          "its numbers of heads must be known, and multiples");
    else
      o.repeat = q_heads / k_heads;
  }
  return o;
}

/* Adds what may be absent. */
static InferPort
add (OnnxNode *n, InferPort sum, InferPort more)
{
  return sum.op == NULL ? more : OP (n, "Add", "", sum, more);
}

/* The mask that is given, as long as there are keys: what it does not cover is
 * masked out. */
static InferPort
mask_bias (OnnxNode *n, const Operands *o)
{
  InferPort mask = n->inputs[3], missing, zero, pads;
  int rank = onnx_known_rank (n, mask);
  gint64 have = onnx_dim (mask, rank - 1), want = onnx_dim (o->k, 2);

  mask = onnx_type (mask) == INFER_TYPE_BOOLEAN
             ? onnx_mask_bias (n, mask, o->type, -INFINITY)
             : onnx_convert (n, mask, o->type);
  if (have >= 0 && have == want)
    return mask;
  missing = OP (n, "Subtract", "", onnx_dim_of (n, o->k, 2),
      onnx_dim_of (n, mask, rank - 1));
  missing = OP (n, "Maximum", "", missing, I64S (n, 0));
  zero = OP (n, "Broadcast", "mode=numpy", onnx_i64 (n, 0), I64S (n, rank));
  pads = rank == 1 ? missing
                   : OP (n, "Concat", "axis=0",
                       OP (n, "Broadcast", "mode=numpy", onnx_i64 (n, 0),
                           I64S (n, rank - 1)),
                       missing);
  return OP (n, "Pad", "pad_mode=constant", mask, zero, pads,
      onnx_scalar (n, o->type, -INFINITY));
}

/* Query i, key j: j ≤ i + past; windows likewise. */
static InferPort
position_bias (OnnxNode *n, const Operands *o, InferPort bias)
{
  gint64 left = onnx_int (n, "left_window_size", -1);
  gint64 right = onnx_int (n, "right_window_size", -1);
  InferPort queries =
      onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, o->q, 2)), 1);
  InferPort keys =
      onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, o->k, 2)), 0);
  InferPort ahead =
      OP (n, "Subtract", "", keys, OP (n, "Add", "", queries, o->past));

  if (onnx_int (n, "is_causal", 0) != 0)
    bias = add (n, bias,
        onnx_mask_bias (n, OP (n, "LessEqual", "", ahead, onnx_i64 (n, 0)),
            o->type, -INFINITY));
  if (left >= 0)
    bias = add (n, bias,
        onnx_mask_bias (n,
            OP (n, "GreaterEqual", "", ahead, onnx_i64 (n, -left)), o->type,
            -INFINITY));
  if (right >= 0)
    bias = add (n, bias,
        onnx_mask_bias (n, OP (n, "LessEqual", "", ahead, onnx_i64 (n, right)),
            o->type, -INFINITY));
  if (onnx_given (n, 6))
    bias = add (n, bias,
        onnx_mask_bias (n,
            OP (n, "Less", "", keys,
                onnx_reshape (n, n->inputs[6], I64S (n, -1, 1, 1, 1))),
            o->type, -INFINITY));
  return bias;
}

/* Softmax, 0 in rows whose bias masks everything. */
static InferPort
normalize (OnnxNode *n, InferPort scores, InferPort bias, InferType type)
{
  InferType precision =
      onnx_type_attribute (n, "softmax_precision", onnx_type (scores));
  InferPort p = onnx_convert (n,
      OP (n, "Softmax", "axis=-1", onnx_convert (n, scores, precision)), type);
  InferPort best, masked;

  if (bias.op == NULL)
    return p;
  best = OP (n, "ReduceMax", "keep_dims=true", bias, I64S (n, -1));
  masked = OP (n, "Equal", "", best, onnx_scalar (n, type, -INFINITY));
  return OP (n, "Select", "", masked, onnx_scalar (n, type, 0), p);
}

void
onnx_import_attention (OnnxNode *n)
{
  Operands o = read_operands (n);
  gint64 mode = onnx_int (n, "qk_matmul_output_mode", 0);
  double scale = onnx_float (n, "scale", 0), cap = onnx_float (n, "softcap", 0);
  gint64 features = onnx_dim (o.q, 3);
  InferPort bias = { NULL, 0 }, scores, p, y, factor;

  if (!onnx_has (n, "scale") && features < 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its head size must be known");
  if (!onnx_has (n, "scale"))
    scale = 1 / sqrt ((double) MAX (features, 1));
  /* The root of the scale on either side, as the definition has it. */
  factor = onnx_scalar (n, o.type, sqrt (scale));
  scores =
      OP (n, "MatMul", "transpose_b=true", OP (n, "Multiply", "", o.q, factor),
          OP (n, "Multiply", "", onnx_repeat_heads (n, o.k, o.repeat), factor));
  n->outputs[3] = scores;
  if (cap > 0)
    scores = soft_cap (n, scores, cap);
  if (mode == 1)
    n->outputs[3] = scores;
  if (onnx_given (n, 3))
    bias = mask_bias (n, &o);
  bias = position_bias (n, &o, bias);
  if (bias.op != NULL)
    scores = OP (n, "Add", "", scores, bias);
  if (mode == 2)
    n->outputs[3] = scores;
  p = normalize (n, scores, bias, o.type);
  if (mode == 3)
    n->outputs[3] = p;
  y = OP (n, "MatMul", "", p, onnx_repeat_heads (n, o.v, o.repeat));
  n->outputs[0] = onnx_rank (X) == 3 ? onnx_merge_heads (n, y) : y;
}

/* --- rotary embeddings --- */

static InferPort
slice_last (OnnxNode *n, InferPort x, gint64 from, gint64 to, gint64 step)
{
  return OP (n, "Slice", "", x, I64S (n, from), I64S (n, to), I64S (n, step),
      I64S (n, -1));
}

/* The cache of the positions as [batch, position, 1, feature]. */
static InferPort
cache_of (OnnxNode *n, InferPort cache)
{
  if (onnx_given (n, 3))
    cache = OP (n, "Gather", "", cache, n->inputs[3], onnx_i64 (n, 0));
  return onnx_unsqueeze (n, cache, 2);
}

InferPort
onnx_rotate (OnnxNode *n, InferPort x, const OnnxRotation *r)
{
  gint64 turned = r->turned > 0 ? r->turned : onnx_dim (x, 3);
  InferPort c = r->cosines, s = r->sines, head, a, b, real, imaginary, y;

  if (turned < 2)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its head size must be known");
  head = slice_last (n, x, 0, turned, 1);
  a = r->interleaved ? slice_last (n, head, 0, G_MAXINT64, 2)
                     : slice_last (n, head, 0, turned / 2, 1);
  b = r->interleaved ? slice_last (n, head, 1, G_MAXINT64, 2)
                     : slice_last (n, head, turned / 2, turned, 1);
  real = OP (n, "Subtract", "", OP (n, "Multiply", "", c, a),
      OP (n, "Multiply", "", s, b));
  imaginary = OP (
      n, "Add", "", OP (n, "Multiply", "", s, a), OP (n, "Multiply", "", c, b));
  y = r->interleaved ? onnx_reshape (n,
          OP (n, "Concat", "axis=-1", onnx_unsqueeze (n, real, 4),
              onnx_unsqueeze (n, imaginary, 4)),
          onnx_shape_of (n, head))
                     : OP (n, "Concat", "axis=-1", real, imaginary);
  if (onnx_dim (x, 3) == turned)
    return y;
  return OP (
      n, "Concat", "axis=-1", y, slice_last (n, x, turned, G_MAXINT64, 1));
}

void
onnx_import_rotary_embedding (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 heads = onnx_int (n, "num_heads", 0);
  const OnnxRotation r = { .cosines = cache_of (n, n->inputs[1]),
    .sines = cache_of (n, n->inputs[2]),
    .turned = onnx_int (n, "rotary_embedding_dim", 0),
    .interleaved = onnx_int (n, "interleaved", 0) != 0 };
  /* [batch, position, head, feature] */
  InferPort x = rank == 4 ? onnx_transpose (n, X, (gint64[]){ 0, 2, 1, 3 }, 4)
                          : OP (n, "Reshape", "special_zero=true", X,
                              I64S (n, 0, 0, heads, -1));
  InferPort y = onnx_rotate (n, x, &r);

  n->outputs[0] = rank == 4 ? onnx_transpose (n, y, (gint64[]){ 0, 2, 1, 3 }, 4)
                            : onnx_reshape (n, y, onnx_shape_of (n, X));
}
