/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DetectionOutput. */

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"
#include "inference/graph/ops/detection.h"

#include <math.h>
#include <string.h>

typedef struct
{
  CpuWiden widen;
  const InferDetectionOutput *attrs;
  gsize images, priors, classes, locations; /* locations: 1 or classes */
  gsize boxes_at, counts_at, found_at;      /* behind the widened values */
} Plan;

/* One image while it is worked on. */
typedef struct
{
  const float *logits, *predictions, *priors;
  const float *objectness, *first_logits; /* nullable */
  gsize n;                                /* priors up to the end mark */
  float (*boxes)[4];
  gsize *counts;
  CpuDetection *found;
  const CpuStep *step;
} Image;

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferDetectionOutput *attrs = step->op->attrs;
  gint64 prior_size = attrs->normalized ? 4 : 5;
  Plan *plan = g_new0 (Plan, 1);

  step->priv = plan;
  step->kernel = "ref_f32";
  plan->attrs = attrs;
  plan->images = (gsize) cpu_in_shape (step, 0)->dims[0];
  plan->priors = (gsize) (cpu_in_shape (step, 2)->dims[2] / prior_size);
  if (attrs->num_classes >= 0)
    plan->classes = (gsize) attrs->num_classes;
  else if (plan->priors > 0)
    plan->classes = (gsize) cpu_in_shape (step, 1)->dims[1] / plan->priors;
  if (plan->priors == 0)
    plan->classes = 0;
  plan->locations = attrs->share_location ? 1 : plan->classes;
  plan->counts_at = cpu_scratch_add (0, plan->priors * plan->locations, 16);
  plan->found_at =
      cpu_scratch_add (plan->counts_at, plan->classes + 1, sizeof (gsize));
  gsize size = cpu_scratch_add (
      plan->found_at, plan->priors * plan->classes, sizeof (CpuDetection));
  return cpu_widen_prepare (&plan->widen, step, INFER_TYPE_F32, 0, size, error);
}

static float
unit (float x)
{
  return MAX (0.0f, MIN (1.0f, x));
}

/* Priors that are not normalised are divided by the image's size, also in the
 * second stage, as in OpenVINO. */
static void
decode (const InferDetectionOutput *attrs, const float *prior,
    const float *variance, const float *logit, float *box)
{
  float w = attrs->normalized ? 1 : (float) attrs->width;
  float h = attrs->normalized ? 1 : (float) attrs->height;
  float p[4] = { prior[0] / w, prior[1] / h, prior[2] / w, prior[3] / h };
  float t[4];

  for (int i = 0; i < 4; i++)
    t[i] = variance != NULL ? variance[i] * logit[i] : logit[i];
  if (attrs->center_size) {
    float width = p[2] - p[0], height = p[3] - p[1];
    float x = t[0] * width + (p[0] + p[2]) / 2;
    float y = t[1] * height + (p[1] + p[3]) / 2;

    width *= expf (t[2]);
    height *= expf (t[3]);
    box[0] = x - width / 2;
    box[1] = y - height / 2;
    box[2] = x + width / 2;
    box[3] = y + height / 2;
  } else {
    for (int i = 0; i < 4; i++)
      box[i] = p[i] + t[i];
  }
  for (int i = 0; attrs->clip_before && i < 4; i++)
    box[i] = unit (box[i]);
}

static void
decode_all (const Plan *plan, const Image *image)
{
  const InferDetectionOutput *attrs = plan->attrs;
  gsize prior_size = attrs->normalized ? 4 : 5;
  const float *variances = image->priors + plan->priors * prior_size;

  for (gsize p = 0; p < image->n; p++) {
    const float *variance =
        attrs->variance_in_target ? NULL : variances + 4 * p;

    for (gsize l = 0; l < plan->locations; l++) {
      const float *prior = image->priors + p * prior_size + prior_size - 4;
      gsize at = (p * plan->locations + l) * 4;
      float first[4];

      if (image->first_logits != NULL) {
        decode (attrs, prior, variance, image->first_logits + at, first);
        prior = first;
      }
      decode (attrs, prior, variance, image->logits + at,
          image->boxes[l * plan->priors + p]);
    }
  }
}

static float
score (const Plan *plan, const Image *image, gsize p, gsize c)
{
  if (image->objectness != NULL
      && image->objectness[2 * p + 1] < (float) plan->attrs->objectness_score)
    return (gint64) c == plan->attrs->background ? 1 : 0;
  return image->predictions[p * plan->classes + c];
}

/* Candidates of each class, those of class c from counts[c] on. */
static void
collect_by_class (const Plan *plan, const Image *image)
{
  float threshold = (float) plan->attrs->confidence_threshold;
  gsize *counts = image->counts, total = 0;

  memset (counts, 0, (plan->classes + 1) * sizeof (gsize));
  for (gsize p = 0; p < image->n; p++)
    for (gsize c = 0; c < plan->classes; c++)
      if ((gint64) c != plan->attrs->background
          && score (plan, image, p, c) > threshold)
        counts[c + 1]++;
  for (gsize c = 0; c <= plan->classes; c++)
    total = counts[c] += total;
  for (gsize p = 0; p < image->n; p++)
    for (gsize c = 0; c < plan->classes; c++) {
      float s = score (plan, image, p, c);

      if ((gint64) c != plan->attrs->background && s > threshold)
        image->found[counts[c]++] = (CpuDetection){
          .score = s, .label = (gint32) c, .index = (gint64) p
        };
    }
  memmove (counts + 1, counts, plan->classes * sizeof (gsize));
  counts[0] = 0;
}

/* The best class of each prior; class 0 is the background. */
static gsize
collect_best (const Plan *plan, const Image *image)
{
  gsize n = 0;

  for (gsize p = 0; p < image->n; p++) {
    CpuDetection best = { .score = -1, .index = (gint64) p };

    for (gsize c = 1; c < plan->classes; c++) {
      float s = score (plan, image, p, c);

      if ((gint64) c != plan->attrs->background && s > best.score) {
        best.score = s;
        best.label = (gint32) c;
      }
    }
    if (best.label > 0
        && best.score >= (float) plan->attrs->confidence_threshold)
      image->found[n++] = best;
  }
  return n;
}

/* Appends, in order, those of @n that overlap none of their class among
 * found[first … kept); returns the new number kept. */
static gsize
suppress (const Plan *plan, const Image *image, const CpuDetection *candidates,
    gsize n, gsize first, gsize kept)
{
  for (gsize i = 0; i < n && !cpu_step_is_cancelled (image->step); i++) {
    CpuDetection c = candidates[i];
    float (*boxes)[4] =
        image->boxes
        + (plan->locations == 1 ? 0 : (gsize) c.label * plan->priors);
    gboolean keep = TRUE;

    for (gsize k = first; keep && k < kept; k++)
      keep =
          image->found[k].label != c.label
          || !(cpu_box_overlap (boxes[c.index], boxes[image->found[k].index], 0)
               > (float) plan->attrs->nms_threshold);
    if (keep)
      image->found[kept++] = c;
  }
  return kept;
}

static gsize
detect (const Plan *plan, const Image *image)
{
  const InferDetectionOutput *attrs = plan->attrs;
  CpuDetection *found = image->found;
  gsize kept = 0;

  if (attrs->decrease_label) {
    gsize n = collect_best (plan, image);

    n = cpu_detections_take (found, n, cpu_detections_limit (n, attrs->top_k),
        cpu_detection_by_score);
    kept = suppress (plan, image, found, n, 0, 0);
  } else {
    collect_by_class (plan, image);
    for (gsize c = 0; c < plan->classes; c++) {
      CpuDetection *of_class = found + image->counts[c];
      gsize n = image->counts[c + 1] - image->counts[c];

      n = cpu_detections_take (of_class, n,
          cpu_detections_limit (n, attrs->top_k), cpu_detection_by_score);
      kept = suppress (plan, image, of_class, n, kept, kept);
    }
  }
  kept = cpu_detections_take (found, kept,
      cpu_detections_limit (kept, attrs->keep_top_k), cpu_detection_by_score);
  return cpu_detections_take (found, kept, kept, cpu_detection_by_label);
}

static void
write_row (
    const Plan *plan, const Image *image, const CpuDetection *d, float *to)
{
  const float *box =
      image->boxes[(plan->locations == 1 ? 0 : (gsize) d->label * plan->priors)
                   + (gsize) d->index];

  to[0] = (float) d->batch;
  to[1] = (float) (plan->attrs->decrease_label ? d->label - 1 : d->label);
  to[2] = (float) d->score;
  for (int i = 0; i < 4; i++)
    to[3 + i] = plan->attrs->clip_after ? unit (box[i]) : box[i];
}

/* An image index of -1 ends the list of priors that are not normalised. */
static gsize
count_priors (const Plan *plan, const float *priors)
{
  gsize n = 0;

  if (plan->attrs->normalized)
    return plan->priors;
  while (n < plan->priors && priors[5 * n] != -1.0f)
    n++;
  return n;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Plan *plan = step->priv;
  gsize n_logits = plan->priors * plan->locations * 4;
  gsize rows = (gsize) cpu_out_shape (step, 0)->dims[2], row = 0;
  const float *in[5] = { NULL };
  char *more = cpu_widen_more (&plan->widen, step);
  Image image;

  (void) error;
  if (step->out[0]->n == 0)
    return TRUE;
  float *out = cpu_widen_out (&plan->widen, step, 0);
  memset (out, 0, rows * 7 * sizeof (float));
  out[0] = -1;
  if (plan->priors == 0 || plan->classes == 0)
    rows = 0;
  for (guint i = 0; rows > 0 && i < step->n_in; i++)
    in[i] = cpu_widen_in (&plan->widen, step, i);
  for (gsize n = 0; rows > 0 && n < plan->images; n++) {
    image = (Image){ .step = step,
      .boxes = (gpointer) more,
      .counts = (gpointer) (more + plan->counts_at),
      .found = (gpointer) (more + plan->found_at) };
    image.logits = in[0] + n * n_logits;
    image.predictions = in[1] + n * plan->priors * plan->classes;
    image.priors = in[2];
    if (cpu_in_shape (step, 2)->dims[0] > 1)
      image.priors +=
          n * (gsize) infer_shape_count_range (cpu_in_shape (step, 2), 1, 3);
    if (in[3] != NULL && in[4] != NULL) {
      image.objectness = in[3] + n * plan->priors * 2;
      image.first_logits = in[4] + n * n_logits;
    }
    image.n = count_priors (plan, image.priors);
    decode_all (plan, &image);
    gsize found = detect (plan, &image);
    for (gsize i = 0; i < found && row < rows; i++) {
      image.found[i].batch = (gint32) n;
      write_row (plan, &image, &image.found[i], out + 7 * row++);
    }
    if (row < rows)
      out[7 * row] = -1;
  }
  cpu_widen_finish (&plan->widen, step);
  return TRUE;
}

const CpuOp cpu_op_detection_output = {
  .prepare = prepare,
  .run = run,
};
