/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/ctc.h"

#include "inference/graph/op.h"
#include "inference/graph/work.h"

static gboolean
greedy_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferCtcGreedy *attrs = op->attrs;
  attrs->merge_repeated = TRUE;
  /* Both spellings occur in files. */
  return infer_attr_bool (from, "merge_repeated", &attrs->merge_repeated, error)
         && infer_attr_bool (
             from, "ctc_merge_repeated", &attrs->merge_repeated, error);
}

static gboolean
greedy_infer (InferShapeContext *context, GError **error)
{
  gint64 time, batch;
  InferDesc *out = &context->outputs[0];
  if (!infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_reals (context, 0, 3, 3, error)
      || !infer_require_rank (context, 1, 2, 2, error)
      || !infer_match_dims (context, 0, 0, 1, 0, &time, error)
      || !infer_match_dims (context, 0, 1, 1, 1, &batch, error))
    return FALSE;
  out->shape = infer_shape_make (4, batch, time, (gint64) 1, (gint64) 1);
  return TRUE;
}

const InferOpClass infer_op_ctc_greedy_decoder = {
  .type = "CTCGreedyDecoder",
  .versions = "1",
  .min_inputs = 2,
  .attrs_size = sizeof (InferCtcGreedy),
  .parse = greedy_parse,
  .infer_shapes = greedy_infer,
};

static gboolean
seq_len_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferCtcGreedy *attrs = op->attrs;
  attrs->merge_repeated = TRUE;
  attrs->classes_type = attrs->length_type = INFER_TYPE_I32;
  return infer_attr_bool (from, "merge_repeated", &attrs->merge_repeated, error)
         && infer_attr_index_type (
             from, "classes_index_type", &attrs->classes_type, error)
         && infer_attr_index_type (
             from, "sequence_length_type", &attrs->length_type, error);
}

/* Input @input must have one integer per sequence. */
static gboolean
check_per_sequence (const InferShapeContext *context, guint input,
    gint64 *batch, GError **error)
{
  return infer_require_integers (context, input, 1, 1, error)
         && infer_merge_dims (*batch, infer_input_dim (context, input, 0),
             batch, "the batch", error);
}

static gboolean
check_blank (const InferShapeContext *context, guint input, GError **error)
{
  return input >= context->n_inputs || context->op->inputs[input].op == NULL
         || (infer_require_integers (context, input, 0, 1, error)
             && infer_require_dim (context, input, 0, 1, error));
}

static gboolean
seq_len_infer (InferShapeContext *context, GError **error)
{
  const InferCtcGreedy *attrs = context->op->attrs;
  gint64 batch = infer_input_dim (context, 0, 0);
  gint64 time = infer_input_dim (context, 0, 1);
  if (!infer_require_reals (context, 0, 3, 3, error)
      || !check_per_sequence (context, 1, &batch, error)
      || !check_blank (context, 2, error))
    return FALSE;
  context->outputs[0] =
      (InferDesc){ attrs->classes_type, infer_shape_make (2, batch, time) };
  context->outputs[1] =
      (InferDesc){ attrs->length_type, infer_shape_make (1, batch) };
  return TRUE;
}

const InferOpClass infer_op_ctc_greedy_decoder_seq_len = {
  .type = "CTCGreedyDecoderSeqLen",
  .versions = "6",
  .min_inputs = 2,
  .max_inputs = 3,
  .n_outputs = 2,
  .attrs_size = sizeof (InferCtcGreedy),
  .parse = seq_len_parse,
  .infer_shapes = seq_len_infer,
};

static gboolean
loss_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferCtcLoss *attrs = op->attrs;
  attrs->ctc_merge_repeated = TRUE;
  return infer_attr_bool (from, "preprocess_collapse_repeated",
             &attrs->preprocess_collapse_repeated, error)
         && infer_attr_bool (
             from, "ctc_merge_repeated", &attrs->ctc_merge_repeated, error)
         && infer_attr_bool (from, "unique", &attrs->unique, error);
}

static gboolean
loss_infer (InferShapeContext *context, GError **error)
{
  gint64 batch, time;
  if (!infer_require_reals (context, 0, 3, 3, error)
      || !infer_require_integers (context, 2, 2, 2, error)
      || !infer_match_dims (context, 0, 0, 2, 0, &batch, error)
      || !infer_match_dims (context, 0, 1, 2, 1, &time, error)
      || !check_per_sequence (context, 1, &batch, error)
      || !check_per_sequence (context, 3, &batch, error)
      || !check_blank (context, 4, error))
    return FALSE;
  context->outputs[0] =
      (InferDesc){ context->inputs[0].type, infer_shape_make (1, batch) };
  return TRUE;
}

const InferOpClass infer_op_ctc_loss = {
  .type = "CTCLoss",
  .versions = "4",
  .min_inputs = 4,
  .max_inputs = 5,
  .attrs_size = sizeof (InferCtcLoss),
  .parse = loss_parse,
  .infer_shapes = loss_infer,
  .work = infer_work_pairs,
};
