/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MulticlassNms and MatrixNms. */

#include "cpu/ops/detections.h"
#include "inference/graph/ops/detection.h"

#include <math.h>

/* The boxes of one class of one image, and the output. */
typedef struct
{
  const InferMultiNms *attrs;
  const float *boxes; /* four numbers each */
  const float *scores;
  gsize n;
  gint32 batch, label;
  gint64 first;             /* offset of this class in the list of boxes */
  CpuDetection *candidates; /* room for n */
  float *overlaps;          /* the same, MatrixNms only */
  GArray *found;
  const CpuStep *step;
} Class;

typedef void (*SelectFunc) (const Class *class);

static void
keep (const Class *class, const CpuDetection *candidate, float score)
{
  CpuDetection kept = { score, class->batch, class->label,
    class->first + candidate->index };

  g_array_append_val (class->found, kept);
}

/* --- MulticlassNms: suppression of what overlaps a better one --- */

/* As cpu_box_overlap; if a box of n pixels ends at n - 1, boxes less than a
 * pixel apart overlap too. */
static float
overlap (const float *a, const float *b, float more)
{
  float area_a = (a[2] - a[0] + more) * (a[3] - a[1] + more);
  float area_b = (b[2] - b[0] + more) * (b[3] - b[1] + more);
  float width = MIN (a[2], b[2]) - MAX (a[0], b[0]) + more;
  float height = MIN (a[3], b[3]) - MAX (a[1], b[1]) + more;
  float common = MAX (width, 0.0f) * MAX (height, 0.0f);

  if (!(area_a > 0) || !(area_b > 0))
    return 0;
  return common / (area_a + area_b - common);
}

static void
select_apart (const Class *class)
{
  const InferMultiNms *attrs = class->attrs;
  CpuDetection *c = class->candidates;
  float threshold = (float) attrs->iou_threshold;
  gsize n = 0, kept = 0;

  for (gsize i = 0; i < class->n; i++)
    if (class->scores[i] >= (float) attrs->score_threshold)
      c[n++] = (CpuDetection){ .score = class->scores[i], .index = (gint64) i };
  n = cpu_detections_take (
      c, n, cpu_detections_limit (n, attrs->nms_top_k), cpu_detection_by_score);
  for (gsize i = 0; i < n && !cpu_step_is_cancelled (class->step); i++) {
    gboolean apart = TRUE;

    for (gsize k = kept; apart && k > 0; k--)
      apart =
          !(overlap (class->boxes + 4 * c[i].index,
                class->boxes + 4 * c[k - 1].index, attrs->normalized ? 0 : 1)
              > threshold);
    if (!apart)
      continue;
    /* The adaptive threshold applies to all later candidates. */
    if (attrs->eta < 1 && threshold > 0.5f)
      threshold *= (float) attrs->eta;
    keep (class, &c[i], (float) c[i].score);
    c[kept++] = c[i];
  }
}

/* --- MatrixNms: scores fall by how much better ones overlap --- */

static float
decay (const InferMultiNms *attrs, float iou, float most)
{
  if (attrs->gaussian)
    return expf ((most * most - iou * iou) * (float) attrs->gaussian_sigma);
  return (float) ((1.0 - (double) iou) / (1.0 - (double) most + 1e-10));
}

static void
select_decayed (const Class *class)
{
  const InferMultiNms *attrs = class->attrs;
  CpuDetection *c = class->candidates;
  gsize n = 0;

  for (gsize i = 0; i < class->n; i++)
    if (class->scores[i] > (float) attrs->score_threshold)
      c[n++] = (CpuDetection){ .score = class->scores[i], .index = (gint64) i };
  n = cpu_detections_take (
      c, n, cpu_detections_limit (n, attrs->nms_top_k), cpu_detection_by_score);
  for (gsize i = 0; i < n && !cpu_step_is_cancelled (class->step); i++) {
    float least = 1, most = 0, score;

    for (gsize k = 0; k < i; k++) {
      float iou = cpu_box_overlap (class->boxes + 4 * c[i].index,
          class->boxes + 4 * c[k].index, attrs->normalized ? 0 : 1);

      most = MAX (most, iou);
      least = MIN (least, decay (attrs, iou, class->overlaps[k]));
    }
    class->overlaps[i] = most;
    score = least * (float) c[i].score;
    if (score > (float) attrs->post_threshold)
      keep (class, &c[i], score);
  }
}

/* --- all classes of all images --- */

static gboolean
by_score (const CpuDetection *a, const CpuDetection *b)
{
  if (a->score != b->score)
    return a->score > b->score;
  if (a->batch != b->batch)
    return a->batch < b->batch;
  if (a->label != b->label)
    return a->label < b->label;
  return a->index < b->index;
}

static gboolean
by_label (const CpuDetection *a, const CpuDetection *b)
{
  if (a->label != b->label)
    return a->label < b->label;
  if (a->batch != b->batch)
    return a->batch < b->batch;
  return by_score (a, b);
}

typedef struct
{
  gboolean shared; /* boxes belong to all classes */
  gsize images, classes, boxes;
  const float *box, *score;
  const CpuValue *shares; /* nullable */
} Inputs;

static void
select_image (Class *class, const Inputs *in, gsize image, SelectFunc select)
{
  for (gsize c = 0; c < in->classes; c++) {
    gsize at =
        in->shared ? image * in->boxes : c * in->boxes + (gsize) class->first;

    class->label = (gint32) c;
    class->boxes = in->box + 4 * at;
    class->scores = in->shared
                        ? in->score + (image * in->classes + c) * in->boxes
                        : in->score + at;
    if ((gint64) c != class->attrs->background)
      select (class);
  }
}

/* Counts of each image go to @counts. */
static gboolean
select_all (Class *class, const Inputs *in, SelectFunc select, gint64 *counts,
    GError **error)
{
  const InferMultiNms *attrs = class->attrs;
  gint64 first = 0;

  for (gsize b = 0; b < in->images; b++) {
    guint before = class->found->len;
    gint64 n = (gint64) in->boxes;

    if (!in->shared) {
      n = cpu_integer_at (in->shares, b);
      if (n < 0 || n > (gint64) in->boxes - first)
        return infer_fail (error, INFER_ERROR_INVALID_DATA,
            "image %" G_GSIZE_FORMAT " has %" G_GINT64_FORMAT
            " of the remaining %" G_GINT64_FORMAT " boxes",
            b, n, (gint64) in->boxes - first);
    }
    class->batch = (gint32) b;
    class->first = first;
    class->n = (gsize) n;
    select_image (class, in, b, select);
    first += n;
    CpuDetection *found = &g_array_index (class->found, CpuDetection, before);
    counts[b] = (gint64) cpu_detections_take (found, class->found->len - before,
        cpu_detections_limit (class->found->len - before, attrs->keep_top_k),
        by_score);
    g_array_set_size (class->found, before + (guint) counts[b]);
  }
  return TRUE;
}

static void
sort_batches (const InferMultiNms *attrs, GArray *found, const gint64 *counts,
    gsize images, gboolean matrix)
{
  CpuDetection *d = (gpointer) found->data;

  if (attrs->across_batch && attrs->sort != INFER_NMS_SORT_NONE)
    cpu_detections_take (d, found->len, found->len,
        attrs->sort == INFER_NMS_SORT_SCORE ? by_score : by_label);
  /* OpenVINO's MatrixNms leaves the images sorted by score then. */
  if (attrs->across_batch || attrs->sort != INFER_NMS_SORT_CLASS || matrix)
    return;
  for (gsize b = 0; b < images; d += counts[b++])
    cpu_detections_take (d, (gsize) counts[b], (gsize) counts[b], by_label);
}

static gboolean
store (CpuStep *step, const Inputs *in, const GArray *found,
    const gint64 *counts, GError **error)
{
  InferShape rows = infer_shape_make (2, (gint64) found->len, (gint64) 6);
  InferShape indices = infer_shape_make (2, (gint64) found->len, (gint64) 1);
  InferType type = step->out[0]->desc.type;
  InferType index_type = step->out[1]->desc.type;

  if (!cpu_step_alloc_output (step, 0, &rows, error)
      || !cpu_step_alloc_output (step, 1, &indices, error))
    return FALSE;
  for (guint i = 0; i < found->len; i++) {
    const CpuDetection *d = &g_array_index (found, CpuDetection, i);
    gsize at =
        (in->shared ? 0 : (gsize) d->label * in->boxes) + (gsize) d->index;
    gint64 flat =
        in->shared ? d->index : d->index * (gint64) in->classes + d->label;
    float row[6] = { (float) d->label, (float) d->score, in->box[4 * at],
      in->box[4 * at + 1], in->box[4 * at + 2], in->box[4 * at + 3] };

    infer_convert (
        (char *) step->out[0]->data + 6 * (gsize) i * infer_type_size (type),
        type, row, INFER_TYPE_F32, 6);
    infer_convert (
        (char *) step->out[1]->data + (gsize) i * infer_type_size (index_type),
        index_type, &flat, INFER_TYPE_I64, 1);
  }
  infer_convert (
      step->out[2]->data, index_type, counts, INFER_TYPE_I64, in->images);
  return TRUE;
}

static gboolean
run_select (CpuStep *step, SelectFunc select, gboolean matrix, GError **error)
{
  const InferMultiNms *attrs = step->op->attrs;
  const InferShape *boxes = cpu_in_shape (step, 0);
  const InferShape *scores = cpu_in_shape (step, 1);
  gsize most = (gsize) boxes->dims[1];
  Inputs in = { .shared = scores->rank == 3, .boxes = most };
  g_autofree float *box = cpu_value_floats (step->in[0]);
  g_autofree float *score = cpu_value_floats (step->in[1]);
  g_autofree float *overlaps = g_try_new (float, matrix ? most + 1 : 1);
  g_autofree CpuDetection *candidates = g_try_new (CpuDetection, most + 1);
  g_autoptr (GArray) found =
      g_array_sized_new (FALSE, FALSE, sizeof (CpuDetection), 1);
  Class class = { .attrs = attrs,
    .candidates = candidates,
    .overlaps = overlaps,
    .found = found,
    .step = step };

  in.images = step->out[2]->n;
  /* Without scores there may be any number of classes. */
  in.classes = step->in[1]->n > 0 ? (gsize) scores->dims[in.shared ? 1 : 0] : 0;
  in.shares = cpu_has_in (step, 2) ? step->in[2] : NULL;
  g_autofree gint64 *counts = g_try_new (gint64, in.images + 1);
  if (box == NULL || score == NULL || overlaps == NULL || candidates == NULL
      || counts == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " boxes", most);
  in.box = box;
  in.score = score;
  if (!select_all (&class, &in, select, counts, error))
    return FALSE;
  sort_batches (attrs, found, counts, in.images, matrix);
  return store (step, &in, found, counts, error);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  (void) error;
  step->kernel = "ref_f32";
  return TRUE;
}

static gboolean
multiclass_run (CpuStep *step, GError **error)
{
  return run_select (step, select_apart, FALSE, error);
}

static gboolean
matrix_run (CpuStep *step, GError **error)
{
  return run_select (step, select_decayed, TRUE, error);
}

const CpuOp cpu_op_multiclass_nms = {
  .prepare = prepare,
  .run = multiclass_run,
};

const CpuOp cpu_op_matrix_nms = {
  .prepare = prepare,
  .run = matrix_run,
};
