/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list of labels, as CTC models have it: one per class, in a file one per
 * line. */

#include <string.h>

#include "inference/speech/text/source.h"

static gboolean
is_space (const char *label)
{
  static const char *const names[] = { "|", " ", "<space>", "<wb>", NULL };

  return g_strv_contains (names, label);
}

static gboolean
are_pieces (const char *const *labels)
{
  for (guint i = 0; labels[i] != NULL; i++)
    if (is_space (labels[i]) || g_str_has_prefix (labels[i], VOCABULARY_SPACE))
      return TRUE;
  return FALSE;
}

static gboolean
add_label (InferVocabulary *vocabulary, guint id, const char *label,
    gboolean piece, GError **error)
{
  const gsize length = strlen (label);

  if (is_space (label))
    return vocabulary_add (vocabulary, id, " ", 1, 0, error);
  if (piece || vocabulary_name_flags (label, length) != 0)
    return vocabulary_add_spelled (vocabulary, id, label, length, error);
  g_autofree char *word = g_strconcat (" ", label, NULL);
  return vocabulary_add (vocabulary, id, word, length + 1, 0, error);
}

InferVocabulary *
infer_vocabulary_new (
    const char *name, const char *const *labels, GError **error)
{
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (name);
  const gboolean pieces = are_pieces (labels);

  for (guint i = 0; labels[i] != NULL; i++)
    if (!add_label (vocabulary, i, labels[i], pieces, error))
      return NULL;
  if (!vocabulary_finish (vocabulary, error))
    return NULL;
  vocabulary->encoder.kind = ENCODE_BEST;
  vocabulary->encoder.split = ENCODE_SPLIT_SPACES;
  /* Between letters a space stands only where a word follows another. */
  vocabulary->encoder.prefix = vocabulary_find_text (vocabulary, " ", 1) >= 0
                                   ? ENCODE_PREFIX_NONE
                                   : ENCODE_PREFIX_MISSING;
  return g_steal_pointer (&vocabulary);
}

InferVocabulary *
vocabulary_of_lines (const char *path, GStrv lines, GError **error)
{
  const guint n = g_strv_length (lines);

  if (n > 0 && lines[n - 1][0] == '\0')
    g_clear_pointer (&lines[n - 1], g_free);
  return infer_vocabulary_new (path, (const char *const *) lines, error);
}

static gboolean
probe (const SpeechFolder *folder)
{
  return speech_folder_has (folder, "labels.txt");
}

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "labels.txt");
  g_auto (GStrv) lines = vocabulary_read_lines (path, error);

  return lines != NULL ? vocabulary_of_lines (path, lines, error) : NULL;
}

const VocabularySource vocabulary_source_labels = {
  .files = "labels.txt",
  .probe = probe,
  .load = load,
};
