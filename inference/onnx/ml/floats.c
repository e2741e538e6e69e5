/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/ml/floats.h"

#include <string.h>

InferPort
onnx_ml_floats (OnnxNode *n, const char *name, gint64 rows)
{
  const GArray *list = onnx_floats (n, name);
  const gint64 count = list != NULL ? list->len : 0;
  const InferShape shape =
      rows > 0 ? infer_shape_make (2, rows, count / MAX (rows, 1))
               : infer_shape_make (1, count);
  InferTensor *value;

  if (count < 1 || (rows > 0 && count % rows != 0)) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its %s has %" G_GINT64_FORMAT " numbers", name, count);
    return (InferPort){ NULL, 0 };
  }
  value = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  if (value == NULL) {
    onnx_fail (n, INFER_ERROR_NO_MEMORY, "no memory for its %s", name);
    return (InferPort){ NULL, 0 };
  }
  memcpy (value->data, list->data, value->size);
  return onnx_const (n, value);
}
