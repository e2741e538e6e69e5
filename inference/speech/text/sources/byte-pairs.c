/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vocab.json and merges.txt, as GPT-2 and Whisper have them; more pieces may be
 * in added_tokens.json. */

#include <string.h>

#include "inference/speech/text/source.h"

static gboolean
probe (const SpeechFolder *folder)
{
  return speech_folder_has (folder, "vocab.json")
         && speech_folder_has (folder, "merges.txt");
}

static gboolean
add_merge (InferVocabulary *vocabulary, const char *path, guint number,
    const char *line, GError **error)
{
  const char *space = strchr (line, ' ');
  const VocabularyPlace place = { path, number, TRUE };
  g_autofree char *bytes = g_malloc (strlen (line) + 1);

  if (space == NULL || strchr (space + 1, ' ') != NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s:%u: two pieces were expected, not '%.64s'", path, number, line);
  const gsize left =
      vocabulary_spelled (line, (gsize) (space - line), TRUE, bytes);
  const gsize right =
      vocabulary_spelled (space + 1, strlen (space + 1), TRUE, bytes + left);
  return vocabulary_add_merge (vocabulary, &place,
      (VocabularyText){ bytes, left }, (VocabularyText){ bytes + left, right },
      error);
}

static gboolean
add_merges (
    InferVocabulary *vocabulary, const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "merges.txt");
  g_auto (GStrv) lines = vocabulary_read_lines (path, error);

  if (lines == NULL)
    return FALSE;
  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '\0' && !g_str_has_prefix (lines[i], "#version")
        && !add_merge (vocabulary, path, i + 1, lines[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
add_added (
    InferVocabulary *vocabulary, const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "added_tokens.json");

  if (!speech_folder_has (folder, "added_tokens.json"))
    return TRUE;
  g_autoptr (InferJson) json = infer_json_read (path, error);
  if (json == NULL)
    return FALSE;
  InferJsonValue root = infer_json_root (json);
  if (infer_json_type (root) != INFER_JSON_OBJECT)
    return infer_json_fail (root, error, "an object of pieces was expected");
  for (guint i = 0; i < infer_json_length (root); i++) {
    gint64 id;

    if (!infer_json_to_int (infer_json_at (root, i), &id, error)
        || !vocabulary_add_added (
            vocabulary, id, infer_json_key (root, i, NULL), FALSE, error))
      return FALSE;
  }
  return TRUE;
}

/* Names such as <|endoftext|> may be in vocab.json. */
static void
mark_special (InferVocabulary *vocabulary)
{
  for (guint id = 0; id < vocabulary->pieces->len; id++) {
    VocabularyPiece *piece =
        &g_array_index (vocabulary->pieces, VocabularyPiece, id);
    const char *bytes = vocabulary->bytes->str + piece->at;

    if (piece->length > 4 && memcmp (bytes, "<|", 2) == 0
        && memcmp (bytes + piece->length - 2, "|>", 2) == 0)
      piece->flags |= (guint8) vocabulary_name_flags (bytes, piece->length);
  }
}

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "vocab.json");
  g_autoptr (InferJson) json = infer_json_read (path, error);

  if (json == NULL)
    return NULL;
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (path);
  InferJsonValue root = infer_json_root (json);
  if (infer_json_type (root) != INFER_JSON_OBJECT) {
    infer_json_fail (root, error, "an object of pieces was expected");
    return NULL;
  }
  if (!vocabulary_add_members (vocabulary, root, TRUE, error)
      || !add_added (vocabulary, folder, error))
    return NULL;
  mark_special (vocabulary);
  if (!vocabulary_finish (vocabulary, error)
      || !add_merges (vocabulary, folder, error))
    return NULL;
  vocabulary_finish_merges (vocabulary);
  vocabulary->encoder.kind = ENCODE_BYTE_PAIRS;
  vocabulary->encoder.byte_level = TRUE;
  vocabulary->encoder.split = ENCODE_SPLIT_GPT2;
  return g_steal_pointer (&vocabulary);
}

const VocabularySource vocabulary_source_byte_pairs = {
  .files = "vocab.json and merges.txt",
  .probe = probe,
  .load = load,
};
