/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by If, Loop and TensorIterator. */

#pragma once

#include "inference/graph/op.h"

/* Of bodies. */
#define INFER_MAX_NESTING 64

/* The descs of the parameters and results of body @index of context->op, one
 * entry each; for Loop and TensorIterator they hold for every iteration. */
gboolean infer_body_infer (const InferShapeContext *context, guint index,
    InferDesc *params, InferDesc *results, GError **error);

/* The number of slices that @port takes from an axis of @length; -1: unknown.
 * Returns FALSE if start, end and stride give no slice. */
gboolean infer_body_port_slices (
    const InferBodyPort *port, gint64 length, gint64 *n, GError **error);

/* Returns FALSE if @index is the branch of an If that these inputs never take;
 * its shapes need not fit them. */
gboolean infer_body_may_run (const InferShapeContext *context, guint index);

/* Whether the body of a Loop or TensorIterator is known to run exactly once;
 * the descs of its inputs are set. */
gboolean infer_loop_runs_once (const InferOperation *op);
