/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of gather and scatter operations. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  gint64 axis; /* may be negative */
} InferGatherElements;

typedef struct
{
  gint64 batch_dims;
} InferGatherNd;

typedef enum
{
  INFER_SCATTER_ELEMENTS_NONE,
  INFER_SCATTER_ELEMENTS_SUM,
  INFER_SCATTER_ELEMENTS_PROD,
  INFER_SCATTER_ELEMENTS_MIN,
  INFER_SCATTER_ELEMENTS_MAX,
  INFER_SCATTER_ELEMENTS_MEAN,
} InferScatterElementsReduction;

typedef struct
{
  int reduction; /* InferScatterElementsReduction */
  gboolean use_init_val;
} InferScatterElements;
