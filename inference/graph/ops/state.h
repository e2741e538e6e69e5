/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ReadValue and Assign. */

#pragma once

#include "inference/graph/operation.h"

G_BEGIN_DECLS

/* variable_id of a ReadValue or Assign; never NULL. */
const char *infer_op_variable_id (const InferOperation *op);

/* A ReadValue that says nothing of its variable's shape no longer has its
 * initial value's; FALSE: it had not. */
gboolean infer_op_variable_forget_initial (InferOperation *op);

/* From now on the size of dimension @axis of the operation's variable is not
 * known. */
void infer_op_variable_open (InferOperation *op, int axis);

G_END_DECLS
