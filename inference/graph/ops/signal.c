/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/signal.h"
#include "inference/graph/work.h"

#include <string.h>

/* A real transform keeps half of the frequencies of the last axis: from m
 * complex to 2 (m - 1) real values. */
static gint64
default_size (InferFourier kind, gint64 dim, gboolean last)
{
  return kind == INFER_FOURIER_INVERSE_REAL && last && dim >= 0 ? 2 * (dim - 1)
                                                                : dim;
}

gboolean
infer_fourier_axes (InferFourier kind, const InferShape *data,
    const GArray *axes, const GArray *sizes, InferFourierAxes *out,
    GError **error)
{
  int rank = data->rank - (kind == INFER_FOURIER_REAL ? 0 : 1);
  guint32 seen = 0;
  if (axes->len == 0 || (int) axes->len > rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u axes for data of rank %d", axes->len, data->rank);
  if (sizes != NULL && sizes->len != axes->len)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u signal sizes for %u axes", sizes->len, axes->len);
  out->n = axes->len;
  for (guint i = 0; i < axes->len; i++) {
    gint64 axis = g_array_index (axes, gint64, i);
    gint64 size = sizes != NULL ? g_array_index (sizes, gint64, i) : -1;
    if (axis < -rank || axis >= rank)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " is not between %d and %d", axis, -rank,
          rank - 1);
    axis += axis < 0 ? rank : 0;
    if (seen >> axis & 1)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT " is given twice", axis);
    seen |= (guint32) 1 << axis;
    if (size == -1)
      size = default_size (kind, data->dims[axis], i + 1 == axes->len);
    else if (size < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "signal size %" G_GINT64_FORMAT, size);
    out->axes[i] = (int) axis;
    out->sizes[i] = size < 0 ? INFER_DYNAMIC : size;
  }
  return TRUE;
}

static gboolean
check_fourier (
    const InferShapeContext *context, InferFourier kind, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  int min = kind == INFER_FOURIER_REAL ? 1 : 2;
  if (!infer_require_reals (context, 0, min, INFER_MAX_RANK - 1, error)
      || !infer_require_integers (context, 1, 1, 1, error))
    return FALSE;
  if (context->n_inputs > 2
      && (!infer_require_integers (context, 2, 1, 1, error)))
    return FALSE;
  if (kind == INFER_FOURIER_REAL || data->rank < 0)
    return TRUE;
  gint64 last = data->dims[data->rank - 1];
  return last == 2 || last == INFER_DYNAMIC
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "the last dimension of complex data is %" G_GINT64_FORMAT
             ", not 2",
             last);
}

static gboolean
fourier_infer (InferShapeContext *context, InferFourier kind, GError **error)
{
  const InferShape *data = &context->inputs[0].shape;
  InferShape *shape = &context->outputs[0].shape;
  g_autoptr (GArray) axes = NULL;
  g_autoptr (GArray) sizes = NULL;
  context->outputs[0].type = context->inputs[0].type;
  if (!check_fourier (context, kind, error))
    return FALSE;
  if (data->rank < 0)
    return TRUE;
  *shape = *data;
  if (kind == INFER_FOURIER_INVERSE_REAL)
    shape->rank--;
  if (kind == INFER_FOURIER_REAL)
    shape->dims[shape->rank++] = 2;
  else if (kind == INFER_FOURIER_COMPLEX)
    shape->dims[shape->rank - 1] = 2;
  if (!infer_input_ints (context, 1, &axes, error)
      || (context->n_inputs > 2
          && !infer_input_ints (context, 2, &sizes, error)))
    return FALSE;
  gboolean known = axes != NULL && (sizes != NULL || context->n_inputs < 3);
  int dims = shape->rank - (kind == INFER_FOURIER_INVERSE_REAL ? 0 : 1);
  for (int i = 0; i < dims && !known; i++)
    shape->dims[i] = INFER_DYNAMIC;
  if (!known)
    return TRUE;
  InferFourierAxes all;
  if (!infer_fourier_axes (kind, data, axes, sizes, &all, error))
    return FALSE;
  for (guint i = 0; i < all.n; i++) {
    gint64 size = all.sizes[i];
    if (kind == INFER_FOURIER_REAL && i + 1 == all.n && size >= 0)
      size = size / 2 + 1;
    shape->dims[all.axes[i]] = size;
  }
  return TRUE;
}

static gboolean
complex_infer (InferShapeContext *context, GError **error)
{
  return fourier_infer (context, INFER_FOURIER_COMPLEX, error);
}

static gboolean
real_infer (InferShapeContext *context, GError **error)
{
  return fourier_infer (context, INFER_FOURIER_REAL, error);
}

static gboolean
inverse_real_infer (InferShapeContext *context, GError **error)
{
  return fourier_infer (context, INFER_FOURIER_INVERSE_REAL, error);
}

#define FOURIER(symbol, name, since, function)                                 \
  const InferOpClass infer_op_##symbol = {                                     \
    .type = name,                                                              \
    .versions = since,                                                         \
    .min_inputs = 2,                                                           \
    .max_inputs = 3,                                                           \
    .value_inputs = 1 << 1 | 1 << 2,                                           \
    .infer_shapes = function,                                                  \
    .work = infer_work_pairs,                                                  \
  };

/* clang-format off */
FOURIER (dft, "DFT", "7", complex_infer)
FOURIER (idft, "IDFT", "7", complex_infer)
FOURIER (rdft, "RDFT", "9", real_infer)
FOURIER (irdft, "IRDFT", "9", inverse_real_infer)
/* clang-format on */

/* --- STFT, ISTFT --- */

static gboolean
stft_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferStft *attrs = op->attrs;
  return infer_attr_require (from, error, "transpose_frames", NULL)
         && infer_attr_bool (
             from, "transpose_frames", &attrs->transpose_frames, error);
}

static gboolean
istft_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferStft *attrs = op->attrs;
  return infer_attr_require (from, error, "center", "normalized", NULL)
         && infer_attr_bool (from, "center", &attrs->center, error)
         && infer_attr_bool (from, "normalized", &attrs->normalized, error);
}

/* A single integer; *@value stays -1 if unknown. */
static gboolean
positive_input (const InferShapeContext *context, guint input, gint64 min,
    gint64 *value, GError **error)
{
  gboolean known;
  if (!infer_require_rank (context, input, 0, 1, error)
      || !infer_input_number (context, input, value, &known, error))
    return FALSE;
  if (!known)
    *value = INFER_DYNAMIC;
  return !known || *value >= min
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "input %u is not one number of at least %" G_GINT64_FORMAT, input,
             min);
}

static gboolean
check_window (const InferShapeContext *context, gint64 frame, GError **error)
{
  const InferShape *window = &context->inputs[1].shape;
  if (!infer_require_rank (context, 1, 1, 1, error))
    return FALSE;
  return window->rank < 0 || frame < 0 || window->dims[0] <= frame
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "a window of %" G_GINT64_FORMAT
             " is longer than the frame of %" G_GINT64_FORMAT,
             window->dims[0], frame);
}

static gboolean
stft_infer (InferShapeContext *context, GError **error)
{
  const InferStft *attrs = context->op->attrs;
  const InferShape *signal = &context->inputs[0].shape;
  InferDesc *out = &context->outputs[0];
  gint64 frame, step;
  if (!infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_reals (context, 0, 1, 2, error)
      || !positive_input (context, 2, 1, &frame, error)
      || !positive_input (context, 3, 1, &step, error)
      || !check_window (context, frame, error))
    return FALSE;
  if (signal->rank < 0)
    return TRUE;
  gint64 length = signal->dims[signal->rank - 1], frames = INFER_DYNAMIC;
  if (length >= 0 && frame > length)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a frame of %" G_GINT64_FORMAT
        " is longer than the signal of %" G_GINT64_FORMAT,
        frame, length);
  if (length >= 0 && frame > 0 && step > 0)
    frames = (length - frame) / step + 1;
  gint64 bins = frame < 0 ? INFER_DYNAMIC : frame / 2 + 1;
  InferShape shape = infer_shape_scalar ();
  if (signal->rank == 2)
    shape.dims[shape.rank++] = signal->dims[0];
  shape.dims[shape.rank++] = attrs->transpose_frames ? bins : frames;
  shape.dims[shape.rank++] = attrs->transpose_frames ? frames : bins;
  shape.dims[shape.rank++] = 2;
  out->shape = shape;
  return TRUE;
}

static gboolean
check_spectrum (const InferShape *data, gint64 frame, GError **error)
{
  gint64 bins = data->dims[data->rank - 3], last = data->dims[data->rank - 1];
  gint64 unused;
  return infer_merge_dims (
             last, 2, &unused, "the parts of a complex number", error)
         && (frame < 0
             || infer_merge_dims (
                 bins, frame / 2 + 1, &unused, "the frequencies", error));
}

static gboolean
istft_infer (InferShapeContext *context, GError **error)
{
  const InferStft *attrs = context->op->attrs;
  const InferShape *data = &context->inputs[0].shape;
  InferDesc *out = &context->outputs[0];
  gboolean given = context->n_inputs > 4 && context->op->inputs[4].op != NULL;
  gint64 frame, step, length = INFER_DYNAMIC;
  if (!infer_merge_types (context, 0, 2, &out->type, error)
      || !infer_require_reals (context, 0, 3, 4, error)
      || !positive_input (context, 2, 1, &frame, error)
      || !positive_input (context, 3, 1, &step, error)
      || (given && !positive_input (context, 4, 0, &length, error))
      || !check_window (context, frame, error))
    return FALSE;
  if (data->rank < 0)
    return TRUE;
  if (!check_spectrum (data, frame, error))
    return FALSE;
  gint64 frames = data->dims[data->rank - 2];
  if (!given && frames > 0 && step > 0 && frame > 0) {
    if (!g_uint64_checked_mul (
            (guint64 *) &length, (guint64) (frames - 1), (guint64) step)
        || length < 0 || length > G_MAXINT64 - frame)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "frame step %" G_GINT64_FORMAT " is too large", step);
    length += attrs->center ? 0 : frame;
  }
  out->shape = data->rank == 4 ? infer_shape_make (2, data->dims[0], length)
                               : infer_shape_make (1, length);
  return TRUE;
}

const InferOpClass infer_op_stft = {
  .type = "STFT",
  .versions = "15",
  .min_inputs = 4,
  .value_inputs = 1 << 2 | 1 << 3,
  .attrs_size = sizeof (InferStft),
  .parse = stft_parse,
  .infer_shapes = stft_infer,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_istft = {
  .type = "ISTFT",
  .versions = "16",
  .min_inputs = 4,
  .max_inputs = 5,
  .value_inputs = 1 << 2 | 1 << 3 | 1 << 4,
  .attrs_size = sizeof (InferStft),
  .parse = istft_parse,
  .infer_shapes = istft_infer,
  .work = infer_work_pairs,
};
