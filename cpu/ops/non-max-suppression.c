/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NonMaxSuppression and NMSRotated. */

#include "inference/graph/ops/detection.h"

#include "cpu/ops/rotated-box.h"

#include <math.h>

typedef struct
{
  float score;
  guint compared; /* with how many selected boxes */
  gint64 index;
} Candidate;

typedef struct
{
  gint64 index[3]; /* batch, class, box */
  float score;
} Selected;

static gboolean
is_before (const Candidate *a, const Candidate *b)
{
  return a->score > b->score || (a->score == b->score && a->index < b->index);
}

/* Restores the heap, in which only entry @i may be misplaced. */
static void
sift_down (Candidate *heap, gsize n, gsize i)
{
  for (;;) {
    gsize best = i;
    Candidate kept = heap[i];

    for (gsize child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
      if (is_before (&heap[child], &heap[best]))
        best = child;
    if (best == i)
      return;
    heap[i] = heap[best];
    heap[best] = kept;
    i = best;
  }
}

/* Any encoding → x0 ≤ x1, y0 ≤ y1, as x0, y0, x1, y1. */
static void
to_corners (float *box, gboolean center)
{
  float a = box[0], b = box[1], c = box[2], d = box[3];

  if (center) {
    box[0] = a - c / 2;
    box[1] = b - d / 2;
    box[2] = a + c / 2;
    box[3] = b + d / 2;
    return;
  }
  box[0] = MIN (b, d);
  box[1] = MIN (a, c);
  box[2] = MAX (b, d);
  box[3] = MAX (a, c);
}

static float
overlap (const float *a, const float *b)
{
  float area_a = (a[2] - a[0]) * (a[3] - a[1]);
  float area_b = (b[2] - b[0]) * (b[3] - b[1]);
  float width = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  float height = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  float common = MAX (width, 0) * MAX (height, 0);

  if (!(area_a > 0) || !(area_b > 0))
    return 0;
  return common / (area_a + area_b - common);
}

typedef struct
{
  float iou, score, sigma;
  gboolean soft; /* boxes are weakened, whatever their overlap */
  gsize size;    /* numbers of a box */
  float (*overlap) (const float *a, const float *b);
  const CpuStep *step;
} Limits;

/* Applies the boxes selected since the last check to the score; FALSE: the
 * score is suppressed. */
static gboolean
weaken (Candidate *c, const float *boxes, const GArray *selected, guint first,
    const Limits *limits)
{
  for (guint k = selected->len; k > first + c->compared; k--) {
    const Selected *other = &g_array_index (selected, Selected, k - 1);
    float iou = limits->overlap (boxes + (gsize) c->index * limits->size,
        boxes + (gsize) other->index[2] * limits->size);

    if (iou > limits->iou && !limits->soft)
      return FALSE;
    if (limits->sigma > 0)
      c->score *= expf (-0.5f * iou * iou / limits->sigma);
    if (!(c->score > limits->score))
      return FALSE;
  }
  c->compared = selected->len - first;
  return TRUE;
}

/* One class of one batch. */
static void
select_boxes (const float *boxes, Candidate *heap, gsize n, gsize most,
    const Limits *limits, Selected *entry, GArray *selected)
{
  guint first = selected->len;

  for (gsize i = n / 2; i > 0; i--)
    sift_down (heap, n, i - 1);
  while (n > 0 && selected->len - first < most
         && !cpu_step_is_cancelled (limits->step)) {
    float score = heap[0].score;
    gboolean left = weaken (&heap[0], boxes, selected, first, limits);

    if (!left || heap[0].score == score) {
      if (left) {
        entry->index[2] = heap[0].index;
        entry->score = score;
        g_array_append_val (selected, *entry);
      }
      heap[0] = heap[--n];
    }
    if (n > 0)
      sift_down (heap, n, 0);
  }
}

static int
compare_selected (gconstpointer a, gconstpointer b)
{
  const Selected *x = a, *y = b;

  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  for (guint i = 0; i < 3; i++)
    if (x->index[i] != y->index[i])
      return x->index[i] < y->index[i] ? -1 : 1;
  return 0;
}

static float
number (const CpuStep *step, guint i)
{
  float value = 0;

  if (cpu_has_in (step, i))
    infer_convert (
        &value, INFER_TYPE_F32, step->in[i]->data, step->in[i]->desc.type, 1);
  return value;
}

static gboolean
store (CpuStep *step, const GArray *selected, GError **error)
{
  InferType type = step->out[0]->desc.type;
  InferShape shape = infer_shape_make (2, (gint64) selected->len, (gint64) 3);
  gsize size = infer_type_size (type);
  gint64 count = selected->len;

  for (guint k = 0; k < MIN (step->n_out, 2); k++)
    if (!cpu_step_alloc_output (step, k, &shape, error))
      return FALSE;
  for (guint i = 0; i < selected->len; i++) {
    const Selected *s = &g_array_index (selected, Selected, i);

    infer_convert ((char *) step->out[0]->data + 3 * i * size, type, s->index,
        INFER_TYPE_I64, 3);
    if (step->n_out > 1) {
      float *scores = (float *) step->out[1]->data + 3 * (gsize) i;

      scores[0] = (float) s->index[0];
      scores[1] = (float) s->index[1];
      scores[2] = s->score;
    }
  }
  if (step->n_out > 2)
    infer_convert (step->out[2]->data, type, &count, INFER_TYPE_I64, 1);
  return TRUE;
}

static gboolean
run_limits (CpuStep *step, Limits limits, GError **error)
{
  const InferNonMaxSuppression *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 1);
  gsize n = (gsize) shape->dims[2];
  g_autofree float *boxes = g_try_new (float, step->in[0]->n + 1);
  g_autofree float *scores = g_try_new (float, step->in[1]->n + 1);
  g_autofree Candidate *heap = g_try_new (Candidate, n + 1);
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, sizeof (Selected));
  const float *score = scores;
  gint64 most = 0;

  if (boxes == NULL || scores == NULL || heap == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " boxes", n);
  if (cpu_has_in (step, 2))
    infer_convert (
        &most, INFER_TYPE_I64, step->in[2]->data, step->in[2]->desc.type, 1);
  infer_convert (boxes, INFER_TYPE_F32, step->in[0]->data,
      step->in[0]->desc.type, step->in[0]->n);
  infer_convert (scores, INFER_TYPE_F32, step->in[1]->data,
      step->in[1]->desc.type, step->in[1]->n);
  limits.step = step;
  limits.iou = number (step, 3);
  limits.score = number (step, 4);
  limits.sigma = number (step, 5);
  /* Until opset 9 a box beyond the limit was suppressed even so. */
  limits.soft = step->op->version >= 9 && limits.size == 4 && limits.sigma > 0;
  for (gsize i = 0; limits.size == 4 && i < step->in[0]->n; i += 4)
    to_corners (boxes + i, attrs->center);
  for (gsize i = 4; attrs->counterclockwise && i < step->in[0]->n; i += 5)
    boxes[i] = -boxes[i];
  for (gint64 b = 0; b < shape->dims[0]; b++)
    for (gint64 c = 0; c < shape->dims[1]; c++, score += n) {
      Selected entry = { .index = { b, c, 0 } };
      gsize count = 0;

      for (gsize i = 0; i < n; i++)
        if (score[i] > limits.score)
          heap[count++] = (Candidate){ score[i], 0, (gint64) i };
      select_boxes (boxes + (gsize) b * n * limits.size, heap, count,
          (gsize) MAX (most, 0), &limits, &entry, selected);
    }
  if (attrs->sort)
    g_array_sort (selected, compare_selected);
  return store (step, selected, error);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  (void) error;
  step->kernel = "ref_f32";
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  return run_limits (step, (Limits){ .size = 4, .overlap = overlap }, error);
}

static gboolean
run_rotated (CpuStep *step, GError **error)
{
  return run_limits (
      step, (Limits){ .size = 5, .overlap = cpu_rotated_overlap }, error);
}

const CpuOp cpu_op_non_max_suppression = {
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_nms_rotated = {
  .prepare = prepare,
  .run = run_rotated,
};
