/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/request-tensors.h"
#include "inference/base/tensor.h"
#include "inference/media/preprocess.h"

void
infer_request_tensors_init (
    InferRequestTensors *tensors, const InferModel *model)
{
  tensors->model = infer_model_get_path (model);
  tensors->n_inputs = infer_model_n_inputs (model);
  tensors->n_outputs = infer_model_n_outputs (model);
  tensors->inputs = g_new0 (InferRequestInput, tensors->n_inputs);
  tensors->outputs = g_new0 (InferRequestOutput, tensors->n_outputs);
  tensors->in = g_new0 (InferTensor *, tensors->n_inputs);
  tensors->out = g_new0 (InferTensor *, tensors->n_outputs);
  for (guint i = 0; i < tensors->n_inputs; i++) {
    tensors->inputs[i].desc = infer_model_input_desc (model, i);
    tensors->inputs[i].name = infer_model_input_name (model, i);
  }
  for (guint i = 0; i < tensors->n_outputs; i++) {
    tensors->outputs[i].desc = infer_model_output_desc (model, i);
    tensors->outputs[i].name = infer_model_output_name (model, i);
  }
}

static void
forget_given (InferRequestInput *input)
{
  for (guint i = 0; i < input->n_given; i++)
    infer_tensor_unref (input->given[i]);
  input->n_given = 0;
  if (input->pictures != NULL)
    g_array_set_size (input->pictures, 0);
}

void
infer_request_tensors_clear (InferRequestTensors *tensors)
{
  for (guint i = 0; i < tensors->n_inputs; i++) {
    forget_given (&tensors->inputs[i]);
    g_free (tensors->inputs[i].given);
    infer_tensor_unref (tensors->inputs[i].own);
    infer_tensor_unref (tensors->inputs[i].staged);
    infer_tensor_unref (tensors->inputs[i].image);
    infer_preprocessor_free (tensors->inputs[i].preprocessor);
    g_clear_pointer (&tensors->inputs[i].pictures, g_array_unref);
  }
  for (guint i = 0; i < tensors->n_outputs; i++) {
    infer_tensor_unref (tensors->outputs[i].own);
    infer_tensor_unref (tensors->outputs[i].given);
  }
  g_clear_pointer (&tensors->inputs, g_free);
  g_clear_pointer (&tensors->outputs, g_free);
  g_clear_pointer (&tensors->in, g_free);
  g_clear_pointer (&tensors->out, g_free);
}

void
infer_request_tensors_set_maker (InferRequestTensors *tensors,
    InferTensor *(*tensor_new) (gpointer context, InferType type,
        const InferShape *shape, GError **error),
    gpointer context)
{
  tensors->tensor_new = tensor_new;
  tensors->context = context;
}

/* --- checks --- */

static gboolean
fail_index (const InferRequestTensors *tensors, const char *what, guint index,
    guint n, GError **error)
{
  return infer_fail (error, INFER_ERROR_NOT_FOUND,
      "%s has %u %s%s: there is none of index %u", tensors->model, n, what,
      n == 1 ? "" : "s", index);
}

static InferRequestInput *
get_input (InferRequestTensors *tensors, guint index, GError **error)
{
  if (index < tensors->n_inputs)
    return &tensors->inputs[index];
  fail_index (tensors, "input", index, tensors->n_inputs, error);
  return NULL;
}

static InferRequestOutput *
get_output (InferRequestTensors *tensors, guint index, GError **error)
{
  if (index < tensors->n_outputs)
    return &tensors->outputs[index];
  fail_index (tensors, "output", index, tensors->n_outputs, error);
  return NULL;
}

/* Strides must not increase from the first dimension to the last. */
static gboolean
check_order (const InferRequestTensors *tensors, const InferRequestInput *input,
    const InferTensor *tensor, GError **error)
{
  gint64 inner = 0;

  if (tensor->dense)
    return TRUE;
  for (int i = tensor->shape.rank - 1; i >= 0; i--) {
    if (tensor->shape.dims[i] <= 1)
      continue;
    if (tensor->strides[i] < inner)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: input '%s': the axes of the tensor are not in row-major order "
          "(dimension %d has a stride of %" G_GINT64_FORMAT " bytes)",
          tensors->model, input->name, i, tensor->strides[i]);
    inner = tensor->strides[i];
  }
  return TRUE;
}

/* The shape of one tensor after preprocessing. */
static gboolean
part_shape (const InferRequestTensors *tensors, const InferRequestInput *input,
    const InferTensor *part, InferShape *shape, GError **error)
{
  *shape = part->shape;
  if (input->preprocessor == NULL
      || infer_preprocessor_shape (input->preprocessor, part, shape, error))
    return TRUE;
  g_prefix_error (error, "%s: input '%s': ", tensors->model, input->name);
  return FALSE;
}

/* The shape of @given joined along the first dimension. */
static gboolean
join_shapes (const InferRequestTensors *tensors, const InferRequestInput *input,
    InferTensor *const *given, guint n, InferShape *joined, GError **error)
{
  if (!part_shape (tensors, input, given[0], joined, error))
    return FALSE;
  for (guint i = 1; i < n; i++) {
    const InferTensor *part = given[i];
    InferShape shape;

    if (!part_shape (tensors, input, part, &shape, error))
      return FALSE;

    if (shape.rank < 1 || shape.rank != joined->rank
        || part->type != given[0]->type
        || joined->dims[0] > G_MAXINT64 - shape.dims[0])
      return infer_request_fail_part (tensors, input, i, error);
    joined->dims[0] += shape.dims[0];
    shape.dims[0] = joined->dims[0];
    if (!infer_shape_equal (&shape, joined))
      return infer_request_fail_part (tensors, input, i, error);
  }
  return TRUE;
}

static gboolean
check_given (const InferRequestTensors *tensors, const InferRequestInput *input,
    InferTensor *const *given, guint n, InferShape *shape, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (!check_order (tensors, input, given[i], error))
      return FALSE;
  }
  return join_shapes (tensors, input, given, n, shape, error)
         && infer_request_check_shape (
             tensors, "input", input->name, &input->desc->shape, shape, error);
}

/* --- inputs --- */

static gboolean
ensure_own (
    InferRequestTensors *tensors, InferRequestInput *input, GError **error)
{
  if (input->own != NULL)
    return TRUE;
  if (input->desc->type != INFER_TYPE_DYNAMIC
      && infer_shape_is_static (&input->desc->shape))
    return infer_request_ensure (
        tensors, &input->own, input->desc->type, &input->desc->shape, error);
  g_autofree char *shape = infer_shape_to_string (&input->desc->shape);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: input '%s' is of %s and shape %s: set a tensor or a shape first",
      tensors->model, input->name, infer_type_name (input->desc->type), shape);
}

InferTensor *
infer_request_tensors_get_input (
    InferRequestTensors *tensors, guint index, GError **error)
{
  InferRequestInput *input = get_input (tensors, index, error);

  if (input == NULL)
    return NULL;
  if (input->n_given == 1)
    return input->given[0];
  return ensure_own (tensors, input, error) ? input->own : NULL;
}

InferTensor *
infer_request_tensors_shape_input (InferRequestTensors *tensors, guint index,
    const InferShape *shape, GError **error)
{
  InferRequestInput *input = get_input (tensors, index, error);

  if (input == NULL
      || !infer_request_check_shape (
          tensors, "input", input->name, &input->desc->shape, shape, error))
    return NULL;
  if (input->desc->type == INFER_TYPE_DYNAMIC) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the type of input '%s' is not known: set a tensor", tensors->model,
        input->name);
    return NULL;
  }
  tensors->bound = FALSE;
  forget_given (input);
  return infer_request_ensure (
             tensors, &input->own, input->desc->type, shape, error)
             ? input->own
             : NULL;
}

gboolean
infer_request_tensors_set_input (InferRequestTensors *tensors, guint index,
    InferTensor *const *given, guint n, GError **error)
{
  InferRequestInput *input = get_input (tensors, index, error);
  InferShape shape;

  if (input == NULL
      || (n > 0 && !check_given (tensors, input, given, n, &shape, error)))
    return FALSE;
  if (n > input->max_given) {
    input->given = g_renew (InferTensor *, input->given, n);
    input->max_given = n;
  }
  for (guint i = 0; i < n; i++)
    infer_tensor_ref (given[i]);
  forget_given (input);
  for (guint i = 0; i < n; i++)
    input->given[i] = given[i];
  input->n_given = n;
  tensors->bound = FALSE;
  return TRUE;
}

static gboolean
lies_within (const InferBox *box, const InferImage *image)
{
  return box->x >= 0 && box->y >= 0 && box->width > 0 && box->height > 0
         && box->x <= image->width - box->width
         && box->y <= image->height - box->height;
}

gboolean
infer_request_tensors_set_pictures (InferRequestTensors *tensors, guint index,
    const InferImage *pictures, const InferBox *regions, guint n,
    GError **error)
{
  InferRequestInput *input = get_input (tensors, index, error);
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (InferPicture));
  InferShape shape;

  if (input == NULL)
    return FALSE;
  if (input->preprocessor == NULL || n == 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: input '%s': %s", tensors->model, input->name,
        n == 0 ? "no picture is given"
               : "pictures need settings for preprocessing first");
  for (guint i = 0; i < n; i++) {
    InferPicture picture = { pictures[i],
      regions != NULL
          ? regions[i]
          : (InferBox){ 0, 0, pictures[i].width, pictures[i].height } };

    if (!lies_within (&picture.region, &picture.image))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s: input '%s': region %u does not lie within its picture",
          tensors->model, input->name, i);
    g_array_append_val (taken, picture);
  }
  if (!infer_request_pictures_shape (tensors, input, taken, &shape, error))
    return FALSE;
  forget_given (input);
  g_clear_pointer (&input->pictures, g_array_unref);
  input->pictures = g_steal_pointer (&taken);
  tensors->bound = FALSE;
  return TRUE;
}

static gboolean
bind_input (InferRequestTensors *tensors, guint index, GError **error)
{
  InferRequestInput *input = &tensors->inputs[index];
  InferShape shape;

  if (input->pictures != NULL && input->pictures->len > 0) {
    if (!infer_request_stage_pictures (tensors, input, error))
      return FALSE;
    tensors->in[index] = input->staged;
    return TRUE;
  }
  if (input->n_given == 0) {
    tensors->in[index] = NULL;
    if (!ensure_own (tensors, input, error))
      return FALSE;
    tensors->in[index] = input->own;
    return TRUE;
  }
  /* Checked again: the user may have changed the tensor's shape. */
  if (!check_given (
          tensors, input, input->given, input->n_given, &shape, error))
    return FALSE;
  const InferTensor *first = input->given[0];
  InferType type =
      input->desc->type != INFER_TYPE_DYNAMIC ? input->desc->type : first->type;
  if (input->n_given == 1 && input->preprocessor == NULL && first->dense
      && first->type == type && infer_tensor_is_aligned (first)) {
    tensors->in[index] = input->given[0];
    return TRUE;
  }
  if (!infer_request_stage (tensors, input, &shape, type, error)) {
    g_prefix_error (error, "%s: input '%s': ", tensors->model, input->name);
    return FALSE;
  }
  tensors->in[index] = input->staged;
  return TRUE;
}

gboolean
infer_request_tensors_set_preprocess (InferRequestTensors *tensors, guint index,
    const InferPreprocess *settings, GError **error)
{
  InferRequestInput *input = get_input (tensors, index, error);
  InferPreprocessor *preprocessor = NULL;

  if (input == NULL)
    return FALSE;
  if (settings != NULL) {
    preprocessor = infer_preprocessor_new (settings, input->desc, error);
    if (preprocessor == NULL) {
      g_prefix_error (error, "%s: input '%s': ", tensors->model, input->name);
      return FALSE;
    }
  }
  infer_preprocessor_free (input->preprocessor);
  input->preprocessor = preprocessor;
  forget_given (input);
  tensors->bound = FALSE;
  return TRUE;
}

/* --- outputs --- */

static gboolean
is_known (const InferDesc *desc)
{
  return desc->type != INFER_TYPE_DYNAMIC
         && infer_shape_is_static (&desc->shape);
}

/* With an unknown shape the tensor is empty; the backend resizes it. */
static gboolean
ensure_output (const InferRequestTensors *tensors, InferRequestOutput *output,
    GError **error)
{
  if (output->own != NULL)
    return TRUE;
  InferType type = output->desc->type;
  InferShape shape = output->desc->shape;
  if (type == INFER_TYPE_DYNAMIC)
    type = INFER_TYPE_F32;
  if (shape.rank < 0)
    shape = infer_shape_of_rank (1);
  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = MAX (shape.dims[i], 0);
  return infer_request_ensure (tensors, &output->own, type, &shape, error);
}

InferTensor *
infer_request_tensors_get_output (
    InferRequestTensors *tensors, guint index, GError **error)
{
  InferRequestOutput *output = get_output (tensors, index, error);

  if (output == NULL)
    return NULL;
  if (output->given != NULL)
    return output->given;
  if (output->own != NULL
      || (is_known (output->desc) && ensure_output (tensors, output, error)))
    return output->own;
  infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: output '%s' has no shape before the first run", tensors->model,
      output->name);
  return NULL;
}

InferTensor *
infer_request_tensors_take_output (
    InferRequestTensors *tensors, guint index, GError **error)
{
  InferTensor *tensor =
      infer_request_tensors_get_output (tensors, index, error);

  if (tensor == NULL)
    return NULL;
  InferRequestOutput *output = &tensors->outputs[index];
  if (tensor == output->own) {
    output->own = NULL;
    tensors->out[index] = NULL;
    tensors->bound = FALSE;
    return tensor;
  }
  return infer_tensor_ref (tensor);
}

gboolean
infer_request_tensors_set_output (InferRequestTensors *tensors, guint index,
    InferTensor *given, GError **error)
{
  InferRequestOutput *output = get_output (tensors, index, error);

  if (output == NULL
      || (given != NULL && is_known (output->desc)
          && !infer_request_check_shape (tensors, "output", output->name,
              &output->desc->shape, &given->shape, error)))
    return FALSE;
  if (given != NULL)
    infer_tensor_ref (given);
  infer_tensor_unref (output->given);
  output->given = given;
  tensors->bound = FALSE;
  return TRUE;
}

/* TRUE if the backend may write to the user's tensor, which it shapes where the
 * model leaves the shape open. */
static gboolean
is_direct (const InferRequestOutput *output)
{
  const InferTensor *given = output->given;
  const InferDesc *desc = output->desc;

  return given != NULL && given->dense && given->type == desc->type
         && infer_tensor_is_aligned (given)
         && infer_shape_matches (&desc->shape, &given->shape);
}

/* A tensor that is input and output is written after the run. */
static gboolean
is_read (const InferRequestTensors *tensors, const InferTensor *given)
{
  const char *begin = given->data;

  for (guint i = 0; i < tensors->n_inputs; i++) {
    const InferTensor *in = tensors->in[i];
    const char *data = in->data;

    if (begin < data + in->size && data < begin + given->size)
      return TRUE;
  }
  return FALSE;
}

gboolean
infer_request_tensors_bind (InferRequestTensors *tensors, GError **error)
{
  tensors->bound = FALSE;
  for (guint i = 0; i < tensors->n_inputs; i++) {
    if (!bind_input (tensors, i, error))
      return FALSE;
  }
  for (guint i = 0; i < tensors->n_outputs; i++) {
    InferRequestOutput *output = &tensors->outputs[i];
    gboolean direct = is_direct (output) && !is_read (tensors, output->given);

    if (!direct && !ensure_output (tensors, output, error))
      return FALSE;
    tensors->out[i] = direct ? output->given : output->own;
  }
  tensors->bound = TRUE;
  return TRUE;
}

gboolean
infer_request_tensors_deliver (InferRequestTensors *tensors, GError **error)
{
  for (guint i = 0; i < tensors->n_outputs; i++) {
    InferRequestOutput *output = &tensors->outputs[i];
    InferTensor *given = output->given;
    const InferTensor *result = tensors->out[i];

    if (given == NULL || given == result)
      continue;
    if ((!infer_shape_equal (&given->shape, &result->shape)
            && !infer_tensor_reshape (
                given, given->type, &result->shape, error))
        || !infer_tensor_copy (given, result, error)) {
      g_prefix_error (error, "%s: output '%s': ", tensors->model, output->name);
      return FALSE;
    }
  }
  return TRUE;
}
