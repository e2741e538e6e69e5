/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The buffers of one run of a plan. */

#pragma once

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
