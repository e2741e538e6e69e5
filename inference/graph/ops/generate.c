/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/known-type.h"
#include "inference/graph/ops/generate.h"

#include <math.h>

/* A count of elements, not negative; -1 if unknown. */
static gboolean
count_input (const InferShapeContext *context, guint input, gint64 *count,
    GError **error)
{
  gboolean known;

  if (!infer_require_rank (context, input, 0, 1, error)
      || !infer_input_number (context, input, count, &known, error))
    return FALSE;
  if (!known)
    *count = INFER_DYNAMIC;
  else if (*count < 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u is %" G_GINT64_FORMAT ", which is negative", input, *count);
  return TRUE;
}

/* Prepends a shape given as a tensor to the last @tail dims of @shape. */
static gboolean
shape_input (const InferShapeContext *context, guint input, int tail,
    InferShape *shape, GError **error)
{
  const InferShape *length = &context->inputs[input].shape;
  g_autoptr (GArray) ints = NULL;
  InferShape out = { .rank = 0 };

  if (!infer_input_list (context, input, &ints, error))
    return FALSE;
  gint64 n = ints != NULL        ? (gint64) ints->len
             : length->rank == 0 ? 1
             : length->rank == 1 ? length->dims[0]
                                 : INFER_DYNAMIC;
  if (n == INFER_DYNAMIC) {
    *shape = infer_shape_dynamic ();
    return TRUE;
  }
  if (n + tail > INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " dims are more than %d", n + tail, INFER_MAX_RANK);
  for (gint64 i = 0; i < n; i++) {
    gint64 dim = ints != NULL ? g_array_index (ints, gint64, i) : INFER_DYNAMIC;

    if (ints != NULL && dim < 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dim %" G_GINT64_FORMAT " of the shape is %" G_GINT64_FORMAT, i, dim);
    out.dims[out.rank++] = dim;
  }
  for (int i = 0; i < tail; i++)
    out.dims[out.rank++] = shape->dims[i];
  *shape = out;
  return TRUE;
}

/* --- Eye --- */

static gboolean
parse_output_type (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGenerate *attrs = op->attrs;

  return infer_attr_require (from, error, "output_type", NULL)
         && infer_attr_known_type (from, "output_type", &attrs->type, error);
}

static gboolean
infer_eye (InferShapeContext *context, GError **error)
{
  const InferGenerate *attrs = context->op->attrs;
  InferShape *out = &context->outputs[0].shape;

  context->outputs[0].type = attrs->type;
  *out = infer_shape_of_rank (2);
  return count_input (context, 0, &out->dims[0], error)
         && count_input (context, 1, &out->dims[1], error)
         && infer_require_integer (context, 2, error)
         && (context->n_inputs < 4 || shape_input (context, 3, 2, out, error));
}

/* --- OneHot --- */

static gboolean
parse_one_hot (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const modes[] = { "ignore_negative", "normalize", NULL };
  InferGenerate *attrs = op->attrs;

  return infer_attr_require (from, error, "axis", NULL)
         && infer_attr_int (from, "axis", &attrs->axis, error)
         && (op->version < 16
             || infer_attr_enum (from, "negative_indices_mode", modes,
                 &attrs->normalize, error));
}

static gboolean
infer_one_hot (InferShapeContext *context, GError **error)
{
  const InferGenerate *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;
  gint64 depth, axis = attrs->axis;

  if (!infer_require_integer (context, 0, error)
      || !count_input (context, 1, &depth, error)
      || !infer_require_rank (context, 2, 0, 1, error)
      || !infer_require_rank (context, 3, 0, 1, error)
      || !infer_merge_types (context, 2, 2, &context->outputs[0].type, error))
    return FALSE;
  if (in->rank < 0)
    return TRUE;
  if (in->rank == INFER_MAX_RANK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "the indices have %d dims already", in->rank);
  *out = infer_shape_of_rank (in->rank + 1);
  if (!infer_shape_normalize_axis (out, &axis, error))
    return FALSE;
  for (int i = 0; i <= in->rank; i++)
    out->dims[i] = i == axis ? depth : in->dims[i < axis ? i : i - 1];
  return TRUE;
}

/* --- Range --- */

static gboolean
parse_range (InferOperation *op, const InferAttributes *from, GError **error)
{
  return op->version < 4 || parse_output_type (op, from, error);
}

/* The number of elements of start, start + step, … before stop, computed in the
 * output type; FALSE if the step is 0 or a value is not finite. */
static gboolean
range_count (InferType type, const InferTensor *start, const InferTensor *stop,
    const InferTensor *step, gint64 *count, GError **error)
{
  const InferTensor *in[] = { start, stop, step };
  double x[3], n;

  for (guint i = 0; i < 3; i++) {
    gsize elements = infer_shape_count (&in[i]->shape);

    if (elements != 1)
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "input %u must be one number", i);
    if (!infer_convert (&x[i], INFER_TYPE_F64, in[i]->data, in[i]->type, 1)
        || !isfinite (x[i]))
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "start, stop and step must be finite numbers");
    if (infer_type_is_integer (type))
      x[i] = trunc (x[i]);
  }
  if (x[2] == 0)
    return infer_fail (error, INFER_ERROR_INVALID_DATA, "the step is 0");
  n = ceil ((x[1] - x[0]) / x[2]);
  if (!(n < 9e18))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "from %g to %g by %g is too much", x[0], x[1], x[2]);
  *count = n > 0 ? (gint64) n : 0;
  return TRUE;
}

static gboolean
infer_range (InferShapeContext *context, GError **error)
{
  const InferGenerate *attrs = context->op->attrs;
  const InferTensor *const *values = context->values;
  InferDesc *out = &context->outputs[0];

  out->shape = infer_shape_of_rank (1);
  out->type = attrs->type;
  if (attrs->type == INFER_TYPE_DYNAMIC
      && !infer_merge_types (context, 0, 3, &out->type, error))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (!infer_require_rank (context, i, 0, 1, error))
      return FALSE;
  if (values[2] != NULL && infer_shape_count (&values[2]->shape) == 1) {
    double step = 1;

    infer_convert (&step, INFER_TYPE_F64, values[2]->data, values[2]->type, 1);
    if (step == 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL, "the step is 0");
  }
  if (values[0] == NULL || values[1] == NULL || values[2] == NULL)
    return TRUE;
  return range_count (
      out->type, values[0], values[1], values[2], &out->shape.dims[0], error);
}

/* --- random numbers --- */

static gboolean
parse_seeds (InferGenerate *attrs, const InferAttributes *from, GError **error)
{
  return infer_attr_int (from, "global_seed", &attrs->global_seed, error)
         && infer_attr_int (from, "op_seed", &attrs->op_seed, error);
}

static gboolean
parse_random_uniform (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const alignments[] = { "tensorflow", "pytorch", NULL };
  InferGenerate *attrs = op->attrs;

  return parse_output_type (op, from, error) && parse_seeds (attrs, from, error)
         && infer_attr_enum (
             from, "alignment", alignments, &attrs->pytorch, error);
}

static gboolean
infer_random_uniform (InferShapeContext *context, GError **error)
{
  const InferGenerate *attrs = context->op->attrs;

  context->outputs[0].type = attrs->type;
  if (!infer_type_is_real (attrs->type) && attrs->type != INFER_TYPE_I32
      && attrs->type != INFER_TYPE_I64)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "no random numbers of type %s", infer_type_name (attrs->type));
  return infer_require_rank (context, 1, 0, 1, error)
         && infer_require_rank (context, 2, 0, 1, error)
         && shape_input (context, 0, 0, &context->outputs[0].shape, error);
}

static gboolean
parse_multinomial (
    InferOperation *op, const InferAttributes *from, GError **error)
{
  InferGenerate *attrs = op->attrs;

  attrs->with_replacement = TRUE;
  return infer_attr_require (
             from, error, "convert_type", "with_replacement", "log_probs", NULL)
         && infer_attr_known_type (from, "convert_type", &attrs->type, error)
         && infer_attr_bool (
             from, "with_replacement", &attrs->with_replacement, error)
         && infer_attr_bool (from, "log_probs", &attrs->log_probs, error)
         && parse_seeds (attrs, from, error);
}

static gboolean
infer_multinomial (InferShapeContext *context, GError **error)
{
  const InferGenerate *attrs = context->op->attrs;
  const InferShape *in = &context->inputs[0].shape;
  InferShape *out = &context->outputs[0].shape;

  context->outputs[0].type = attrs->type;
  *out = infer_shape_of_rank (2);
  if (attrs->type != INFER_TYPE_I32 && attrs->type != INFER_TYPE_I64)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "convert_type is %s, not i32 or i64", infer_type_name (attrs->type));
  if (!infer_require_reals (context, 0, 2, 2, error)
      || !count_input (context, 1, &out->dims[1], error))
    return FALSE;
  if (in->rank == 2) {
    out->dims[0] = in->dims[0];
    if (!attrs->with_replacement && in->dims[1] >= 0
        && out->dims[1] > in->dims[1])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%" G_GINT64_FORMAT " samples of %" G_GINT64_FORMAT
          " classes without replacement",
          out->dims[1], in->dims[1]);
  }
  return TRUE;
}

#define GENERATE(                                                              \
    name, type_, versions_, min, max, values, flags_, parse_, infer_)          \
  const InferOpClass infer_op_##name = {                                       \
    .type = type_,                                                             \
    .versions = versions_,                                                     \
    .flags = flags_,                                                           \
    .min_inputs = min,                                                         \
    .max_inputs = max,                                                         \
    .value_inputs = values,                                                    \
    .attrs_size = sizeof (InferGenerate),                                      \
    .parse = parse_,                                                           \
    .infer_shapes = infer_,                                                    \
  };

/* clang-format off */
GENERATE (eye, "Eye", "9", 3, 4, 0xb, INFER_OP_NONE, parse_output_type, infer_eye)
GENERATE (multinomial, "Multinomial", "13", 2, 2, 0x2, INFER_OP_IMPURE, parse_multinomial, infer_multinomial)
GENERATE (one_hot, "OneHot", "1,16", 4, 4, 0x2, INFER_OP_NONE, parse_one_hot, infer_one_hot)
GENERATE (random_uniform, "RandomUniform", "8", 3, 3, 0x1, INFER_OP_IMPURE, parse_random_uniform, infer_random_uniform)
GENERATE (range, "Range", "1,4", 3, 3, 0x7, INFER_OP_NONE, parse_range, infer_range)
/* clang-format on */
