/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the operations that select boxes by score.  Nothing allocates. */

#pragma once

#include "cpu/base/step.h"

typedef struct
{
  double score;
  gint32 batch, label;
  gint64 index; /* of the box */
} CpuDetection;

/* Whether @a comes first.  A total order makes results reproducible. */
typedef gboolean (*CpuDetectionBefore) (
    const CpuDetection *a, const CpuDetection *b);

/* By descending score, index, label. */
gboolean cpu_detection_by_score (const CpuDetection *a, const CpuDetection *b);
/* By label, descending score, index. */
gboolean cpu_detection_by_label (const CpuDetection *a, const CpuDetection *b);

/* Moves the first @k of @n to the front, in order; returns their number. */
gsize cpu_detections_take (
    CpuDetection *detections, gsize n, gsize k, CpuDetectionBefore before);

/* Intersection over union of boxes x0, y0, x1, y1; 0 if they do not touch.
 * @pixel: 1 if a box of n pixels ends at n - 1, else 0. */
float cpu_box_overlap (const float *a, const float *b, float pixel);

/* A limit from an attribute; below 0: none. */
static inline gsize
cpu_detections_limit (gsize n, gint64 limit)
{
  return limit >= 0 && (guint64) limit < n ? (gsize) limit : n;
}

/* The elements of a real value as f32; NULL: memory is short. (transfer full)
 */
float *cpu_value_floats (const CpuValue *value);

/* Counts regions, given the image index of each: -1 ends the list.  Fails if an
 * index is not below @n.  @step: elements from one index to the next. */
gboolean cpu_count_regions (const CpuValue *indices, gsize step, gint64 n,
    gsize *count, GError **error);
