/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of GRN, NormalizeL2 and LRN. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  double eps;               /* NormalizeL2; GRN: bias */
  gboolean eps_max;         /* the larger of sum and eps, not their sum */
  double alpha, beta, bias; /* LRN */
  gint64 size;
} InferLocalNorm;
