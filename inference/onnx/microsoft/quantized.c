/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations of quantised values. */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/ops/quantize.h"

/* Input @k, whose scale and zero point are the two inputs behind it. */
static InferPort
real (OnnxNode *n, guint k)
{
  return onnx_dequantize (
      n, n->inputs[k], onnx_scale_of (n, k + 1, k + 2), INFER_TYPE_F32);
}

/* By inputs @scale and @zero; u8 where there is no zero point. */
static InferPort
quantized (OnnxNode *n, InferPort y, guint scale, guint zero)
{
  InferType type = onnx_given (n, zero) ? onnx_known_type (n, n->inputs[zero])
                                        : INFER_TYPE_U8;

  return onnx_quantize (n, y, onnx_scale_of (n, scale, zero), type);
}

/* Those of ai.onnx, with 16 bits before its opset 21. */
void
onnx_import_ms_quantize_linear (OnnxNode *n)
{
  onnx_import_quantize_linear (n);
}

void
onnx_import_ms_dequantize_linear (OnnxNode *n)
{
  onnx_import_dequantize_linear (n);
}

void
onnx_import_ms_qlinear_binary (OnnxNode *n)
{
  const char *type = g_str_has_suffix (n->type, "Mul") ? "Multiply" : "Add";

  n->outputs[0] =
      quantized (n, OP (n, type, "", real (n, 0), real (n, 3)), 6, 7);
}

/* Those that the importers of ai.onnx know without quantisation. */
static void
wrap (OnnxNode *n, void (*import) (OnnxNode *))
{
  n->inputs[0] = real (n, 0);
  import (n);
  n->outputs[0] = quantized (n, n->outputs[0], 3, 4);
}

static void
sigmoid (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Sigmoid", "", n->inputs[0]);
}

void
onnx_import_ms_qlinear_unary (OnnxNode *n)
{
  if (g_str_equal (n->type, "QLinearSoftmax")) {
    n->opset = onnx_int (n, "opset", 13);
    wrap (n, onnx_import_softmax);
  } else if (g_str_equal (n->type, "QLinearLeakyRelu")) {
    wrap (n, onnx_import_leaky_relu);
  } else {
    wrap (n, sigmoid);
  }
}

void
onnx_import_ms_qlinear_average_pool (OnnxNode *n)
{
  if (onnx_int (n, "channels_last", 0) != 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "channels_last=1 is not supported");
  wrap (n, onnx_import_average_pool);
}

void
onnx_import_ms_qlinear_global_average_pool (OnnxNode *n)
{
  int rank = onnx_known_rank (n, n->inputs[0]);
  gint64 first = onnx_int (n, "channels_last", 0) != 0 ? 1 : 2;
  gint64 axes[INFER_MAX_RANK];

  for (int i = 0; i < rank - 2; i++)
    axes[i] = first + i;
  n->outputs[0] = quantized (n,
      OP (n, "ReduceMean", "keep_dims=true", real (n, 0),
          onnx_i64s (n, axes, (guint) MAX (rank - 2, 0))),
      3, 4);
}

/* Scale and zero point of the result, then three inputs for each tensor. */
void
onnx_import_ms_qlinear_concat (OnnxNode *n)
{
  guint count = n->n_inputs > 2 ? (n->n_inputs - 2) / 3 : 0;
  g_autofree InferPort *parts = g_new0 (InferPort, count + 1);

  for (guint i = 0; i < count; i++)
    parts[i] = real (n, 2 + 3 * i);
  n->outputs[0] = quantized (n,
      onnx_op (n, "Concat",
          ATTRS ("axis=%" G_GINT64_FORMAT, onnx_int (n, "axis", 0)), count,
          parts),
      0, 1);
}

/* alpha A B + C, where C is of the scale alpha a_scale b_scale; f32 without a
 * scale of the result. */
void
onnx_import_ms_qgemm (OnnxNode *n)
{
  gboolean transposed = onnx_int (n, "transB", 0) != 0;
  OnnxScale b = onnx_scale_of (n, 4, 5);
  double alpha = onnx_float (n, "alpha", 1);
  InferPort unit = OP (n, "Multiply", "", n->inputs[1], b.scale), y;

  /* One for each column of the product. */
  if (transposed && onnx_rank (b.scale) == 1 && onnx_dim (b.scale, 0) != 1)
    b = onnx_per_output (n, b, 2);
  y = OP (n, "MatMul",
      ATTRS ("transpose_a=%s;transpose_b=%s",
          onnx_int (n, "transA", 0) != 0 ? "true" : "false",
          transposed ? "true" : "false"),
      real (n, 0), onnx_dequantize (n, n->inputs[3], b, INFER_TYPE_F32));
  if (onnx_given (n, 6))
    y = OP (n, "Add", "", y,
        OP (n, "Multiply", "", onnx_convert (n, n->inputs[6], INFER_TYPE_F32),
            unit));
  if (alpha != 1)
    y = OP (n, "Multiply", "", y, onnx_scalar (n, INFER_TYPE_F32, alpha));
  n->outputs[0] = onnx_given (n, 7) ? quantized (n, y, 7, 8) : y;
}

/* The product of integers, scaled, plus a bias. */
static InferPort
scaled_product (
    OnnxNode *n, InferPort a, InferPort b, InferPort scale, InferPort bias)
{
  InferPort y = OP (n, "Multiply", "", OP (n, "MatMul", "", a, b), scale);

  return bias.op != NULL ? OP (n, "Add", "", y, bias) : y;
}

void
onnx_import_ms_matmul_integer_to_float (OnnxNode *n)
{
  n->outputs[0] =
      scaled_product (n, onnx_centre (n, n->inputs[0], n->inputs[4]),
          onnx_centre (n, n->inputs[1], n->inputs[5]),
          OP (n, "Multiply", "", n->inputs[2], n->inputs[3]), n->inputs[6]);
}

void
onnx_import_ms_dynamic_quantize_matmul (OnnxNode *n)
{
  OnnxScale scale;
  InferPort a = onnx_quantize_dynamic (n, n->inputs[0], &scale);

  n->outputs[0] = scaled_product (n, onnx_centre (n, a, scale.zero),
      onnx_centre (n, n->inputs[1], n->inputs[3]),
      OP (n, "Multiply", "", scale.scale, n->inputs[2]), n->inputs[4]);
}

/* [directions, in, gates × hidden] with a scale for each direction or column,
 * as LSTM has it: the last two axes exchanged. */
static InferPort
lstm_weights (OnnxNode *n, guint weights, guint scale)
{
  OnnxScale s = onnx_scale_of (n, scale, scale + 1);
  InferPort shape = OP (n, "Concat", "axis=0",
      onnx_dim_of (n, n->inputs[weights], 0), I64S (n, 1, -1));

  s.scale = onnx_reshape (n, s.scale, shape);
  if (s.zero.op != NULL)
    s.zero = onnx_reshape (n, s.zero, shape);
  return onnx_transpose (n,
      onnx_dequantize (n, n->inputs[weights], s, INFER_TYPE_F32),
      (gint64[]){ 0, 2, 1 }, 3);
}

void
onnx_import_ms_dynamic_quantize_lstm (OnnxNode *n)
{
  n->inputs[1] = lstm_weights (n, 1, 8);
  n->inputs[2] = lstm_weights (n, 2, 10);
  onnx_import_lstm (n);
}
