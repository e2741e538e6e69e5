/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of MatMul. */

#pragma once

#include "infer/shape.h"

typedef struct
{
  gboolean transpose_a, transpose_b;
} InferMatMul;

/* GroupedMatMul with a second operand of rank 3: files have [G, N, K], the
 * layout of stored weights; the specification's [G, K, N] is used if only that
 * fits. */
gboolean infer_grouped_transposed (gint64 k, const InferShape *b);
