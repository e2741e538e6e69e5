/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vocab.json of wav2vec2 without merges: characters, "|" between words. */

#include <string.h>

#include "inference/speech/text/source.h"

static gboolean
probe (const SpeechFolder *folder)
{
  return speech_folder_has (folder, "vocab.json");
}

static gboolean
add_character (InferVocabulary *vocabulary, const char *piece, gsize length,
    gint64 id, GError **error)
{
  if (length == 1 && piece[0] == '|')
    return vocabulary_add (vocabulary, id, " ", 1, 0, error);
  return vocabulary_add_spelled (vocabulary, id, piece, length, error);
}

static gboolean
add_characters (
    InferVocabulary *vocabulary, InferJsonValue object, GError **error)
{
  for (guint i = 0; i < infer_json_length (object); i++) {
    gsize length;
    const char *piece = infer_json_key (object, i, &length);
    gint64 id;

    if (!infer_json_to_int (infer_json_at (object, i), &id, error)
        || !add_character (vocabulary, piece, length, id, error))
      return FALSE;
  }
  return TRUE;
}

/* Multilingual folders have an object for each language. */
static gboolean
get_characters (InferJsonValue root, InferJsonValue *object, GError **error)
{
  *object = root;
  if (infer_json_type (root) != INFER_JSON_OBJECT)
    return infer_json_fail (
        root, error, "an object of characters was expected");
  if (infer_json_type (infer_json_at (root, 0)) != INFER_JSON_OBJECT)
    return TRUE;
  *object = infer_json_at (root, 0);
  return infer_json_length (root) == 1
         || infer_json_fail (root, error,
             "it has the characters of %u languages; leave those of the one "
             "that the model's adapter is for",
             infer_json_length (root));
}

static gboolean
add_file (InferVocabulary *vocabulary, const SpeechFolder *folder,
    const char *name, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, name);
  g_autoptr (InferJson) json = infer_json_read (path, error);
  InferJsonValue object;

  return json != NULL && get_characters (infer_json_root (json), &object, error)
         && add_characters (vocabulary, object, error);
}

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "vocab.json");
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (path);

  if (!add_file (vocabulary, folder, "vocab.json", error))
    return NULL;
  if (speech_folder_has (folder, "added_tokens.json")
      && !add_file (vocabulary, folder, "added_tokens.json", error))
    return NULL;
  if (!vocabulary_finish (vocabulary, error))
    return NULL;
  vocabulary->encoder.kind = ENCODE_BEST;
  return g_steal_pointer (&vocabulary);
}

const VocabularySource vocabulary_source_characters = {
  .files = "vocab.json of characters",
  .probe = probe,
  .load = load,
};
