/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GroupQueryAttention: new keys and values are written into the caches at the
 * position of each sequence of the batch. */

#include <float.h>
#include <math.h>

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/attention.h"

typedef struct
{
  OnnxNode *n;
  gint64 heads, kv_heads;
  InferPort q, k, v; /* [batch, position, head, feature] */
  InferPort start;   /* positions before the queries, [batch, 1] */
  InferPort last;    /* seqlens_k, [batch, 1] */
  InferPort at;      /* of the queries in their sequences, [batch, position] */
} Group;

static gboolean
is_supported (OnnxNode *n)
{
  static const char *const zeros[] = { "smooth_softmax", "qk_output",
    "kv_cache_bit_width", "sliding_window_cache" };

  for (guint i = 0; i < G_N_ELEMENTS (zeros); i++)
    if (onnx_int (n, zeros[i], 0) > 0) {
      onnx_fail (n, INFER_ERROR_UNSUPPORTED, "%s is not supported", zeros[i]);
      return FALSE;
    }
  for (guint i = 11; i < n->n_inputs; i++)
    if (onnx_given (n, i)) {
      onnx_fail (
          n, INFER_ERROR_UNSUPPORTED, "its input %u is not supported", i);
      return FALSE;
    }
  if (onnx_int (n, "causal", 1) == 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "causal=0 is not supported");
  return TRUE;
}

static InferPort
split (OnnxNode *n, InferPort x, gint64 heads)
{
  return OP (n, "Reshape", "special_zero=true", x, I64S (n, 0, 0, heads, -1));
}

static gboolean
read_heads (Group *g)
{
  OnnxNode *n = g->n;
  InferPort x = n->inputs[0];
  InferOperation *parts;

  g->heads = onnx_int (n, "num_heads", 0);
  g->kv_heads = onnx_int (n, "kv_num_heads", 0);
  if (g->heads < 1 || g->heads > G_MAXINT32 || g->kv_heads < 1
      || g->heads % g->kv_heads != 0) {
    onnx_fail (
        n, INFER_ERROR_INVALID_MODEL, "its numbers of heads are no multiples");
    return FALSE;
  }
  if (onnx_given (n, 1)) {
    g->q = split (n, x, g->heads);
    g->k = split (n, n->inputs[1], g->kv_heads);
    g->v = split (n, n->inputs[2], g->kv_heads);
    return TRUE;
  }
  /* Heads of queries, keys and values in a row. */
  parts = onnx_add (n, "VariadicSplit", "", 3,
      (InferPort[]){ split (n, x, g->heads + 2 * g->kv_heads), onnx_i64 (n, 2),
          I64S (n, g->heads, g->kv_heads, g->kv_heads) },
      3);
  g->q = (InferPort){ parts, 0 };
  g->k = (InferPort){ parts, 1 };
  g->v = (InferPort){ parts, 2 };
  return TRUE;
}

/* seqlens_k is the last position; a first call starts at 0, whatever pads a
 * sequence to the longest one. */
static void
find_positions (Group *g)
{
  OnnxNode *n = g->n;
  InferPort fresh = onnx_as_scalar (n, onnx_dim_of (n, g->q, 1));
  InferPort total =
      onnx_as_scalar (n, onnx_convert (n, n->inputs[6], INFER_TYPE_I64));
  InferPort last = onnx_reshape (
      n, onnx_convert (n, n->inputs[5], INFER_TYPE_I64), I64S (n, -1, 1));
  InferPort start =
      OP (n, "Subtract", "", OP (n, "Add", "", last, onnx_i64 (n, 1)), fresh);

  start = OP (n, "Select", "", OP (n, "Equal", "", fresh, total),
      onnx_i64 (n, 0), start);
  g->start = start;
  g->last = last;
  g->at =
      OP (n, "Add", "", start, onnx_unsqueeze (n, onnx_count_to (n, fresh), 0));
}

static void
rotate (Group *g)
{
  OnnxNode *n = g->n;
  InferPort at = onnx_given (n, 9) ? n->inputs[9] : g->at, angles[2];

  if (onnx_int (n, "do_rotary", 0) == 0)
    return;
  for (guint i = 0; i < 2; i++)
    angles[i] = onnx_unsqueeze (
        n, OP (n, "Gather", "", n->inputs[7 + i], at, onnx_i64 (n, 0)), 2);
  OnnxRotation r = { .cosines = angles[0],
    .sines = angles[1],
    .turned = onnx_dim (n->inputs[7], 1) * 2,
    .interleaved = onnx_int (n, "rotary_interleaved", 0) != 0 };
  g->q = onnx_rotate (n, g->q, &r);
  g->k = onnx_rotate (n, g->k, &r);
}

/* @past as long as all positions, with @fresh [batch, position, head, feature]
 * at theirs, and 0 behind them. */
static InferPort
update_cache (const Group *g, guint past, InferPort fresh)
{
  OnnxNode *n = g->n;
  InferPort cache = n->inputs[past], place, missing, pads;
  InferPort total = onnx_reshape (
      n, onnx_convert (n, n->inputs[6], INFER_TYPE_I64), I64S (n, 1));

  fresh = onnx_transpose (n, fresh, (gint64[]){ 0, 2, 1, 3 }, 4);
  if (cache.op == NULL)
    return fresh;
  missing = OP (n, "Maximum", "",
      OP (n, "Subtract", "", total, onnx_dim_of (n, cache, 2)), I64S (n, 0));
  pads = OP (n, "Concat", "axis=0", I64S (n, 0, 0), missing, I64S (n, 0));
  cache = OP (n, "Pad", "pad_mode=constant", cache, I64S (n, 0, 0, 0, 0), pads,
      onnx_scalar_like (n, cache, 0));
  place = onnx_unsqueeze (n, onnx_count_to (n, onnx_dim_of (n, cache, 2)), 1);
  cache = OP (n, "Select", "",
      OP (n, "Less", "", place,
          OP (n, "Unsqueeze", "", g->start, I64S (n, 1, 3))),
      cache, onnx_scalar_like (n, cache, 0));
  place = OP (n, "Broadcast", "mode=bidirectional",
      OP (n, "Unsqueeze", "", g->at, I64S (n, 1, 3)), onnx_shape_of (n, fresh));
  return OP (
      n, "ScatterElementsUpdate", "", cache, place, fresh, onnx_i64 (n, 2));
}

/* Keys up to the query and up to the end of its sequence, which queries that
 * only pad it are behind; no further back than the window. */
static InferPort
mask_of (const Group *g, InferPort keys, InferType type)
{
  OnnxNode *n = g->n;
  gint64 window = onnx_int (n, "local_window_size", -1);
  InferPort key = onnx_count_to (n, onnx_dim_of (n, keys, 2));
  InferPort query = OP (n, "Unsqueeze", "", g->at, I64S (n, 1, 3));
  InferPort last = OP (n, "Unsqueeze", "", g->last, I64S (n, 1, 3));
  InferPort allowed =
      OP (n, "LessEqual", "", key, OP (n, "Minimum", "", query, last));

  if (window > 0)
    allowed = OP (n, "LogicalAnd", "", allowed,
        OP (n, "Greater", "", key,
            OP (n, "Subtract", "", query, onnx_i64 (n, window))));
  return onnx_mask_bias (
      n, allowed, type, type == INFER_TYPE_F16 ? -65504 : -FLT_MAX / 4);
}

/* 0 for queries that only pad a sequence and whose window begins behind its
 * end: they have no keys.  The specification leaves rows of padding open; ONNX
 * Runtime 1.32 gives 0 as well, but with softcap the last keys of the sequence,
 * as many as the window has. */
static InferPort
clear_padding (const Group *g, InferPort y)
{
  OnnxNode *n = g->n;
  const gint64 window = onnx_int (n, "local_window_size", -1);

  if (window <= 0 || onnx_dim (g->q, 1) == 1)
    return y;
  InferPort first = OP (n, "Subtract", "", g->at, onnx_i64 (n, window - 1));
  InferPort any = OP (n, "LessEqual", "", first, g->last);

  return OP (n, "Select", "", onnx_unsqueeze (n, any, 2), y,
      onnx_scalar_like (n, y, 0));
}

void
onnx_import_ms_group_query_attention (OnnxNode *n)
{
  Group g = { .n = n };
  InferType type = onnx_known_type (n, n->inputs[0]);
  double scale = onnx_float (n, "scale", 0);
  InferPort q, k, v, bias;
  gint64 features;

  if (!is_supported (n) || !read_heads (&g))
    return;
  find_positions (&g);
  rotate (&g);
  features = onnx_dim (g.q, 3);
  if (scale == 0 && features < 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its head size must be known");
  if (scale == 0)
    scale = 1 / sqrt ((double) MAX (features, 1));
  q = onnx_transpose (n, g.q, (gint64[]){ 0, 2, 1, 3 }, 4);
  n->outputs[1] = k = update_cache (&g, 3, g.k);
  n->outputs[2] = v = update_cache (&g, 4, g.v);
  bias = mask_of (&g, k, type);
  if (onnx_given (n, 10))
    bias = OP (n, "Add", "", bias, n->inputs[10]);
  q = onnx_attend (n, q, onnx_repeat_heads (n, k, g.heads / g.kv_heads),
      onnx_repeat_heads (n, v, g.heads / g.kv_heads), bias, scale,
      onnx_float (n, "softcap", 0));
  n->outputs[0] = clear_padding (&g, onnx_merge_heads (n, q));
}
