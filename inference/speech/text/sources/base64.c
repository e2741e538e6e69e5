/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tokens.txt of tiktoken's form, as sherpa-onnx has it for Whisper: "base64 id"
 * per line; the ids are the ranks of byte pairs.  Special tokens are not in it.
 */

#include <stdio.h>
#include <string.h>

#include "inference/speech/text/source.h"

#define BEGINNING 4096 /* bytes that are looked at */
#define LEAST_LINES 8  /* that say what it is */

static const char *
find_file (const SpeechFolder *folder)
{
  return speech_folder_find (folder, "*tokens.txt", NULL);
}

/* --- lines --- */

/* Of "base64 id": the length of the first; 0: it is something else.  OpenAI's
 * last line is "= 50256", a piece without bytes. */
static gsize
find_code (const char *line, const char **id)
{
  const gsize n =
      strspn (line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu"
                    "vwxyz0123456789+/");
  const gsize padded = n + strspn (line + n, "=");
  const gboolean nothing = n == 0 && padded == 1;

  if (line[padded] != ' ' && line[padded] != '\t')
    return 0;
  *id = line + padded + 1;
  const gsize digits = strspn (*id, "0123456789");
  return digits > 0 && (*id)[digits] == '\0'
                 && (nothing || (padded % 4 == 0 && padded - n <= 2))
             ? padded
             : 0;
}

static char *
read_beginning (const char *path)
{
  char *text = g_malloc (BEGINNING + 1);
  FILE *file = fopen (path, "rb");
  gsize n = file != NULL ? fread (text, 1, BEGINNING, file) : 0;

  if (file != NULL)
    fclose (file);
  text[n] = '\0';
  return text;
}

/* Whether all lines at the beginning are of this form. */
static gboolean
probe (const SpeechFolder *folder)
{
  const char *name = find_file (folder);
  const char *id;
  guint n = 0;

  if (name == NULL)
    return FALSE;
  g_autofree char *path = speech_folder_file (folder, name);
  g_autofree char *text = read_beginning (path);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (; lines[n] != NULL && lines[n + 1] != NULL; n++)
    if (find_code (g_strchomp (lines[n]), &id) == 0)
      return FALSE;
  return n >= LEAST_LINES;
}

static gboolean
add_line (InferVocabulary *vocabulary, char *line, guint number, GError **error)
{
  const char *id;
  const gsize n = find_code (line, &id);
  gsize length = 0;

  if (n == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s:%u: 'BASE64 ID' was expected, not '%.64s'", vocabulary->name,
        number, line);
  const gint64 value = g_ascii_strtoll (id, NULL, 10);
  if (n == 1)
    return vocabulary_add (
        vocabulary, value, "", 0, INFER_PIECE_SPECIAL, error);
  line[n] = '\0';
  g_autofree guchar *bytes = g_base64_decode (line, &length);
  return vocabulary_add (
      vocabulary, value, (const char *) bytes, length, 0, error);
}

/* --- the file --- */

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, find_file (folder));
  g_auto (GStrv) lines = vocabulary_read_lines (path, error);

  if (lines == NULL)
    return NULL;
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (path);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strchomp (lines[i]) != '\0'
        && !add_line (vocabulary, lines[i], i + 1, error))
      return NULL;
  if (!vocabulary_finish (vocabulary, error))
    return NULL;
  vocabulary->encoder.kind = ENCODE_RANKS;
  vocabulary->encoder.byte_level = TRUE;
  vocabulary->encoder.split = ENCODE_SPLIT_GPT2;
  return g_steal_pointer (&vocabulary);
}

const VocabularySource vocabulary_source_base64 = {
  .files = "tokens.txt (base64)",
  .probe = probe,
  .load = load,
};
