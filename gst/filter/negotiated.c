/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/negotiated.h"

void
gst_infer_negotiated_begin (GstInferNegotiated *to, InferModel *model)
{
  to->model = model;
  gst_clear_caps (&to->caps);
  g_clear_pointer (&to->window, gst_infer_window_free);
  g_clear_pointer (&to->picture, gst_infer_picture_unref);
  to->delay = 0;
}

void
gst_infer_negotiated_clear (GstInferNegotiated *to)
{
  gst_infer_negotiated_begin (to, NULL);
  gst_clear_event (&to->model_info);
  g_clear_pointer (&to->refusal, g_free);
  g_clear_pointer (&to->preprocessor, infer_preprocessor_free);
}

void
gst_infer_negotiated_accept (GstInferNegotiated *to, GstCaps *caps)
{
  const GstInferInput *input = &to->input;

  if (input->kind == GST_INFER_INPUT_AUDIO
      || input->kind == GST_INFER_INPUT_ROWS)
    to->window = gst_infer_window_new (input->width, input->length, input->hop,
        input->row_num, input->row_den);
  if (to->window != NULL)
    gst_infer_window_set_context (to->window, input->context, input->pad);
  to->caps = gst_caps_ref (caps);
  g_clear_pointer (&to->refusal, g_free);
}

void
gst_infer_negotiated_set_rate (GstInferNegotiated *to)
{
  const GstInferInput *input = &to->input;
  gint64 n, d, common;

  to->fps_n = input->tensors.fps_n;
  to->fps_d = MAX (input->tensors.fps_d, 1);
  if (input->kind == GST_INFER_INPUT_TENSORS
      || input->kind == GST_INFER_INPUT_VIDEO)
    return;
  to->fps_n = 0;
  to->fps_d = 1;
  if (input->row_num == 0 || input->row_num > (guint64) G_MAXINT64 / input->hop
      || input->row_den > (guint64) G_MAXINT64 / GST_SECOND)
    return;
  n = (gint64) (input->row_den * GST_SECOND);
  d = (gint64) (input->row_num * input->hop);
  common = gst_util_greatest_common_divisor_int64 (n, d);
  if (n / common > G_MAXINT || d / common > G_MAXINT)
    return;
  to->fps_n = (int) (n / common);
  to->fps_d = (int) (d / common);
}

gboolean
gst_infer_negotiated_predict (
    const GstInferNegotiated *to, GstInferTensors *out)
{
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) shapes = g_array_new (FALSE, FALSE, sizeof (InferShape));

  *out = (GstInferTensors){ .fps_n = to->fps_n, .fps_d = to->fps_d };
  for (guint i = 0; i < infer_model_n_inputs (to->model); i++) {
    InferShape shape =
        gst_infer_input_shape (&to->input, to->model, i, to->input.length);

    g_array_append_val (indices, i);
    g_array_append_val (shapes, shape);
  }
  g_autoptr (InferModel) model = infer_model_reshape (to->model, indices->len,
      (const guint *) (gpointer) indices->data,
      (const InferShape *) (gpointer) shapes->data, NULL);
  if (model == NULL)
    return FALSE;
  out->n = infer_model_n_outputs (model);
  for (guint i = 0; i < out->n; i++) {
    out->descs[i] = *infer_model_output_desc (model, i);
    if (out->descs[i].type == INFER_TYPE_DYNAMIC
        || !infer_shape_is_static (&out->descs[i].shape))
      return FALSE;
    out->descs[i].type = gst_infer_wire_type (out->descs[i].type);
  }
  return TRUE;
}
