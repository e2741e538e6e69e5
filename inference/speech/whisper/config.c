/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/config.h"

#include <string.h>

#include "inference/base/json.h"

#define DEFAULT_CONTEXT 448
#define DEFAULT_RATE 16000
#define DEFAULT_HOP 160
#define DEFAULT_FIRST_TIMESTAMP 50
#define MAX_HEADS 4096

static InferJson *
read_file (const SpeechFolder *folder, const char *name, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, name);

  return infer_json_read (path, error);
}

/* --- config.json --- */

static gboolean
check_range (InferJsonValue root, const char *key, gint64 value, gint64 least,
    gint64 most, GError **error)
{
  return (value >= least && value <= most)
         || infer_json_fail (infer_json_find (root, key), error,
             "%" G_GINT64_FORMAT " is not from %" G_GINT64_FORMAT
             " to %" G_GINT64_FORMAT,
             value, least, most);
}

static gboolean
read_sizes (WhisperConfig *c, InferJsonValue root, GError **error)
{
  gint64 context = DEFAULT_CONTEXT;

  if (!infer_json_opt_int (root, "d_model", &c->width, error)
      || !infer_json_opt_int (root, "num_mel_bins", &c->bands, error)
      || !infer_json_opt_int (
          root, "max_source_positions", &c->positions, error)
      || !infer_json_opt_int (root, "vocab_size", &c->vocabulary, error)
      || !infer_json_opt_int (root, "decoder_layers", &c->layers, error)
      || !infer_json_opt_int (root, "decoder_attention_heads", &c->heads, error)
      || !infer_json_opt_int (root, "max_target_positions", &context, error)
      || !check_range (
          root, "max_target_positions", context, 16, 1 << 20, error)
      || !check_range (root, "decoder_layers", c->layers, -1, MAX_HEADS, error)
      || !check_range (
          root, "decoder_attention_heads", c->heads, -1, MAX_HEADS, error))
    return FALSE;
  c->context = (guint) context;
  return TRUE;
}

static gboolean
read_config (WhisperConfig *c, const SpeechFolder *folder, GError **error)
{
  g_autoptr (InferJson) json = read_file (folder, "config.json", error);
  const char *type = "whisper";

  if (json == NULL)
    return FALSE;
  c->path = g_strdup (infer_json_name (json));
  InferJsonValue root = infer_json_root (json);
  if (!infer_json_opt_string (root, "model_type", &type, error))
    return FALSE;
  if (strcmp (type, "whisper") != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its model_type is '%.50s', not 'whisper'", c->path, type);
  return read_sizes (c, root, error);
}

/* --- preprocessor_config.json --- */

static gboolean
read_preprocessor (WhisperConfig *c, const SpeechFolder *folder, GError **error)
{
  gint64 rate = DEFAULT_RATE, hop = DEFAULT_HOP, bands = -1;

  if (speech_folder_has (folder, "preprocessor_config.json")) {
    g_autoptr (InferJson) json =
        read_file (folder, "preprocessor_config.json", error);

    if (json == NULL)
      return FALSE;
    InferJsonValue root = infer_json_root (json);
    if (!infer_json_opt_int (root, "sampling_rate", &rate, error)
        || !infer_json_opt_int (root, "hop_length", &hop, error)
        || !infer_json_opt_int (root, "feature_size", &bands, error)
        || !check_range (root, "sampling_rate", rate, 1000, 768000, error)
        || !check_range (root, "hop_length", hop, 1, rate / 40, error))
      return FALSE;
    if (bands >= 0 && c->bands >= 0 && bands != c->bands)
      return infer_json_fail (infer_json_find (root, "feature_size"), error,
          "%" G_GINT64_FORMAT " mel bands, but %s has %" G_GINT64_FORMAT, bands,
          c->path, c->bands);
  }
  c->rate = (guint) rate;
  c->hop = (guint) hop;
  if (c->bands < 0)
    c->bands = bands;
  return TRUE;
}

/* --- generation_config.json --- */

static gboolean
read_ids (InferJsonValue root, const char *key, GArray *ids, GError **error)
{
  InferJsonValue array = { 0 };

  if (!infer_json_opt_array (root, key, &array, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (array); i++) {
    gint64 number;

    if (!infer_json_to_int (infer_json_at (array, i), &number, error))
      return FALSE;
    guint id = (guint) number;
    if (number >= 0 && number < G_MAXINT32)
      g_array_append_val (ids, id);
  }
  return TRUE;
}

static gboolean
read_head (InferJsonValue value, WhisperHead *head, GError **error)
{
  gint64 layer, number;

  if (infer_json_length (value) != 2)
    return infer_json_fail (value, error, "not a pair of a layer and a head");
  if (!infer_json_to_int (infer_json_at (value, 0), &layer, error)
      || !infer_json_to_int (infer_json_at (value, 1), &number, error))
    return FALSE;
  if (layer < 0 || layer > MAX_HEADS || number < 0 || number > MAX_HEADS)
    return infer_json_fail (value, error, "there is no such head");
  *head = (WhisperHead){ (guint) layer, (guint) number };
  return TRUE;
}

static gboolean
read_heads (WhisperConfig *c, InferJsonValue root, GError **error)
{
  InferJsonValue array = { 0 };

  if (!infer_json_opt_array (root, "alignment_heads", &array, error))
    return FALSE;
  for (guint i = 0; i < MIN (infer_json_length (array), MAX_HEADS); i++) {
    WhisperHead head;

    if (!read_head (infer_json_at (array, i), &head, error))
      return FALSE;
    if (c->layers >= 0 && c->heads >= 0
        && (head.layer >= c->layers || head.head >= c->heads))
      return infer_json_fail (infer_json_at (array, i), error,
          "%s has %" G_GINT64_FORMAT " layers of %" G_GINT64_FORMAT " heads",
          c->path, c->layers, c->heads);
    g_array_append_val (c->heads_of_words, head);
  }
  return TRUE;
}

static gboolean
read_generation (WhisperConfig *c, const SpeechFolder *folder, GError **error)
{
  gint64 first = DEFAULT_FIRST_TIMESTAMP;

  if (!speech_folder_has (folder, "generation_config.json"))
    return TRUE;
  g_autoptr (InferJson) json =
      read_file (folder, "generation_config.json", error);
  if (json == NULL)
    return FALSE;
  InferJsonValue root = infer_json_root (json);
  if (!read_ids (root, "suppress_tokens", c->suppress, error)
      || !read_ids (root, "begin_suppress_tokens", c->suppress_first, error)
      || !read_heads (c, root, error)
      || !infer_json_opt_int (
          root, "max_initial_timestamp_index", &first, error)
      || !check_range (
          root, "max_initial_timestamp_index", first, 0, 1 << 20, error)
      || !infer_json_opt_bool (
          root, "is_multilingual", &c->multilingual, error))
    return FALSE;
  c->states_languages =
      infer_json_type (infer_json_find (root, "is_multilingual"))
      == INFER_JSON_BOOL;
  c->first_timestamp = (guint) first;
  return TRUE;
}

/* --- special tokens --- */

static guint
find (const WhisperConfig *c, const char *a, const char *b)
{
  int id = infer_vocabulary_find (c->vocabulary_file, a);

  if (id < 0 && b != NULL)
    id = infer_vocabulary_find (c->vocabulary_file, b);
  return id < 0 ? G_MAXUINT : (guint) id;
}

static gboolean
require (const WhisperConfig *c, guint id, const char *name, GError **error)
{
  return id != G_MAXUINT
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: it has no token '%s', which Whisper needs",
             infer_vocabulary_name (c->vocabulary_file), name);
}

/* Languages are named between the start and the tasks: <|en|>. */
static void
find_languages (WhisperConfig *c)
{
  guint end = MIN (infer_vocabulary_size (c->vocabulary_file),
      MIN (c->translate, c->transcribe));

  for (guint id = c->start + 1; id < end; id++) {
    gsize length;
    const char *name = infer_vocabulary_bytes (c->vocabulary_file, id, &length);

    if (length < 6 || length > 12 || memcmp (name, "<|", 2) != 0
        || memcmp (name + length - 2, "|>", 2) != 0)
      continue;
    WhisperLanguage language = { g_strndup (name + 2, length - 4), id };
    g_array_append_val (c->languages, language);
  }
}

static void
clear_language (gpointer data)
{
  g_free (((WhisperLanguage *) data)->code);
}

static gboolean
find_tokens (WhisperConfig *c, GError **error)
{
  c->start = find (c, "<|startoftranscript|>", NULL);
  c->end = find (c, "<|endoftext|>", NULL);
  c->previous = find (c, "<|startofprev|>", NULL);
  c->no_timestamps = find (c, "<|notimestamps|>", NULL);
  c->no_speech = find (c, "<|nospeech|>", "<|nocaptions|>");
  c->transcribe = find (c, "<|transcribe|>", NULL);
  c->translate = find (c, "<|translate|>", NULL);
  if (!require (c, c->start, "<|startoftranscript|>", error)
      || !require (c, c->end, "<|endoftext|>", error)
      || !require (c, c->no_timestamps, "<|notimestamps|>", error))
    return FALSE;
  c->timestamps = c->no_timestamps + 1;
  /* OpenAI's rule: the models of English alone have one token less. */
  if (!c->states_languages)
    c->multilingual = c->end > 50256;
  if (c->start == c->end || c->end >= c->timestamps
      || c->start >= c->timestamps)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: timestamps should follow the other tokens",
        infer_vocabulary_name (c->vocabulary_file));
  find_languages (c);
  return TRUE;
}

/* --- all --- */

void
whisper_config_init (WhisperConfig *c)
{
  *c = (WhisperConfig){ .width = -1,
    .bands = -1,
    .positions = -1,
    .vocabulary = -1,
    .layers = -1,
    .heads = -1,
    .first_timestamp = DEFAULT_FIRST_TIMESTAMP };
  c->languages = g_array_new (FALSE, FALSE, sizeof (WhisperLanguage));
  g_array_set_clear_func (c->languages, clear_language);
  c->suppress = g_array_new (FALSE, FALSE, sizeof (guint));
  c->suppress_first = g_array_new (FALSE, FALSE, sizeof (guint));
  c->heads_of_words = g_array_new (FALSE, FALSE, sizeof (WhisperHead));
}

gboolean
whisper_config_read (
    WhisperConfig *c, const SpeechFolder *folder, GError **error)
{
  whisper_config_init (c);
  if (!read_config (c, folder, error) || !read_preprocessor (c, folder, error)
      || !read_generation (c, folder, error))
    return FALSE;
  c->vocabulary_file = infer_vocabulary_load (folder, error);
  return c->vocabulary_file != NULL && find_tokens (c, error);
}

void
whisper_config_clear (WhisperConfig *c)
{
  g_clear_pointer (&c->path, g_free);
  g_clear_pointer (&c->languages, g_array_unref);
  g_clear_pointer (&c->suppress, g_array_unref);
  g_clear_pointer (&c->suppress_first, g_array_unref);
  g_clear_pointer (&c->heads_of_words, g_array_unref);
  g_clear_pointer (&c->vocabulary_file, infer_vocabulary_unref);
}

const WhisperLanguage *
whisper_config_language (const WhisperConfig *c, const char *code)
{
  for (guint i = 0; i < c->languages->len; i++) {
    const WhisperLanguage *l =
        &g_array_index (c->languages, WhisperLanguage, i);

    if (strcmp (l->code, code) == 0)
      return l;
  }
  return NULL;
}
