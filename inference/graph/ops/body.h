/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What If, Loop and TensorIterator have in common. */

#pragma once

#include "inference/graph/op.h"

G_BEGIN_DECLS

/* Bodies in bodies in bodies … */
#define INFER_MAX_NESTING 64

/* What body @index of context->op takes and gives for these inputs: one entry
 * of @params and @results for each parameter and result of the body.  For Loop
 * and TensorIterator that holds for every iteration. */
gboolean infer_body_infer (const InferShapeContext *context, guint index,
    InferDesc *params, InferDesc *results, GError **error);

/* Slices that @port takes from an axis of @length: -1 where that is not known;
 * FALSE where it takes none by mistake. */
gboolean infer_body_port_slices (
    const InferBodyPort *port, gint64 length, gint64 *n, GError **error);

/* FALSE: @index is the branch of an If that these inputs never take.  It may
 * not even fit them. */
gboolean infer_body_may_run (const InferShapeContext *context, guint index);

/* For a Loop or TensorIterator whose inputs have their descs: its body is known
 * to run exactly once. */
gboolean infer_loop_runs_once (const InferOperation *op);

G_END_DECLS
