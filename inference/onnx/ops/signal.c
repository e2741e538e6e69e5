/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fourier transforms, windows, and convolutions of streams. */

#include <math.h>

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

/* --- DFT --- */

/* The axis: an attribute before opset 20, then an input. */
static InferPort
dft_axis (OnnxNode *n, int rank)
{
  if (n->opset < 20 || !onnx_given (n, 2))
    return I64S (
        n, onnx_axis (n, onnx_int (n, "axis", n->opset < 20 ? 1 : -2), rank));
  return OP (n, "FloorMod", "",
      onnx_reshape (
          n, onnx_convert (n, n->inputs[2], INFER_TYPE_I64), I64S (n, 1)),
      onnx_i64 (n, rank));
}

/* [..., 2]: with an imaginary part of zero where the input has none. */
static InferPort
as_complex (OnnxNode *n, InferPort x, int rank)
{
  if (onnx_dim (x, rank - 1) == 2)
    return x;
  if (onnx_dim (x, rank - 1) != 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "whether its input is complex must be known");
  return OP (n, "Concat", "axis=-1", x,
      OP (n, "Multiply", "", x, onnx_scalar_like (n, x, 0)));
}

void
onnx_import_dft (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gboolean inverse = onnx_int (n, "inverse", 0) != 0;
  gboolean onesided = onnx_int (n, "onesided", 0) != 0;
  InferPort x = as_complex (n, X, rank), axes = dft_axis (n, rank), length, y;

  length = onnx_given (n, 1) ? onnx_reshape (
               n, onnx_convert (n, n->inputs[1], INFER_TYPE_I64), I64S (n, 1))
                             : OP (n, "Gather", "", onnx_shape_of (n, X), axes,
                                 onnx_i64 (n, 0));
  if (inverse && onesided) {
    if (!onnx_given (n, 1))
      length = OP (n, "Multiply", "",
          OP (n, "Subtract", "", length, I64S (n, 1)), I64S (n, 2));
    n->outputs[0] =
        onnx_unsqueeze (n, OP (n, "IRDFT", "", x, axes, length), rank - 1);
    return;
  }
  y = OP (n, inverse ? "IDFT" : "DFT", "", x, axes, length);
  if (onesided)
    y = OP (n, "Slice", "", y, I64S (n, 0),
        OP (n, "Add", "", OP (n, "Divide", "", length, I64S (n, 2)),
            I64S (n, 1)),
        I64S (n, 1), axes);
  n->outputs[0] = y;
}

/* --- STFT --- */

/* Frames of the signal [batch, time, 1 or 2], each times the window. */
void
onnx_import_stft (OnnxNode *n)
{
  InferType type = onnx_known_type (n, X);
  gboolean onesided = onnx_int (n, "onesided", 1) != 0;
  int rank = onnx_rank (X) < 0 ? 3 : onnx_rank (X);
  InferPort step = onnx_as_scalar (n, n->inputs[1]), window = n->inputs[2];
  InferPort size = onnx_given (n, 3)
                       ? onnx_as_scalar (n, n->inputs[3])
                       : onnx_as_scalar (n, onnx_dim_of (n, window, 0));
  InferPort x = rank == 2 ? onnx_unsqueeze (n, X, 2) : X, at, frames, count;

  step = onnx_convert (n, step, INFER_TYPE_I64);
  size = onnx_convert (n, size, INFER_TYPE_I64);
  count = OP (n, "Add", "",
      OP (n, "Divide", "",
          OP (n, "Subtract", "", onnx_as_scalar (n, onnx_dim_of (n, x, 1)),
              size),
          step),
      onnx_i64 (n, 1));
  at = OP (n, "Add", "",
      onnx_unsqueeze (
          n, OP (n, "Multiply", "", onnx_count_to (n, count), step), 1),
      onnx_unsqueeze (n, onnx_count_to (n, size), 0));
  /* [batch, frame, time, 1 or 2] */
  frames = OP (n, "Gather", "", as_complex (n, x, 3), at, onnx_i64 (n, 1));
  if (window.op != NULL)
    frames = OP (n, "Multiply", "", frames,
        onnx_unsqueeze (n, onnx_convert (n, window, type), 1));
  frames = OP (n, "DFT", "", frames, I64S (n, 2));
  if (onesided)
    frames = OP (n, "Slice", "", frames, I64S (n, 0),
        onnx_reshape (n,
            OP (n, "Add", "", OP (n, "Divide", "", size, onnx_i64 (n, 2)),
                onnx_i64 (n, 1)),
            I64S (n, 1)),
        I64S (n, 1), I64S (n, 2));
  n->outputs[0] = frames;
}

/* --- windows --- */

/* The sum of @weights [k] cos (2 π k i / length), alternating. */
static void
cosine_window (OnnxNode *n, const double weights[3])
{
  InferType type = onnx_type_attribute (n, "output_datatype", INFER_TYPE_F32);
  InferPort size = onnx_convert (
      n, onnx_reshape (n, X, onnx_i64s (n, NULL, 0)), INFER_TYPE_I64);
  InferPort index = onnx_convert (n,
      OP (n, "Range", "output_type=i64", onnx_i64 (n, 0), size,
          onnx_i64 (n, 1)),
      INFER_TYPE_F64);
  InferPort length = onnx_convert (n, size, INFER_TYPE_F64), y;

  if (onnx_int (n, "periodic", 1) == 0)
    length = OP (n, "Subtract", "", length, onnx_scalar (n, INFER_TYPE_F64, 1));
  y = onnx_scalar (n, INFER_TYPE_F64, weights[0]);
  for (guint k = 1; k < 3 && weights[k] != 0; k++) {
    InferPort angle = OP (n, "Divide", "",
        OP (n, "Multiply", "", index,
            onnx_scalar (n, INFER_TYPE_F64, 2 * G_PI * k)),
        length);

    y = OP (n, k == 1 ? "Subtract" : "Add", "", y,
        OP (n, "Multiply", "", OP (n, "Cos", "", angle),
            onnx_scalar (n, INFER_TYPE_F64, weights[k])));
  }
  n->outputs[0] = onnx_convert (n, y, type);
}

void
onnx_import_hann_window (OnnxNode *n)
{
  cosine_window (n, (const double[]){ 0.5, 0.5, 0 });
}

void
onnx_import_hamming_window (OnnxNode *n)
{
  cosine_window (n, (const double[]){ 25.0 / 46, 1 - 25.0 / 46, 0 });
}

void
onnx_import_blackman_window (OnnxNode *n)
{
  cosine_window (n, (const double[]){ 0.42, 0.5, 0.08 });
}

/* --- MelWeightMatrix --- */

#define F64(value) (onnx_scalar (n, INFER_TYPE_F64, value))

static InferPort
binary (OnnxNode *n, const char *type, InferPort a, InferPort b)
{
  return OP (n, type, "", a, b);
}

/* Of a frequency: 2595 log10 (1 + f / 700). */
static InferPort
mel_of (OnnxNode *n, InferPort f)
{
  f = binary (n, "Add", F64 (1), binary (n, "Divide", f, F64 (700)));
  return binary (n, "Multiply", OP (n, "Log", "", f), F64 (2595 / log (10)));
}

/* The bins [bands + 2] of frequencies that lie evenly on the mel scale. */
static InferPort
corners_of (OnnxNode *n, const InferPort in[5])
{
  InferPort count = binary (n, "Add", in[0], F64 (2));
  InferPort low = mel_of (n, in[3]), high = mel_of (n, in[4]), f;
  InferPort step =
      binary (n, "Divide", binary (n, "Subtract", high, low), count);

  f = onnx_convert (n,
      onnx_count_to (n, onnx_convert (n, count, INFER_TYPE_I64)),
      INFER_TYPE_F64);
  f = binary (n, "Add", binary (n, "Multiply", f, step), low);
  f = OP (n, "Exp", "", binary (n, "Multiply", f, F64 (log (10) / 2595)));
  f = binary (n, "Multiply", binary (n, "Subtract", f, F64 (1)), F64 (700));
  f = binary (n, "Multiply", f, binary (n, "Add", in[1], F64 (1)));
  return OP (n, "Floor", "", binary (n, "Divide", f, in[2]));
}

/* Triangles [bin, band] between three corners each. */
void
onnx_import_mel_weight_matrix (OnnxNode *n)
{
  InferType type = onnx_type_attribute (n, "output_datatype", INFER_TYPE_F32);
  InferPort in[5], corners, left, middle, right, bin, up, down, y;

  for (guint i = 0; i < 5; i++)
    in[i] = onnx_convert (n, onnx_as_scalar (n, n->inputs[i]), INFER_TYPE_F64);
  corners = corners_of (n, in);
  left = onnx_slice (n, corners, 0, -2, 0);
  middle = onnx_slice (n, corners, 1, -1, 0);
  right = onnx_slice (n, corners, 2, G_MAXINT64, 0);
  bin = binary (n, "Add",
      OP (n, "Floor", "", binary (n, "Divide", in[1], F64 (2))), F64 (1));
  bin = onnx_unsqueeze (n,
      onnx_convert (n, onnx_count_to (n, onnx_convert (n, bin, INFER_TYPE_I64)),
          INFER_TYPE_F64),
      1);
  up = binary (n, "Divide", binary (n, "Subtract", bin, left),
      binary (n, "Maximum", binary (n, "Subtract", middle, left), F64 (1)));
  down = binary (n, "Divide", binary (n, "Subtract", right, bin),
      binary (n, "Maximum", binary (n, "Subtract", right, middle), F64 (1)));
  y = binary (n, "Maximum", binary (n, "Minimum", up, down), F64 (0));
  n->outputs[0] = onnx_convert (n,
      OP (n, "Select", "", binary (n, "Equal", bin, middle), F64 (1), y), type);
}

/* --- convolution with a state --- */

/* [batch, channel, time], behind the last k - 1 samples of before. */
void
onnx_import_causal_conv (OnnxNode *n)
{
  InferPort w = n->inputs[1], past = n->inputs[3], x, y, zeros;
  InferPort channels =
      OP (n, "Gather", "", onnx_shape_of (n, w), I64S (n, 0), onnx_i64 (n, 0));
  gint64 k = onnx_dim (w, 2);
  g_autofree char *activation = onnx_text (n, "activation", "none");

  if (k < 1)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its kernel's size must be known");
  if (past.op == NULL) {
    zeros = OP (n, "Concat", "axis=0",
        OP (n, "Gather", "", onnx_shape_of (n, X), I64S (n, 0, 1),
            onnx_i64 (n, 0)),
        I64S (n, k - 1));
    past = OP (n, "Broadcast", "mode=numpy", onnx_scalar_like (n, X, 0), zeros);
  }
  x = OP (n, "Concat", "axis=2", past, X);
  w = onnx_reshape (
      n, w, OP (n, "Concat", "axis=0", channels, I64S (n, 1, 1, k)));
  y = onnx_add_bias (n,
      OP (n, "GroupConvolution",
          "strides=1;dilations=1;pads_begin=0;pads_end=0;auto_pad=explicit", x,
          w),
      n->inputs[2], 3);
  if (!g_str_equal (activation, "none"))
    y = OP (n, "Swish", "", y, onnx_scalar_like (n, X, 1));
  n->outputs[0] = y;
  n->outputs[1] = k == 1 ? past
                         : OP (n, "Slice", "", x, I64S (n, 1 - k),
                             I64S (n, G_MAXINT64), I64S (n, 1), I64S (n, 2));
}
