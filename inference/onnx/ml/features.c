/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Features before they are classified, along the last axis. */

#include <math.h>

#include "inference/onnx/ml/floats.h"
#include "inference/onnx/ml/importers.h"

#define X (n->inputs[0])

/* An input of rank 1 is one row. */
void
onnx_import_ml_array_feature_extractor (OnnxNode *n)
{
  const int rank = onnx_known_rank (n, X);
  InferPort places = onnx_reshape (n, n->inputs[1], I64S (n, -1));
  InferPort y =
      OP (n, "Gather", "", X, places, onnx_i64 (n, MAX (rank - 1, 0)));

  n->outputs[0] = rank == 1 ? onnx_unsqueeze (n, y, 0) : y;
}

void
onnx_import_ml_binarizer (OnnxNode *n)
{
  InferPort above = OP (n, "Greater", "", X,
      onnx_scalar_like (n, X, onnx_float (n, "threshold", 0)));

  n->outputs[0] = onnx_convert (n, above, onnx_known_type (n, X));
}

void
onnx_import_ml_imputer (OnnxNode *n)
{
  const double replaced = onnx_float (n, "replaced_value_float", 0);
  InferPort missing;

  if (onnx_type (X) != INFER_TYPE_F32)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "other elements than f32 are not supported");
  missing = isnan (replaced)
                ? OP (n, "IsNaN", "", X)
                : OP (n, "Equal", "", X, onnx_scalar_like (n, X, replaced));
  n->outputs[0] = OP (n, "Select", "", missing,
      onnx_ml_floats (n, "imputed_value_floats", 0), X);
}

void
onnx_import_ml_scaler (OnnxNode *n)
{
  InferPort y = onnx_convert (n, X, INFER_TYPE_F32);

  if (onnx_has (n, "offset"))
    y = OP (n, "Subtract", "", y, onnx_ml_floats (n, "offset", 0));
  if (onnx_has (n, "scale"))
    y = OP (n, "Multiply", "", y, onnx_ml_floats (n, "scale", 0));
  n->outputs[0] = y;
}

/* Rows of norm 0 stay as they are. */
void
onnx_import_ml_normalizer (OnnxNode *n)
{
  static const char *const norms[][2] = {
    { "MAX", "ReduceMax" },
    { "L1", "ReduceL1" },
    { "L2", "ReduceL2" },
  };
  g_autofree char *name = onnx_text (n, "norm", "MAX");
  const char *type = onnx_renamed (name, norms, G_N_ELEMENTS (norms), NULL);
  InferPort x = onnx_convert (n, X, INFER_TYPE_F32), norm, none;

  if (type == NULL) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "there is no norm '%.40s'", name);
    return;
  }
  norm = OP (n, type, "keep_dims=true", x, I64S (n, -1));
  none = OP (n, "Equal", "", norm, onnx_scalar (n, INFER_TYPE_F32, 0));
  n->outputs[0] = OP (n, "Divide", "", x,
      OP (n, "Select", "", none, onnx_scalar (n, INFER_TYPE_F32, 1), norm));
}

/* --- LabelEncoder --- */

/* Keys or values: keys_int64s, keys_floats or keys_tensor; NULL: strings. */
static InferPort
list_of (OnnxNode *n, const char *what)
{
  const GArray *ints = onnx_ints (n, ATTRS ("%s_int64s", what));
  const char *floats = ATTRS ("%s_floats", what);
  const char *tensor = ATTRS ("%s_tensor", what);

  if (ints != NULL)
    return onnx_i64_list (n, ints);
  if (onnx_has (n, floats))
    return onnx_ml_floats (n, floats, 0);
  InferTensor *value = onnx_has (n, tensor) ? onnx_tensor (n, tensor) : NULL;
  if (value != NULL)
    return onnx_const (n, value);
  onnx_fail (n, INFER_ERROR_UNSUPPORTED,
      "tensors of strings are not supported (its %s)", what);
  return (InferPort){ NULL, 0 };
}

static InferPort
default_of (OnnxNode *n, InferType type)
{
  InferTensor *value =
      onnx_has (n, "default_tensor") ? onnx_tensor (n, "default_tensor") : NULL;

  if (value != NULL)
    return onnx_reshape (n, onnx_const (n, value), I64S (n, 1));
  return onnx_reshape (n,
      onnx_scalar (n, type,
          infer_type_is_real (type)
              ? onnx_float (n, "default_float", -0.0)
              : (double) onnx_int (n, "default_int64", -1)),
      I64S (n, 1));
}

/* Behind the values lies the default one, which what equals no key takes. */
void
onnx_import_ml_label_encoder (OnnxNode *n)
{
  InferPort keys = list_of (n, "keys"), values = list_of (n, "values"), equal;
  const int rank = onnx_known_rank (n, X);
  const gint64 count = onnx_dim (keys, 0);
  InferPort places;

  values = OP (n, "Concat", "axis=0", values,
      default_of (n, onnx_known_type (n, values)));
  equal = OP (n, "Equal", "", onnx_unsqueeze (n, X, rank), keys);
  places = OP (n, "Select", "", equal, onnx_count_to (n, onnx_i64 (n, count)),
      onnx_i64 (n, count));
  places = OP (n, "ReduceMin", "keep_dims=false", places, I64S (n, rank));
  n->outputs[0] = OP (n, "Gather", "", values, places, onnx_i64 (n, 0));
}
