/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tokens.txt, as sherpa-onnx has it, or vocab.txt of NeMo's exports: "piece id"
 * per line; a line with an id alone is a space.  If the first line has no id,
 * it is a list of labels. */

#include <string.h>

#include "inference/speech/text/source.h"

static const char *
find_file (const SpeechFolder *folder)
{
  const char *name = speech_folder_find (folder, "*tokens.txt", NULL);

  return name != NULL ? name : speech_folder_find (folder, "vocab.txt", NULL);
}

static gboolean
probe (const SpeechFolder *folder)
{
  return find_file (folder) != NULL;
}

/* "#0", "#1", …: Kaldi's, which no model gives. */
static gboolean
is_disambiguation (const char *piece)
{
  return piece[0] == '#' && piece[1] != '\0'
         && strspn (piece + 1, "0123456789") == strlen (piece + 1);
}

static gboolean
has_id (const char *line)
{
  g_autofree char *copy = g_strchomp (g_strdup (line));
  const char *id = strrchr (copy, ' '), *tab = strrchr (copy, '\t');

  id = tab != NULL && (id == NULL || tab > id) ? tab : id;
  return id != NULL && id[1] != '\0'
         && strspn (id + 1, "0123456789") == strlen (id + 1);
}

static gboolean
add_line (InferVocabulary *vocabulary, char *line, guint number, GError **error)
{
  char *end = line + strlen (line), *stop;

  while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
    *--end = '\0';
  if (end == line)
    return TRUE;
  char *digits = end;
  while (digits > line && g_ascii_isdigit (digits[-1]))
    digits--;
  const gint64 id = g_ascii_strtoll (digits, &stop, 10);
  if (digits == end
      || (digits > line && digits[-1] != ' ' && digits[-1] != '\t'))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s:%u: 'PIECE ID' was expected, not '%.64s'", vocabulary->name, number,
        line);
  if (digits == line || digits == line + 1)
    return vocabulary_add (vocabulary, id, " ", 1, 0, error);
  digits[-1] = '\0';
  if (is_disambiguation (line)) /* its piece is left out at the end */
    return vocabulary_add (
        vocabulary, id, line, strlen (line), INFER_PIECE_SPECIAL, error);
  return vocabulary_add_spelled (vocabulary, id, line, strlen (line), error);
}

static void
drop_disambiguation (InferVocabulary *vocabulary)
{
  guint n = vocabulary->pieces->len;

  for (; n > 0; n--) {
    const VocabularyPiece *piece = vocabulary_piece (vocabulary, n - 1);
    g_autofree char *text =
        g_strndup (vocabulary->bytes->str + piece->at, piece->length);

    if (!is_disambiguation (text))
      break;
  }
  g_array_set_size (vocabulary->pieces, n);
}

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, find_file (folder));
  g_auto (GStrv) lines = vocabulary_read_lines (path, error);

  if (lines == NULL)
    return NULL;
  if (lines[0] != NULL && lines[0][0] != '\0' && !has_id (lines[0]))
    return vocabulary_of_lines (path, lines, error);
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (path);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!add_line (vocabulary, lines[i], i + 1, error))
      return NULL;
  drop_disambiguation (vocabulary);
  if (!vocabulary_finish (vocabulary, error))
    return NULL;
  vocabulary->encoder.kind = ENCODE_BEST;
  vocabulary->encoder.split = ENCODE_SPLIT_SPACES;
  vocabulary->encoder.byte_fallback = TRUE;
  vocabulary->encoder.unknown_score = -100;
  vocabulary->encoder.prefix = ENCODE_PREFIX_MISSING;
  return g_steal_pointer (&vocabulary);
}

const VocabularySource vocabulary_source_tokens = {
  .files = "tokens.txt or vocab.txt",
  .probe = probe,
  .load = load,
};
