/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/detections.h"

gboolean
cpu_detection_by_score (const CpuDetection *a, const CpuDetection *b)
{
  if (a->score != b->score)
    return a->score > b->score;
  if (a->index != b->index)
    return a->index < b->index;
  return a->label < b->label;
}

gboolean
cpu_detection_by_label (const CpuDetection *a, const CpuDetection *b)
{
  if (a->label != b->label)
    return a->label < b->label;
  return cpu_detection_by_score (a, b);
}

/* Restores a heap, its root the last in order, in which only @i may be
 * misplaced. */
static void
sift_down (CpuDetection *heap, gsize n, gsize i, CpuDetectionBefore before)
{
  for (;;) {
    gsize last = i;
    CpuDetection kept = heap[i];

    for (gsize child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
      if (before (&heap[last], &heap[child]))
        last = child;
    if (last == i)
      return;
    heap[i] = heap[last];
    heap[last] = kept;
    i = last;
  }
}

static void
swap_down (
    CpuDetection *heap, gsize n, CpuDetection *other, CpuDetectionBefore before)
{
  CpuDetection kept = heap[0];

  heap[0] = *other;
  *other = kept;
  sift_down (heap, n, 0, before);
}

gsize
cpu_detections_take (
    CpuDetection *detections, gsize n, gsize k, CpuDetectionBefore before)
{
  k = MIN (k, n);
  if (k == 0)
    return 0;
  for (gsize i = k / 2; i > 0; i--)
    sift_down (detections, k, i - 1, before);
  for (gsize i = k; i < n; i++)
    if (before (&detections[i], &detections[0]))
      swap_down (detections, k, &detections[i], before);
  for (gsize m = k - 1; m > 0; m--)
    swap_down (detections, m, &detections[m], before);
  return k;
}

float
cpu_box_overlap (const float *a, const float *b, float pixel)
{
  float width = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  float height = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  float common = (width + pixel) * (height + pixel), both;

  if (!(width >= 0) || !(height >= 0))
    return 0;
  both = (a[2] - a[0] + pixel) * (a[3] - a[1] + pixel)
         + (b[2] - b[0] + pixel) * (b[3] - b[1] + pixel) - common;
  return both > 0 ? common / both : 0;
}

float *
cpu_value_floats (const CpuValue *value)
{
  float *floats = g_try_new (float, value->n + 1);

  if (floats != NULL)
    infer_convert (
        floats, INFER_TYPE_F32, value->data, value->desc.type, value->n);
  return floats;
}

gboolean
cpu_count_regions (
    const CpuValue *indices, gsize step, gint64 n, gsize *count, GError **error)
{
  *count = 0;
  for (gsize i = 0; i < indices->n; i += step, ++*count) {
    gint64 image = cpu_integer_at (indices, i);

    if (image == -1)
      break;
    if (image < 0 || image >= n)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "region %" G_GSIZE_FORMAT " is of image %" G_GINT64_FORMAT
          ", there are %" G_GINT64_FORMAT,
          *count, image, n);
  }
  return TRUE;
}
