/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of two and more tensors, element by element. */

#include "inference/onnx/ops/importers.h"

#define A (n->inputs[0])
#define B (second_operand (n))

/* Before opset 7, `broadcast` aligns the second operand with the axes of the
 * first from `axis` on. */
static InferPort
second_operand (OnnxNode *n)
{
  InferPort b = n->inputs[1];
  gint64 shape[INFER_MAX_RANK] = { 0 };

  if (n->opset >= 7 || onnx_int (n, "broadcast", 0) == 0
      || !onnx_has (n, "axis"))
    return b;
  int rank = onnx_known_rank (n, A), own = onnx_known_rank (n, b);
  gint64 axis = onnx_axis (n, onnx_int (n, "axis", 0), rank);
  if (axis + own > rank) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its second operand of rank %d does not fit behind axis %" G_GINT64_FORMAT,
        own, axis);
    return b;
  }
  for (int i = 0; i < rank - (int) axis; i++)
    shape[i] = i < own ? 0 : 1;
  return OP (n, "Reshape", "special_zero=true", b,
      onnx_i64s (n, shape, (guint) (rank - axis)));
}

void
onnx_import_binary (OnnxNode *n)
{
  static const char *const names[][2] = {
    { "And", "LogicalAnd" },
    { "GreaterOrEqual", "GreaterEqual" },
    { "LessOrEqual", "LessEqual" },
    { "Mul", "Multiply" },
    { "Or", "LogicalOr" },
    { "Sub", "Subtract" },
    { "Xor", "LogicalXor" },
  };

  n->outputs[0] = OP (n,
      onnx_renamed (n->type, names, G_N_ELEMENTS (names), n->type), "", A, B);
}

/* Integers are truncated towards zero. */
void
onnx_import_div (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Divide", "m_pythondiv=false", A, B);
}

void
onnx_import_mod (OnnxNode *n)
{
  gboolean as_c = onnx_int (n, "fmod", 0) != 0;

  n->outputs[0] = OP (n, as_c ? "Mod" : "FloorMod", "", A, B);
}

/* The exponent may be of another type; the result is of the base's. */
void
onnx_import_pow (OnnxNode *n)
{
  InferPort power = B;
  InferType base = onnx_known_type (n, A),
            exponent = onnx_known_type (n, power);
  InferType type = !infer_type_is_real (base) && infer_type_is_real (exponent)
                       ? exponent
                       : base;

  n->outputs[0] = onnx_convert (n,
      OP (n, "Power", "", onnx_convert (n, A, type),
          onnx_convert (n, power, type)),
      base);
}

/* Max, Min, Sum, Mean of any number of tensors. */
void
onnx_import_variadic (OnnxNode *n)
{
  const char *type = g_str_equal (n->type, "Max")   ? "Maximum"
                     : g_str_equal (n->type, "Min") ? "Minimum"
                                                    : "Add";

  n->outputs[0] = A;
  for (guint i = 1; i < n->n_inputs; i++)
    n->outputs[0] = OP (n, type, "", n->outputs[0], n->inputs[i]);
  if (g_str_equal (n->type, "Mean"))
    n->outputs[0] = OP (
        n, "Divide", "", n->outputs[0], onnx_scalar_like (n, A, n->n_inputs));
}

void
onnx_import_bitwise (OnnxNode *n)
{
  n->outputs[0] = OP (n, n->type, "", A, B);
}

void
onnx_import_bit_shift (OnnxNode *n)
{
  gboolean left = onnx_text_is (n, "direction", "LEFT", "");

  n->outputs[0] =
      OP (n, left ? "BitwiseLeftShift" : "BitwiseRightShift", "", A, B);
}

void
onnx_import_where (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Select", "", A, B, n->inputs[2]);
}
