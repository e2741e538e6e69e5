/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/folder/metadata.h"

#include <string.h>

#include "inference/speech/network.h"

#define RATE 16000
#define HOP 160
#define MOST_TOKENS 0x200000 /* as a vocabulary's pieces */
#define MOST_SIZE (1 << 20)

/* --- numbers --- */

static gboolean
fail_number (const InferModel *encoder, const char *key, const char *text,
    gint64 most, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: its metadata say %s = '%.40s', where a number from 0 to "
      "%" G_GINT64_FORMAT " was expected",
      infer_model_get_path (encoder), key, text, most);
}

/* *@value stays as it is where the encoder does not say. */
static gboolean
read_number (const InferModel *encoder, const char *key, gint64 most,
    gint64 *value, GError **error)
{
  const char *text = speech_network_info (encoder, key);
  guint64 n;

  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, (guint64) most, &n, NULL))
    return fail_number (encoder, key, text, most, error);
  *value = (gint64) n;
  return TRUE;
}

static gboolean
read_token (
    const InferModel *encoder, const char *key, guint *token, GError **error)
{
  gint64 value = -1;

  if (!read_number (encoder, key, MOST_TOKENS, &value, error))
    return FALSE;
  *token = value < 0 ? G_MAXUINT : (guint) value;
  return TRUE;
}

/* "50258,50259"; *@tokens stays empty where the encoder does not say. */
static gboolean
read_tokens (
    const InferModel *encoder, const char *key, GArray *tokens, GError **error)
{
  const char *text = speech_network_info (encoder, key);

  if (text == NULL || *text == '\0')
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    guint64 n;

    if (!g_ascii_string_to_unsigned (parts[i], 10, 0, MOST_TOKENS, &n, NULL))
      return fail_number (encoder, key, parts[i], MOST_TOKENS, error);
    const guint id = (guint) n;
    g_array_append_val (tokens, id);
  }
  return TRUE;
}

/* --- sizes --- */

static gboolean
read_sizes (WhisperConfig *c, const InferModel *encoder, GError **error)
{
  gint64 context = -1, multilingual = 0;

  if (!read_number (encoder, "n_mels", MOST_SIZE, &c->bands, error)
      || !read_number (encoder, "n_audio_ctx", MOST_SIZE, &c->positions, error)
      || !read_number (encoder, "n_text_state", MOST_SIZE, &c->width, error)
      || !read_number (encoder, "n_vocab", MOST_TOKENS, &c->vocabulary, error)
      || !read_number (encoder, "n_text_layer", 4096, &c->layers, error)
      || !read_number (encoder, "n_text_head", 4096, &c->heads, error)
      || !read_number (encoder, "n_text_ctx", MOST_SIZE, &context, error)
      || !read_number (encoder, "is_multilingual", 1, &multilingual, error))
    return FALSE;
  if (context < 16)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its metadata should say n_text_ctx, the tokens that a text may "
        "have, at least 16",
        infer_model_get_path (encoder));
  c->context = (guint) context;
  c->multilingual = multilingual != 0;
  c->states_languages = TRUE;
  return TRUE;
}

/* --- special tokens --- */

static gboolean
require (
    const InferModel *encoder, const char *key, guint token, GError **error)
{
  return token != G_MAXUINT
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its metadata do not say which token is '%s'",
             infer_model_get_path (encoder), key);
}

static gboolean
read_special (WhisperConfig *c, const InferModel *encoder, GError **error)
{
  if (!read_token (encoder, "sot", &c->start, error)
      || !read_token (encoder, "eot", &c->end, error)
      || !read_token (encoder, "no_timestamps", &c->no_timestamps, error)
      || !read_token (encoder, "sot_prev", &c->previous, error)
      || !read_token (encoder, "no_speech", &c->no_speech, error)
      || !read_token (encoder, "transcribe", &c->transcribe, error)
      || !read_token (encoder, "translate", &c->translate, error)
      || !require (encoder, "sot", c->start, error)
      || !require (encoder, "eot", c->end, error)
      || !require (encoder, "no_timestamps", c->no_timestamps, error))
    return FALSE;
  c->timestamps = c->no_timestamps + 1;
  return (c->start != c->end && c->end < c->timestamps
             && c->start < c->timestamps)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its metadata say sot = %u, eot = %u, no_timestamps = %u: "
             "timestamps should follow the other tokens",
             infer_model_get_path (encoder), c->start, c->end,
             c->no_timestamps);
}

static int
compare_languages (gconstpointer a, gconstpointer b)
{
  const WhisperLanguage *left = a, *right = b;

  return left->id < right->id ? -1 : left->id > right->id;
}

static gboolean
read_languages (WhisperConfig *c, const InferModel *encoder, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *codes = speech_network_info (encoder, "all_language_codes");

  if (!c->multilingual)
    return TRUE;
  if (!read_tokens (encoder, "all_language_tokens", ids, error))
    return FALSE;
  g_auto (GStrv) parts = g_strsplit (codes != NULL ? codes : "", ",", -1);
  if (ids->len == 0 || g_strv_length (parts) != ids->len)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its metadata have %u all_language_tokens and %u "
        "all_language_codes, as many of each were expected",
        infer_model_get_path (encoder), ids->len, g_strv_length (parts));
  for (guint i = 0; i < ids->len; i++) {
    WhisperLanguage language = { g_strdup (parts[i]),
      g_array_index (ids, guint, i) };

    g_array_append_val (c->languages, language);
  }
  g_array_sort (c->languages, compare_languages);
  return TRUE;
}

/* As OpenAI's decoder: what is no speech, and all that is no text, but for the
 * timestamps; and no text begins with a space alone or its end. */
static gboolean
read_suppressed (WhisperConfig *c, const InferModel *encoder, GError **error)
{
  guint blank, model;

  if (!read_tokens (encoder, "non_speech_tokens", c->suppress, error)
      || !read_token (encoder, "blank_id", &blank, error)
      || !read_token (encoder, "sot_lm", &model, error))
    return FALSE;
  const guint special[] = { c->transcribe, c->translate, c->start, c->previous,
    model, c->no_speech };
  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    if (special[i] != G_MAXUINT)
      g_array_append_val (c->suppress, special[i]);
  if (blank != G_MAXUINT)
    g_array_append_val (c->suppress_first, blank);
  g_array_append_val (c->suppress_first, c->end);
  return TRUE;
}

/* --- all --- */

gboolean
whisper_metadata_read (WhisperConfig *c, const InferModel *encoder,
    const SpeechFolder *folder, GError **error)
{
  whisper_config_init (c);
  c->path = g_strdup (infer_model_get_path (encoder));
  c->rate = RATE;
  c->hop = HOP;
  if (!read_sizes (c, encoder, error) || !read_special (c, encoder, error)
      || !read_languages (c, encoder, error)
      || !read_suppressed (c, encoder, error))
    return FALSE;
  c->vocabulary_file = infer_vocabulary_load (folder, error);
  return c->vocabulary_file != NULL;
}
