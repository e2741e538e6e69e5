/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For `lower`: static shapes, and values known without running. */

#pragma once

#include "ocl/plan/plan.h"

/* FALSE if @desc is not static, or too large. */
gboolean ocl_check_desc (const InferDesc *desc, GError **error);
/* The descs @out of @op's outputs for the inputs @in, entries of which are
 * nullable. */
gboolean ocl_infer_shapes (const InferOperation *op, OclValue *const *in,
    InferDesc *out, GError **error);
/* TRUE: @outputs are constants, added to @plan. */
gboolean ocl_fold (OclPlan *plan, const InferOperation *op, OclValue *const *in,
    const InferDesc *out, OclValue **outputs);
