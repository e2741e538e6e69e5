/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of one tensor, element by element. */

#include "inference/onnx/ops/cast.h"
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

  n->outputs[0] =
      OP (n, onnx_renamed (n->type, names, G_N_ELEMENTS (names), n->type), "",
          n->inputs[0]);
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

/* The largest number of a type of 8 bits; 0: the type is another. */
static double
largest (InferType type)
{
  switch (type) {
    case INFER_TYPE_F8E4M3:
      return 448;
    case INFER_TYPE_F8E4M3FNUZ:
      return 240;
    case INFER_TYPE_F8E5M2:
    case INFER_TYPE_F8E5M2FNUZ:
      return 57344;
    default:
      return 0;
  }
}

/* A power of two, rounded as `round_mode` says, by the bits of the f32. */
static InferPort
cast_to_exponent (OnnxNode *n, InferPort x)
{
  g_autofree char *mode = onnx_text (n, "round_mode", "up");
  gint64 more = g_str_equal (mode, "up")        ? (1 << 23) - 1
                : g_str_equal (mode, "nearest") ? 1 << 22
                                                : 0;
  InferPort bits = OP (n, "BitCast", "destination_type=i32",
      OP (n, "Abs", "", onnx_convert (n, x, INFER_TYPE_F32)));

  bits =
      OP (n, "Add", "", bits, onnx_scalar (n, INFER_TYPE_I32, (double) more));
  bits = OP (
      n, "BitwiseRightShift", "", bits, onnx_scalar (n, INFER_TYPE_I32, 23));
  /* 255 is NaN, which what is too large becomes without `saturate`. */
  if (onnx_int (n, "saturate", 1) != 0)
    bits = OP (n, "Select", "", OP (n, "IsNaN", "", x), bits,
        OP (n, "Minimum", "", bits, onnx_scalar (n, INFER_TYPE_I32, 254)));
  return OP (n, "BitCast", "destination_type=f8e8m0",
      onnx_convert (n, bits, INFER_TYPE_U8));
}

/* Types of 4 and 8 bits take the nearest value they have; with saturate=0, NaN
 * or an infinity. */
InferPort
onnx_cast (OnnxNode *n, InferPort x, InferType type)
{
  const InferPort real = onnx_real_of (n, x);
  double most = largest (type);

  if (real.op != NULL && infer_type_is_real (type))
    x = real;
  if (type == INFER_TYPE_F8E8M0 && infer_type_is_real (onnx_type (x)))
    return cast_to_exponent (n, x);
  if (most > 0 && onnx_int (n, "saturate", 1) != 0
      && infer_type_is_real (onnx_type (x)))
    x = OP (n, "Clamp", ATTRS ("min=%g;max=%g", -most, most), x);
  return onnx_convert (n, x, type);
}

/* Whether @type is an integer of less than a byte. */
static gboolean
is_part_of_byte (InferType type)
{
  return infer_type_is_integer (type) && infer_type_size (type) == 0;
}

/* Backends keep such integers in whole bytes, whose bits are others: the number
 * with the same ones, modulo 2^bits. */
static InferPort
same_bits (OnnxNode *n, InferPort x, InferType type)
{
  const double range = 1u << infer_type_bits (type);
  const double low = infer_type_is_signed (type) ? range / 2 : 0;
  InferPort y = OP (n, "Add", "", onnx_convert (n, x, INFER_TYPE_I32),
      onnx_scalar (n, INFER_TYPE_I32, low));

  y = OP (n, "FloorMod", "", y, onnx_scalar (n, INFER_TYPE_I32, range));
  y = OP (n, "Subtract", "", y, onnx_scalar (n, INFER_TYPE_I32, low));
  return onnx_convert (n, y, type);
}

void
onnx_import_bit_cast (OnnxNode *n)
{
  const InferType from = onnx_known_type (n, n->inputs[0]);
  const InferType to = onnx_type_attribute (n, "to", INFER_TYPE_DYNAMIC);

  n->outputs[0] = is_part_of_byte (from) && is_part_of_byte (to)
                          && infer_type_bits (from) == infer_type_bits (to)
                      ? same_bits (n, n->inputs[0], to)
                      : OP (n, "BitCast",
                          ATTRS ("destination_type=%s", infer_type_name (to)),
                          n->inputs[0]);
}

void
onnx_import_cast (OnnxNode *n)
{
  n->outputs[0] = onnx_cast (
      n, n->inputs[0], onnx_type_attribute (n, "to", INFER_TYPE_DYNAMIC));
}

void
onnx_import_cast_like (OnnxNode *n)
{
  n->outputs[0] =
      onnx_cast (n, n->inputs[0], onnx_known_type (n, n->inputs[1]));
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
