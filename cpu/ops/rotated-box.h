/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/base/step.h"

/* Intersection over union of boxes [center x, center y, width, height, angle];
 * angles in radians turn the x axis toward the y axis.  0 for a box without
 * area. */
float cpu_rotated_overlap (const float *a, const float *b);
