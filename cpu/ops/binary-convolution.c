/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Binary convolution: bits 0 and 1 of data and filters stand for -1 and 1;
 * padding stands for pad_value itself. */

#include "cpu/base/work-type.h"
#include "inference/graph/ops/convolution.h"

typedef struct
{
  InferWindowDim dims[2];
} Binary;

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferBinaryConvolution *attrs = step->op->attrs;
  Binary *binary = g_new0 (Binary, 1);

  step->priv = binary;
  cpu_step_need_scratch (
      step, cpu_work_bytes (step->in[0], INFER_TYPE_F32)
                + cpu_work_bytes (step->out[0], INFER_TYPE_F32));
  step->kernel = "ref_f32";
  return infer_window_resolve_all (&attrs->window, 2,
      cpu_in_shape (step, 0)->dims + 2, cpu_in_shape (step, 1)->dims + 2,
      binary->dims, error);
}

/* Bit @i, the lowest of a byte first: filters of this operation are stored so,
 * unlike u1 tensors elsewhere. */
static float
sign_of (const guint8 *bits, gsize i)
{
  return (bits[i / 8] >> i % 8 & 1) != 0 ? 1 : -1;
}

/* The sum over a filter whose first element is @bit; @y, @x: position of its
 * corner. */
static float
window_sum (const InferBinaryConvolution *attrs, const CpuStep *step,
    const float *data, gsize bit, gint64 y, gint64 x)
{
  const gint64 *in = cpu_in_shape (step, 0)->dims;
  const gint64 *k = cpu_in_shape (step, 1)->dims;
  const guint8 *filters = step->in[1]->data;
  float sum = 0;

  for (gint64 c = 0; c < in[1]; c++) {
    for (gint64 i = 0; i < k[2]; i++) {
      for (gint64 j = 0; j < k[3]; j++, bit++) {
        gint64 iy = y + i * attrs->window.dilations[0];
        gint64 ix = x + j * attrs->window.dilations[1];
        float v = (float) attrs->pad_value;

        if (iy >= 0 && iy < in[2] && ix >= 0 && ix < in[3])
          v = data[(c * in[2] + iy) * in[3] + ix] != 0 ? 1 : -1;
        sum += v * sign_of (filters, bit);
      }
    }
  }
  return sum;
}

static gboolean
run (CpuStep *step, GError **error)
{
  const InferBinaryConvolution *attrs = step->op->attrs;
  const Binary *binary = step->priv;
  const gint64 *in = cpu_in_shape (step, 0)->dims;
  const gint64 *k = cpu_in_shape (step, 1)->dims;
  const gint64 *out = cpu_out_shape (step, 0)->dims;
  char *scratch = step->scratch;
  const float *data = cpu_work_input (step->in[0], INFER_TYPE_F32, &scratch);
  float *result = cpu_work_memory (step->out[0], INFER_TYPE_F32, &scratch);
  float *to = result;

  for (gint64 n = 0; n < out[0]; n++, data += in[1] * in[2] * in[3]) {
    for (gint64 o = 0; o < out[1]; o++) {
      for (gint64 y = 0; y < out[2]; y++) {
        for (gint64 x = 0; x < out[3] && !cpu_step_is_cancelled (step); x++)
          *to++ =
              window_sum (attrs, step, data, (gsize) (o * in[1] * k[2] * k[3]),
                  y * attrs->window.strides[0] - binary->dims[0].pad_begin,
                  x * attrs->window.strides[1] - binary->dims[1].pad_begin);
      }
    }
  }
  cpu_work_output (step->out[0], INFER_TYPE_F32, result);
  return TRUE;
}

const CpuOp cpu_op_binary_convolution = {
  .prepare = prepare,
  .run = run,
};
