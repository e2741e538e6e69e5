/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of MVN, BatchNormInference and GroupNormalization. */

#pragma once

#include "infer/shape.h"

typedef struct
{
  double eps;
  gboolean normalize_variance;
  gboolean across_channels; /* version 2 */
  gboolean outside_sqrt;    /* eps is added to the root */
  gboolean axes_given;      /* version 2: reduction_axes */
  guint n_axes;
  gint64 axes[INFER_MAX_RANK];
} InferMvn;

typedef struct
{
  double epsilon;
} InferBatchNorm;

typedef struct
{
  double epsilon;
  gint64 num_groups;
} InferGroupNorm;

/* Version 2: the normalised dims of a shape of @rank; bit i is dim i. */
guint32 infer_mvn_static_axes (const InferMvn *attrs, int rank);
