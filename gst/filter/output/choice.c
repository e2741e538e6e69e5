/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/output/choice.h"

#include "gst/common/tensor-caps.h"

/* --- pictures --- */

/* Unknown dimensions match any. */
static gboolean
is_at_least (gint64 dim, gint64 least)
{
  return dim < 0 || (least < 0 ? dim > 1 : dim >= least);
}

/* @c, @h, @w: axes. */
static gboolean
is_like_input (
    const InferShape *out, const InferShape *in, int in_c, int c, int h, int w)
{
  int in_h = in_c == 1 ? 2 : 1;

  return out->dims[c] == in->dims[in_c]
         && is_at_least (out->dims[h], in->dims[in_h])
         && is_at_least (out->dims[w], in->dims[in_h + 1]);
}

static gboolean
is_channels (gint64 dim)
{
  return dim == 1 || dim == 3 || dim == 4;
}

gboolean
gst_infer_model_gives_pictures (const InferModel *model)
{
  int in_c = gst_infer_video_channel_axis (model);

  if (in_c < 0)
    return FALSE;
  const InferShape *in = &infer_model_input_desc (model, 0)->shape;
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;
  const char *range = infer_model_get_info (model, "output_range");
  const char *type = infer_model_get_info (model, "model_type");
  if (out->rank != 4 || out->dims[0] > 1)
    return FALSE;
  if (range != NULL && *range != '\0')
    return is_channels (out->dims[1]) || is_channels (out->dims[3]);
  return (type == NULL || *type == '\0') && infer_model_n_outputs (model) == 1
         && (is_like_input (out, in, in_c, 1, 2, 3)
             || is_like_input (out, in, in_c, 3, 1, 2));
}

/* --- the choice --- */

/* TRUE if @downstream accepts exactly the tensors that @model outputs. */
static gboolean
takes_results (const GstCaps *downstream, const InferModel *model)
{
  const InferDesc *descs[GST_INFER_MAX_TENSORS];
  guint n = infer_model_n_outputs (model);

  for (guint i = 0; i < n; i++)
    descs[i] = infer_model_output_desc (model, i);
  g_autoptr (GstCaps) tensors = gst_infer_tensors_template (n, descs);
  if (tensors == NULL)
    tensors = gst_caps_from_string (GST_INFER_TENSOR_CAPS);
  return gst_caps_can_intersect (downstream, tensors);
}

static gboolean
choose (const InferModel *model, GstInferInputKind kind,
    const GstCaps *downstream, const GstStructure *s, GstInferOutput *output)
{
  *output = GST_INFER_OUTPUT_TENSORS;
  if (gst_structure_has_name (s, "other/tensors"))
    return TRUE;
  if (kind == GST_INFER_INPUT_AUDIO
      && gst_structure_has_name (s, "audio/x-raw")) {
    *output = GST_INFER_OUTPUT_MEDIA;
    return TRUE;
  }
  if (kind == GST_INFER_INPUT_VIDEO
      && gst_structure_has_name (s, "video/x-raw")) {
    *output = gst_infer_model_gives_pictures (model)
                      && !takes_results (downstream, model)
                  ? GST_INFER_OUTPUT_MEDIA
                  : GST_INFER_OUTPUT_MEDIA_WITH_META;
    return TRUE;
  }
  return FALSE;
}

gboolean
gst_infer_output_choose (const InferModel *model, GstInferInputKind kind,
    const GstCaps *downstream, GstInferOutput *output)
{
  guint n = gst_caps_is_any (downstream) ? 0 : gst_caps_get_size (downstream);

  *output = GST_INFER_OUTPUT_TENSORS;
  for (guint i = 0; i < n; i++)
    if (choose (model, kind, downstream, gst_caps_get_structure (downstream, i),
            output))
      return TRUE;
  return gst_caps_is_any (downstream);
}

const char *
gst_infer_output_name (GstInferOutput output)
{
  switch (output) {
    case GST_INFER_OUTPUT_TENSORS:
      return "tensors";
    case GST_INFER_OUTPUT_MEDIA_WITH_META:
      return "media-with-meta";
    case GST_INFER_OUTPUT_MEDIA:
      return "media";
    default:
      return "auto";
  }
}
