/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of bench --per-op. */

#pragma once

#include "infer/request.h"

typedef struct _ToolPerOp ToolPerOp;

ToolPerOp *tool_per_op_new (void);
void tool_per_op_free (ToolPerOp *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolPerOp, tool_per_op_free)

/* Adds the operations of the last inference, which took @ns. */
void tool_per_op_add (ToolPerOp *self, InferRequest *request, guint64 ns);
/* While @request lives.  @shapes: of the inputs.  @roofline: also how many
 * operations and bytes per second each reaches, and which of those that take
 * much time reach little of what the device does. */
void tool_per_op_print (const ToolPerOp *self, InferRequest *request,
    const InferShape *shapes, gboolean roofline);
