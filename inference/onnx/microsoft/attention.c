/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention, QAttention, MultiHeadAttention and its version for decoders. */

#include <float.h>
#include <math.h>

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/attention.h"
#include "inference/onnx/ops/quantize.h"

/* A node of one of the four attention operations. */
typedef struct
{
  OnnxNode *n;
  InferType type;
  InferPort q, k, v; /* heads */
  InferPort bias;    /* of the scores; op == NULL: none */
  InferPort past;    /* positions before those of q, [1] */
  double filter;     /* what masks add */
} Heads;

static void
add_bias (Heads *h, InferPort more)
{
  h->bias = h->bias.op == NULL ? more : OP (h->n, "Add", "", h->bias, more);
}

/* --- masks --- */

/* 1 for each key that counts: [batch] lengths; [batch, key]; [batch, query,
 * key]; [batch, 1, query, key]. */
static void
apply_key_mask (Heads *h, guint input)
{
  OnnxNode *n = h->n;
  InferPort mask = n->inputs[input], allowed;
  int rank;

  if (!onnx_given (n, input))
    return;
  rank = onnx_known_rank (n, mask);
  if (rank == 1) {
    gint64 count = onnx_dim (mask, 0), batch = onnx_dim (h->q, 0);

    if (count < 0 || count != batch)
      onnx_fail (n, INFER_ERROR_UNSUPPORTED,
          "a mask of rank 1 other than the known batch's lengths");
    allowed = OP (n, "Less", "", onnx_count_to (n, onnx_dim_of (n, h->k, 2)),
        onnx_reshape (
            n, onnx_convert (n, mask, INFER_TYPE_I64), I64S (n, -1, 1, 1, 1)));
  } else {
    allowed = OP (n, "Greater", "", onnx_convert (n, mask, INFER_TYPE_I32),
        onnx_scalar (n, INFER_TYPE_I32, 0));
    if (rank == 2)
      allowed = OP (n, "Unsqueeze", "", allowed, I64S (n, 1, 2));
    else if (rank == 3)
      allowed = onnx_unsqueeze (n, allowed, 1);
  }
  add_bias (h, onnx_mask_bias (n, allowed, h->type, h->filter));
}

/* Key j for query i: j ≤ i + past. */
static void
apply_causal_mask (Heads *h)
{
  OnnxNode *n = h->n;
  InferPort queries = onnx_count_to (n, onnx_dim_of (n, h->q, 2));
  InferPort keys = onnx_count_to (n, onnx_dim_of (n, h->k, 2));

  if (onnx_int (n, "unidirectional", 0) == 0)
    return;
  queries = OP (n, "Add", "", onnx_unsqueeze (n, queries, 1), h->past);
  add_bias (
      h, onnx_mask_bias (n,
             OP (n, "LessEqual", "", onnx_unsqueeze (n, keys, 0), queries),
             h->type, -FLT_MAX / 4));
}

static double
scale_of (const Heads *h)
{
  OnnxNode *n = h->n;
  double scale = onnx_float (n, "scale", 0);
  gint64 features = onnx_dim (h->q, 3);

  if (scale != 0)
    return scale;
  if (features < 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its head size must be known");
  return 1 / sqrt ((double) MAX (features, 1));
}

static Heads
begin (OnnxNode *n, InferPort typed)
{
  InferType type = onnx_known_type (n, typed);

  return (Heads){ .n = n,
    .type = type,
    .past = I64S (n, 0),
    .filter = MAX (onnx_float (n, "mask_filter_value", -10000),
        type == INFER_TYPE_F16 ? -65504 : -FLT_MAX / 4) };
}

static void
finish (Heads *h)
{
  OnnxNode *n = h->n;

  n->outputs[0] = onnx_merge_heads (
      n, onnx_attend (n, h->q, h->k, h->v, h->bias, scale_of (h), 0));
}

/* --- Attention --- */

/* @past [2, batch, head, position, feature]: keys and values of before. */
static void
prepend_past (Heads *h, InferPort past)
{
  OnnxNode *n = h->n;

  if (past.op != NULL) {
    InferPort first =
        OP (n, "Gather", "", past, onnx_i64 (n, 0), onnx_i64 (n, 0));

    h->past = onnx_dim_of (n, first, 2);
    h->k = OP (n, "Concat", "axis=2", first, h->k);
    h->v = OP (n, "Concat", "axis=2",
        OP (n, "Gather", "", past, onnx_i64 (n, 1), onnx_i64 (n, 0)), h->v);
  }
  if (onnx_wants (n, 1))
    n->outputs[1] = OP (n, "Concat", "axis=0", onnx_unsqueeze (n, h->k, 0),
        onnx_unsqueeze (n, h->v, 0));
}

/* Queries, keys and values are slices of one product. */
static void
attend_to_itself (OnnxNode *n, InferPort product, guint mask, guint past,
    guint attention_bias)
{
  Heads h = begin (n, product);
  gint64 heads = onnx_int (n, "num_heads", 0);
  const GArray *sizes = onnx_ints (n, "qkv_hidden_sizes");
  InferOperation *parts;

  if (onnx_int (n, "do_rotary", 0) != 0
      || onnx_int (n, "past_present_share_buffer", 0) != 0
      || onnx_given (n, attention_bias + 1))
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "rotary embeddings or shared buffers");
  parts =
      sizes != NULL ? onnx_add (n, "VariadicSplit", "", 3,
          (InferPort[]){ product, onnx_i64 (n, 2), onnx_i64_list (n, sizes) },
          3)
                    : onnx_add (n, "Split", "num_splits=3", 2,
                        (InferPort[]){ product, onnx_i64 (n, 2) }, 3);
  h.q = onnx_split_heads (n, (InferPort){ parts, 0 }, heads);
  h.k = onnx_split_heads (n, (InferPort){ parts, 1 }, heads);
  h.v = onnx_split_heads (n, (InferPort){ parts, 2 }, heads);
  prepend_past (&h, n->inputs[past]);
  apply_key_mask (&h, mask);
  apply_causal_mask (&h);
  if (attention_bias < n->n_inputs && onnx_given (n, attention_bias))
    add_bias (&h, n->inputs[attention_bias]);
  finish (&h);
}

void
onnx_import_ms_attention (OnnxNode *n)
{
  InferPort y = OP (n, "MatMul", "", n->inputs[0], n->inputs[1]);

  if (onnx_given (n, 2))
    y = OP (n, "Add", "", y, n->inputs[2]);
  attend_to_itself (n, y, 3, 4, 5);
}

/* Inputs: x, weights, bias, their scales, a mask, their zero points, past. */
void
onnx_import_ms_qattention (OnnxNode *n)
{
  InferPort x = onnx_dequantize (
      n, n->inputs[0], onnx_scale_of (n, 3, 6), INFER_TYPE_F32);
  InferPort w = onnx_dequantize (
      n, n->inputs[1], onnx_scale_of (n, 4, 7), INFER_TYPE_F32);

  attend_to_itself (
      n, OP (n, "Add", "", OP (n, "MatMul", "", x, w), n->inputs[2]), 5, 8, 9);
}

/* --- MultiHeadAttention --- */

/* Input @input with its part of the bias [q, k and v], unless it is given as
 * heads already. */
static InferPort
heads_of (OnnxNode *n, guint input, guint bias, InferOperation *biases)
{
  InferPort x = n->inputs[input];

  if (onnx_known_rank (n, x) == 4)
    return x;
  if (biases != NULL)
    x = OP (n, "Add", "", x, ((InferPort){ biases, bias }));
  return onnx_split_heads (n, x, onnx_int (n, "num_heads", 0));
}

static InferOperation *
split_bias (OnnxNode *n, guint input)
{
  gint64 q = onnx_dim (n->inputs[0], 2), v = onnx_dim (n->inputs[2], 2);

  if (!onnx_given (n, input))
    return NULL;
  if (q < 0 || v < 0 || onnx_rank (n->inputs[2]) != 3)
    return onnx_add (n, "Split", "num_splits=3", 2,
        (InferPort[]){ n->inputs[input], onnx_i64 (n, 0) }, 3);
  return onnx_add (n, "VariadicSplit", "", 3,
      (InferPort[]){ n->inputs[input], onnx_i64 (n, 0), I64S (n, q, q, v) }, 3);
}

/* Keys and values of before, from inputs @past on. */
static void
prepend_keys (Heads *h, guint past)
{
  OnnxNode *n = h->n;

  if (onnx_given (n, past) && onnx_given (n, past + 1)) {
    h->past = onnx_dim_of (n, n->inputs[past], 2);
    h->k = OP (n, "Concat", "axis=2", n->inputs[past], h->k);
    h->v = OP (n, "Concat", "axis=2", n->inputs[past + 1], h->v);
  }
  n->outputs[1] = h->k;
  n->outputs[2] = h->v;
}

static void
multi_head (
    OnnxNode *n, guint bias, guint mask, guint attention_bias, guint past)
{
  Heads h = begin (n, n->inputs[0]);
  InferOperation *biases;

  if (!onnx_given (n, 1) || !onnx_given (n, 2)
      || onnx_known_rank (n, n->inputs[0]) != 3
      || onnx_known_rank (n, n->inputs[1]) == 5) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "queries, keys and values that are packed into one tensor");
    return;
  }
  biases = split_bias (n, bias);
  h.q = heads_of (n, 0, 0, biases);
  h.k = heads_of (n, 1, 1, biases);
  h.v = heads_of (n, 2, 2, biases);
  prepend_keys (&h, past);
  apply_key_mask (&h, mask);
  apply_causal_mask (&h);
  if (onnx_given (n, attention_bias))
    add_bias (&h, n->inputs[attention_bias]);
  finish (&h);
}

void
onnx_import_ms_multi_head_attention (OnnxNode *n)
{
  if (onnx_given (n, 8) || onnx_given (n, 9))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "shared buffers or beams");
  multi_head (n, 3, 4, 5, 6);
}

/* The caches are as long as they will ever be: the new key and value replace
 * those at the position past_sequence_length, what is behind is masked. */
static InferPort
write_cache (OnnxNode *n, InferPort cache, InferPort fresh, InferPort at)
{
  return OP (n, "ScatterElementsUpdate", "", cache,
      onnx_fill (n, at, onnx_shape_of (n, fresh)), fresh, onnx_i64 (n, 2));
}

void
onnx_import_ms_decoder_attention (OnnxNode *n)
{
  Heads h = begin (n, n->inputs[0]);
  InferOperation *biases;
  InferPort at, keys;

  if (onnx_int (n, "past_present_share_buffer", 0) == 0 || !onnx_given (n, 2)
      || !onnx_given (n, 5) || !onnx_given (n, 7) || onnx_given (n, 9)
      || onnx_int (n, "output_qk", 0) != 0) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "other than self-attention with shared buffers, without beams");
    return;
  }
  biases = split_bias (n, 10);
  h.q = heads_of (n, 0, 0, biases);
  at = onnx_as_scalar (n, onnx_convert (n, n->inputs[7], INFER_TYPE_I64));
  n->outputs[1] = h.k =
      write_cache (n, n->inputs[5], heads_of (n, 1, 1, biases), at);
  n->outputs[2] = h.v =
      write_cache (n, n->inputs[6], heads_of (n, 2, 2, biases), at);
  keys = onnx_count_to (n, onnx_dim_of (n, h.k, 2));
  add_bias (&h, onnx_mask_bias (n, OP (n, "LessEqual", "", keys, at), h.type,
                    -FLT_MAX / 4));
  apply_key_mask (&h, 3);
  if (onnx_given (n, 4))
    add_bias (&h, n->inputs[4]);
  finish (&h);
}
