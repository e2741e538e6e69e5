/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of PriorBox and PriorBoxClustered. */

#pragma once

#include "inference/graph/op.h"

/* Lists are (element-type double). */
typedef struct
{
  GArray *min_sizes, *max_sizes;
  GArray *ratios; /* aspect ratios without duplicates; the first is 1 */
  GArray *densities, *fixed_ratios, *fixed_sizes;
  GArray *widths, *heights; /* PriorBoxClustered */
  GArray *variance;         /* one or four */
  gboolean clip, scale_all_sizes, ratios_last;
  double step, step_width, step_height, offset;
  gint64 count; /* of the boxes at each point */
} InferPriorBox;

/* A box in pixels relative to its point. */
typedef struct
{
  float x, y, half_width, half_height;
  gboolean clip; /* to [0, 1] */
} InferPrior;

/* The attrs->count boxes at each point; @scale applies to the minimum sizes. */
void infer_prior_box_list (
    const InferPriorBox *attrs, float scale, InferPrior *list);
