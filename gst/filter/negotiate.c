/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps: what is negotiated for the input, and what can be. */

#include "gst/common/error-message.h"
#include "gst/common/model-info.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

static gboolean
prepare_video (GstInferNegotiated *to, GError **error)
{
  g_clear_pointer (&to->preprocessor, infer_preprocessor_free);
  if (to->input.kind != GST_INFER_INPUT_VIDEO)
    return TRUE;
  to->preprocessor = infer_preprocessor_new (
      &to->input.video.settings, infer_model_input_desc (to->model, 0), error);
  return to->preprocessor != NULL;
}

/* Tells downstream the model's info and the caps, if they are known before the
 * model runs. */
static gboolean
announce_output (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  GstInferNegotiated *to = &self->negotiated;
  g_autoptr (GError) failure = NULL;

  to->form = gst_infer_form_choose (self->active.output, to->input.kind, error);
  if (to->form == NULL)
    return FALSE;
  g_autoptr (GstCaps) caps =
      to->form->caps (to, &self->active, sink_caps, &failure);
  if (failure != NULL) {
    g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  gst_clear_event (&to->model_info);
  to->model_info = gst_infer_model_info_event (to->model);
  gst_infer_filter_queue_event (self, gst_event_ref (to->model_info));
  if (caps != NULL)
    gst_infer_filter_queue_event (self, gst_event_new_caps (caps));
  else
    GST_INFO_OBJECT (self, "output shapes are not known before the model runs");
  return TRUE;
}

gboolean
gst_infer_filter_negotiate (GstInferFilter *self, GstCaps *caps, GError **error)
{
  const GstInferSettings *s = &self->active;
  GstInferNegotiated *to = &self->negotiated;

  gst_infer_negotiated_begin (to, self->use.model);
  if (!gst_infer_input_negotiate (
          &to->input, to->model, caps, s->window, s->hop, s->crop, error)
      || !prepare_video (to, error) || !announce_output (self, caps, error))
    return FALSE;
  gst_infer_negotiated_accept (to, caps);
  gst_infer_latency_set_window (&self->latency,
      to->window != NULL ? gst_infer_window_duration (to->window, to->delay)
                         : 0);
  return TRUE;
}

gboolean
gst_infer_filter_continue_caps (GstInferFilter *self, GstCaps *caps)
{
  const GstInferSettings *s = &self->active;
  GstInferNegotiated *to = &self->negotiated;
  GstInferInput next;

  if (!gst_infer_input_negotiate (
          &next, to->model, caps, s->window, s->hop, s->crop, NULL)
      || !gst_infer_input_continues (&to->input, &next))
    return FALSE;
  to->input.tensors = next.tensors;
  gst_caps_replace (&to->caps, caps);
  /* With a window the output stays the same. */
  return to->window != NULL || announce_output (self, caps, NULL);
}

/* Frames that pass untouched have the caps that @peer's other side wants. */
static GstCaps *
passing_caps (const InferModel *model, GstPad *peer)
{
  g_autoptr (GstCaps) mine = gst_infer_video_caps (model, FALSE);
  g_autoptr (GstCaps) other = gst_pad_peer_query_caps (peer, mine);

  return gst_caps_intersect_full (other, mine, GST_CAPS_INTERSECT_FIRST);
}

GstCaps *
gst_infer_filter_src_caps (GstInferFilter *self)
{
  GstInferOutput output;
  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);

  if (model == NULL)
    return gst_pad_get_pad_template_caps (self->srcpad);
  switch (output) {
    case GST_INFER_OUTPUT_MEDIA:
      return gst_caps_from_string (
          GST_INFER_AUDIO_OUT_CAPS "; " GST_INFER_VIDEO_OUT_CAPS);
    case GST_INFER_OUTPUT_MEDIA_WITH_META:
      return passing_caps (model, self->sinkpad);
    default:
      return gst_caps_from_string (GST_INFER_TENSOR_CAPS);
  }
}

GstCaps *
gst_infer_filter_sink_caps (GstInferFilter *self)
{
  GstInferOutput output;

  gst_infer_filter_await_model (self);
  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);
  if (model == NULL)
    return gst_pad_get_pad_template_caps (self->sinkpad);
  if (output == GST_INFER_OUTPUT_MEDIA_WITH_META)
    return passing_caps (model, self->srcpad);
  return gst_infer_input_caps (model, TRUE);
}
