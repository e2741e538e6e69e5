/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of SegmentMax. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  int lowest; /* empty segments hold the type's lowest value, not 0 */
} InferSegmentMax;
