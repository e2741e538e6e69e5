/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DetectionOutput: inputs are box logits [N, priors * locations * 4], class
 * predictions [N, priors * classes], priors [1 or N, 1 or 2, priors * 4 or 5],
 * and optionally objectness [N, priors * 2] and logits of a first stage. */

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

static gboolean
parse_flags (
    InferDetectionOutput *attrs, const InferAttributes *from, GError **error)
{
  attrs->share_location = TRUE;
  return infer_attr_bool (from, "variance_encoded_in_target",
             &attrs->variance_in_target, error)
         && infer_attr_bool (
             from, "share_location", &attrs->share_location, error)
         && infer_attr_bool (from, "clip_after_nms", &attrs->clip_after, error)
         && infer_attr_bool (
             from, "clip_before_nms", &attrs->clip_before, error)
         && infer_attr_bool (
             from, "decrease_label_id", &attrs->decrease_label, error)
         && infer_attr_bool (from, "normalized", &attrs->normalized, error);
}

static gboolean
parse_sizes (
    InferDetectionOutput *attrs, const InferAttributes *from, GError **error)
{
  g_autoptr (GArray) keep = NULL;

  attrs->top_k = -1;
  attrs->height = attrs->width = 1;
  if (!infer_attr_int (from, "background_label_id", &attrs->background, error)
      || !infer_attr_int (from, "top_k", &attrs->top_k, error)
      || !infer_attr_int (from, "input_height", &attrs->height, error)
      || !infer_attr_int (from, "input_width", &attrs->width, error)
      || !infer_attr_ints (from, "keep_top_k", &keep, error))
    return FALSE;
  if (keep->len == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "attribute keep_top_k is empty");
  attrs->keep_top_k = g_array_index (keep, gint64, 0);
  if (!attrs->normalized && (attrs->height < 1 || attrs->width < 1))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "an image of %" G_GINT64_FORMAT " by %" G_GINT64_FORMAT, attrs->width,
        attrs->height);
  return TRUE;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const codes[] = { "caffe.PriorBoxParameter.CORNER",
    "caffe.PriorBoxParameter.CENTER_SIZE", NULL };
  InferDetectionOutput *attrs = op->attrs;

  attrs->num_classes = -1;
  if (op->n_inputs == 4)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "4 inputs, where there must be 3 or 5");
  if (!infer_attr_require (from, error, "keep_top_k", "nms_threshold", NULL)
      || !infer_attr_enum (from, "code_type", codes, &attrs->center_size, error)
      || !infer_attr_double (
          from, "nms_threshold", &attrs->nms_threshold, error)
      || !infer_attr_double (
          from, "confidence_threshold", &attrs->confidence_threshold, error)
      || !infer_attr_double (
          from, "objectness_score", &attrs->objectness_score, error)
      || !parse_flags (attrs, from, error) || !parse_sizes (attrs, from, error))
    return FALSE;
  if (op->version >= 8)
    return TRUE;
  if (!infer_attr_require (from, error, "num_classes", NULL)
      || !infer_attr_int (from, "num_classes", &attrs->num_classes, error))
    return FALSE;
  return attrs->num_classes > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%" G_GINT64_FORMAT " classes", attrs->num_classes);
}

/* @dim / @by if both are known; comparing the product detects a remainder. */
static gint64
quotient (gint64 dim, gint64 by)
{
  return dim == INFER_DYNAMIC || by <= 0 ? INFER_DYNAMIC : dim / by;
}

/* From the shapes of the inputs; INFER_DYNAMIC: unknown. */
typedef struct
{
  gint64 images, priors, classes;
} Sizes;

static void
solve (const InferShapeContext *context, Sizes *sizes)
{
  const InferDetectionOutput *attrs = context->op->attrs;
  gint64 logits = infer_input_dim (context, 0, 1);
  gint64 predictions = infer_input_dim (context, 1, 1);

  sizes->classes = attrs->num_classes;
  sizes->priors =
      quotient (infer_input_dim (context, 2, 2), attrs->normalized ? 4 : 5);
  if (sizes->priors == INFER_DYNAMIC)
    sizes->priors = quotient (infer_input_dim (context, 3, 1), 2);
  if (sizes->priors == INFER_DYNAMIC && attrs->share_location)
    sizes->priors = quotient (logits, 4);
  if (sizes->priors == INFER_DYNAMIC)
    sizes->priors = quotient (predictions, sizes->classes);
  if (sizes->classes == INFER_DYNAMIC)
    sizes->classes = quotient (predictions, sizes->priors);
  if (sizes->classes == INFER_DYNAMIC && !attrs->share_location)
    sizes->classes = quotient (quotient (logits, 4), sizes->priors);
}

static gboolean
check_batches (const InferShapeContext *context, Sizes *sizes, GError **error)
{
  gint64 priors = infer_input_dim (context, 2, 0);

  sizes->images = INFER_DYNAMIC;
  for (guint i = 0; i < context->n_inputs; i++)
    if (i != 2
        && !infer_merge_dims (sizes->images, infer_input_dim (context, i, 0),
            &sizes->images, "numbers of images", error))
      return FALSE;
  return priors == 1 || infer_require_dim (context, 2, 0, sizes->images, error);
}

static gboolean
find_sizes (const InferShapeContext *context, Sizes *sizes, GError **error)
{
  const InferDetectionOutput *attrs = context->op->attrs;
  gint64 logits, predictions, priors, objectness;

  if (!check_batches (context, sizes, error))
    return FALSE;
  solve (context, sizes);
  return infer_dim_product (sizes->priors,
             attrs->share_location ? 1 : sizes->classes, &logits, error)
         && infer_dim_product (logits, 4, &logits, error)
         && infer_dim_product (
             sizes->priors, sizes->classes, &predictions, error)
         && infer_dim_product (
             sizes->priors, attrs->normalized ? 4 : 5, &priors, error)
         && infer_dim_product (sizes->priors, 2, &objectness, error)
         && infer_require_dim (context, 2, 2, priors, error)
         && infer_require_dim (context, 0, 1, logits, error)
         && infer_require_dim (context, 1, 1, predictions, error)
         && infer_require_dim (context, 3, 1, objectness, error)
         && infer_require_dim (context, 4, 1, logits, error);
}

static gboolean
infer (InferShapeContext *context, GError **error)
{
  const InferDetectionOutput *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  Sizes sizes;
  gint64 rows;

  for (guint i = 0; i < context->n_inputs; i++)
    if (!infer_require_reals (
            context, i, i == 2 ? 3 : 2, i == 2 ? 3 : 2, error))
      return FALSE;
  if (!infer_merge_types (context, 0, context->n_inputs, &out->type, error)
      || !infer_require_dim (
          context, 2, 1, attrs->variance_in_target ? 1 : 2, error)
      || !find_sizes (context, &sizes, error))
    return FALSE;
  if (sizes.priors == 0 && sizes.classes == INFER_DYNAMIC)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "without prior boxes the number of classes is not known");
  if (attrs->keep_top_k > 0)
    rows = attrs->keep_top_k;
  else if (!infer_dim_product (sizes.classes,
               attrs->keep_top_k == -1 && attrs->top_k > 0 ? attrs->top_k
                                                           : sizes.priors,
               &rows, error))
    return FALSE;
  if (!infer_dim_product (sizes.images, rows, &rows, error))
    return FALSE;
  out->shape = infer_shape_make (4, (gint64) 1, (gint64) 1, rows, (gint64) 7);
  return TRUE;
}

const InferOpClass infer_op_detection_output = {
  .type = "DetectionOutput",
  .versions = "1,8",
  .min_inputs = 3,
  .max_inputs = 5,
  .attrs_size = sizeof (InferDetectionOutput),
  .parse = parse,
  .infer_shapes = infer,
  .work = infer_work_pairs,
};
