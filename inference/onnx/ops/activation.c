/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Activations with parameters. */

#include <float.h>
#include <math.h>

#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

void
onnx_import_elu (OnnxNode *n)
{
  n->outputs[0] =
      OP (n, "Elu", ATTRS ("alpha=%.9g", onnx_float (n, "alpha", 1)), X);
}

void
onnx_import_leaky_relu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "PRelu", "", X,
      onnx_scalar_like (n, X, onnx_float (n, "alpha", 0.01)));
}

/* The slope broadcasts towards the input only. */
void
onnx_import_prelu (OnnxNode *n)
{
  InferPort slope = n->inputs[1];

  /* Before opset 7: one for each channel. */
  if (n->opset < 7 && onnx_rank (slope) == 1 && onnx_dim (slope, 0) != 1) {
    gint64 shape[INFER_MAX_RANK] = { -1 };
    int rank = onnx_known_rank (n, X);

    for (int i = 1; i < rank - 1; i++)
      shape[i] = 1;
    slope = onnx_reshape (
        n, slope, onnx_i64s (n, shape, (guint) MAX (rank - 1, 1)));
  }
  InferPort negative = OP (n, "Multiply", "", X, slope);
  InferPort below = OP (n, "Less", "", X, onnx_scalar_like (n, X, 0));

  if (onnx_rank (slope) >= 0 && onnx_value (slope) != NULL
      && infer_shape_count (&onnx_value (slope)->shape) == 1)
    n->outputs[0] =
        OP (n, "PRelu", "", X, onnx_reshape (n, slope, I64S (n, 1)));
  else
    n->outputs[0] = OP (n, "Select", "", below, negative, X);
}

void
onnx_import_selu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Selu", "", X,
      onnx_scalar_like (n, X,
          onnx_float (
              n, "alpha", n->opset < 6 ? 1.6732 : 1.67326319217681884765625)),
      onnx_scalar_like (n, X,
          onnx_float (
              n, "gamma", n->opset < 6 ? 1.0507 : 1.05070102214813232421875)));
}

/* max (0, x) + min (0, alpha (exp (x / alpha) - 1)) */
void
onnx_import_celu (OnnxNode *n)
{
  double alpha = onnx_float (n, "alpha", 1);
  InferPort a = onnx_scalar_like (n, X, alpha);
  InferPort inner = OP (n, "Elu", "alpha=1", OP (n, "Divide", "", X, a));

  n->outputs[0] = OP (n, "Multiply", "", inner, a);
  if (alpha <= 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "an alpha of %g", alpha);
}

void
onnx_import_thresholded_relu (OnnxNode *n)
{
  InferPort alpha = onnx_scalar_like (n, X, onnx_float (n, "alpha", 1));

  n->outputs[0] = OP (n, "Select", "", OP (n, "Greater", "", X, alpha), X,
      onnx_scalar_like (n, X, 0));
}

void
onnx_import_hard_sigmoid (OnnxNode *n)
{
  n->outputs[0] = OP (n, "HardSigmoid", "", X,
      onnx_scalar_like (n, X, onnx_float (n, "alpha", 0.2)),
      onnx_scalar_like (n, X, onnx_float (n, "beta", 0.5)));
}

void
onnx_import_gelu (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Gelu",
      onnx_text_is (n, "approximate", "tanh", "none")
          ? "approximation_mode=TANH"
          : "approximation_mode=ERF",
      X);
}

/* x sigmoid (alpha x) */
void
onnx_import_swish (OnnxNode *n)
{
  n->outputs[0] = OP (
      n, "Swish", "", X, onnx_scalar_like (n, X, onnx_float (n, "alpha", 1)));
}

/* The swish of the first input times the second. */
void
onnx_import_swiglu (OnnxNode *n)
{
  onnx_import_swish (n);
  n->outputs[0] = OP (n, "Multiply", "", n->outputs[0], n->inputs[1]);
}

void
onnx_import_shrink (OnnxNode *n)
{
  double lambda = onnx_float (n, "lambd", 0.5);
  InferPort zero = onnx_scalar_like (n, X, 0);
  InferPort bias = onnx_scalar_like (n, X, onnx_float (n, "bias", 0));
  InferPort below = OP (n, "Less", "", X, onnx_scalar_like (n, X, -lambda));
  InferPort above = OP (n, "Greater", "", X, onnx_scalar_like (n, X, lambda));
  InferPort high =
      OP (n, "Select", "", above, OP (n, "Subtract", "", X, bias), zero);

  n->outputs[0] = OP (n, "Select", "", below, OP (n, "Add", "", X, bias), high);
}

/* --- Clip --- */

/* A bound that is absent or constant; FALSE: it is computed. */
static gboolean
constant_bound (InferPort port, double *bound)
{
  return port.op == NULL || infer_port_number (&port, bound);
}

static void
clip (OnnxNode *n, InferPort low, InferPort high)
{
  n->outputs[0] = X;
  if (low.op != NULL)
    n->outputs[0] = OP (n, "Maximum", "", n->outputs[0], low);
  if (high.op != NULL)
    n->outputs[0] = OP (n, "Minimum", "", n->outputs[0], high);
}

void
onnx_import_clip (OnnxNode *n)
{
  double low = -INFINITY, high = INFINITY;
  gboolean constant = TRUE;

  if (n->opset < 11) {
    low = onnx_float (n, "min", -FLT_MAX);
    high = onnx_float (n, "max", FLT_MAX);
  } else {
    constant = constant_bound (n->inputs[1], &low)
               && constant_bound (n->inputs[2], &high);
  }
  /* Bounds that cross: the upper one wins, which Clamp refuses. */
  if (constant && low <= high && infer_type_is_real (onnx_type (X)))
    n->outputs[0] = isinf (low) && isinf (high)
                        ? X
                        : OP (n, "Clamp",
                            ATTRS ("min=%.17g;max=%.17g", MAX (low, -DBL_MAX),
                                MIN (high, DBL_MAX)),
                            X);
  else if (n->opset < 11)
    clip (n, onnx_scalar_like (n, X, low), onnx_scalar_like (n, X, high));
  else
    clip (n, n->inputs[1], n->inputs[2]);
}

/* --- Softmax and its family --- */

/* Before opset 13 the input is a matrix: the axes before and from @axis. */
static InferPort
as_matrix (OnnxNode *n, gint64 axis)
{
  return onnx_reshape (n, X,
      OP (n, "Concat", "axis=0",
          onnx_product (n, onnx_shape_of (n, X), 0, axis), I64S (n, -1)));
}

void
onnx_import_softmax (OnnxNode *n)
{
  const char *type = n->type[0] == 'L' ? "LogSoftmax" : "Softmax";
  int rank = onnx_known_rank (n, X);
  gint64 axis =
      onnx_axis (n, onnx_int (n, "axis", n->opset < 13 ? 1 : -1), rank);

  if (rank == 0)
    n->outputs[0] = onnx_reshape (n,
        OP (n, type, "axis=0", onnx_reshape (n, X, I64S (n, 1))),
        onnx_i64s (n, NULL, 0));
  else if (n->opset >= 13 || axis == rank - 1)
    n->outputs[0] = OP (n, type, ATTRS ("axis=%" G_GINT64_FORMAT, axis), X);
  else
    n->outputs[0] = onnx_reshape (
        n, OP (n, type, "axis=1", as_matrix (n, axis)), onnx_shape_of (n, X));
}
