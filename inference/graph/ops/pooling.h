/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the poolings. */

#pragma once

#include "inference/graph/ops/window.h"

typedef struct
{
  InferWindow window;
  gboolean exclude_pad; /* padding does not count in the divisor */
} InferAvgPool;

typedef struct
{
  InferWindow window;
  InferType index_type; /* of output 1, which exists from version 8 on */
  gint64 axis;          /* indices are relative to dims [axis, rank); may be
                         * negative before infer_shape_normalize_axis */
} InferMaxPool;

typedef struct
{
  InferType index_type; /* AdaptiveMaxPool only */
} InferAdaptivePool;
