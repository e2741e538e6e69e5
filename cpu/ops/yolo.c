/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RegionYolo and ReorgYolo. */

#include "inference/graph/ops/yolo.h"

#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

#define REAL float
#define EXP expf
#define NAME(x) x##_f32
#include "cpu/ops/region-yolo.inc"
#undef REAL
#undef EXP
#undef NAME
#define REAL double
#define EXP exp
#define NAME(x) x##_f64
#include "cpu/ops/region-yolo.inc"
#undef REAL
#undef EXP
#undef NAME

static gboolean
region_prepare (CpuStep *step, GError **error)
{
  InferType type = cpu_widen_type (step->in[0]->desc.type);
  CpuWiden *widen = g_new0 (CpuWiden, 1);

  step->priv = widen;
  step->kernel = type == INFER_TYPE_F64 ? "ref_f64" : "ref_f32";
  return cpu_widen_prepare (widen, step, type, 0, 0, error);
}

static gboolean
region_run (CpuStep *step, GError **error)
{
  const InferYolo *attrs = step->op->attrs;
  const CpuWiden *widen = step->priv;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gint64 out_channels =
      attrs->softmax ? dims[1] : cpu_out_shape (step, 0)->dims[1];

  (void) error;
  if (step->out[0]->n == 0)
    return TRUE;
  gconstpointer from = cpu_widen_in (widen, step, 0);
  gpointer to = cpu_widen_out (widen, step, 0);
  if (widen->to == INFER_TYPE_F64)
    regions_f64 (attrs, dims, out_channels, from, to);
  else
    regions_f32 (attrs, dims, out_channels, from, to);
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_region_yolo = {
  .prepare = region_prepare,
  .run = region_run,
};

/* --- ReorgYolo --- */

typedef struct
{
  gsize stride, channels, height, width; /* of the input */
  gsize depth;                           /* channels / stride² */
} Reorg;

/* The elements are read as if there were fewer, larger channels, as in Darknet.
 */
static gsize
reorg_source (const Reorg *reorg, gsize n, gsize c, gsize h, gsize w)
{
  gsize s = reorg->stride, part = c / reorg->depth;
  gsize y = h * s + part / s, x = w * s + part % s;

  return ((n * reorg->depth + c % reorg->depth) * reorg->height * s + y)
             * reorg->width * s
         + x;
}

static gboolean
reorg_prepare (CpuStep *step, GError **error)
{
  (void) error;
  step->kernel = "ref";
  return TRUE;
}

static gboolean
reorg_run (CpuStep *step, GError **error)
{
  const InferYolo *attrs = step->op->attrs;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize size = infer_type_size (step->in[0]->desc.type);
  Reorg reorg = { (gsize) attrs->stride, (gsize) dims[1], (gsize) dims[2],
    (gsize) dims[3], (gsize) (dims[1] / (attrs->stride * attrs->stride)) };
  const char *from = step->in[0]->data;
  char *to = step->out[0]->data;

  if (step->out[0]->n == 0)
    return TRUE;
  for (gsize n = 0; n < (gsize) dims[0]; n++)
    for (gsize c = 0; c < reorg.channels; c++)
      for (gsize h = 0; h < reorg.height; h++)
        for (gsize w = 0; w < reorg.width; w++, to += size) {
          gsize source = reorg_source (&reorg, n, c, h, w);

          if (source >= step->in[0]->n)
            return infer_fail (error, INFER_ERROR_INVALID_DATA,
                "%" G_GSIZE_FORMAT " channels cannot be put in order by a "
                "stride of %" G_GSIZE_FORMAT,
                reorg.channels, reorg.stride);
          memcpy (to, from + source * size, size);
        }
  return TRUE;
}

const CpuOp cpu_op_reorg_yolo = {
  .prepare = reorg_prepare,
  .run = reorg_run,
};
