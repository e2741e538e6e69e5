/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Computing operations before anything runs: for shapes that are computed, and
 * for folding.  What an operation computes is asked of the first backend that
 * can evaluate, so nothing is written twice. */

#pragma once

#include "inference/graph/op.h"

G_BEGIN_DECLS

/* Whether `infer_evaluate` may be asked at all: nothing that has state, bodies
 * or chance, and every output of a known type and shape of at most @max_bytes.
 */
gboolean infer_can_evaluate (
    const InferOperation *op, const InferDesc *outputs, gsize max_bytes);

/* @inputs: whole values, of any alignment.  @outputs gets n_outputs new tensors
 * (transfer full).  FALSE: not here and now; whatever is wrong with it will be
 * seen when it runs. */
gboolean infer_evaluate (const InferOperation *op,
    const InferTensor *const *inputs, InferTensor **outputs);

/* On what results of `infer_evaluate` depend besides. */
const char *infer_evaluate_flavour (void);

/* The value of a ShapeOf whose input has the shape @in; NULL where that is not
 * whole.  @out: its output.  (transfer full) */
InferTensor *infer_evaluate_shape (const InferShape *in, const InferDesc *out);

G_END_DECLS
