/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of Gather. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  gint64 batch_dims; /* may be negative: counted from the indices' rank */
} InferGather;
