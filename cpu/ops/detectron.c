/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ExperimentalDetectronDetectionOutput, …PriorGridGenerator, …TopKROIs. */

#include "inference/graph/ops/detectron.h"

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

/* A box of n pixels ends at n - 1. */
#define PIXEL 1.0f

typedef struct
{
  CpuWiden widen;
  gsize found_at; /* behind the widened values */
} Plan;

/* --- DetectionOutput --- */

typedef struct
{
  const InferDetectronOutput *attrs;
  gsize rois, classes;
  const float *boxes, *deltas, *scores;
  float (*refined)[4]; /* of one class, then of all found boxes */
  CpuDetection *found;
} Output;

static gboolean
output_prepare (CpuStep *step, GError **error)
{
  const gint64 *dims = cpu_in_shape (step, 2)->dims;
  gsize n = (gsize) (dims[0] * dims[1]);
  Plan *plan = g_new0 (Plan, 1);

  step->priv = plan;
  step->kernel = "ref_f32";
  plan->found_at = cpu_scratch_add (0, n, 4 * sizeof (float));
  gsize size = cpu_scratch_add (plan->found_at, n, sizeof (CpuDetection));
  return cpu_widen_prepare (&plan->widen, step, INFER_TYPE_F32, 0, size, error);
}

/* Only the box's first corner is clipped to the image, as in OpenVINO. */
static void
refine (const InferDetectronOutput *attrs, const float *roi, const float *delta,
    float *box)
{
  for (int i = 0; i < 2; i++) {
    float length = roi[2 + i] - roi[i] + PIXEL;
    float growth = delta[2 + i] / (float) attrs->weights[2 + i];
    float center = delta[i] / (float) attrs->weights[i] * length
                   + (roi[i] + 0.5f * length);

    length *= expf (MIN (growth, (float) attrs->max_delta_log));
    box[i] = MAX (center - 0.5f * length, 0.0f);
    box[2 + i] = MAX (center + 0.5f * length - PIXEL, 0.0f);
  }
}

/* Candidates of one class above the threshold, the best first. */
static gsize
collect (const Output *output, gsize class, CpuDetection *found)
{
  gsize n = 0;

  for (gsize r = 0; r < output->rois; r++) {
    const float *roi = output->boxes + 4 * r;
    float score = output->scores[r * output->classes + class];

    if (!(roi[2] - roi[0] > 0) || !(roi[3] - roi[1] > 0)
        || !(score > (float) output->attrs->score_threshold))
      continue;
    refine (output->attrs, roi,
        output->deltas + 4 * (r * output->classes + class),
        output->refined[class * output->rois + r]);
    found[n++] = (CpuDetection){
      .score = score, .label = (gint32) class, .index = (gint64) r
    };
  }
  return cpu_detections_take (found, n, n, cpu_detection_by_score);
}

static gsize
detect (const Output *output)
{
  const InferDetectronOutput *attrs = output->attrs;
  CpuDetection *found = output->found;
  gsize total = 0, limit;

  for (gsize c = 1; c < output->classes; c++) { /* 0 is the background */
    CpuDetection *of_class = found + total;
    float (*boxes)[4] = output->refined + c * output->rois;
    gsize n = collect (output, c, of_class), kept = 0;
    gsize most = cpu_detections_limit (n, attrs->per_class);

    for (gsize i = 0; i < n && kept < most; i++) {
      gboolean keep = TRUE;

      for (gsize k = 0; keep && k < kept; k++)
        keep = !(cpu_box_overlap (
                     boxes[of_class[i].index], boxes[of_class[k].index], PIXEL)
                 > (float) attrs->nms_threshold);
      if (keep)
        of_class[kept++] = of_class[i];
    }
    total += kept;
  }
  limit = cpu_detections_limit (total, attrs->per_image);
  if (limit < total)
    total = cpu_detections_take (found, total, limit, cpu_detection_by_score);
  return total;
}

static gboolean
output_run (CpuStep *step, GError **error)
{
  const InferDetectronOutput *attrs = step->op->attrs;
  const Plan *plan = step->priv;
  const CpuWiden *widen = &plan->widen;
  char *more = cpu_widen_more (widen, step);
  gint32 *labels = step->out[1]->data;
  float *boxes, *scores;
  gsize n = step->out[1]->n, found = 0;
  Output output = { .attrs = attrs,
    .rois = (gsize) cpu_in_shape (step, 0)->dims[0],
    .classes = (gsize) attrs->classes,
    .refined = (gpointer) more };

  (void) error;
  if (n == 0)
    return TRUE;
  boxes = cpu_widen_out (widen, step, 0);
  scores = cpu_widen_out (widen, step, 2);
  memset (boxes, 0, n * 4 * sizeof (float));
  memset (scores, 0, n * sizeof (float));
  memset (labels, 0, n * sizeof (gint32));
  if (step->in[2]->n > 0) {
    output.boxes = cpu_widen_in (widen, step, 0);
    output.deltas = cpu_widen_in (widen, step, 1);
    output.scores = cpu_widen_in (widen, step, 2);
    output.found = (gpointer) (more + plan->found_at);
    found = detect (&output);
  }
  for (gsize i = 0; i < found; i++) {
    const CpuDetection *d = &output.found[i];

    memcpy (boxes + 4 * i,
        output.refined[(gsize) d->label * output.rois + (gsize) d->index],
        4 * sizeof (float));
    scores[i] = (float) d->score;
    labels[i] = d->label;
  }
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_detectron_output = {
  .prepare = output_prepare,
  .run = output_run,
};

/* --- PriorGridGenerator --- */

static gboolean
grid_prepare (CpuStep *step, GError **error)
{
  CpuWiden *widen = g_new0 (CpuWiden, 1);

  step->priv = widen;
  step->kernel = "ref_f64";
  /* Only the sizes of the maps are used. */
  return cpu_widen_prepare (
      widen, step, INFER_TYPE_F64, 1 << 1 | 1 << 2, 0, error);
}

static gboolean
grid_run (CpuStep *step, GError **error)
{
  const InferPriorGrid *attrs = step->op->attrs;
  const CpuWiden *widen = step->priv;
  const gint64 *map = cpu_in_shape (step, 1)->dims;
  const gint64 *image = cpu_in_shape (step, 2)->dims;
  gint64 n = cpu_in_shape (step, 0)->dims[0];
  gint64 height = attrs->height > 0 ? attrs->height : map[2];
  gint64 width = attrs->width > 0 ? attrs->width : map[3];
  double step_x = attrs->stride_x, step_y = attrs->stride_y;

  (void) error;
  if (step->out[0]->n == 0)
    return TRUE;
  if (step_x == 0)
    step_x = (double) image[3] / (double) width;
  if (step_y == 0)
    step_y = (double) image[2] / (double) height;
  const double *priors = cpu_widen_in (widen, step, 0);
  double *to = cpu_widen_out (widen, step, 0);
  memset (to, 0, step->out[0]->n * sizeof (double));
  for (gint64 h = 0; h < height; h++)
    for (gint64 w = 0; w < width; w++)
      for (gint64 i = 0; i < 4 * n; i++)
        *to++ = priors[i]
                + (i % 2 == 0 ? step_x * ((double) w + 0.5)
                              : step_y * ((double) h + 0.5));
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_detectron_prior_grid = {
  .prepare = grid_prepare,
  .run = grid_run,
};

/* --- TopKROIs --- */

static gboolean
top_k_prepare (CpuStep *step, GError **error)
{
  gsize size = cpu_scratch_add (0, step->in[1]->n, sizeof (CpuDetection));

  step->kernel = "ref";
  if (size == G_MAXSIZE)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " regions", step->in[1]->n);
  cpu_step_need_scratch (step, size);
  return TRUE;
}

static gboolean
top_k_run (CpuStep *step, GError **error)
{
  const CpuValue *scores = step->in[1];
  gsize n = scores->n, size = infer_type_size (scores->desc.type);
  gsize rows = (gsize) cpu_out_shape (step, 0)->dims[0];
  CpuDetection *found = step->scratch;
  char *to = step->out[0]->data;

  (void) error;
  if (rows == 0)
    return TRUE;
  memset (to, 0, rows * 4 * size);
  for (gsize i = 0; i < n; i++) {
    found[i] = (CpuDetection){ .index = (gint64) i };
    infer_convert (&found[i].score, INFER_TYPE_F64,
        (const char *) scores->data + i * size, scores->desc.type, 1);
  }
  n = cpu_detections_take (found, n, rows, cpu_detection_by_score);
  for (gsize i = 0; i < n; i++)
    memcpy (to + 4 * i * size,
        (const char *) step->in[0]->data + 4 * (gsize) found[i].index * size,
        4 * size);
  return TRUE;
}

const CpuOp cpu_op_detectron_top_k = {
  .prepare = top_k_prepare,
  .run = top_k_run,
};
