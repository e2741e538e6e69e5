/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Normalisations. */

#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/normalization.h"
#include "inference/onnx/ops/window.h"

#define X (n->inputs[0])

/* By the batch's own mean and variance. */
static void
batch_norm_of_batch (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  double momentum = onnx_float (n, "momentum", 0.9);
  InferPort old = onnx_scalar_like (n, n->inputs[3], momentum);
  InferPort fresh = onnx_scalar_like (n, n->inputs[3], 1 - momentum);
  InferPort axes, now[2], off;

  if (n->opset < 14) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "training mode before opset 14 is not supported");
    return;
  }
  gint64 list[INFER_MAX_RANK] = { 0 };
  for (int i = 2; i < rank; i++)
    list[i - 1] = i;
  axes = onnx_i64s (n, list, (guint) MAX (rank - 1, 1));
  now[0] = OP (n, "ReduceMean", "keep_dims=true", X, axes);
  off = OP (n, "Subtract", "", X, now[0]);
  now[1] = OP (n, "ReduceMean", "keep_dims=true",
      OP (n, "Multiply", "", off, off), axes);
  for (guint i = 0; i < 2; i++) {
    now[i] = onnx_convert (
        n, onnx_reshape (n, now[i], I64S (n, -1)), onnx_type (n->inputs[3]));
    n->outputs[1 + i] =
        OP (n, "Add", "", OP (n, "Multiply", "", n->inputs[3 + i], old),
            OP (n, "Multiply", "", now[i], fresh));
  }
  n->outputs[0] = OP (n, "BatchNormInference",
      ATTRS ("epsilon=%.9g", onnx_float (n, "epsilon", 1e-5)), X, n->inputs[1],
      n->inputs[2], now[0], now[1]);
}

void
onnx_import_batch_norm (OnnxNode *n)
{
  if (onnx_int (n, "spatial", 1) == 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "spatial=0 is not supported");
  if (onnx_int (n, "training_mode", 0) != 0
      || (n->opset < 7 && onnx_int (n, "is_test", 0) == 0)) {
    batch_norm_of_batch (n);
    return;
  }
  n->outputs[0] = OP (n, "BatchNormInference",
      ATTRS ("epsilon=%.9g", onnx_float (n, "epsilon", 1e-5)), X, n->inputs[1],
      n->inputs[2], n->inputs[3], n->inputs[4]);
}

/* Zero mean and unit variance over @axes. */
static InferPort
standardize (OnnxNode *n, InferPort x, InferPort axes, double epsilon)
{
  return OP (n, "MVN",
      ATTRS ("normalize_variance=true;eps_mode=inside_sqrt;eps=%.9g", epsilon),
      x, axes);
}

/* The axes [from, rank). */
static InferPort
axes_from (OnnxNode *n, int from, int rank)
{
  gint64 axes[INFER_MAX_RANK];

  for (int i = from; i < rank; i++)
    axes[i - from] = i;
  return onnx_i64s (n, axes, (guint) MAX (rank - from, 0));
}

/* @values [channels] as [1, channels, 1, …]. */
static InferPort
per_channel (OnnxNode *n, InferPort values, int rank)
{
  gint64 shape[INFER_MAX_RANK] = { 1, -1 };

  for (int i = 2; i < rank; i++)
    shape[i] = 1;
  return onnx_reshape (n, values, onnx_i64s (n, shape, (guint) rank));
}

void
onnx_import_instance_norm (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  InferPort y = standardize (
      n, X, axes_from (n, 2, rank), onnx_float (n, "epsilon", 1e-5));

  y = OP (n, "Multiply", "", y, per_channel (n, n->inputs[1], rank));
  n->outputs[0] = OP (n, "Add", "", y, per_channel (n, n->inputs[2], rank));
}

/* Computed in f32, as stash_type says. */
void
onnx_add_layer_norm (OnnxNode *n, InferPort x, gint64 axis, double epsilon,
    InferPort scale, InferPort bias)
{
  int rank = onnx_known_rank (n, x);
  InferType type = onnx_known_type (n, x);
  InferPort axes = axes_from (n, (int) onnx_axis (n, axis, rank), rank), y;

  x = onnx_convert (n, x, INFER_TYPE_F32);
  y = OP (n, "Multiply", "",
      onnx_convert (n, standardize (n, x, axes, epsilon), type), scale);
  n->outputs[0] = bias.op != NULL ? OP (n, "Add", "", y, bias) : y;
  if (!onnx_wants (n, 1) && !onnx_wants (n, 2))
    return;
  InferPort mean = OP (n, "ReduceMean", "keep_dims=true", x, axes);
  InferPort off = OP (n, "Subtract", "", x, mean);
  InferPort variance = OP (n, "ReduceMean", "keep_dims=true",
      OP (n, "Multiply", "", off, off), axes);
  InferPort deviation = OP (n, "Sqrt", "",
      OP (n, "Add", "", variance, onnx_scalar (n, INFER_TYPE_F32, epsilon)));
  n->outputs[1] = mean;
  n->outputs[2] =
      OP (n, "Divide", "", onnx_scalar (n, INFER_TYPE_F32, 1), deviation);
}

void
onnx_import_layer_norm (OnnxNode *n)
{
  onnx_add_layer_norm (n, X, onnx_int (n, "axis", -1),
      onnx_float (n, "epsilon", 1e-5), n->inputs[1], n->inputs[2]);
}

void
onnx_add_rms_norm (
    OnnxNode *n, InferPort x, gint64 axis, double epsilon, InferPort scale)
{
  int rank = onnx_known_rank (n, x);
  InferType type = onnx_known_type (n, x);
  InferPort axes = axes_from (n, (int) onnx_axis (n, axis, rank), rank);

  x = onnx_convert (n, x, INFER_TYPE_F32);
  InferPort mean = OP (
      n, "ReduceMean", "keep_dims=true", OP (n, "Multiply", "", x, x), axes);
  InferPort root = OP (n, "Sqrt", "",
      OP (n, "Add", "", mean, onnx_scalar (n, INFER_TYPE_F32, epsilon)));
  n->outputs[0] = OP (n, "Multiply", "",
      onnx_convert (n, OP (n, "Divide", "", x, root), type), scale);
  if (onnx_wants (n, 1) || onnx_wants (n, 2))
    n->outputs[1] =
        OP (n, "Divide", "", onnx_scalar (n, INFER_TYPE_F32, 1), root);
}

/* Also SimplifiedLayerNormalization, as ONNX Runtime calls it. */
void
onnx_import_rms_norm (OnnxNode *n)
{
  onnx_add_rms_norm (n, X, onnx_int (n, "axis", -1),
      onnx_float (n, "epsilon", 1e-5), n->inputs[1]);
}

/* Before opset 21, scale and bias are of groups. */
void
onnx_import_group_norm (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 groups = onnx_int (n, "num_groups", 1);
  InferPort shape = onnx_shape_of (n, X);
  InferPort x = onnx_reshape (n, X,
      OP (n, "Concat", "axis=0",
          OP (n, "Slice", "", shape, I64S (n, 0), I64S (n, 1), I64S (n, 1)),
          I64S (n, groups, -1)));
  InferPort y =
      standardize (n, x, I64S (n, 2), onnx_float (n, "epsilon", 1e-5));
  InferPort scale = n->inputs[1], bias = n->inputs[2];

  if (n->opset < 21) {
    y = OP (n, "Multiply", "", y, onnx_reshape (n, scale, I64S (n, 1, -1, 1)));
    y = OP (n, "Add", "", y, onnx_reshape (n, bias, I64S (n, 1, -1, 1)));
    n->outputs[0] = onnx_reshape (n, y, shape);
    return;
  }
  y = onnx_reshape (n, y, shape);
  y = OP (n, "Multiply", "", y, per_channel (n, scale, rank));
  n->outputs[0] = OP (n, "Add", "", y, per_channel (n, bias, rank));
}

void
onnx_import_lrn (OnnxNode *n)
{
  n->outputs[0] = OP (n, "LRN",
      ATTRS ("alpha=%.9g;beta=%.9g;bias=%.9g;size=%" G_GINT64_FORMAT,
          onnx_float (n, "alpha", 1e-4), onnx_float (n, "beta", 0.75),
          onnx_float (n, "bias", 1), onnx_int (n, "size", 1)),
      X, I64S (n, 1));
}

void
onnx_import_mvn (OnnxNode *n)
{
  const GArray *axes = onnx_ints (n, "axes");

  n->outputs[0] = standardize (
      n, X, axes != NULL ? onnx_i64_list (n, axes) : I64S (n, 0, 2, 3), 1e-9);
}

void
onnx_import_lp_norm (OnnxNode *n)
{
  InferPort axis = I64S (n, onnx_int (n, "axis", -1));
  InferPort length = OP (n, onnx_int (n, "p", 2) == 1 ? "ReduceL1" : "ReduceL2",
      "keep_dims=true", X, axis);
  InferPort zero = onnx_scalar_like (n, X, 0);

  n->outputs[0] = OP (n, "Select", "", OP (n, "Equal", "", length, zero), zero,
      OP (n, "Divide", "", X, length));
}
