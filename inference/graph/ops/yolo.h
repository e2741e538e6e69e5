/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of RegionYolo and ReorgYolo. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  gint64 coords, classes;
  gint64 regions; /* num, or the length of mask */
  gint64 axis, end_axis;
  gboolean softmax;
  gint64 stride; /* ReorgYolo */
} InferYolo;
