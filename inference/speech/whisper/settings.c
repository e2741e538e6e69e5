/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/settings.h"

#include <math.h>
#include <string.h>

#define MAX_BEAMS 16
/* Bonus of a phrase without a weight, per token, in natural logarithms. */
#define PHRASE_WEIGHT 1.5
#define TEMPERATURES "0,0.2,0.4,0.6,0.8,1"

typedef struct
{
  const char *key, *fallback, *wants;
  gboolean (*set) (WhisperSettings *s, const WhisperConfig *c,
      const char *value, GError **error);
} Setting;

/* FALSE: the value is none that is wanted, and nothing has changed. */
static gboolean
parse (const char *text, double least, double most, double *number)
{
  char *end;
  double value = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || !(value >= least && value <= most))
    return FALSE;
  *number = value;
  return TRUE;
}

static gboolean
parse_flag (const char *text, gboolean *flag)
{
  if (strcmp (text, "true") != 0 && strcmp (text, "false") != 0)
    return FALSE;
  *flag = *text == 't';
  return TRUE;
}

static gboolean
set_language (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  if (strcmp (value, "auto") == 0) {
    s->language = NULL;
    return TRUE;
  }
  if (!c->multilingual)
    return strcmp (value, "en") == 0
           || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
               "the model knows English alone, not '%.20s'", value);
  const WhisperLanguage *language = whisper_config_language (c, value);
  if (language == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model does not know the language '%.20s'", value);
  s->language = language;
  return TRUE;
}

static gboolean
set_task (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  gboolean translate = strcmp (value, "translate") == 0;

  if (!translate && strcmp (value, "transcribe") != 0)
    return FALSE;
  if (translate && (!c->multilingual || c->translate == G_MAXUINT))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model cannot translate: it knows English alone");
  s->translate = translate;
  return TRUE;
}

static gboolean
set_beam (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  double n;

  if (!parse (value, 1, MAX_BEAMS, &n) || n != floor (n))
    return FALSE;
  s->beams = (guint) n;
  return TRUE;
}

static gboolean
set_length_penalty (WhisperSettings *s, const WhisperConfig *c,
    const char *value, GError **error)
{
  s->length_penalty = (double) NAN;
  return strcmp (value, "none") == 0 || parse (value, 0, 1, &s->length_penalty);
}

static gboolean
set_temperature (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  g_auto (GStrv) parts = g_strsplit (value, ",", WHISPER_MAX_TEMPERATURES + 1);
  guint n = g_strv_length (parts);
  float temperatures[WHISPER_MAX_TEMPERATURES];

  if (n == 0 || n > WHISPER_MAX_TEMPERATURES)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    double t;

    if (!parse (g_strstrip (parts[i]), 0, 2, &t))
      return FALSE;
    temperatures[i] = (float) t;
  }
  memcpy (s->temperatures, temperatures, n * sizeof *temperatures);
  s->n_temperatures = n;
  return TRUE;
}

static gboolean
set_initial_prompt (WhisperSettings *s, const WhisperConfig *c,
    const char *value, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *text = g_strstrip (g_strdup (value));

  if (*text != '\0') {
    /* Words begin with a space. */
    g_autofree char *spaced = g_strconcat (" ", text, NULL);

    if (c->previous == G_MAXUINT)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "the model takes no prompt: it has no token '<|startofprev|>'");
    if (!infer_vocabulary_encode (c->vocabulary_file, spaced, ids, error))
      return FALSE;
  }
  g_array_unref (s->initial_prompt);
  s->initial_prompt = g_steal_pointer (&ids);
  return TRUE;
}

static gboolean
set_previous_text (WhisperSettings *s, const WhisperConfig *c,
    const char *value, GError **error)
{
  return parse_flag (value, &s->previous_text);
}

static gboolean
set_phrases (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  InferPhrases *phrases = NULL;

  if (*value != '\0') {
    phrases =
        infer_phrases_new (c->vocabulary_file, value, PHRASE_WEIGHT, error);
    if (phrases == NULL)
      return FALSE;
  }
  infer_phrases_unref (s->phrases);
  s->phrases = phrases;
  return TRUE;
}

static gboolean
set_margin (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  return parse (value, 0, WHISPER_WHOLE_MARGIN, &s->margin);
}

static gboolean
set_word_times (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  return parse_flag (value, &s->word_times);
}

static gboolean
set_time_limit (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  return parse (value, 0, 3600, &s->time_limit);
}

static gboolean
set_no_speech (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  return parse (value, 0, 1, &s->no_speech_threshold);
}

static gboolean
set_log_probability (WhisperSettings *s, const WhisperConfig *c,
    const char *value, GError **error)
{
  return parse (value, -100, 0, &s->log_probability_threshold);
}

static gboolean
set_compression (WhisperSettings *s, const WhisperConfig *c, const char *value,
    GError **error)
{
  return parse (value, 1, 1000, &s->compression_threshold);
}

static const Setting settings[] = {
  { "language", "auto", "'auto' or a code such as 'en'", set_language },
  { "task", "transcribe", "'transcribe' or 'translate'", set_task },
  { "beam", "1", "a number of beams from 1 to 16", set_beam },
  { "length-penalty", "none", "'none' or a number from 0 to 1",
      set_length_penalty },
  { "temperature", TEMPERATURES,
      "at most 16 numbers from 0 to 2, separated "
      "by commas",
      set_temperature },
  { "initial-prompt", "", "text", set_initial_prompt },
  { "condition-on-previous-text", "false", "'true' or 'false'",
      set_previous_text },
  { "phrases", "", "'text:weight' per line", set_phrases },
  { "context-margin", "5", "seconds from 0 to 30", set_margin },
  { "word-times", "true", "'true' or 'false'", set_word_times },
  { "time-limit", "60", "seconds from 0 to 3600", set_time_limit },
  { "no-speech-threshold", "0.6", "a probability", set_no_speech },
  { "log-probability-threshold", "-1", "a number from -100 to 0",
      set_log_probability },
  { "compression-threshold", "2.4", "a number from 1 on", set_compression },
};

void
whisper_settings_init (WhisperSettings *s)
{
  *s = (WhisperSettings){ .beams = 1 };
  s->initial_prompt = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (settings[i].set != set_language && settings[i].set != set_task)
      settings[i].set (s, NULL, settings[i].fallback, NULL);
}

void
whisper_settings_clear (WhisperSettings *s)
{
  g_clear_pointer (&s->initial_prompt, g_array_unref);
  g_clear_pointer (&s->phrases, infer_phrases_unref);
}

static gboolean
fail_key (const char *key, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", settings[i].key);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "a stream of Whisper has no setting '%.50s', only %s", key, known->str);
}

gboolean
whisper_settings_set (WhisperSettings *s, const WhisperConfig *config,
    const char *key, const char *value, GError **error)
{
  GError *failed = NULL;
  guint i = 0;

  while (i < G_N_ELEMENTS (settings) && strcmp (settings[i].key, key) != 0)
    i++;
  if (i == G_N_ELEMENTS (settings))
    return fail_key (key, error);
  if (value == NULL)
    value = settings[i].fallback;
  if (settings[i].set (s, config, value, &failed))
    return TRUE;
  if (failed == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the setting '%s' is not '%.50s', but %s", key, value,
        settings[i].wants);
  g_propagate_prefixed_error (error, failed, "the setting '%s': ", key);
  return FALSE;
}
