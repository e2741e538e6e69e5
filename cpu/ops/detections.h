/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the operations that select boxes by score share.  Nothing allocates. */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

typedef struct
{
  double score;
  gint32 batch, label;
  gint64 index; /* of the box */
} CpuDetection;

/* Whether @a comes first; a total order makes results reproducible. */
typedef gboolean (*CpuDetectionBefore) (
    const CpuDetection *a, const CpuDetection *b);

/* By falling score, then by index, then by label. */
gboolean cpu_detection_by_score (const CpuDetection *a, const CpuDetection *b);
/* By label, then by falling score, then by index. */
gboolean cpu_detection_by_label (const CpuDetection *a, const CpuDetection *b);

/* Moves the first @k of @n to the front, in order; gives how many they are. */
gsize cpu_detections_take (
    CpuDetection *detections, gsize n, gsize k, CpuDetectionBefore before);

/* Intersection over union of boxes x0, y0, x1, y1; 0 where they do not even
 * touch.  @pixel: 1 where a box of n pixels ends at n - 1, else 0. */
float cpu_box_overlap (const float *a, const float *b, float pixel);

/* A limit from an attribute: less than 0 is none. */
static inline gsize
cpu_detections_limit (gsize n, gint64 limit)
{
  return limit >= 0 && (guint64) limit < n ? (gsize) limit : n;
}

/* The elements of a real value as f32; NULL where memory is short.
 * (transfer full) */
float *cpu_value_floats (const CpuValue *value);

/* How many regions there are, given the image of each: -1 ends the list.  Fails
 * where an image is none of @n; @step: numbers from one index to the next. */
gboolean cpu_count_regions (const CpuValue *indices, gsize step, gint64 n,
    gsize *count, GError **error);

G_END_DECLS
