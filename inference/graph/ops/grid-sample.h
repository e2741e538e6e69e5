/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of GridSample. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_GRID_BILINEAR,
  INFER_GRID_BICUBIC,
  INFER_GRID_NEAREST,
} InferGridMode;

typedef enum
{
  INFER_GRID_ZEROS,
  INFER_GRID_BORDER,
  INFER_GRID_REFLECTION,
} InferGridPadding;

typedef struct
{
  gboolean align_corners;
  int mode;    /* InferGridMode */
  int padding; /* InferGridPadding */
} InferGridSample;
