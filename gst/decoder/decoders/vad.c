/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where speech starts and ends, of the probabilities that a model gives: a
 * buffer and a message for each, and GAP events for the time between. The
 * values of the first tensor are the probabilities of equal parts of the
 * buffer's time. */

#include <math.h>

#include "gst/common/json-text.h"
#include "gst/decoder/decoders/decoder.h"
#include "inference/media/vad.h"

/* Defaults of silero-vad. */
#define MIN_SPEECH 250 /* ms */
#define MIN_SILENCE 100
#define SPEECH_PAD 30
#define HYSTERESIS 0.15

typedef struct
{
  InferVad vad;
  GArray *events;        /* (element-type InferVadEvent), scratch */
  GstInferFloats floats; /* scratch for other element types */
  gboolean logits, json;
  char *separator;
  GstClockTime step;    /* of a probability; 0: not known */
  GstClockTime covered; /* text or gaps were given out until then; NONE */
} Vad;

/* Milliseconds: the property, else what the model says. */
static GstClockTime
duration_of (const GstInferDecoderConfig *config, int property, const char *key,
    double fallback)
{
  double ms = property >= 0
                  ? property
                  : gst_infer_decoder_number (config->info, key, fallback);

  return ms >= 0 && ms < 1e9 ? (GstClockTime) (ms * 1e6) : 0;
}

static void
vad_reset (gpointer decoder)
{
  Vad *self = decoder;

  infer_vad_reset (&self->vad);
  self->covered = GST_CLOCK_TIME_NONE;
}

static gpointer
vad_create (const GstInferDecoderConfig *config, GError **error)
{
  Vad *self = g_new0 (Vad, 1);
  const char *raw = config->info != NULL ? gst_structure_get_string (
                        config->info, "output_raw_scores")
                                         : NULL;
  double threshold =
      gst_infer_decoder_threshold (config, &gst_infer_decoder_vad);
  double negative = config->neg_threshold;

  if (negative < 0)
    negative = gst_infer_decoder_number (
        config->info, "neg_threshold", MAX (threshold - HYSTERESIS, 0.01));
  self->vad.config = (InferVadConfig){
    .threshold = threshold,
    .neg_threshold = negative,
    .min_speech = duration_of (
        config, config->min_speech, "min_speech_duration_ms", MIN_SPEECH),
    .min_silence = duration_of (
        config, config->min_silence, "min_silence_duration_ms", MIN_SILENCE),
    .pad =
        duration_of (config, config->speech_pad, "speech_pad_ms", SPEECH_PAD),
  };
  self->logits = raw != NULL && g_ascii_strcasecmp (raw, "true") == 0;
  self->json = config->json;
  self->separator = g_strdup (config->separator);
  self->events = g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  vad_reset (self);
  return self;
}

static void
vad_free (gpointer decoder)
{
  Vad *self = decoder;

  g_array_unref (self->events);
  gst_infer_floats_clear (&self->floats);
  g_free (self->separator);
  g_free (self);
}

/* --- output --- */

static void
give_gap (Vad *self, GstClockTime until, GstInferDecoderOutput *output)
{
  if (!GST_CLOCK_TIME_IS_VALID (self->covered) || until <= self->covered)
    return;
  g_queue_push_tail (
      output, gst_event_new_gap (self->covered, until - self->covered));
  self->covered = until;
}

static GstBuffer *
make_buffer (const Vad *self, const InferVadEvent *event)
{
  const char *what = event->speech ? "speech-start" : "speech-end";
  GString *line = g_string_new (self->json ? "{" : what);

  if (self->json) {
    gst_infer_json_key (line, "pts");
    gst_infer_json_time (line, event->time);
    gst_infer_json_add_string (line, "event", what);
    gst_infer_json_add_real (line, "probability", event->probability);
    g_string_append (line, "}\n");
  } else {
    g_string_append (line, self->separator);
  }
  gsize size = line->len;
  GstBuffer *buffer =
      gst_buffer_new_wrapped (g_string_free (line, FALSE), size);
  GST_BUFFER_PTS (buffer) = event->time;
  return buffer;
}

/* The name and first fields are those of GStreamer's webrtcdsp. */
static GstMessage *
make_message (const InferVadEvent *event)
{
  return gst_message_new_element (NULL,
      gst_structure_new ("voice-activity", "stream-has-voice", G_TYPE_BOOLEAN,
          event->speech, "timestamp", G_TYPE_UINT64, event->time, "probability",
          G_TYPE_DOUBLE, (double) event->probability, NULL));
}

static void
give_events (Vad *self, GstInferDecoderOutput *output)
{
  for (guint i = 0; i < self->events->len; i++) {
    const InferVadEvent *event =
        &g_array_index (self->events, InferVadEvent, i);

    give_gap (self, event->time, output);
    g_queue_push_tail (output, make_message (event));
    g_queue_push_tail (output, make_buffer (self, event));
  }
  g_array_set_size (self->events, 0);
}

/* --- input --- */

static gboolean
vad_decode (gpointer decoder, const GstInferDecoderInput *input,
    GstInferDecoderOutput *output, GError **error)
{
  Vad *self = decoder;
  const InferDesc *desc = &input->tensors->descs[0];
  gsize n = infer_shape_count (&desc->shape);

  if (n == 0)
    return TRUE;
  if (!GST_CLOCK_TIME_IS_VALID (input->pts)
      || !GST_CLOCK_TIME_IS_VALID (input->duration))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "vad: a buffer has no timestamp and duration, so that nobody knows when "
        "speech starts");
  if (!gst_infer_floats_read (
          &self->floats, desc, input->data[0], "vad", error))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (self->covered))
    self->covered = input->pts;
  if (self->step == 0)
    self->step = input->duration / n;
  for (gsize i = 0; i < n; i++) {
    float p = self->floats.values[i];

    infer_vad_push (&self->vad, self->logits ? 1 / (1 + expf (-p)) : p,
        input->pts + gst_util_uint64_scale (input->duration, i, n),
        input->pts + gst_util_uint64_scale (input->duration, i + 1, n),
        self->events);
  }
  give_events (self, output);
  give_gap (self, infer_vad_decided (&self->vad), output);
  return TRUE;
}

static void
vad_finish (gpointer decoder, GstInferDecoderOutput *output)
{
  Vad *self = decoder;
  guint64 end = self->vad.now;

  infer_vad_finish (&self->vad, self->events);
  give_events (self, output);
  give_gap (self, end, output);
  vad_reset (self);
}

static GstClockTime
vad_latency (gpointer decoder)
{
  const Vad *self = decoder;

  return infer_vad_delay (&self->vad.config, self->step);
}

const GstInferDecoderKind gst_infer_decoder_vad = {
  .name = "vad",
  .description = "Where speech starts and ends",
  .model_types =
      (const char *const[]){ "vad", "voice_activity_detection", NULL },
  .caps = "text/x-raw, format = (string) utf8; application/json",
  .threshold = 0.5,
  .create = vad_create,
  .free = vad_free,
  .decode = vad_decode,
  .finish = vad_finish,
  .reset = vad_reset,
  .latency = vad_latency,
};
