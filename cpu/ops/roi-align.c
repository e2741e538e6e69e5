/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ROIAlign, ROIAlignRotated, and ROIAlign over a pyramid of maps. */

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"
#include "inference/graph/ops/roi.h"

#include <math.h>
#include <string.h>

/* A map and how it is sampled. */
typedef struct
{
  gsize channels, map[2], roi_size; /* of the map: width, height */
  gint64 bins[2];                   /* width, height */
  gint64 sampling_ratio;
  double scale, before, after; /* (x + before) * scale + after */
  gboolean at_least_one;       /* regions are at least one pixel large */
  gboolean max, clockwise;
  gconstpointer data, rois;
  gpointer out;
} Align;

#define REAL float
#define NAME(x) x##_f32
#include "cpu/ops/roi-align.inc"
#undef REAL
#undef NAME
#define REAL double
#define NAME(x) x##_f64
#include "cpu/ops/roi-align.inc"
#undef REAL
#undef NAME

static void
align_roi (const Align *align, InferType type, gsize r, gint64 image)
{
  if (type == INFER_TYPE_F64)
    align_roi_f64 (align, r, image);
  else
    align_roi_f32 (align, r, image);
}

static void
set_map (Align *align, const InferShape *shape)
{
  align->channels = (gsize) shape->dims[1];
  align->map[0] = (gsize) shape->dims[3];
  align->map[1] = (gsize) shape->dims[2];
}

typedef struct
{
  CpuWiden widen;
  Align align;
  const CpuValue *images;
  gsize count; /* of the regions; batch entries of -1 are skipped */
} Plan;

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferRoiAlign *attrs = step->op->attrs;
  InferType type = cpu_widen_type (step->in[0]->desc.type);
  Plan *plan = g_new0 (Plan, 1);

  step->priv = plan;
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "ref_f32";
  plan->align = (Align){ .bins = { attrs->width, attrs->height },
    .roi_size = (gsize) cpu_in_shape (step, 1)->dims[1],
    .sampling_ratio = attrs->sampling_ratio,
    .scale = attrs->scale,
    .before = attrs->aligned == INFER_ROI_HALF_PIXEL ? 0.5 : 0,
    .after = attrs->aligned == INFER_ROI_ASYMMETRIC ? 0 : -0.5,
    .at_least_one = attrs->aligned == INFER_ROI_ASYMMETRIC,
    .max = attrs->max,
    .clockwise = attrs->clockwise };
  set_map (&plan->align, cpu_in_shape (step, 0));
  return cpu_widen_prepare (&plan->widen, step, type, 0, 0, error);
}

static void
align_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Plan *plan = data;

  (void) thread;
  for (gsize r = begin; r < end; r++)
    align_roi (&plan->align, plan->widen.to, r,
        r < plan->count ? cpu_integer_at (plan->images, r) : -1);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Plan *plan = step->priv;

  if (!cpu_count_regions (
          step->in[2], 1, cpu_in_shape (step, 0)->dims[0], &plan->count, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  plan->align.data = cpu_widen_in (&plan->widen, step, 0);
  plan->align.rois = cpu_widen_in (&plan->widen, step, 1);
  plan->align.out = cpu_widen_out (&plan->widen, step, 0);
  plan->images = step->in[2];
  cpu_step_parallel (
      step, (gsize) cpu_in_shape (step, 1)->dims[0], 1, align_range, plan);
  cpu_widen_finish (&plan->widen, step);
  return TRUE;
}

const CpuOp cpu_op_roi_align = {
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_roi_align_rotated = {
  .prepare = prepare,
  .run = run,
};

/* --- ExperimentalDetectronROIFeatureExtractor --- */

typedef struct
{
  CpuWiden widen;
  guint n;
  Align levels[CPU_WIDEN_MAX];
} Pyramid;

static gboolean
pyramid_prepare (CpuStep *step, GError **error)
{
  const InferRoiPyramid *attrs = step->op->attrs;
  InferType type = cpu_widen_type (step->in[0]->desc.type);
  Pyramid *pyramid = g_new0 (Pyramid, 1);

  step->priv = pyramid;
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "ref_f32";
  pyramid->n = step->n_in - 1;
  for (guint i = 0; i < pyramid->n; i++) {
    pyramid->levels[i] = (Align){ .bins = { attrs->size, attrs->size },
      .roi_size = 4,
      .sampling_ratio = attrs->sampling_ratio,
      .scale = 1 / (double) attrs->scales[i],
      .after = attrs->aligned ? -0.5 : 0,
      .at_least_one = TRUE };
    set_map (&pyramid->levels[i], cpu_in_shape (step, i + 1));
  }
  return cpu_widen_prepare (&pyramid->widen, step, type, 0, 0, error);
}

/* Assigns region @r to the pyramid level where it covers about as many elements
 * as ImageNet images do on theirs; an empty region to none. */
static int
level_of (const Pyramid *pyramid, gconstpointer rois, gsize r)
{
  double roi[4], area, level;

  infer_convert (roi, INFER_TYPE_F64,
      (const char *) rois + 4 * r * infer_type_size (pyramid->widen.to),
      pyramid->widen.to, 4);
  area = (roi[2] - roi[0]) * (roi[3] - roi[1]);
  if (!(area > 0))
    return -1;
  level = floor (log2 (sqrt (area) / 224 + 1e-6) + 2);
  return (int) MAX (0, MIN (level, pyramid->n - 1));
}

static void
pyramid_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Pyramid *pyramid = data;

  (void) thread;
  for (gsize r = begin; r < end; r++) {
    int level = level_of (pyramid, pyramid->levels[0].rois, r);

    align_roi (&pyramid->levels[MAX (level, 0)], pyramid->widen.to, r,
        level < 0 ? -1 : 0);
  }
}

static gboolean
pyramid_run (CpuStep *step, GError **error)
{
  Pyramid *pyramid = step->priv;
  const CpuWiden *widen = &pyramid->widen;

  (void) error;
  if (step->out[1]->n > 0)
    memcpy (cpu_widen_out (widen, step, 1), cpu_widen_in (widen, step, 0),
        step->out[1]->n * infer_type_size (widen->to));
  for (guint i = 0; step->out[0]->n > 0 && i < pyramid->n; i++) {
    pyramid->levels[i].rois =
        i == 0 ? cpu_widen_in (widen, step, 0) : pyramid->levels[0].rois;
    pyramid->levels[i].data = cpu_widen_in (widen, step, i + 1);
    pyramid->levels[i].out = cpu_widen_out (widen, step, 0);
  }
  if (step->out[0]->n > 0)
    cpu_step_parallel (step, (gsize) cpu_in_shape (step, 0)->dims[0], 1,
        pyramid_range, pyramid);
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_roi_pyramid = {
  .prepare = pyramid_prepare,
  .run = pyramid_run,
};
