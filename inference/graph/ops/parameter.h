/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parameter and Const. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  InferDesc desc;
  InferShape lower, upper; /* bounds of dynamic dims; G_MAXINT64: none */
} InferParameterAttrs;

typedef struct
{
  InferDesc desc;
  guint64 offset, size; /* in the weights */
} InferConstAttrs;
