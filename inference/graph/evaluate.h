/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Evaluates operations at load time: for shape inference and constant folding.
 * A backend's kernels do the work, through InferEvaluator. */

#pragma once

#include "inference/graph/op.h"

/* Runs single operations on host memory.  Any thread. */
typedef struct
{
  /* TRUE if it can run @op, else FALSE with INFER_ERROR_UNSUPPORTED. */
  gboolean (*supports) (const InferOperation *op, GError **error);
  /* @inputs: dense and aligned.  @outputs gets n_outputs new tensors (transfer
   * full). */
  gboolean (*evaluate) (const InferOperation *op, InferTensor *const *inputs,
      InferTensor **outputs, GError **error);
  /* Names everything else that results depend on, e.g. the instruction set:
   * part of cache keys. */
  const char *(*flavour) (void);
} InferEvaluator;

/* Of the first backend that has one; NULL if none has.  Defined by the layer
 * above, in inference/runtime/backend.c. */
const InferEvaluator *infer_find_evaluator (void);

/* Whether `infer_evaluate` can run @op: no state, no bodies, no randomness,
 * every output of a known type and shape of at most @max_bytes, and not too
 * much to compute (work.h). */
gboolean infer_can_evaluate (
    const InferOperation *op, const InferDesc *outputs, gsize max_bytes);

/* @inputs: dense, of any alignment.  @outputs gets n_outputs new tensors
 * (transfer full).  FALSE: not evaluated; an error in the operation shows again
 * when it runs. */
gboolean infer_evaluate (const InferOperation *op,
    const InferTensor *const *inputs, InferTensor **outputs);

/* The same for some operations that only move elements, of any alignment;
 * results may share the memory of inputs.  FALSE: it is another one, or one
 * that is left to the evaluator.  (infer_evaluate tries it first.) */
gboolean infer_evaluate_move (const InferOperation *op,
    const InferTensor *const *inputs, InferTensor **outputs);

/* The evaluator's flavour; "" without an evaluator. */
const char *infer_evaluate_flavour (void);

/* The value of a ShapeOf with the output @out and an input of shape @in; NULL
 * if either shape is not static.  (transfer full) */
InferTensor *infer_evaluate_shape (const InferShape *in, const InferDesc *out);
