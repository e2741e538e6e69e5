/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The settings become a model in use, and a stream with its settings. */

#include <string.h>

#include "gst/common/progress.h"
#include "gst/speech/transcriber.h"

#define GST_CAT_DEFAULT gst_infer_transcriber_debug

/* Around a cut, both utterances hear as much. */
#define OVERLAP_MS 1000
/* A cut is searched in as much at the end of an utterance. */
#define SEARCH_MS 5000
/* Without voice activity detection, pieces in which a cut may lie. */
#define STEP_MS 20
/* As silero-vad's utilities: silence is below the threshold by as much. */
#define HYSTERESIS 0.15

/* --- voice activity --- */

/* The detector that the settings ask for in *@voice; NULL there: none. */
static gboolean
load_voice (const GstInferTranscriberSettings *s, InferVoiceModel **voice,
    GError **error)
{
  gboolean own = s->vad_model != NULL && *s->vad_model != '\0';
  g_autofree char *found = own ? NULL : infer_voice_model_find (s->model);
  const char *path = own ? s->vad_model : found;

  *voice = NULL;
  if (s->vad == GST_INFER_VAD_NONE)
    return TRUE;
  if (s->vad == GST_INFER_VAD_SILERO && path == NULL)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "vad=silero: there is no silero_vad*.onnx in %s: set vad-model to its "
        "file, or vad=level",
        s->model);
  *voice = infer_voice_model_load (
      s->vad == GST_INFER_VAD_LEVEL ? NULL : path, s->device, error);
  return *voice != NULL;
}

static guint64
in_samples (const GstInferHearing *hearing, guint64 ms)
{
  return gst_util_uint64_scale_round (ms, hearing->info.rate, 1000);
}

/* The longest utterance that leaves the model room for what it has in common
 * with the next one.  Without a detector the model itself goes from piece to
 * piece, as it knows better where words end. */
static guint64
longest_utterance (const GstInferTranscriber *self)
{
  const GstInferHearing *hearing = &self->hearing;
  guint64 wanted = in_samples (hearing, self->active.max_utterance);
  guint64 longest = hearing->info.longest;
  guint64 room = in_samples (hearing, OVERLAP_MS);

  if (longest == 0 || self->active.vad == GST_INFER_VAD_NONE)
    return wanted;
  longest = longest > 2 * room ? longest - room : longest;
  return wanted > 0 ? MIN (wanted, longest) : longest;
}

static void
make_rules (GstInferTranscriber *self)
{
  const GstInferTranscriberSettings *s = &self->active;
  GstInferHearing *hearing = &self->hearing;

  hearing->rules =
      (InferSegmenterConfig){ .max_speech = longest_utterance (self),
        .search = in_samples (hearing, SEARCH_MS),
        .overlap = in_samples (hearing, OVERLAP_MS) };
  hearing->rules.vad = (InferVadConfig){ .threshold = s->threshold,
    .neg_threshold = MAX (s->threshold - HYSTERESIS, 0.01),
    .min_speech = in_samples (hearing, s->min_speech),
    .min_silence = in_samples (hearing, s->min_silence),
    .pad = in_samples (hearing, s->pad) };
  if (s->vad != GST_INFER_VAD_NONE)
    return;
  /* All is speech but digital silence, however short. */
  hearing->rules.vad.threshold = hearing->rules.vad.neg_threshold = 0.5;
  hearing->rules.vad.min_speech = 0;
}

static gboolean
check_rates (const GstInferTranscriber *self, GError **error)
{
  guint rate = self->hearing.info.rate;

  if (self->voice == NULL || infer_voice_model_get_rate (self->voice) == rate)
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: the model takes %u Hz, but the voice activity detector %s %u Hz: set "
      "vad=none, or another vad-model",
      self->active.model, rate,
      infer_voice_model_get_path (self->voice) != NULL
          ? infer_voice_model_get_path (self->voice)
          : infer_voice_model_get_kind (self->voice),
      infer_voice_model_get_rate (self->voice));
}

static gboolean
open_listener (GstInferTranscriber *self, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  make_rules (self);
  return check_rates (self, error)
         && gst_infer_listener_open (&hearing->listener, self->voice,
             &hearing->rules, (guint) MAX (in_samples (hearing, STEP_MS), 1),
             error);
}

/* --- settings of the stream --- */

/* NULL: the kind's default. */
static const char *
or_null (const char *text)
{
  return text != NULL && *text != '\0' ? text : NULL;
}

/* Where it differs from @before: kinds refuse settings that they lack. */
static gboolean
set (InferSpeechStream *stream, const char *key, const char *value,
    const char *before, GError **error)
{
  return g_strcmp0 (or_null (value), or_null (before)) == 0
         || infer_speech_stream_set (stream, key, or_null (value), error);
}

/* "en-US" where the model knows only "en", too. */
static gboolean
set_language (InferSpeechStream *stream, const char *language,
    const char *before, GError **error)
{
  const char *dash = language != NULL ? strchr (language, '-') : NULL;
  g_autoptr (GError) failure = NULL;

  if (dash == NULL)
    return set (stream, "language", language, before, error);
  if (set (stream, "language", language, before, &failure))
    return TRUE;
  g_autofree char *first = g_strndup (language, (gsize) (dash - language));
  if (set (stream, "language", first, before, NULL))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

/* "key=value;key=value" */
static gboolean
set_options (InferSpeechStream *stream, const char *options, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (options != NULL ? options : "", ";", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    char *equals = strchr (parts[i], '=');

    if (*g_strstrip (parts[i]) == '\0')
      continue;
    if (equals == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%s' in 'options' is not of the form KEY=VALUE", parts[i]);
    *equals = '\0';
    if (!infer_speech_stream_set (
            stream, g_strstrip (parts[i]), g_strstrip (equals + 1), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
set_beam (InferSpeechStream *stream, guint beam, GError **error)
{
  g_autofree char *text = beam > 0 ? g_strdup_printf ("%u", beam) : NULL;

  return infer_speech_stream_set (stream, "beam", text, error);
}

/* A model that names no languages has one, and no setting for it;
 * transcriberbin always sets one. */
static gboolean
set_all (InferSpeechStream *stream, const InferSpeechInfo *info,
    const GstInferTranscriberSettings *s,
    const GstInferTranscriberSettings *before, GError **error)
{
  return (info->languages == NULL
             || set_language (stream, s->language, before->language, error))
         && set (stream, "task", s->task, before->task, error)
         && set (stream, "initial-prompt", s->initial_prompt,
             before->initial_prompt, error)
         && set (stream, "phrases", s->phrases, before->phrases, error)
         && (s->beam == before->beam || set_beam (stream, s->beam, error))
         && (g_strcmp0 (s->options, before->options) == 0
             || set_options (stream, s->options, error));
}

gboolean
gst_infer_transcriber_configure (GstInferTranscriber *self, GError **error)
{
  GstInferTranscriberSettings s = { 0 };
  GstInferHearing *hearing = &self->hearing;

  GST_OBJECT_LOCK (self);
  gboolean changed = self->settings.serial != hearing->settings_serial;
  if (changed)
    gst_infer_transcriber_settings_copy (&s, &self->settings);
  GST_OBJECT_UNLOCK (self);
  if (!changed)
    return TRUE;
  hearing->settings_serial = s.serial;
  gboolean ok =
      set_all (hearing->stream, &hearing->info, &s, &hearing->applied, error);
  if (or_null (s.language) != NULL && hearing->info.languages == NULL)
    GST_INFO_OBJECT (self, "the model does not say which languages it knows; "
                           "'language-code' changes nothing");
  gst_infer_transcriber_settings_copy (&hearing->applied, &s);
  gst_infer_transcriber_settings_clear (&s);
  return ok;
}

/* --- open and close --- */

/* The least delay of a text: the silence that ends an utterance, and the
 * model's own. */
static void
begin_delays (GstInferTranscriber *self)
{
  const GstInferTranscriberSettings *s = &self->active;
  const GstInferHearing *hearing = &self->hearing;
  InferSegmenterConfig rules = hearing->rules;
  if (self->voice == NULL) /* silence ends an utterance, but none is needed */
    rules.vad = (InferVadConfig){ 0 };
  GstClockTime least = gst_util_uint64_scale (
      hearing->info.delay
          + infer_segmenter_delay (&rules,
              self->voice != NULL ? infer_voice_model_get_window (self->voice)
                                  : hearing->listener.step),
      GST_SECOND, hearing->info.rate);

  gst_infer_delays_reset (
      &self->delays, least, (GstClockTime) s->latency * GST_MSECOND);
}

static gboolean
load (GstInferTranscriber *self, GError **error)
{
  const GstInferTranscriberSettings *s = &self->active;
  GstInferHearing *hearing = &self->hearing;

  if (s->model == NULL || *s->model == '\0')
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "No model: set the property 'model' to the folder of a speech model, or "
        "to the file of a CTC model");
  self->model = gst_infer_speech_model_get (
      s->model, s->kind, s->device, s->config, error);
  if (self->model == NULL || !load_voice (s, &self->voice, error))
    return FALSE;
  InferSpeechModel *model = gst_infer_speech_model_peek (self->model);
  hearing->info = *infer_speech_model_get_info (model);
  hearing->stream = infer_speech_stream_new (model, error);
  return hearing->stream != NULL;
}

gboolean
gst_infer_transcriber_open (GstInferTranscriber *self, GError **error)
{
  GstInferHearing *hearing = &self->hearing;

  GST_OBJECT_LOCK (self);
  gst_infer_transcriber_settings_copy (&self->active, &self->settings);
  hearing->settings_serial = self->active.serial - 1;
  GST_OBJECT_UNLOCK (self);
  gst_infer_post_progress (self, GST_PROGRESS_TYPE_START, self->active.model);
  gboolean loaded = load (self, error);
  gst_infer_post_progress (self,
      loaded ? GST_PROGRESS_TYPE_COMPLETE : GST_PROGRESS_TYPE_ERROR,
      self->active.model);
  if (!loaded || !open_listener (self, error)
      || !gst_infer_transcriber_configure (self, error))
    return FALSE;
  hearing->overload_told = hearing->late_told = FALSE;
  hearing->utterance = 0;
  begin_delays (self);
  gst_infer_transcriber_begin_sequence (self);
  GST_OBJECT_LOCK (self);
  self->rate = hearing->info.rate;
  GST_OBJECT_UNLOCK (self);
  GST_INFO_OBJECT (self,
      "%s: a model of kind %s at %u Hz, voice activity by %s",
      self->active.model, hearing->info.kind, hearing->info.rate,
      self->voice != NULL ? infer_voice_model_get_kind (self->voice)
                          : "nothing");
  return TRUE;
}

void
gst_infer_transcriber_close (GstInferTranscriber *self)
{
  GstInferHearing *hearing = &self->hearing;

  GST_OBJECT_LOCK (self);
  self->rate = 0;
  g_autoptr (InferSpeechStream) stream = g_steal_pointer (&hearing->stream);
  GstInferListener listener = hearing->listener;
  hearing->listener = (GstInferListener){ .voice = NULL };
  GST_OBJECT_UNLOCK (self);
  gst_infer_transcriber_settings_clear (&hearing->applied);
  hearing->applied.beam = 0;
  gst_infer_listener_close (&listener);
  g_clear_pointer (&self->voice, infer_voice_model_unref);
  g_clear_pointer (&stream, infer_speech_stream_free);
  g_clear_pointer (&self->model, gst_infer_speech_model_release);
}
