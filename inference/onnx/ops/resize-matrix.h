/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "inference/onnx/import.h"

typedef struct
{
  InferPort x, scales, sizes, roi; /* of @axes each; sizes or scales */
  const GArray *axes;              /* (element-type gint64) */
  const char *mode, *coordinates;  /* "linear", "cubic" */
  gboolean exclude, antialias;
} OnnxResize;

/* Any Resize but mode=nearest: slower than Interpolate, of all options, sizes
 * and scales that are known as it runs. */
InferPort onnx_resize_by_matrix (OnnxNode *n, const OnnxResize *r);
