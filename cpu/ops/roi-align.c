/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ROIAlign and ROIAlignRotated. */

#include "cpu/ops/detections.h"
#include "cpu/ops/widen.h"
#include "inference/ops/roi.h"

#include <math.h>

typedef struct
{
  CpuWiden widen;
  const InferRoiAlign *attrs;
  gsize channels, map[2], roi_size; /* of a map: width, height */
  gint64 bins[2];                   /* width, height */
  gconstpointer data, rois;
  gpointer out;
  const CpuValue *images;
  gsize count; /* of the regions; the others are switched off */
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

static gboolean
prepare (CpuStep *step, GError **error)
{
  InferType type = cpu_widen_type (step->in[0]->desc.type);
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  Align *align = g_new0 (Align, 1);

  step->priv = align;
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "ref_f32";
  align->attrs = step->op->attrs;
  align->channels = (gsize) dims[1];
  align->map[0] = (gsize) dims[3];
  align->map[1] = (gsize) dims[2];
  align->roi_size = (gsize) cpu_in_shape (step, 1)->dims[1];
  align->bins[0] = align->attrs->width;
  align->bins[1] = align->attrs->height;
  return cpu_widen_prepare (&align->widen, step, type, 0, 0, error);
}

static void
align_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Align *align = data;

  (void) thread;
  for (gsize r = begin; r < end; r++) {
    gint64 image = r < align->count ? cpu_value_integer (align->images, r) : -1;

    if (align->widen.to == INFER_TYPE_F64)
      align_roi_f64 (align, r, image);
    else
      align_roi_f32 (align, r, image);
  }
}

static gboolean
run (CpuStep *step, GError **error)
{
  Align *align = step->priv;
  gsize n = (gsize) cpu_in_shape (step, 1)->dims[0];

  if (!cpu_count_regions (step->in[2], 1, cpu_in_shape (step, 0)->dims[0],
          &align->count, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  align->data = cpu_widen_in (&align->widen, step, 0);
  align->rois = cpu_widen_in (&align->widen, step, 1);
  align->out = cpu_widen_out (&align->widen, step, 0);
  align->images = step->in[2];
  cpu_step_parallel (step, n, 1, align_range, align);
  cpu_widen_finish (&align->widen, step);
  return TRUE;
}

const CpuOp cpu_op_roi_align = {
  .type = "ROIAlign",
  .prepare = prepare,
  .run = run,
};

const CpuOp cpu_op_roi_align_rotated = {
  .type = "ROIAlignRotated",
  .prepare = prepare,
  .run = run,
};
