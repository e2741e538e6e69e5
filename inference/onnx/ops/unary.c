/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of one tensor, element by element. */

#include "inference/onnx/ops/importers.h"

/* Operations without attributes that are the same under another name. */
void
onnx_import_unary (OnnxNode *n)
{
  static const char *const names[][2] = {
    { "Ceil", "Ceiling" },
    { "HardSwish", "HSwish" },
    { "Neg", "Negative" },
    { "Not", "LogicalNot" },
    { "Softplus", "SoftPlus" },
    { "Softsign", "SoftSign" },
  };
  const char *type = n->type;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (n->type, names[i][0]))
      type = names[i][1];
  n->outputs[0] = OP (n, type, "", n->inputs[0]);
}

void
onnx_import_identity (OnnxNode *n)
{
  n->outputs[0] = n->inputs[0];
}

void
onnx_import_reciprocal (OnnxNode *n)
{
  n->outputs[0] =
      OP (n, "Divide", "", onnx_scalar_like (n, n->inputs[0], 1), n->inputs[0]);
}

/* Ties to even, as ONNX demands. */
void
onnx_import_round (OnnxNode *n)
{
  n->outputs[0] = OP (n, "Round", "mode=half_to_even", n->inputs[0]);
}

void
onnx_import_is_inf (OnnxNode *n)
{
  n->outputs[0] = OP (n, "IsInf",
      ATTRS ("detect_negative=%s;detect_positive=%s",
          onnx_int (n, "detect_negative", 1) != 0 ? "true" : "false",
          onnx_int (n, "detect_positive", 1) != 0 ? "true" : "false"),
      n->inputs[0]);
}

/* Types of 4 and 8 bits take the nearest value they have; with saturate=0, NaN
 * or an infinity. */
static InferPort
cast (OnnxNode *n, InferPort x, InferType type)
{
  double most = type == INFER_TYPE_F8E4M3   ? 448
                : type == INFER_TYPE_F8E5M2 ? 57344
                                            : 0;

  if (type == INFER_TYPE_F8E8M0 || type == INFER_TYPE_F4E2M1)
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "conversion to %s", infer_type_name (type));
  if (most > 0 && onnx_int (n, "saturate", 1) != 0
      && infer_type_is_real (onnx_type (x)))
    x = OP (n, "Clamp", ATTRS ("min=%g;max=%g", -most, most), x);
  return onnx_convert (n, x, type);
}

void
onnx_import_cast (OnnxNode *n)
{
  n->outputs[0] =
      cast (n, n->inputs[0], onnx_type_attribute (n, "to", INFER_TYPE_DYNAMIC));
}

void
onnx_import_cast_like (OnnxNode *n)
{
  n->outputs[0] = cast (n, n->inputs[0], onnx_known_type (n, n->inputs[1]));
}

/* At inference nothing is dropped; the mask is all true. */
void
onnx_import_dropout (OnnxNode *n)
{
  InferPort yes;

  if (onnx_given (n, 2)) {
    g_autoptr (GArray) training =
        onnx_require_ints (n, n->inputs[2], "training_mode");

    if (training->len > 0 && g_array_index (training, gint64, 0) != 0)
      onnx_fail (n, INFER_ERROR_UNSUPPORTED, "training mode is not supported");
  }
  n->outputs[0] = n->inputs[0];
  if (!onnx_wants (n, 1))
    return;
  yes = onnx_scalar (n, INFER_TYPE_BOOLEAN, 1);
  n->outputs[1] =
      OP (n, "Broadcast", "mode=numpy", yes, onnx_shape_of (n, n->inputs[0]));
}
