/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caps: what is negotiated for the input, and what can be. */

#include <string.h>

#include "gst/common/error-message.h"
#include "gst/common/model-info.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/choice.h"
#include "gst/filter/output/form.h"
#include "infer/error.h"

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

/* --- what follows --- */

/* The fields of @s that do not fit @ours. */
static void
append_misfits (GString *text, const GstStructure *s, const GstStructure *ours)
{
  for (int i = 0; i < gst_structure_n_fields (s); i++) {
    const char *name = gst_structure_nth_field_name (s, (guint) i);
    const GValue *theirs = gst_structure_get_value (s, name);
    const GValue *value = gst_structure_get_value (ours, name);

    if (value != NULL && gst_value_intersect (NULL, value, theirs))
      continue;
    g_autofree char *shown = gst_value_serialize (theirs);
    g_string_append_printf (text, " with %s=%s", name, shown);
  }
}

static gboolean
has_name_before (const GstCaps *caps, guint index, const char *name)
{
  for (guint i = 0; i < index; i++)
    if (gst_structure_has_name (gst_caps_get_structure (caps, i), name))
      return TRUE;
  return FALSE;
}

/* @taken in the few words that tell why @caps do not fit: of each media type
 * the entry that misses them by least. */
static char *
describe (const GstCaps *taken, const GstCaps *caps)
{
  const GstStructure *ours = gst_caps_get_structure (caps, 0);
  guint n = gst_caps_is_any (taken) ? 0 : gst_caps_get_size (taken);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++) {
    const char *name =
        gst_structure_get_name (gst_caps_get_structure (taken, i));
    g_autofree char *best = NULL;

    if (has_name_before (taken, i, name))
      continue;
    for (guint k = i; k < n && gst_structure_has_name (ours, name); k++) {
      const GstStructure *s = gst_caps_get_structure (taken, k);
      g_autoptr (GString) misfits = g_string_new (NULL);

      if (!gst_structure_has_name (s, name))
        continue;
      append_misfits (misfits, s, ours);
      if (best == NULL || misfits->len < strlen (best)) {
        g_free (best);
        best = g_strdup (misfits->str);
      }
    }
    g_string_append_printf (text, "%s%s%s", text->len > 0 ? ", " : "", name,
        best != NULL ? best : "");
  }
  if (text->len == 0)
    g_string_append (text, gst_caps_is_any (taken) ? "anything" : "nothing");
  return g_string_free (text, FALSE);
}

static gboolean
fail_downstream (const GstCaps *downstream, const GstCaps *caps,
    GstInferOutput output, const char *advice, GError **error)
{
  g_autofree char *theirs = describe (downstream, caps);
  gboolean same = output == GST_INFER_OUTPUT_MEDIA_WITH_META;
  g_autofree char *ours =
      same ? g_strdup ("the same") : gst_caps_to_string (caps);

  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "with output=%s %s leaves, but the next element takes %s: %s",
      gst_infer_output_name (output), ours, theirs, advice);
}

/* The form of output that is asked for, or fits @downstream. */
static gboolean
choose_output (
    GstInferFilter *self, const GstCaps *downstream, GstInferOutput *output)
{
  const GstInferNegotiated *to = &self->negotiated;

  *output = self->active.output;
  return *output != GST_INFER_OUTPUT_AUTO
         || gst_infer_output_choose (
             to->model, to->input.kind, downstream, output);
}

/* Advice for an error message: the `output` that fits @downstream, if any. */
static const char *
advise (GstInferFilter *self, const GstCaps *downstream)
{
  const GstInferNegotiated *to = &self->negotiated;
  GstInferOutput better;

  if (!gst_infer_output_choose (to->model, to->input.kind, downstream, &better))
    return "put inferdecoder between, or another element that makes one of "
           "the other";
  if (better == to->form->output)
    return "put an element that converts between, such as videoconvert, "
           "videoscale or audioconvert";
  return better == GST_INFER_OUTPUT_TENSORS ? "set output=tensors, or auto"
         : better == GST_INFER_OUTPUT_MEDIA
             ? "set output=media, or auto"
             : "set output=media-with-meta, or auto";
}

/* @caps: nullable, tensors of shapes that are not known yet. */
static gboolean
check_downstream (GstInferFilter *self, const GstCaps *downstream,
    GstCaps *caps, GError **error)
{
  g_autoptr (GstCaps) tensors = gst_caps_from_string (GST_INFER_TENSOR_CAPS);

  /* Either answer counts: one alone may be about to change. */
  return (caps != NULL
                 ? gst_caps_is_subset (caps, downstream)
                       || gst_pad_peer_query_accept_caps (self->srcpad, caps)
                 : gst_caps_can_intersect (downstream, tensors))
         || fail_downstream (downstream, caps != NULL ? caps : tensors,
             self->negotiated.form->output, advise (self, downstream), error);
}

/* Sets the form and the caps that leave; NULL where those are not known before
 * the model runs. */
static gboolean
negotiate_output (
    GstInferFilter *self, GstCaps *sink_caps, GstCaps **caps, GError **error)
{
  g_autoptr (GstCaps) downstream = gst_pad_peer_query_caps (self->srcpad, NULL);
  GstInferNegotiated *to = &self->negotiated;
  g_autoptr (GError) failure = NULL;
  GstInferOutput output;

  choose_output (self, downstream, &output);
  to->form = gst_infer_form_choose (output, to->input.kind, error);
  if (to->form == NULL)
    return FALSE;
  g_atomic_int_set (&self->task.output, (int) output);
  *caps = to->form->caps (to, &self->active, sink_caps, &failure);
  if (failure != NULL) {
    g_propagate_prefixed_error (error, g_steal_pointer (&failure), "%s",
        output == self->active.output
            ? ""
            : "the next element takes audio or video, so output=auto is media: ");
    return FALSE;
  }
  if (!check_downstream (self, downstream, *caps, error))
    return FALSE;
  GST_INFO_OBJECT (self,
      "output=%s for %" GST_PTR_FORMAT
      ": the next element takes %" GST_PTR_FORMAT,
      gst_infer_output_name (output), (void *) sink_caps, (void *) downstream);
  return TRUE;
}

/* Tells downstream the model's info and the caps, if they are known before the
 * model runs. */
static gboolean
announce_output (GstInferFilter *self, GstCaps *sink_caps, GError **error)
{
  GstInferNegotiated *to = &self->negotiated;
  g_autoptr (GstCaps) caps = NULL;

  gst_infer_negotiated_set_rate (to);
  if (!negotiate_output (self, sink_caps, &caps, error))
    return FALSE;
  GST_INFO_OBJECT (self, "negotiated %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      (void *) sink_caps, (void *) caps);
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
  if (!gst_infer_input_negotiate (&to->input, to->model, caps, s->window,
          s->hop, s->context, s->crop, error)
      || !prepare_video (to, error) || !announce_output (self, caps, error))
    return FALSE;
  gst_infer_negotiated_accept (to, caps);
  if (to->window != NULL)
    GST_INFO_OBJECT (self,
        "windows of %" G_GSIZE_FORMAT " rows, %" G_GSIZE_FORMAT
        " from one to the next, from %" GST_PTR_FORMAT,
        to->input.length, to->input.hop, (void *) caps);
  else
    GST_INFO_OBJECT (
        self, "an inference of each buffer of %" GST_PTR_FORMAT, (void *) caps);
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
          &next, to->model, caps, s->window, s->hop, s->context, s->crop, NULL)
      || !gst_infer_input_continues (&to->input, &next))
    return FALSE;
  to->input.tensors = next.tensors;
  gst_caps_replace (&to->caps, caps);
  /* With a window the output stays the same. */
  return to->window != NULL || announce_output (self, caps, NULL);
}

void
gst_infer_filter_refuse (
    GstInferFilter *self, const GstCaps *caps, const GError *error)
{
  GstInferNegotiated *to = &self->negotiated;

  if (g_strcmp0 (to->refusal, error->message) == 0)
    return;
  g_free (to->refusal);
  to->refusal = g_strdup (error->message);
  gst_infer_post_caps_error (self, caps, error);
}

GstFlowReturn
gst_infer_filter_reconfigure (GstInferFilter *self)
{
  GstInferNegotiated *to = &self->negotiated;
  GstInferOutput output;
  g_autoptr (GError) error = NULL;

  /* Until the choice is made, what is refused is taken for outdated. */
  g_atomic_int_set (&self->task.output, GST_INFER_OUTPUT_AUTO);
  gst_pad_check_reconfigure (self->srcpad);
  gst_infer_allocation_renew (&self->task.allocation);
  if (self->active.output != GST_INFER_OUTPUT_AUTO)
    return GST_FLOW_OK;
  g_autoptr (GstCaps) downstream = gst_pad_peer_query_caps (self->srcpad, NULL);
  if (choose_output (self, downstream, &output) && output == to->form->output) {
    g_atomic_int_set (&self->task.output, (int) output);
    return GST_FLOW_OK;
  }
  g_autoptr (GstCaps) caps = gst_caps_ref (to->caps);
  GstFlowReturn flow =
      gst_infer_filter_end_sequence (self, TRUE, "another output");
  if (flow != GST_FLOW_OK) {
    gst_pad_mark_reconfigure (self->srcpad);
    return flow;
  }
  if (gst_infer_filter_negotiate (self, caps, &error))
    return GST_FLOW_OK;
  gst_infer_filter_refuse (self, caps, error);
  return GST_FLOW_NOT_NEGOTIATED;
}

/* --- queries --- */

/* Frames that pass untouched have the caps that @peer's other side wants. */
static GstCaps *
passing_caps (const InferModel *model, GstPad *peer)
{
  g_autoptr (GstCaps) mine = gst_infer_video_caps (model, FALSE);
  g_autoptr (GstCaps) other = gst_pad_peer_query_caps (peer, mine);

  return gst_caps_intersect_full (other, mine, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
is_no_video (GstCapsFeatures *features, GstStructure *s, gpointer unused)
{
  return !gst_structure_has_name (s, "video/x-raw");
}

/* The caps of all forms that output=auto may choose. */
static GstCaps *
any_output (const InferModel *model, GstPad *sinkpad)
{
  g_autoptr (GstCaps) input = gst_infer_input_caps (model, FALSE);
  GstCaps *caps = gst_caps_from_string (GST_INFER_TENSOR_CAPS);

  if (!gst_caps_is_empty (input)
      && gst_structure_has_name (
          gst_caps_get_structure (input, 0), "audio/x-raw"))
    gst_caps_append (caps, gst_caps_from_string (GST_INFER_AUDIO_OUT_CAPS));
  if (gst_infer_model_gives_pictures (model))
    gst_caps_append (caps, gst_caps_from_string (GST_INFER_VIDEO_OUT_CAPS));
  return gst_caps_merge (caps, passing_caps (model, sinkpad));
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
    case GST_INFER_OUTPUT_TENSORS:
      return gst_caps_from_string (GST_INFER_TENSOR_CAPS);
    default:
      return any_output (model, self->sinkpad);
  }
}

GstCaps *
gst_infer_filter_sink_caps (GstInferFilter *self)
{
  GstInferOutput output;

  g_autoptr (InferModel) model = gst_infer_filter_ref_model (self, &output);
  if (model == NULL)
    return gst_pad_get_pad_template_caps (self->sinkpad);
  if (output == GST_INFER_OUTPUT_MEDIA_WITH_META)
    return passing_caps (model, self->srcpad);
  GstCaps *caps = gst_infer_input_caps (model, TRUE);
  if (output != GST_INFER_OUTPUT_AUTO)
    return caps;
  g_autoptr (GstCaps) downstream = gst_pad_peer_query_caps (self->srcpad, NULL);
  gst_infer_output_choose (model, GST_INFER_INPUT_VIDEO, downstream, &output);
  if (output == GST_INFER_OUTPUT_MEDIA_WITH_META) {
    gst_caps_filter_and_map_in_place (caps, is_no_video, NULL);
    caps = gst_caps_merge (passing_caps (model, self->srcpad), caps);
  }
  return caps;
}
