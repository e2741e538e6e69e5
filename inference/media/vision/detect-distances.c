/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PicoDet: for each stride (8, 16, 32 and possibly 64) the scores [1,N,C] of
 * its cells, and [1,N,4·B]: logits of the distances 0 … B - 1 (times the
 * stride) from the centre of a cell to the left, upper, right and lower edge of
 * its box
 * ("Generalized Focal Loss", Li et al., 2020). */

#include <math.h>

#include "inference/media/vision/detect.h"

#define MAX_STRIDES 4
#define MAX_BINS 64

typedef struct
{
  guint n; /* strides */
  const InferView *scores[MAX_STRIDES], *distances[MAX_STRIDES];
  guint classes, bins;
} Layout;

static gsize
cells_across (guint size, guint stride)
{
  return ((gsize) size + stride - 1) / stride;
}

/* Finds the two views with as many rows as stride 8 << @level has cells. FALSE:
 * there are not two. */
static gboolean
find_pair (const InferDetectSettings *s, const InferView *views, guint n,
    guint level, const InferView *pair[2])
{
  gsize cells = cells_across (s->width, 8u << level)
                * cells_across (s->height, 8u << level);
  guint found = 0;

  for (guint i = 0; i < n; i++) {
    gsize rows, columns;

    infer_view_matrix (&views[i], &rows, &columns);
    if (views[i].shape.rank < 2 || rows != cells || columns == 0)
      continue;
    if (found < 2)
      pair[found] = &views[i];
    found++;
  }
  return found == 2;
}

static gsize
columns_of (const InferView *view)
{
  return (gsize) infer_view_dim (view, 1);
}

static gboolean
are_distances (gsize columns)
{
  return columns % 4 == 0 && columns >= 8 && columns <= 4 * MAX_BINS;
}

/* Returns which of the two has the distances: not the one with a column for
 * each label; usually the one with 8 per edge. */
static guint
find_distances (const InferDetectSettings *s, const InferView *const pair[2])
{
  gsize a = columns_of (pair[0]), b = columns_of (pair[1]);

  if (are_distances (a) != are_distances (b))
    return are_distances (a) ? 0 : 1;
  if (s->classes > 0 && (a == s->classes) != (b == s->classes))
    return a == s->classes ? 1 : 0;
  return a == 32 && b != 32 ? 0 : 1;
}

static gboolean
read_layout (const InferDetectSettings *s, const InferView *views, guint n,
    Layout *layout)
{
  guint distances = 0;

  *layout = (Layout){ .n = n / 2 };
  if (n != 6 && n != 8)
    return FALSE;
  for (guint i = 0; i < layout->n; i++) {
    const InferView *pair[2];

    if (!find_pair (s, views, n, i, pair))
      return FALSE;
    if (i == 0)
      distances = find_distances (s, pair);
    else if (columns_of (pair[distances]) != columns_of (layout->distances[0]))
      distances = 1 - distances;
    layout->distances[i] = pair[distances];
    layout->scores[i] = pair[1 - distances];
    if (columns_of (layout->distances[i]) != columns_of (layout->distances[0])
        || columns_of (layout->scores[i]) != columns_of (layout->scores[0]))
      return FALSE;
  }
  layout->classes = (guint) columns_of (layout->scores[0]);
  layout->bins = (guint) columns_of (layout->distances[0]) / 4;
  return are_distances (columns_of (layout->distances[0]));
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  Layout layout;

  return read_layout (s, views, n, &layout);
}

/* Returns the mean of softmax (@logits). */
static float
mean_of (const float *logits, guint bins)
{
  float most = logits[0], sum = 0, mean = 0;

  for (guint i = 1; i < bins; i++)
    most = MAX (most, logits[i]);
  for (guint i = 0; i < bins; i++) {
    float part = expf (logits[i] - most);

    sum += part;
    mean += part * (float) i;
  }
  return mean / sum;
}

static void
append (const Layout *layout, guint level, gsize cell, gsize across,
    float score, int label, InferDetections *found)
{
  const float *p =
      layout->distances[level]->data + cell * 4 * (gsize) layout->bins;
  float stride = (float) (8u << level);
  float x = ((float) (cell % across) + 0.5f) * stride;
  float y = ((float) (cell / across) + 0.5f) * stride;
  InferDetection d = { .score = score, .label = label };

  d.x0 = x - mean_of (p, layout->bins) * stride;
  d.y0 = y - mean_of (p + layout->bins, layout->bins) * stride;
  d.x1 = x + mean_of (p + 2 * (gsize) layout->bins, layout->bins) * stride;
  d.y1 = y + mean_of (p + 3 * (gsize) layout->bins, layout->bins) * stride;
  g_array_append_val (found->items, d);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  Layout layout;

  if (!read_layout (s, views, n, &layout))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "picodet: the outputs are not scores and distances for the cells of an "
        "input of %ux%u",
        s->width, s->height);
  for (guint level = 0; level < layout.n; level++) {
    const float *score = layout.scores[level]->data;
    gsize across = cells_across (s->width, 8u << level);
    gsize cells = across * cells_across (s->height, 8u << level);

    for (gsize i = 0; i < cells; i++, score += layout.classes) {
      guint best = 0;

      for (guint c = 1; c < layout.classes; c++)
        best = score[c] > score[best] ? c : best;
      if (score[best] >= s->threshold)
        append (&layout, level, i, across, score[best], (int) best, found);
    }
  }
  infer_detections_suppress (
      found, infer_detect_iou (s, infer_detector_distances.iou), FALSE, s->max);
  return TRUE;
}

const InferDetector infer_detector_distances = {
  .name = "distances",
  .model_types =
      (const char *const[]){ "picodet", "pp-picodet", "pp_picodet", NULL },
  .iou = 0.5f,
  .suits = suits,
  .run = run,
};
