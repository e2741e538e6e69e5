/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The buffers of one run of a plan. */

#pragma once

#include "ocl/plan/launch.h"
#include "ocl/plan/plan.h"

/* By the index of an input, an output or a variable. */
typedef struct
{
  OclStream *stream;
  OclBuffer **inputs, **results, **states, **next;
} OclBinding;

/* The buffer of @value, and the offset of @value in it. */
OclBuffer *ocl_value_buffer (
    OclValue *value, const OclBinding *binding, gsize *offset);

/* Whether kernels write @value straight to that result or next value. */
gboolean ocl_value_is_made_in (OclValue *value, OclPlace place, guint index);

/* Sets the arguments of @launch whose buffers have changed. */
gboolean ocl_launch_bind (
    OclLaunch *launch, const OclBinding *binding, GError **error);

void ocl_launch_prefix_error (const OclLaunch *launch, GError **error);

/* Whether a run enqueues @launch. */
static inline gboolean
ocl_launch_is_enqueued (const OclLaunch *launch)
{
  return !launch->chained && !ocl_launch_is_empty (launch);
}

static inline guint
ocl_launch_dims (const OclLaunch *launch)
{
  return launch->global[2] > 1 ? 3 : launch->global[1] > 1 ? 2 : 1;
}
