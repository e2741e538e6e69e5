/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/signal.h"

#include "cpu/gemm/fourier/fft.h"
#include "cpu/base/widen.h"

#include <string.h>

/* DFT, IDFT, RDFT, IRDFT: the data is copied, truncated or padded, to a complex
 * array of the transform's shape; each axis is transformed; the result is
 * copied out. */

typedef struct
{
  CpuWiden widen;
  InferFourier kind;
  gboolean inverse;
  CpuFftCache ffts;
  gsize room; /* complex numbers in the scratch memory */
} Fourier;

static void
fourier_release (gpointer priv)
{
  Fourier *fourier = priv;
  cpu_fft_cache_clear (&fourier->ffts);
  g_free (fourier);
}

static GArray *
read_ints (const CpuValue *value)
{
  GArray *ints = g_array_sized_new (
      FALSE, FALSE, sizeof (gint64), (guint) MAX (value->n, 1));
  g_array_set_size (ints, (guint) value->n);
  infer_convert (
      ints->data, INFER_TYPE_I64, value->data, value->desc.type, value->n);
  return ints;
}

static gboolean
read_axes (const CpuStep *step, InferFourier kind, InferFourierAxes *axes,
    GError **error)
{
  g_autoptr (GArray) list = read_ints (step->in[1]);
  g_autoptr (GArray) sizes =
      cpu_has_in (step, 2) ? read_ints (step->in[2]) : NULL;
  return infer_fourier_axes (
      kind, cpu_in_shape (step, 0), list, sizes, axes, error);
}

/* The shape that is transformed, without the complex dim. */
static InferShape
inner_shape (
    const CpuStep *step, InferFourier kind, const InferFourierAxes *axes)
{
  InferShape shape = *cpu_in_shape (step, 0);
  if (kind != INFER_FOURIER_REAL)
    shape.rank--;
  for (guint i = 0; i < axes->n; i++)
    shape.dims[axes->axes[i]] = axes->sizes[i];
  return shape;
}

static gboolean
known_axes (const CpuStep *step)
{
  return step->in[1]->constant
         && (!cpu_has_in (step, 2) || step->in[2]->constant);
}

static gboolean
fourier_prepare (
    CpuStep *step, InferFourier kind, gboolean inverse, GError **error)
{
  Fourier *fourier = g_new0 (Fourier, 1);
  step->priv = fourier;
  step->kernel = "fft_f64";
  fourier->kind = kind;
  fourier->inverse = inverse;
  /* If the axes are unknown, any of them may expand from half a spectrum to a
   * whole one. */
  const InferShape *out = cpu_out_shape (step, 0);
  gsize room = infer_shape_count (out);
  gsize longest = 1;
  for (int i = 0; i < out->rank; i++)
    longest = MAX (longest, 2 * (gsize) out->dims[i] + 2);
  if (!g_size_checked_mul (&room, room, 2)
      || !g_size_checked_add (&fourier->room, room, longest))
    return infer_fail (error, INFER_ERROR_NO_MEMORY, "the result is too large");
  if (known_axes (step)) {
    InferFourierAxes axes;
    if (!read_axes (step, kind, &axes, error))
      return FALSE;
    for (guint i = 0; i < axes.n; i++)
      if (axes.sizes[i] > 0
          && !cpu_fft_cache_get (&fourier->ffts, (gsize) axes.sizes[i]))
        return infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory");
  }
  return cpu_widen_prepare (&fourier->widen, step, INFER_TYPE_F64,
      1 << 1 | 1 << 2, cpu_scratch_add (0, fourier->room, sizeof (CpuComplex)),
      error);
}

/* Calls the function for each line of @shape along @axis, with the offset of
 * its first element and its stride. */
#define FOR_LINES(shape, axis, offset, step)                                   \
  for (gsize                                                                   \
           step = infer_shape_count_range (shape, (axis) + 1, (shape)->rank),  \
           outer_ = infer_shape_count_range (shape, 0, axis),                  \
           length_ = (gsize) (shape)->dims[axis], line_ = 0, offset = 0;       \
       line_ < outer_ * step;                                                  \
       line_++, offset = line_ / step * step * length_ + line_ % step)

static void
transform_axis (CpuFft *fft, const InferShape *shape, int axis,
    CpuComplex *data, CpuComplex *line, gboolean inverse)
{
  gsize n = (gsize) shape->dims[axis];
  FOR_LINES (shape, axis, offset, step)
  {
    for (gsize i = 0; i < n; i++)
      line[i] = data[offset + i * step];
    cpu_fft_run (fft, line, inverse);
    for (gsize i = 0; i < n; i++)
      data[offset + i * step] = line[i];
  }
}

/* Frequencies above the middle are the conjugates of those below. */
static void
mirror_axis (const InferShape *shape, int axis, CpuComplex *data)
{
  gsize n = (gsize) shape->dims[axis];
  FOR_LINES (shape, axis, offset, step)
  for (gsize i = n / 2 + 1; i < n; i++) {
    CpuComplex value = data[offset + (n - i) * step];
    data[offset + i * step] = (CpuComplex){ value.re, -value.im };
  }
}

/* Copies the intersection of both shapes; the rest of @to becomes zero.
 * @parts: doubles of an element of @from. */
static void
load (CpuComplex *to, const InferShape *shape, const double *from,
    const InferShape *data, guint parts)
{
  gsize n = infer_shape_count (shape);
  gint64 index[INFER_MAX_RANK] = { 0 }, strides[INFER_MAX_RANK];
  InferShape complex_shape = *data;
  complex_shape.rank = shape->rank;
  infer_shape_strides (&complex_shape, strides);
  for (gsize i = 0; i < n; i++) {
    gint64 at = 0;
    gboolean inside = TRUE;
    for (int d = 0; d < shape->rank; d++) {
      inside = inside && index[d] < data->dims[d];
      at += index[d] * strides[d];
    }
    to[i] = (CpuComplex){ 0, 0 };
    if (inside)
      to[i] =
          (CpuComplex){ from[at * parts], parts == 2 ? from[at * 2 + 1] : 0 };
    for (int d = shape->rank - 1; d >= 0 && ++index[d] == shape->dims[d]; d--)
      index[d] = 0;
  }
}

static void
store (double *to, const CpuComplex *from, const InferShape *shape,
    InferFourier kind, int half_axis)
{
  gsize n = infer_shape_count (shape);
  if (kind == INFER_FOURIER_INVERSE_REAL) {
    for (gsize i = 0; i < n; i++)
      to[i] = from[i].re;
    return;
  }
  gsize inner = 1, length = 1, half = 1;
  if (kind == INFER_FOURIER_REAL) {
    inner = infer_shape_count_range (shape, half_axis + 1, shape->rank);
    length = (gsize) shape->dims[half_axis];
    half = length / 2 + 1;
  }
  for (gsize i = 0; i < n; i++) {
    if (i / inner % length >= half)
      continue;
    *to++ = from[i].re;
    *to++ = from[i].im;
  }
}

static gboolean
fourier_run (CpuStep *step, GError **error)
{
  Fourier *fourier = step->priv;
  InferFourierAxes axes;
  if (step->out[0]->n == 0)
    return TRUE;
  if (!read_axes (step, fourier->kind, &axes, error))
    return FALSE;
  InferShape shape = inner_shape (step, fourier->kind, &axes);
  gsize n = infer_shape_count (&shape);
  CpuComplex *data = cpu_widen_more (&fourier->widen, step);
  CpuComplex *line = data + n;
  int last = axes.axes[axes.n - 1];
  /* The shapes of a run correspond to those of prepare. */
  g_assert (n <= fourier->room);
  load (data, &shape, cpu_widen_in (&fourier->widen, step, 0),
      cpu_in_shape (step, 0), fourier->kind == INFER_FOURIER_REAL ? 1 : 2);
  for (guint i = 0; i < axes.n; i++) {
    CpuFft *fft = cpu_fft_cache_get (&fourier->ffts, (gsize) axes.sizes[i]);
    if (!fft)
      return infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory");
    if (fourier->kind == INFER_FOURIER_INVERSE_REAL && i + 1 == axes.n)
      mirror_axis (&shape, last, data);
    transform_axis (fft, &shape, axes.axes[i], data, line, fourier->inverse);
  }
  store (cpu_widen_out (&fourier->widen, step, 0), data, &shape, fourier->kind,
      last);
  cpu_widen_finish (&fourier->widen, step);
  return TRUE;
}

#define FOURIER(symbol, kind, inverse)                                         \
  static gboolean prepare_##symbol (CpuStep *step, GError **error)             \
  {                                                                            \
    return fourier_prepare (step, kind, inverse, error);                       \
  }                                                                            \
  const CpuOp cpu_op_##symbol = {                                              \
    .prepare = prepare_##symbol,                                               \
    .run = fourier_run,                                                        \
    .release = fourier_release,                                                \
  };

/* clang-format off */
FOURIER (dft, INFER_FOURIER_COMPLEX, FALSE)
FOURIER (idft, INFER_FOURIER_COMPLEX, TRUE)
FOURIER (rdft, INFER_FOURIER_REAL, FALSE)
FOURIER (irdft, INFER_FOURIER_INVERSE_REAL, TRUE)
/* clang-format on */
