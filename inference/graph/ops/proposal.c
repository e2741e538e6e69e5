/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Proposal, GenerateProposals and
 * ExperimentalDetectronGenerateProposalsSingleImage. */

#include "inference/graph/ops/proposal.h"

#include "inference/graph/ops/detection.h"
#include "inference/graph/work.h"

static void
clear (gpointer data)
{
  InferProposal *attrs = data;

  g_clear_pointer (&attrs->ratios, g_array_unref);
  g_clear_pointer (&attrs->scales, g_array_unref);
}

/* A list of positive numbers. */
static gboolean
parse_list (const InferAttributes *from, const char *name, GArray **list,
    GError **error)
{
  if (!infer_attr_require (from, error, name, NULL)
      || !infer_attr_doubles (from, name, list, error))
    return FALSE;
  for (guint i = 0; i < (*list)->len; i++)
    if (!(g_array_index (*list, double, i) > 0))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute %s has the element %g", name,
          g_array_index (*list, double, i));
  return (*list)->len > 0
         || infer_fail (
             error, INFER_ERROR_INVALID_MODEL, "attribute %s is empty", name);
}

/* --- Proposal --- */

static gboolean
parse_proposal (InferOperation *op, const InferAttributes *from, GError **error)
{
  static const char *const frameworks[] = { "", "tensorflow", NULL };
  InferProposal *attrs = op->attrs;

  attrs->clip_before = TRUE;
  attrs->size_scale = attrs->coordinate_scale = attrs->eta = 1;
  if (!infer_attr_require (from, error, "base_size", "feat_stride",
          "pre_nms_topn", "post_nms_topn", "min_size", "nms_thresh", NULL)
      || !infer_attr_count (from, "base_size", 1, &attrs->base_size, error)
      || !infer_attr_count (from, "feat_stride", 1, &attrs->feat_stride, error)
      || !infer_attr_count (from, "pre_nms_topn", 1, &attrs->pre_nms, error)
      || !infer_attr_count (from, "post_nms_topn", 1, &attrs->post_nms, error)
      || !infer_attr_double (from, "min_size", &attrs->min_size, error)
      || !infer_attr_double (from, "nms_thresh", &attrs->nms_threshold, error)
      || !parse_list (from, "ratio", &attrs->ratios, error)
      || !parse_list (from, "scale", &attrs->scales, error)
      || !infer_attr_bool (from, "clip_before_nms", &attrs->clip_before, error)
      || !infer_attr_bool (from, "clip_after_nms", &attrs->clip_after, error)
      || !infer_attr_bool (from, "normalize", &attrs->normalize, error)
      || !infer_attr_enum (
          from, "framework", frameworks, &attrs->tensorflow, error)
      || !infer_attr_double (from, "box_size_scale", &attrs->size_scale, error)
      || !infer_attr_double (
          from, "box_coordinate_scale", &attrs->coordinate_scale, error))
    return FALSE;
  if (!(attrs->size_scale > 0) || !(attrs->coordinate_scale > 0))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "box scales of %g and %g", attrs->size_scale, attrs->coordinate_scale);
  if (op->n_outputs != (op->version < 4 ? 1 : 2))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%u outputs in opset %u", op->n_outputs, op->version);
  return TRUE;
}

/* Height and width, which scores and deltas share. */
static gboolean
match_maps (const InferShapeContext *context, guint a, guint b, int axis,
    GError **error)
{
  gint64 dim;

  return infer_match_dims (context, a, axis, b, axis, &dim, error)
         && infer_match_dims (context, a, axis + 1, b, axis + 1, &dim, error);
}

/* The image's height, width and one or two scales. */
static gboolean
check_image (
    const InferShapeContext *context, guint input, int axis, GError **error)
{
  gint64 n = infer_input_dim (context, input, axis);

  return n == INFER_DYNAMIC || n == 3 || n == 4
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%" G_GINT64_FORMAT " numbers of the image, not 3 or 4", n);
}

static gboolean
infer_proposal (InferShapeContext *context, GError **error)
{
  const InferProposal *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 anchors = (gint64) attrs->ratios->len * attrs->scales->len;
  gint64 images, rows;

  for (guint i = 0; i < 3; i++)
    if (!infer_require_reals (
            context, i, i == 2 ? 1 : 4, i == 2 ? 1 : 4, error))
      return FALSE;
  if (!infer_merge_types (context, 0, 3, &out[0].type, error)
      || !check_image (context, 2, 0, error)
      || !infer_match_dims (context, 0, 0, 1, 0, &images, error)
      || !match_maps (context, 0, 1, 2, error)
      || !infer_require_dim (context, 0, 1, 2 * anchors, error)
      || !infer_require_dim (context, 1, 1, 4 * anchors, error)
      || !infer_dim_product (images, attrs->post_nms, &rows, error))
    return FALSE;
  out[0].shape = infer_shape_make (2, rows, (gint64) 5);
  if (context->n_outputs > 1) {
    out[1].type = out[0].type;
    out[1].shape = infer_shape_make (1, rows);
  }
  return TRUE;
}

/* --- anchors as an input --- */

static gboolean
parse_generate (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferProposal *attrs = op->attrs;

  attrs->normalized = TRUE;
  attrs->eta = 1;
  attrs->count_type = INFER_TYPE_I64;
  if (!infer_attr_require (from, error, "pre_nms_count", "post_nms_count",
          "min_size", "nms_threshold", NULL)
      || !infer_attr_count (from, "pre_nms_count", 0, &attrs->pre_nms, error)
      || !infer_attr_count (from, "post_nms_count", 0, &attrs->post_nms, error)
      || !infer_attr_double (from, "min_size", &attrs->min_size, error)
      || !infer_attr_double (
          from, "nms_threshold", &attrs->nms_threshold, error))
    return FALSE;
  if (op->n_outputs == 2)
    return TRUE; /* single image */
  if (!infer_attr_bool (from, "normalized", &attrs->normalized, error)
      || !infer_attr_double (from, "nms_eta", &attrs->eta, error)
      || !infer_attr_index_type (
          from, "roi_num_type", &attrs->count_type, error))
    return FALSE;
  return (attrs->eta >= 0 && attrs->eta <= 1)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute nms_eta is %g, not in 0 to 1", attrs->eta);
}

/* Deltas of @axis have four times the channels of the scores. */
static gboolean
check_deltas (
    const InferShapeContext *context, int axis, gint64 *anchors, GError **error)
{
  gint64 deltas;

  *anchors = infer_input_dim (context, 3, axis);
  return infer_dim_product (*anchors, 4, &deltas, error)
         && infer_require_dim (context, 2, axis, deltas, error)
         && match_maps (context, 2, 3, axis + 1, error);
}

static gboolean
check_inputs (InferShapeContext *context, const int *ranks, GError **error)
{
  return infer_require_real_inputs (context, ranks, 4, error)
         && infer_merge_types (context, 0, 4, &context->outputs[0].type, error);
}

static gboolean
infer_generate (InferShapeContext *context, GError **error)
{
  static const int ranks[] = { 2, 4, 4, 4 };
  const InferProposal *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 images, dim, anchors;

  if (!check_inputs (context, ranks, error)
      || !check_image (context, 0, 1, error)
      || !check_deltas (context, 1, &anchors, error)
      || !infer_match_dims (context, 2, 0, 3, 0, &images, error)
      || !infer_merge_dims (images, infer_input_dim (context, 0, 0), &images,
          "numbers of images", error)
      || !infer_match_dims (context, 1, 0, 3, 2, &dim, error)
      || !infer_match_dims (context, 1, 1, 3, 3, &dim, error)
      || !infer_require_dim (context, 1, 2, anchors, error)
      || !infer_require_dim (context, 1, 3, 4, error))
    return FALSE;
  out[0].shape = infer_shape_make (2, (gint64) INFER_DYNAMIC, (gint64) 4);
  out[1].type = out[0].type;
  out[1].shape = infer_shape_of_rank (1);
  out[2].type = attrs->count_type;
  out[2].shape = infer_shape_make (1, images);
  return TRUE;
}

static gboolean
infer_single_image (InferShapeContext *context, GError **error)
{
  static const int ranks[] = { 1, 2, 3, 3 };
  const InferProposal *attrs = context->op->attrs;
  InferDesc *out = context->outputs;
  gint64 anchors;

  if (!check_inputs (context, ranks, error)
      || !infer_require_dim (context, 0, 0, 3, error)
      || !check_deltas (context, 0, &anchors, error)
      || !infer_dim_product (
          anchors, infer_input_dim (context, 3, 1), &anchors, error)
      || !infer_dim_product (
          anchors, infer_input_dim (context, 3, 2), &anchors, error)
      || !infer_require_dim (context, 1, 0, anchors, error)
      || !infer_require_dim (context, 1, 1, 4, error))
    return FALSE;
  out[0].shape = infer_shape_make (2, attrs->post_nms, (gint64) 4);
  out[1].type = out[0].type;
  out[1].shape = infer_shape_make (1, attrs->post_nms);
  return TRUE;
}

const InferOpClass infer_op_proposal = {
  .type = "Proposal",
  .versions = "1,4",
  .min_inputs = 3,
  .n_outputs = G_MAXUINT,
  .attrs_size = sizeof (InferProposal),
  .parse = parse_proposal,
  .clear = clear,
  .infer_shapes = infer_proposal,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_generate_proposals = {
  .type = "GenerateProposals",
  .versions = "9",
  .min_inputs = 4,
  .n_outputs = 3,
  .attrs_size = sizeof (InferProposal),
  .parse = parse_generate,
  .clear = clear,
  .infer_shapes = infer_generate,
  .work = infer_work_pairs,
};

const InferOpClass infer_op_detectron_proposals = {
  .type = "ExperimentalDetectronGenerateProposalsSingleImage",
  .versions = "6",
  .min_inputs = 4,
  .n_outputs = 2,
  .attrs_size = sizeof (InferProposal),
  .parse = parse_generate,
  .clear = clear,
  .infer_shapes = infer_single_image,
  .work = infer_work_pairs,
};
