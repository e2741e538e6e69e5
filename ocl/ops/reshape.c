/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reshape, Squeeze, Unsqueeze: views with another shape. */

#include "ocl/plan/step.h"

static gboolean
prepare (OclStep *step, GError **error)
{
  ocl_step_view (step, 0, step->in[0], 0);
  return TRUE;
}

/* clang-format off */
#define VIEW(name)                                                      \
  const OclOp ocl_op_##name = { .prepare = prepare };

VIEW (reshape)
VIEW (squeeze)
VIEW (unsqueeze)
/* clang-format on */
