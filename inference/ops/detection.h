/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that detect. */

#pragma once

#include "inference/op.h"

typedef struct
{
  gboolean center; /* boxes are x, y, width, height, not corners */
  gboolean sort;   /* by score over all batches and classes */
  InferType index_type;
} InferNonMaxSuppression;
