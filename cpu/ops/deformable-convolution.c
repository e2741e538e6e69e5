/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/work-type.h"
#include "inference/graph/ops/convolution.h"

#include <math.h>

typedef struct
{
  gboolean bilinear_pad;
  gsize batch, groups, deformable_groups;
  gsize channels, filters, in[2], k[2], out[2];
  gint64 stride[2], dilation[2], pad[2];
} Deformable;

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferDeformableConvolution *attrs = step->op->attrs;
  const gint64 *in = cpu_in_shape (step, 0)->dims;
  const gint64 *k = cpu_in_shape (step, 2)->dims;
  Deformable *d = g_new0 (Deformable, 1);
  InferWindowDim dims[2];
  gsize scratch = cpu_work_bytes (step->out[0], INFER_TYPE_F64);

  step->priv = d;
  if (!infer_window_resolve_all (&attrs->window, 2, in + 2, k + 2, dims, error))
    return FALSE;
  d->bilinear_pad = attrs->bilinear_pad;
  d->batch = (gsize) in[0];
  d->groups = (gsize) attrs->group;
  d->deformable_groups = (gsize) attrs->deformable_group;
  d->channels = (gsize) in[1];
  d->filters = (gsize) k[0];
  for (guint i = 0; i < 2; i++) {
    d->in[i] = (gsize) in[2 + i];
    d->k[i] = (gsize) k[2 + i];
    d->out[i] = (gsize) dims[i].out;
    d->stride[i] = attrs->window.strides[i];
    d->dilation[i] = attrs->window.dilations[i];
    d->pad[i] = dims[i].pad_begin;
  }
  for (guint i = 0; i < step->n_in; i++)
    scratch += cpu_work_bytes (step->in[i], INFER_TYPE_F64);
  cpu_step_need_scratch (step, scratch);
  step->kernel = "ref_f64";
  return TRUE;
}

static double
pixel (const Deformable *d, const double *plane, gint64 y, gint64 x)
{
  if (y < 0 || x < 0 || y >= (gint64) d->in[0] || x >= (gint64) d->in[1])
    return 0;
  return plane[(gsize) y * d->in[1] + (gsize) x];
}

/* Bilinear interpolation at (@y, @x). */
static double
sample (const Deformable *d, const double *plane, double y, double x)
{
  double height = (double) d->in[0], width = (double) d->in[1];
  double dy, dx;
  gint64 iy, ix;

  if (d->bilinear_pad) {
    if (!(y > -1 && x > -1 && y < height && x < width))
      return 0;
  } else {
    if (!(y >= 0 && x >= 0 && y < height && x < width))
      return 0;
    /* Beyond the last pixel's centre the value is that pixel's. */
    y = MIN (y, height - 1);
    x = MIN (x, width - 1);
  }
  iy = (gint64) floor (y);
  ix = (gint64) floor (x);
  dy = y - (double) iy;
  dx = x - (double) ix;
  return (1 - dy)
             * ((1 - dx) * pixel (d, plane, iy, ix)
                 + dx * pixel (d, plane, iy, ix + 1))
         + dy
               * ((1 - dx) * pixel (d, plane, iy + 1, ix)
                   + dx * pixel (d, plane, iy + 1, ix + 1));
}

typedef struct
{
  const double *data, *offsets, *mask; /* of one image; mask nullable */
} Image;

static double
channel_sum (const Deformable *d, const Image *image, gsize channel,
    const double *filter, gsize oy, gsize ox)
{
  gsize group = channel / (d->channels / d->deformable_groups);
  gsize taps = d->k[0] * d->k[1], plane = d->out[0] * d->out[1];
  const double *data = image->data + channel * d->in[0] * d->in[1];
  gsize at = oy * d->out[1] + ox;
  double sum = 0;

  for (gsize t = 0; t < taps; t++) {
    gsize first = group * taps + t;
    double y = (double) ((gint64) oy * d->stride[0] - d->pad[0]
                         + (gint64) (t / d->k[1]) * d->dilation[0]);
    double x = (double) ((gint64) ox * d->stride[1] - d->pad[1]
                         + (gint64) (t % d->k[1]) * d->dilation[1]);

    y += image->offsets[2 * first * plane + at];
    x += image->offsets[(2 * first + 1) * plane + at];
    double v = sample (d, data, y, x) * filter[t];
    sum += image->mask ? v * image->mask[first * plane + at] : v;
  }
  return sum;
}

static double *
run_image (const CpuStep *step, const Deformable *d, const Image *image,
    const double *filters, double *out)
{
  gsize taps = d->k[0] * d->k[1];
  gsize ic = d->channels / d->groups, oc = d->filters / d->groups;

  for (gsize o = 0; o < d->filters; o++) {
    for (gsize y = 0; y < d->out[0]; y++) {
      for (gsize x = 0; x < d->out[1] && !cpu_step_is_cancelled (step); x++) {
        double sum = 0;

        for (gsize c = 0; c < ic; c++)
          sum += channel_sum (
              d, image, o / oc * ic + c, filters + (o * ic + c) * taps, y, x);
        *out++ = sum;
      }
    }
  }
  return out;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Deformable *d = step->priv;
  char *scratch = step->scratch;
  gsize taps = d->deformable_groups * d->k[0] * d->k[1];
  gsize plane = d->out[0] * d->out[1];
  double *result, *out;
  Image image = { 0 };

  image.data = cpu_work_input (step->in[0], INFER_TYPE_F64, &scratch);
  image.offsets = cpu_work_input (step->in[1], INFER_TYPE_F64, &scratch);
  const double *filters =
      cpu_work_input (step->in[2], INFER_TYPE_F64, &scratch);
  if (cpu_has_in (step, 3))
    image.mask = cpu_work_input (step->in[3], INFER_TYPE_F64, &scratch);
  out = result = cpu_work_memory (step->out[0], INFER_TYPE_F64, &scratch);
  for (gsize n = 0; n < d->batch; n++) {
    out = run_image (step, d, &image, filters, out);
    image.data += d->channels * d->in[0] * d->in[1];
    image.offsets += 2 * taps * plane;
    if (image.mask)
      image.mask += taps * plane;
  }
  cpu_work_output (step->out[0], INFER_TYPE_F64, result);
  return TRUE;
}

const CpuOp cpu_op_deformable_convolution = {
  .prepare = prepare,
  .run = run,
};
