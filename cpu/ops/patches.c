/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ExtractImagePatches and Col2Im. */

#include "inference/graph/ops/patches.h"

#include "cpu/ops/index.h"
#include "cpu/ops/strided-copy.h"

#include <string.h>

/* One axis: positions k * dilation + o * stride - pad within [0, size). */
static void
find_inside (gint64 first, gint64 stride, gint64 size, gint64 count,
    gint64 *begin, gint64 *end)
{
  *begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  *end = size > first ? (size - first - 1) / stride + 1 : 0;
  *begin = MIN (*begin, count);
  *end = CLAMP (*end, *begin, count);
}

/* Each output plane (kernel row, kernel column, channel) is a strided copy. */
static gboolean
run_patches (CpuStep *step, GError **error)
{
  const InferPatches *attrs = step->op->attrs;
  const InferWindow *window = &attrs->window;
  const InferShape *data = cpu_in_shape (step, 0);
  const InferShape *out = cpu_out_shape (step, 0);
  const gsize size = infer_type_size (step->in[0]->desc.type);
  const gint64 taps = window->kernel[0] * window->kernel[1];
  gint64 src[INFER_MAX_RANK], dst[INFER_MAX_RANK];
  InferWindowDim dims[2];

  if (!infer_patches_resolve (attrs, data, dims, error))
    return FALSE;
  if (step->out[0]->n == 0)
    return TRUE;
  memset (step->out[0]->data, 0, step->out[0]->n * size);
  cpu_dense_strides (data, size, src);
  cpu_dense_strides (out, size, dst);
  for (gint64 t = 0; t < taps; t++) {
    const gint64 at[2] = { t / window->kernel[1], t % window->kernel[1] };
    gint64 box[4] = { data->dims[0], data->dims[1] };
    gint64 from_strides[4] = { src[0], src[1] };
    gint64 from = 0, to = t * data->dims[1] * dst[1];
    CpuStridedCopy copy;

    for (guint i = 0; i < 2; i++) {
      const gint64 first = at[i] * window->dilations[i] - dims[i].pad_begin;
      gint64 begin, end;

      find_inside (first, window->strides[i], data->dims[2 + i],
          out->dims[2 + i], &begin, &end);
      box[2 + i] = end - begin;
      from_strides[2 + i] = src[2 + i] * window->strides[i];
      from += (first + begin * window->strides[i]) * src[2 + i];
      to += begin * dst[2 + i];
    }
    if (box[0] * box[1] * box[2] * box[3] == 0)
      continue;
    cpu_strided_copy_init (
        &copy, step->kernels, size, 4, box, from_strides, dst);
    cpu_strided_copy_run (&copy, (guint8 *) step->out[0]->data + to,
        (const guint8 *) step->in[0]->data + from);
  }
  return TRUE;
}

const CpuOp cpu_op_extract_image_patches = {
  .run = run_patches,
};

/* --- Col2Im --- */

typedef struct
{
  gint64 size[2], kernel[2], blocks[2];
} Picture;

static gboolean
read_picture (const CpuStep *step, Picture *p, GError **error)
{
  const InferPatches *attrs = step->op->attrs;

  infer_convert (
      p->size, INFER_TYPE_I64, step->in[1]->data, step->in[1]->desc.type, 2);
  infer_convert (
      p->kernel, INFER_TYPE_I64, step->in[2]->data, step->in[2]->desc.type, 2);
  for (guint i = 0; i < 2; i++)
    if (!infer_col2im_blocks (
            &attrs->window, i, p->size[i], p->kernel[i], &p->blocks[i]))
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "blocks of %" G_GINT64_FORMAT " do not fit", p->kernel[i]);
  return TRUE;
}

/* Adds the elements of one row of blocks to their row of the picture. */
static void
add_row (const CpuStep *step, const Picture *p, gint64 column, guint8 *dst,
    const guint8 *src)
{
  const InferWindow *window = &((InferPatches *) step->op->attrs)->window;
  const InferType type = step->in[0]->desc.type;
  const gint64 size = (gint64) infer_type_size (type);
  const gint64 first = column * window->dilations[1] - window->pads_begin[1];

  for (gint64 b = 0; b < p->blocks[1]; b++) {
    const gint64 x = first + b * window->strides[1];

    if (x >= 0 && x < p->size[1])
      cpu_combine (CPU_COMBINE_SUM, type, dst + x * size, src + b * size, 1);
  }
}

/* Rows of the input are (channel, kernel row, kernel column), its columns the
 * blocks. */
static gboolean
run_col2im (CpuStep *step, GError **error)
{
  const InferWindow *window = &((InferPatches *) step->op->attrs)->window;
  const InferShape *data = cpu_in_shape (step, 0);
  const gint64 size = (gint64) infer_type_size (step->in[0]->desc.type);
  const guint8 *src = step->in[0]->data;
  Picture p;

  if (!read_picture (step, &p, error))
    return FALSE;
  if (step->out[0]->n > 0)
    memset (step->out[0]->data, 0, step->out[0]->n * (gsize) size);
  if (step->in[0]->n == 0)
    return TRUE;
  gint64 rows = (gint64) infer_shape_count_range (data, 0, data->rank - 1);
  for (gint64 r = 0; r < rows; r++) {
    const gint64 tap = r % (p.kernel[0] * p.kernel[1]);
    const gint64 plane = r / (p.kernel[0] * p.kernel[1]);
    const gint64 first =
        tap / p.kernel[1] * window->dilations[0] - window->pads_begin[0];

    for (gint64 b = 0; b < p.blocks[0]; b++, src += p.blocks[1] * size) {
      const gint64 y = first + b * window->strides[0];

      if (y >= 0 && y < p.size[0])
        add_row (step, &p, tap % p.kernel[1],
            (guint8 *) step->out[0]->data
                + (plane * p.size[0] + y) * p.size[1] * size,
            src);
    }
  }
  return TRUE;
}

const CpuOp cpu_op_col2im = {
  .run = run_col2im,
};
