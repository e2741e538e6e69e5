/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of ScatterNDUpdate. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_SCATTER_NONE,
  INFER_SCATTER_SUM,
  INFER_SCATTER_SUB,
  INFER_SCATTER_PROD,
  INFER_SCATTER_MIN,
  INFER_SCATTER_MAX,
} InferScatterNdReduction;

typedef struct
{
  int reduction; /* InferScatterNdReduction */
} InferScatterNd;
