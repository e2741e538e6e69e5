/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/inputs.h"

#include <math.h>

#include "infer/error.h"
#include "inference/base/npy.h"
#include "tools/tool.h"

static gboolean
numpy_lacks (InferType type)
{
  switch (type) {
    case INFER_TYPE_BF16:
    case INFER_TYPE_F8E4M3:
    case INFER_TYPE_F8E5M2:
    case INFER_TYPE_F8E8M0:
    case INFER_TYPE_F8E4M3FNUZ:
    case INFER_TYPE_F8E5M2FNUZ:
      return TRUE;
    default:
      return infer_type_bits (type) > 0 && infer_type_size (type) == 0;
  }
}

InferTensor *
tool_read_input (const char *path, const InferDesc *desc, GError **error)
{
  if (!numpy_lacks (desc->type))
    return infer_npy_read (path, error);
  const InferShape *shape =
      infer_shape_is_static (&desc->shape) ? &desc->shape : NULL;
  return infer_npy_read_as (path, desc->type, shape, error);
}

InferTensor *
tool_parse_input (
    const char *name, GBytes *bytes, const InferDesc *desc, GError **error)
{
  gboolean lacks = numpy_lacks (desc->type);
  const InferShape *shape =
      lacks && infer_shape_is_static (&desc->shape) ? &desc->shape : NULL;
  return infer_npy_from_bytes (
      name, bytes, lacks ? desc->type : INFER_TYPE_DYNAMIC, shape, error);
}

static double
model_number (const InferModel *model, const char *key, double otherwise)
{
  const char *text = infer_model_get_info (model, key);
  double value = text != NULL ? g_ascii_strtod (text, NULL) : 0;
  return value > 0 && value < 1e9 ? value : otherwise;
}

/* About 100 ms, as a multiple of what the model requires. */
static gint64
default_length (const InferModel *model)
{
  double multiple = 1, wanted = 1;
  if (infer_model_get_info (model, "samples_multiple") != NULL) {
    multiple = model_number (model, "samples_multiple", 1);
    wanted = model_number (model, "sample_rate", 16000) / 10;
  } else if (infer_model_get_info (model, "frames_multiple") != NULL) {
    multiple = model_number (model, "frames_multiple", 1);
    wanted = 100 / model_number (model, "step_ms", 10);
  }
  return (gint64) (multiple * MAX (1, round (wanted / multiple)));
}

static gboolean
default_shape (
    const InferModel *model, guint index, InferShape *shape, GError **error)
{
  *shape = infer_model_input_desc (model, index)->shape;
  if (shape->rank < 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the shape of input '%s' has no fixed rank: give one",
        infer_model_get_path (model), infer_model_input_name (model, index));
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < 0)
      shape->dims[i] = i == 0 ? 1 : default_length (model);
  return TRUE;
}

InferShape *
tool_find_shapes (const InferModel *model, GStrv given, GError **error)
{
  g_autofree InferShape *shapes =
      g_new0 (InferShape, infer_model_n_inputs (model) + 1);
  g_autofree gboolean *known =
      g_new0 (gboolean, infer_model_n_inputs (model) + 1);
  for (guint i = 0; given != NULL && given[i] != NULL; i++) {
    g_autofree char *name = NULL;
    const char *text = NULL;
    int index = tool_split (given[i], &name, &text)
                    ? infer_model_find_input (model, name, error)
                    : -1;
    if (index < 0
        || !infer_shape_parse (text, &shapes[index], NULL, NULL, error))
      return NULL;
    if (!infer_shape_is_static (&shapes[index])) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--shape '%.100s': every dimension must be a number", given[i]);
      return NULL;
    }
    known[index] = TRUE;
  }
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (!known[i] && !default_shape (model, i, &shapes[i], error))
      return NULL;
  return g_steal_pointer (&shapes);
}

gboolean
tool_fill (InferTensor *tensor, guint seed, GError **error)
{
  gsize n = infer_shape_count (&tensor->shape);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed + 1);
  g_autofree float *values = g_try_new (float, n + 1);
  if (values == NULL)
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory for an input's values");
  gboolean real = infer_type_is_real (tensor->type);
  int high = tensor->type == INFER_TYPE_U8 ? 256 : 2;
  for (gsize i = 0; i < n; i++)
    values[i] = real ? (float) g_rand_double_range (rand, -1, 1)
                     : (float) g_rand_int_range (rand, 0, high);
  if (infer_convert (tensor->data, tensor->type, values, INFER_TYPE_F32, n))
    return TRUE;
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "no random values of %s can be made", infer_type_name (tensor->type));
}

gboolean
tool_fill_inputs (InferRequest *request, const InferModel *model,
    const InferShape *shapes, GError **error)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *tensor =
        infer_request_set_input_shape (request, i, &shapes[i], error);
    if (tensor == NULL || !tool_fill (tensor, i, error)) {
      g_prefix_error (error, "%s: input '%s': ", infer_model_get_path (model),
          infer_model_input_name (model, i));
      return FALSE;
    }
  }
  return TRUE;
}
