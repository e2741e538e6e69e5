/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transformers, each query of which is a box: centre and size, as fractions of
 * the input.  No suppression is needed.
 *
 *   DETR, YOLOS, Table Transformer     boxes [1,N,4], logits [1,N,C+1]:
 * softmax, the last class is "no object" RT-DETR, D-FINE, RF-DETR, boxes
 * [1,N,4], logits [1,N,C]: sigmoid, Deformable and Conditional DETR    one
 * query may have several classes RT-DETR of Ultralytics             [1,N,4+C]
 * with probabilities, or [1,N,6] with a score and a label */

#include <math.h>

#include "inference/media/vision/detect.h"

typedef struct
{
  const InferView *boxes, *classes;
  gsize n, n_classes; /* of queries; of classes */
  gsize step, first;  /* from a query to the next, and to its classes */
  gboolean softmax, probabilities, labelled;
} Head;

/* --- the form --- */

static gboolean
is_softmax (const InferDetectSettings *s, gsize columns)
{
  static const char *const types[] = { "detr", "yolos", "table-transformer",
    NULL };

  if (infer_detect_is_any (s, types))
    return TRUE;
  return !infer_detect_is_any (s, infer_detector_detr.model_types)
         && s->classes > 0 && columns == s->classes + 1;
}

/* The names that the exporters of Transformers and of RF-DETR give. */
static gboolean
find_named (const InferView *views, guint n, const InferView **boxes,
    const InferView **classes)
{
  static const char *const names[][2] = { { "pred_boxes", "logits" },
    { "dets", "labels" } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const int b = infer_view_named (views, n, names[i][0]);
    const int c = infer_view_named (views, n, names[i][1]);

    if (b >= 0 && c >= 0 && b != c) {
      *boxes = &views[b], *classes = &views[c];
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
read_two (
    const InferDetectSettings *s, const InferView *views, guint n, Head *head)
{
  gsize rows, columns;

  if (!find_named (views, n, &head->boxes, &head->classes)) {
    if (n != 2 || !infer_detect_is_any (s, infer_detector_detr.model_types))
      return FALSE;
    const guint boxes = infer_view_dim (&views[0], 1) == 4 ? 0 : 1;
    head->boxes = &views[boxes], head->classes = &views[1 - boxes];
  }
  infer_view_matrix (head->boxes, &head->n, &columns);
  infer_view_matrix (head->classes, &rows, &head->n_classes);
  if (columns != 4 || rows != head->n || head->n_classes < 1
      || head->classes->shape.rank < 2)
    return FALSE;
  head->softmax = is_softmax (s, head->n_classes);
  head->step = head->n_classes;
  return !head->softmax || head->n_classes > 1;
}

static gboolean
read_one (
    const InferDetectSettings *s, const InferView *views, guint n, Head *head)
{
  gsize columns;

  if (n != 1 || views[0].shape.rank < 2
      || !infer_detect_is_any (s, infer_detector_detr.model_types))
    return FALSE;
  head->boxes = head->classes = &views[0];
  infer_view_matrix (&views[0], &head->n, &columns);
  if (columns < 5)
    return FALSE;
  head->n_classes = columns - 4;
  head->step = columns;
  head->first = 4;
  head->probabilities = TRUE;
  head->labelled = columns == 6 && s->classes != 2;
  return s->classes == 0 || head->labelled || head->n_classes == s->classes;
}

static gboolean
read_head (
    const InferDetectSettings *s, const InferView *views, guint n, Head *head)
{
  *head = (Head){ 0 };
  return read_two (s, views, n, head) || read_one (s, views, n, head);
}

static gboolean
suits (const InferDetectSettings *s, const InferView *views, guint n)
{
  Head head;

  return read_head (s, views, n, &head);
}

/* --- boxes --- */

static void
append (const InferDetectSettings *s, const Head *head, gsize query,
    float score, int label, InferDetections *found)
{
  const gsize step = head->boxes == head->classes ? head->step : 4;
  const float *b = head->boxes->data + query * step;
  const float w = (float) s->width, h = (float) s->height;
  const InferDetection d = { (b[0] - b[2] / 2) * w, (b[1] - b[3] / 2) * h,
    (b[0] + b[2] / 2) * w, (b[1] + b[3] / 2) * h, score, label, 0 };

  if (score >= s->threshold)
    g_array_append_val (found->items, d);
}

/* The best class but the last, which is "no object". */
static void
append_softmax (const InferDetectSettings *s, const Head *head, gsize query,
    const float *logits, InferDetections *found)
{
  const gsize n = head->n_classes;
  float largest = logits[n - 1], sum = 0;
  gsize best = 0;

  for (gsize c = 0; c + 1 < n; c++) {
    best = logits[c] > logits[best] ? c : best;
    largest = MAX (largest, logits[c]);
  }
  for (gsize c = 0; c < n; c++)
    sum += expf (logits[c] - largest);
  append (
      s, head, query, expf (logits[best] - largest) / sum, (int) best, found);
}

static void
append_best (const InferDetectSettings *s, const Head *head, gsize query,
    const float *scores, InferDetections *found)
{
  gsize best = 0;

  for (gsize c = 1; c < head->n_classes; c++)
    best = scores[c] > scores[best] ? c : best;
  append (s, head, query, scores[best], (int) best, found);
}

/* @least: the logit of the threshold. */
static void
append_sigmoid (const InferDetectSettings *s, const Head *head, gsize query,
    const float *logits, float least, InferDetections *found)
{
  for (gsize c = 0; c < head->n_classes; c++)
    if (logits[c] >= least)
      append (s, head, query, infer_sigmoid (logits[c]), (int) c, found);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  Head head;

  if (!read_head (s, views, n, &head))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "detr: the outputs are not boxes [1,N,4] and logits [1,N,classes], nor "
        "one [1,N,4 + classes]");
  /* A little less: append() decides. */
  const float least = logf (s->threshold / (1 - s->threshold)) - 1e-3f;
  for (gsize i = 0; i < head.n; i++) {
    const float *row = head.classes->data + i * head.step + head.first;

    if (head.labelled)
      append (s, &head, i, row[0], infer_detect_label (row[1]), found);
    else if (head.probabilities)
      append_best (s, &head, i, row, found);
    else if (head.softmax)
      append_softmax (s, &head, i, row, found);
    else
      append_sigmoid (s, &head, i, row, least, found);
  }
  infer_detections_sort (found);
  /* As the reference: as many results as queries. */
  g_array_set_size (found->items,
      (guint) MIN (MIN ((gsize) found->items->len, s->max), head.n));
  return TRUE;
}

const InferDetector infer_detector_detr = {
  .name = "detr",
  .model_types = (const char *const[]){ "detr", "yolos", "table-transformer",
      "rt-detr", "rt_detr", "rtdetr", "rtdetrv2", "rt_detr_v2", "d-fine",
      "d_fine", "dfine", "deim", "rf-detr", "rf_detr", "rfdetr",
      "deformable_detr", "conditional_detr", NULL },
  .suits = suits,
  .run = run,
};
