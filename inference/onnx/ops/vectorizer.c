/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TfIdfVectorizer: how often each n-gram of a pool occurs. */

#include "inference/base/tensor.h"
#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])
#define MAX_SKIPS 1000

/* The n-grams of one length: @count of them, from item @first of the pool. */
typedef struct
{
  const gint64 *tokens; /* [count, length] */
  gint64 count, length;
} Grams;

/* How often each of them occurs with @skip items between two tokens, [..,
 * count] as f32. */
static InferPort
count_grams (OnnxNode *n, InferPort x, const Grams *g, gint64 skip)
{
  gint64 reach = (g->length - 1) * (skip + 1);
  InferPort all = { NULL, 0 };
  g_autofree gint64 *column = g_new (gint64, (gsize) g->count);

  for (gint64 t = 0; t < g->length; t++) {
    /* Items at place t of each n-gram: as many as fit. */
    gint64 from = t * (skip + 1), behind = reach - from;
    InferPort part = behind == 0 ? onnx_slice (n, x, from, G_MAXINT64, -1)
                                 : onnx_slice (n, x, from, -behind, -1);

    for (gint64 i = 0; i < g->count; i++)
      column[i] = g->tokens[i * g->length + t];
    part = OP (n, "Equal", "", onnx_unsqueeze (n, part, -1),
        onnx_i64s (n, column, (guint) g->count));
    all = t == 0 ? part : OP (n, "LogicalAnd", "", all, part);
  }
  return OP (n, "ReduceSum", "keep_dims=false",
      onnx_convert (n, all, INFER_TYPE_F32), I64S (n, -2));
}

static InferPort
count_all_skips (OnnxNode *n, InferPort x, const Grams *g)
{
  gint64 most = onnx_int (n, "max_skip_count", 0);
  InferPort sum = count_grams (n, x, g, 0);

  for (gint64 skip = 1; g->length > 1 && skip <= most; skip++)
    sum = OP (n, "Add", "", sum, count_grams (n, x, g, skip));
  return sum;
}

/* Counts, or 1 for all above 0, times the weights. */
static InferPort
weigh (OnnxNode *n, InferPort y, guint count)
{
  const GArray *weights = onnx_floats (n, "weights");
  InferShape shape = infer_shape_make (1, (gint64) count);
  InferTensor *t;

  if (onnx_text_is (n, "mode", "IDF", ""))
    y = onnx_convert (n,
        OP (n, "Greater", "", y, onnx_scalar (n, INFER_TYPE_F32, 0)),
        INFER_TYPE_F32);
  if (onnx_text_is (n, "mode", "TF", "") || weights == NULL)
    return y;
  if (weights->len != count) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "it has %u weights for %u n-grams",
        weights->len, count);
    return y;
  }
  t = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  infer_convert (t->data, INFER_TYPE_F32, weights->data, INFER_TYPE_F32, count);
  return OP (n, "Multiply", "", y, onnx_const (n, t));
}

/* Column `ngram_indexes` of the result for each n-gram of the pool. */
static InferPort
place (OnnxNode *n, InferPort y, const GArray *indexes)
{
  gint64 size = 0;
  InferPort columns = onnx_i64_list (n, indexes);

  for (guint i = 0; i < indexes->len; i++) {
    gint64 index = g_array_index (indexes, gint64, i);

    if (index < 0 || index > G_MAXINT32) {
      onnx_fail (n, INFER_ERROR_INVALID_MODEL, "an index is out of range");
      return y;
    }
    size = MAX (size, index + 1);
  }
  return OP (n, "MatMul", "", y,
      onnx_convert (n,
          OP (n, "Equal", "", onnx_unsqueeze (n, columns, 1),
              onnx_unsqueeze (n, onnx_count_to (n, onnx_i64 (n, size)), 0)),
          INFER_TYPE_F32));
}

void
onnx_import_tf_idf_vectorizer (OnnxNode *n)
{
  const GArray *pool = onnx_ints (n, "pool_int64s");
  const GArray *starts = onnx_ints (n, "ngram_counts");
  const GArray *indexes = onnx_ints (n, "ngram_indexes");
  gint64 least = onnx_int (n, "min_gram_length", 1);
  gint64 longest = onnx_int (n, "max_gram_length", 1);
  InferPort x = onnx_convert (n, X, INFER_TYPE_I64), y = { NULL, 0 };
  gint64 total = 0;

  if (pool == NULL || starts == NULL || indexes == NULL
      || longest > (gint64) starts->len
      || onnx_int (n, "max_skip_count", 0) > MAX_SKIPS) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "other than a pool of integers with counts and indexes, and at most %d "
        "skips",
        MAX_SKIPS);
    return;
  }
  for (guint i = 0; i < starts->len; i++) {
    gint64 from = g_array_index (starts, gint64, i), length = i + 1;
    gint64 to =
        i + 1 < starts->len ? g_array_index (starts, gint64, i + 1) : pool->len;
    InferPort part;

    if (from < 0 || to < from || to > pool->len || (to - from) % length != 0) {
      onnx_fail (
          n, INFER_ERROR_INVALID_MODEL, "its ngram_counts do not fit its pool");
      return;
    }
    Grams g = { &g_array_index (pool, gint64, from), (to - from) / length,
      length };
    total += g.count;
    if (g.count == 0)
      continue;
    part = count_all_skips (n, x, &g);
    if (length < least || length > longest)
      part = OP (n, "Multiply", "", part, onnx_scalar (n, INFER_TYPE_F32, 0));
    y = y.op == NULL ? part : OP (n, "Concat", "axis=-1", y, part);
  }
  if (total != indexes->len || y.op == NULL) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "it has %u indexes for %" G_GINT64_FORMAT " n-grams", indexes->len,
        total);
    return;
  }
  n->outputs[0] = place (n, weigh (n, y, indexes->len), indexes);
}
