/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ValueInfoProto: types of inputs and outputs. */

#include "inference/onnx/tensor.h"

#include "infer/error.h"
#include "inference/onnx/proto.h"

static gboolean
read_dim (OnnxSpan message, gint64 *dim)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  *dim = INFER_DYNAMIC;
  while (onnx_next (&r, &f))
    if (f.number == ONNX_DIM_VALUE && f.wire == ONNX_WIRE_VARINT)
      *dim = (gint64) f.value >= 0 ? (gint64) f.value : INFER_DYNAMIC;
  return r.problem == NULL;
}

static gboolean
read_dims (OnnxSpan message, InferShape *shape, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  shape->rank = 0;
  while (onnx_next (&r, &f)) {
    if (f.number != ONNX_SHAPE_DIM || f.wire != ONNX_WIRE_BYTES)
      continue;
    if (shape->rank >= INFER_MAX_RANK)
      return infer_fail (
          error, INFER_ERROR_UNSUPPORTED, "a rank above %d", INFER_MAX_RANK);
    if (!read_dim (f.bytes, &shape->dims[shape->rank++]))
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "a dimension is malformed");
  }
  return onnx_done (&r, "a shape", error) && onnx_check_dims (shape, error);
}

static gboolean
read_tensor_type (OnnxSpan message, InferDesc *desc, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.number == ONNX_TENSOR_TYPE_ELEMENT && f.wire == ONNX_WIRE_VARINT
        && f.value != 0) {
      if (!onnx_element_type ((gint64) f.value, &desc->type, error))
        return FALSE;
    } else if (f.number == ONNX_TENSOR_TYPE_SHAPE
               && f.wire == ONNX_WIRE_BYTES) {
      if (!read_dims (f.bytes, &desc->shape, error))
        return FALSE;
    }
  }
  return onnx_done (&r, "a tensor's type", error);
}

static const char *
name_type (guint number)
{
  return number == ONNX_TYPE_SEQUENCE        ? "a sequence"
         : number == ONNX_TYPE_MAP           ? "a map"
         : number == ONNX_TYPE_OPTIONAL      ? "optional"
         : number == ONNX_TYPE_SPARSE_TENSOR ? "sparse"
                                             : NULL;
}

/* *@type, an optional one, becomes that of its element. */
static gboolean
read_optional (OnnxField *type, GError **error)
{
  OnnxReader r = onnx_reader (type->bytes);
  OnnxSpan element = { NULL, NULL };
  OnnxField f;

  while (onnx_next (&r, &f))
    if (f.number == ONNX_OPTIONAL_ELEMENT && f.wire == ONNX_WIRE_BYTES)
      element = f.bytes;
  if (!onnx_done (&r, "a type", error))
    return FALSE;
  r = onnx_reader (element);
  while (onnx_next (&r, &f))
    if (f.number == ONNX_TYPE_TENSOR || name_type (f.number) != NULL)
      *type = f;
  return onnx_done (&r, "a type", error);
}

/* An optional tensor is one that is always given. */
static gboolean
read_type (OnnxSpan message, InferDesc *desc, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.number == ONNX_TYPE_OPTIONAL && f.wire == ONNX_WIRE_BYTES
        && !read_optional (&f, error))
      return FALSE;
    if (name_type (f.number) != NULL)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "it is %s: not supported", name_type (f.number));
    if (f.number == ONNX_TYPE_TENSOR && f.wire == ONNX_WIRE_BYTES
        && !read_tensor_type (f.bytes, desc, error))
      return FALSE;
  }
  return onnx_done (&r, "a type", error);
}

gboolean
onnx_read_value (OnnxSpan message, char **name, InferDesc *desc, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxSpan type = { NULL, NULL };
  OnnxField f;

  *name = NULL;
  *desc = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  while (onnx_next (&r, &f)) {
    if (f.number == ONNX_VALUE_NAME && f.wire == ONNX_WIRE_BYTES) {
      g_free (*name);
      *name = onnx_string (f.bytes);
    } else if (f.number == ONNX_VALUE_TYPE && f.wire == ONNX_WIRE_BYTES) {
      type = f.bytes;
    }
  }
  if (*name == NULL)
    *name = g_strdup ("");
  return onnx_done (&r, "an input or output", error)
         && read_type (type, desc, error);
}
