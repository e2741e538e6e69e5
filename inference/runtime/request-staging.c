/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/request-staging.h"
#include "inference/base/tensor.h"
#include "inference/media/preprocess.h"

#include <math.h>

gboolean
infer_request_check_shape (const InferRequestTensors *tensors, const char *what,
    const char *name, const InferShape *wanted, const InferShape *given,
    GError **error)
{
  if (infer_shape_matches (wanted, given))
    return TRUE;
  g_autofree char *wanted_text = infer_shape_to_string (wanted);
  g_autofree char *given_text = infer_shape_to_string (given);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: %s '%s' has the shape %s: a tensor of shape %s does not fit",
      tensors->model, what, name, wanted_text, given_text);
}

gboolean
infer_request_fail_part (const InferRequestTensors *tensors,
    const InferRequestInput *input, guint i, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: input '%s': part %u of the batch has another type or shape than the "
      "first",
      tensors->model, input->name, i);
}

gboolean
infer_request_ensure (const InferRequestTensors *tensors, InferTensor **tensor,
    InferType type, const InferShape *shape, GError **error)
{
  if (*tensor == NULL) {
    *tensor = tensors->tensor_new != NULL
                  ? tensors->tensor_new (tensors->context, type, shape, error)
                  : infer_tensor_new (type, shape, error);
    return *tensor != NULL;
  }
  return ((*tensor)->type == type
             && infer_shape_equal (&(*tensor)->shape, shape))
         || infer_tensor_reshape (*tensor, type, shape, error);
}

/* Rounds the image to integers for an integer @type, and converts it. */
static gboolean
round_image (const InferRequestTensors *tensors, InferRequestInput *input,
    InferType type, const InferShape *shape, GError **error)
{
  float *data = input->image->data;
  gsize n = infer_shape_count (shape);

  for (gsize i = 0; infer_type_is_integer (type) && i < n; i++)
    data[i] = rintf (data[i]);
  return infer_request_ensure (tensors, &input->staged, type, shape, error)
         && infer_tensor_copy (input->staged, input->image, error);
}

/* Preprocesses the given images, joined, into the staged tensor. */
static gboolean
preprocess (const InferRequestTensors *tensors, InferRequestInput *input,
    const InferShape *shape, InferType type, GError **error)
{
  InferTensor **image = type == INFER_TYPE_F32 ? &input->staged : &input->image;

  if (!infer_request_ensure (tensors, image, INFER_TYPE_F32, shape, error))
    return FALSE;
  float *data = (*image)->data;
  gsize n = infer_shape_count (shape);
  gsize each = n / (gsize) MAX (shape->dims[0], 1);
  float *at = data;
  for (guint i = 0; i < input->n_given; i++) {
    g_autoptr (InferTensor) part = infer_tensor_align (input->given[i], error);

    if (part == NULL)
      return FALSE;
    infer_preprocessor_run (input->preprocessor, part, at);
    at += each * (gsize) part->shape.dims[0];
  }
  return type == INFER_TYPE_F32
         || round_image (tensors, input, type, shape, error);
}

gboolean
infer_request_pictures_shape (const InferRequestTensors *tensors,
    const InferRequestInput *input, const GArray *pictures, InferShape *joined,
    GError **error)
{
  for (guint i = 0; i < pictures->len; i++) {
    const InferPicture *picture = &g_array_index (pictures, InferPicture, i);
    InferShape shape;

    if (!infer_preprocessor_image_shape (input->preprocessor, &picture->image,
            &picture->region, &shape, error)) {
      g_prefix_error (error, "%s: input '%s': ", tensors->model, input->name);
      return FALSE;
    }
    if (i == 0)
      *joined = shape;
    else if (!infer_shape_equal (&shape, joined))
      return infer_request_fail_part (tensors, input, i, error);
  }
  joined->dims[0] = pictures->len;
  return infer_request_check_shape (
      tensors, "input", input->name, &input->desc->shape, joined, error);
}

gboolean
infer_request_stage_pictures (
    InferRequestTensors *tensors, InferRequestInput *input, GError **error)
{
  InferType type = input->desc->type != INFER_TYPE_DYNAMIC ? input->desc->type
                                                           : INFER_TYPE_F32;
  gboolean direct = infer_preprocessor_takes (type);
  InferTensor **image = direct ? &input->staged : &input->image;
  InferShape shape;

  if (!infer_request_pictures_shape (
          tensors, input, input->pictures, &shape, error)
      || !infer_request_ensure (
          tensors, image, direct ? type : INFER_TYPE_F32, &shape, error))
    return FALSE;
  gsize each = (*image)->size / input->pictures->len;
  for (guint i = 0; i < input->pictures->len; i++) {
    const InferPicture *picture =
        &g_array_index (input->pictures, InferPicture, i);

    infer_preprocessor_run_image (input->preprocessor, &picture->image,
        &picture->region, (*image)->type, (char *) (*image)->data + i * each);
  }
  return direct || round_image (tensors, input, type, &shape, error);
}

gboolean
infer_request_stage (const InferRequestTensors *tensors,
    InferRequestInput *input, const InferShape *shape, InferType type,
    GError **error)
{
  gsize offset = 0;

  if (input->preprocessor != NULL)
    return preprocess (tensors, input, shape, type, error);
  if (!infer_request_ensure (tensors, &input->staged, type, shape, error))
    return FALSE;
  if (input->n_given == 1)
    return infer_tensor_copy (input->staged, input->given[0], error);
  if (infer_type_size (type) == 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a batch of %s cannot be joined", infer_type_name (type));
  for (guint i = 0; i < input->n_given; i++) {
    InferTensor *part = input->given[i];
    InferTensor view = *input->staged;

    view.shape = part->shape;
    view.size = infer_shape_count (&part->shape) * infer_type_size (type);
    if (view.size == 0)
      continue;
    view.data = (char *) input->staged->data + offset;
    if (!infer_tensor_copy (&view, part, error))
      return FALSE;
    offset += view.size;
  }
  return TRUE;
}
