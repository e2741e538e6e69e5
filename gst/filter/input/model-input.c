/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/input/model-input.h"

#include <math.h>
#include <string.h>

#include "gst/common/model-info.h"
#include "infer/error.h"

#define MAX_RATE 768000
#define MAX_CHANNELS 64
#define MAX_CONTEXT 1000000 /* rows */

static guint
info_uint (const InferModel *model, const char *key, guint fallback, guint max)
{
  double value = gst_infer_model_info_number (model, key, fallback);

  return value >= 1 && value <= max ? (guint) value : fallback;
}

static gboolean
is_wave (const char *input)
{
  return input == NULL || g_str_equal (input, "wave")
         || g_str_equal (input, "audio") || g_str_equal (input, "waveform");
}

/* Whether input 0 is a waveform.  A shape does not tell samples from other
 * numbers, so the model has to say so: by a sample rate, and no
 * frames_multiple. */
static gboolean
takes_audio (const InferModel *model, guint *rate, guint *channels)
{
  const char *input = infer_model_get_info (model, "input");

  *rate = info_uint (model, "sample_rate", 0, MAX_RATE);
  *channels = info_uint (model, "channels", 1, MAX_CHANNELS);
  if (*rate == 0 || infer_model_n_inputs (model) != 1
      || infer_model_get_info (model, "frames_multiple") != NULL)
    return FALSE;
  if (!is_wave (input))
    return FALSE;
  const InferDesc *desc = infer_model_input_desc (model, 0);
  return desc->shape.rank >= 1 && desc->shape.rank <= 3;
}

/* Why the model takes no audio.  (transfer full) */
static char *
why_no_audio (const InferModel *model)
{
  const char *input = infer_model_get_info (model, "input");
  guint n = infer_model_n_inputs (model);

  if (n != 1)
    return g_strdup_printf (
        "the model has %u inputs and audio is for one: make variables of its "
        "states with state-pairs=INPUT=OUTPUT",
        n);
  const InferDesc *desc = infer_model_input_desc (model, 0);
  if (!is_wave (input)
      || infer_model_get_info (model, "frames_multiple") != NULL)
    return g_strdup_printf (
        "the model takes features (%s), not samples: put inferfeatures before "
        "it",
        is_wave (input)                 ? "of audio"
        : g_str_equal (input, "logmel") ? "log-mel"
                                        : input);
  if (desc->shape.rank < 1 || desc->shape.rank > 3) {
    g_autofree char *shape = infer_shape_to_string (&desc->shape);

    return g_strdup_printf ("the model's input '%s' is %s, no waveform",
        infer_model_input_name (model, 0), shape);
  }
  return g_strdup (
      "the model has no sample_rate, so it is not known to take audio: set "
      "model-info=sample_rate=HZ, or, if it takes features, put inferfeatures "
      "before it");
}

char *
gst_infer_input_advise (const InferModel *model, const GstCaps *offer)
{
  const char *name = gst_structure_get_name (gst_caps_get_structure (offer, 0));
  guint rate, channels;

  if (g_str_equal (name, "audio/x-raw"))
    return takes_audio (model, &rate, &channels) ? NULL : why_no_audio (model);
  if (!g_str_equal (name, "video/x-raw"))
    return NULL;
  g_autoptr (GstCaps) video = gst_infer_video_caps (model, FALSE);
  if (!gst_caps_is_empty (video))
    return NULL;
  if (infer_model_n_inputs (model) == 0)
    return g_strdup ("the model has no inputs");
  g_autofree char *shape =
      infer_shape_to_string (&infer_model_input_desc (model, 0)->shape);
  return g_strdup_printf ("the model takes no video: its input '%s' is %s, no "
                          "image",
      infer_model_input_name (model, 0), shape);
}

GstCaps *
gst_infer_input_caps (const InferModel *model, gboolean native)
{
  guint n = infer_model_n_inputs (model), rate, channels;
  GstCaps *caps = gst_caps_new_empty ();

  if (takes_audio (model, &rate, &channels)) {
    g_autofree char *text = g_strdup_printf (
        GST_INFER_AUDIO_CAPS "rate = %u, channels = %u", rate, channels);

    gst_caps_append (caps, gst_caps_from_string (text));
  }
  gst_caps_append (caps, gst_infer_video_caps (model, native));
  if (n >= 1 && n <= GST_INFER_MAX_TENSORS) {
    const InferDesc *descs[GST_INFER_MAX_TENSORS];

    for (guint i = 0; i < n; i++)
      descs[i] = infer_model_input_desc (model, i);
    GstCaps *tensors = gst_infer_tensors_template (n, descs);
    /* Feature vectors are cut into windows, so any number of them may arrive.
     */
    if (tensors != NULL && n == 1 && descs[0]->shape.rank == 3)
      gst_structure_remove_field (
          gst_caps_get_structure (tensors, 0), "dimensions");
    if (tensors != NULL)
      gst_caps_append (caps, tensors);
  }
  return caps;
}

/* The model's fixed length @dim, else the multiple nearest to @wanted rows. */
static gboolean
choose_length (GstInferInput *input, gint64 dim, double wanted,
    double wanted_hop, const char *what, GError **error)
{
  if (dim > 0) {
    input->length = (gsize) dim;
    input->multiple = (gsize) dim;
  } else {
    double times =
        round ((wanted + (double) input->context) / (double) input->multiple);

    if (times > 1e9)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "a window of %g %s is too long", wanted, what);
    input->length = input->multiple * (gsize) MAX (times, 1);
  }
  if (input->context >= input->length)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a context of %" G_GSIZE_FORMAT
        " %s leaves nothing of the window of %" G_GSIZE_FORMAT,
        input->context, what, input->length);
  input->hop = input->length - input->context;
  if (wanted_hop > 0)
    input->hop = (gsize) MAX (round (wanted_hop), 1);
  if (input->hop > input->length - input->context)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a hop of %" G_GSIZE_FORMAT
        " %s is longer than the window of %" G_GSIZE_FORMAT,
        input->hop, what, input->length - input->context);
  return TRUE;
}

/* The axis of time, and that the others fit @channels. */
static gboolean
find_audio_axis (GstInferInput *input, const InferModel *model, guint channels,
    GError **error)
{
  const InferShape *shape = &infer_model_input_desc (model, 0)->shape;

  input->axis = shape->rank - 1;
  input->planar = TRUE;
  if (shape->rank == 3 && shape->dims[2] == (gint64) channels
      && shape->dims[1] != (gint64) channels) {
    input->axis = 1;
    input->planar = FALSE;
  }
  for (int i = 0; i < shape->rank; i++) {
    gint64 want = i == input->axis - 1 && input->planar ? channels
                  : i > input->axis                     ? channels
                                                        : 1;

    if (i != input->axis && shape->dims[i] != want
        && shape->dims[i] != INFER_DYNAMIC)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "input '%s' has %" G_GINT64_FORMAT
          " at axis %d, not %" G_GINT64_FORMAT " for %u channel(s)",
          infer_model_input_name (model, 0), shape->dims[i], i, want, channels);
  }
  return channels == 1 || shape->rank > 1
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "input '%s' has no axis for %u channels",
             infer_model_input_name (model, 0), channels);
}

static gboolean
negotiate_audio (GstInferInput *input, const InferModel *model,
    const GstCaps *caps, guint window, guint hop, GError **error)
{
  const InferShape *shape = &infer_model_input_desc (model, 0)->shape;
  guint rate, channels;
  GstAudioInfo info;

  takes_audio (model, &rate, &channels);
  g_autoptr (GstCaps) known = gst_caps_from_string (
      GST_INFER_AUDIO_CAPS "rate = [ 1, max ], channels = [ 1, max ]");
  if (!gst_caps_is_subset (caps, known)
      || !gst_audio_info_from_caps (&info, caps))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "audio must be of integers of 8, 16, 24 or 32 bits or floats, in system "
        "memory: put audioconvert before it");
  if ((guint) info.rate != rate || (guint) info.channels != channels)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model wants %u Hz and %u channel(s): put audioconvert and "
        "audioresample before it",
        rate, channels);

  input->kind = GST_INFER_INPUT_AUDIO;
  input->audio = info;
  input->width = channels;
  input->row_num = GST_SECOND;
  input->row_den = rate;
  input->multiple = info_uint (model, "samples_multiple", 1, G_MAXINT);
  if (!find_audio_axis (input, model, channels, error))
    return FALSE;
  return choose_length (input, shape->dims[input->axis],
      (double) window * rate / 1000, (double) hop * rate / 1000, "samples",
      error);
}

static gboolean
has_rows (const InferModel *model, const GstInferTensors *tensors)
{
  const InferShape *shape = &infer_model_input_desc (model, 0)->shape;
  InferShape fitted;

  if (infer_model_n_inputs (model) != 1 || shape->rank != 3 || tensors->n != 1
      || tensors->descs[0].type != INFER_TYPE_F32 || shape->dims[2] <= 0)
    return FALSE;
  if (infer_model_get_info (model, "frames_multiple") != NULL)
    return TRUE;
  return !gst_infer_shape_fit (shape, &tensors->descs[0].shape, &fitted);
}

/* Nanoseconds of a row: from the caps' frame rate, else from the front-end that
 * the model was trained with. */
static void
rows_rate (GstInferInput *input, const InferModel *model, gint64 rows)
{
  guint rate = info_uint (model, "sample_rate", 0, MAX_RATE);
  guint hop = info_uint (model, "hop", 0, MAX_RATE);

  input->row_num = 0;
  input->row_den = 1;
  if (input->tensors.fps_n > 0) {
    input->row_num = (guint64) input->tensors.fps_d * GST_SECOND;
    input->row_den = (guint64) input->tensors.fps_n * (guint64) rows;
  } else if (rate > 0 && hop > 0) {
    input->row_num = hop * GST_SECOND;
    input->row_den = rate;
  }
}

static float
missing_row_value (const InferModel *model)
{
  const char *kind = infer_model_get_info (model, "input");
  double floor = gst_infer_model_info_number (model, "floor", 1e-6);
  gboolean is_log = g_strcmp0 (kind, "logmel") == 0 && floor > 0;

  return (float) gst_infer_model_info_number (
      model, "pad_value", is_log ? log (floor) : 0.0);
}

static gboolean
negotiate_rows (GstInferInput *input, const InferModel *model, guint window,
    guint hop, GError **error)
{
  const InferShape *shape = &infer_model_input_desc (model, 0)->shape;
  InferShape pattern = *shape, fitted;

  pattern.dims[1] = INFER_DYNAMIC;
  if (!gst_infer_shape_fit (&pattern, &input->tensors.descs[0].shape, &fitted)
      || (fitted.dims[0] != 1)) {
    g_autofree char *want = infer_shape_to_string (shape);
    g_autofree char *have =
        infer_shape_to_string (&input->tensors.descs[0].shape);

    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "input '%s' is %s, which %s cannot be cut into",
        infer_model_input_name (model, 0), want, have);
  }
  input->kind = GST_INFER_INPUT_ROWS;
  input->width = (guint) shape->dims[2];
  input->axis = 1;
  input->multiple = info_uint (model, "frames_multiple", 1, G_MAXINT);
  input->pad = missing_row_value (model);
  rows_rate (input, model, fitted.dims[1]);
  if (input->row_num == 0 && shape->dims[1] <= 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a window in milliseconds needs a framerate in the caps");
  double per_ms = input->row_num > 0
                      ? 1e6 * (double) input->row_den / (double) input->row_num
                      : 0;
  return choose_length (
      input, shape->dims[1], window * per_ms, hop * per_ms, "frames", error);
}

static gboolean
negotiate_tensors (
    GstInferInput *input, const InferModel *model, GError **error)
{
  guint n = infer_model_n_inputs (model);

  input->kind = GST_INFER_INPUT_TENSORS;
  if (input->tensors.n != n)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model has %u inputs, the caps %u tensors", n, input->tensors.n);
  for (guint i = 0; i < n; i++) {
    const InferShape *want = &infer_model_input_desc (model, i)->shape;
    InferShape *have = &input->tensors.descs[i].shape;
    InferShape fitted;

    if (!gst_infer_shape_fit (want, have, &fitted)) {
      g_autofree char *want_text = infer_shape_to_string (want);
      g_autofree char *have_text = infer_shape_to_string (have);

      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "input '%s' is %s, tensor %u is %s",
          infer_model_input_name (model, i), want_text, i, have_text);
    }
    *have = fitted;
  }
  return TRUE;
}

gboolean
gst_infer_input_negotiate (GstInferInput *input, const InferModel *model,
    const GstCaps *caps, guint window, guint hop, int context, const char *crop,
    GError **error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  *input = (GstInferInput){ 0 };
  g_autofree char *advice = gst_infer_input_advise (model, caps);
  if (advice != NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "%s", advice);
  input->context = context >= 0 ? (gsize) context
                                : info_uint (model, "context", 0, MAX_CONTEXT);
  if (gst_structure_has_name (s, "audio/x-raw"))
    return negotiate_audio (input, model, caps, window, hop, error);
  if (gst_structure_has_name (s, "video/x-raw")) {
    input->kind = GST_INFER_INPUT_VIDEO;
    if (!gst_infer_video_negotiate (&input->video, model, caps, crop, error))
      return FALSE;
    input->tensors.fps_n = GST_VIDEO_INFO_FPS_N (&input->video.info);
    input->tensors.fps_d = GST_VIDEO_INFO_FPS_D (&input->video.info);
    return TRUE;
  }
  if (!gst_infer_tensors_from_caps (caps, &input->tensors, error))
    return FALSE;
  if (has_rows (model, &input->tensors))
    return negotiate_rows (input, model, window, hop, error);
  return negotiate_tensors (input, model, error);
}

/* Rows per second, in lowest terms. */
static void
rows_per_second (const GstInferTensors *tensors, guint64 *n, guint64 *d)
{
  guint64 rows = (guint64) tensors->descs[0].shape.dims[1];

  *n = (guint64) MAX (tensors->fps_n, 0) * MIN (rows, G_MAXUINT32);
  *d = (guint64) MAX (tensors->fps_d, 1);
  guint64 common = (guint64) gst_util_greatest_common_divisor_int64 (
      (gint64) *n, (gint64) *d);
  *n /= common;
  *d /= common;
}

/* A buffer's tensor is [1, rows, width]. */
static gboolean
is_rows (const GstInferInput *input)
{
  const InferShape *shape = &input->tensors.descs[0].shape;

  return input->kind == GST_INFER_INPUT_ROWS
         || (input->kind == GST_INFER_INPUT_TENSORS && input->tensors.n == 1
             && shape->rank == 3 && shape->dims[0] == 1);
}

gboolean
gst_infer_input_continues (
    const GstInferInput *input, const GstInferInput *next)
{
  const GstInferTensors *a = &input->tensors, *b = &next->tensors;
  guint64 n, d, next_n, next_d;

  if (input->kind != next->kind || !is_rows (input) || !is_rows (next)
      || a->descs[0].type != b->descs[0].type
      || a->descs[0].shape.dims[2] != b->descs[0].shape.dims[2]
      || input->length != next->length || input->hop != next->hop)
    return FALSE;
  rows_per_second (a, &n, &d);
  rows_per_second (b, &next_n, &next_d);
  return n == next_n && d == next_d;
}

InferShape
gst_infer_input_shape (const GstInferInput *input, const InferModel *model,
    guint index, gsize rows)
{
  if (input->kind == GST_INFER_INPUT_TENSORS)
    return input->tensors.descs[index].shape;
  if (input->kind == GST_INFER_INPUT_VIDEO)
    return input->video.shape;
  InferShape shape = infer_model_input_desc (model, 0)->shape;
  for (int i = 0; i < shape.rank; i++)
    if (i != input->axis && shape.dims[i] == INFER_DYNAMIC)
      shape.dims[i] = input->kind == GST_INFER_INPUT_AUDIO
                              && (i == input->axis - 1) == input->planar
                              && i != 0
                          ? input->width
                          : 1;
  shape.dims[input->axis] = (gint64) rows;
  return shape;
}

void
gst_infer_input_copy (
    const GstInferInput *input, const float *from, gsize rows, float *to)
{
  guint width = input->width;

  if (!input->planar || width == 1) {
    memcpy (to, from, rows * width * sizeof (float));
    return;
  }
  for (guint c = 0; c < width; c++)
    for (gsize i = 0; i < rows; i++)
      to[c * rows + i] = from[i * width + c];
}
