/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much an operation computes, for limits on what is computed while a model
 * is loaded: multiplications with an addition each, or an upper bound of steps
 * like them. */

#pragma once

#include "inference/graph/op.h"

/* Of a run with inputs of these types and shapes (NULL: no such input) and
 * these outputs; 0: in proportion to their elements. */
double infer_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out);
/* Of a run with inputs of the shapes in the graph. */
double infer_work_in_graph (const InferOperation *op, const InferDesc *out);

/* --- for classes --- */

/* Elements; 0: NULL, or the shape is not static. */
double infer_work_elements (const InferDesc *desc);
/* `work` of classes whose outputs each depend on all of an input at most, or
 * that compare all elements with all others. */
double infer_work_pairs (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out);
/* Where each of @points [N, C, …] is multiplied by the @filters of its channel.
 */
double infer_work_filters (const InferDesc *points, const InferDesc *filters);
