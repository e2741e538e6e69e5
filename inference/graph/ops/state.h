/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ReadValue and Assign. */

#pragma once

#include "inference/graph/operation.h"

/* variable_id of a ReadValue or Assign; never NULL. */
const char *infer_op_variable_id (const InferOperation *op);

/* A ReadValue without a shape in the file no longer takes the shape of its
 * initial value; FALSE if it did not before. */
gboolean infer_op_variable_forget_initial (InferOperation *op);

/* Makes dimension @axis of the operation's variable dynamic. */
void infer_op_variable_open (InferOperation *op, int axis);
