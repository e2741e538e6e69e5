/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Readers that several sources share. */

#include <string.h>

#include "inference/speech/text/source.h"

/* <0x41> */
static int
byte_of_name (const char *piece, gsize length)
{
  if (length != 6 || memcmp (piece, "<0x", 3) != 0 || piece[5] != '>'
      || !g_ascii_isxdigit (piece[3]) || !g_ascii_isxdigit (piece[4]))
    return -1;
  return g_ascii_xdigit_value (piece[3]) * 16 + g_ascii_xdigit_value (piece[4]);
}

static gsize
from_spaces (const char *piece, gsize length, char *bytes)
{
  const gsize mark = strlen (VOCABULARY_SPACE);
  gsize n = 0;

  for (gsize i = 0; i < length;) {
    const gboolean space =
        length - i >= mark && memcmp (piece + i, VOCABULARY_SPACE, mark) == 0;

    bytes[n++] = space ? ' ' : piece[i];
    i += space ? mark : 1;
  }
  return n;
}

gsize
vocabulary_spelled (
    const char *piece, gsize length, gboolean byte_level, char *bytes)
{
  return byte_level ? vocabulary_from_byte_level (piece, length, bytes)
                    : from_spaces (piece, length, bytes);
}

gboolean
vocabulary_add_spelled (InferVocabulary *vocabulary, gint64 id,
    const char *piece, gsize length, GError **error)
{
  const int byte = byte_of_name (piece, length);
  const char c = (char) byte;

  if (byte >= 0)
    return vocabulary_add (vocabulary, id, &c, 1, INFER_PIECE_BYTE, error);
  const guint flags = vocabulary_name_flags (piece, length);
  if (flags != 0)
    return vocabulary_add (vocabulary, id, piece, length, flags, error);
  g_autofree char *bytes = g_malloc (length + 1);
  return vocabulary_add (
      vocabulary, id, bytes, from_spaces (piece, length, bytes), 0, error);
}

static gboolean
add_byte_level (InferVocabulary *vocabulary, gint64 id, const char *piece,
    gsize length, GError **error)
{
  g_autofree char *bytes = g_malloc (length + 1);
  const gsize n = vocabulary_from_byte_level (piece, length, bytes);

  return vocabulary_add (vocabulary, id, bytes, n, 0, error);
}

gboolean
vocabulary_add_members (InferVocabulary *vocabulary, InferJsonValue object,
    gboolean byte_level, GError **error)
{
  for (guint i = 0; i < infer_json_length (object); i++) {
    gsize length;
    const char *piece = infer_json_key (object, i, &length);
    gint64 id;

    if (!infer_json_to_int (infer_json_at (object, i), &id, error)
        || !(byte_level ? add_byte_level : vocabulary_add_spelled) (
            vocabulary, id, piece, length, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
vocabulary_add_added (InferVocabulary *vocabulary, gint64 id,
    const char *content, gboolean special, GError **error)
{
  const gsize length = strlen (content);

  return vocabulary_add (vocabulary, id, content, length,
      (special ? INFER_PIECE_SPECIAL : 0)
          | vocabulary_name_flags (content, length),
      error);
}

GStrv
vocabulary_read_lines (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes =
      infer_file_read (path, VOCABULARY_FILE_MOST, error);
  gsize size;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &size), *invalid;
  if (!g_utf8_validate_len (text, size, &invalid)) {
    guint line = 1;

    for (const char *c = text; c < invalid; c++)
      line += *c == '\n';
    infer_fail (error, INFER_ERROR_INVALID_MODEL, "%s:%u: it is not UTF-8 text",
        path, line);
    return NULL;
  }
  if (size >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    size -= 3;
  }
  g_autofree char *copy = g_strndup (text, size);
  GStrv lines = g_strsplit (copy, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    const gsize length = strlen (lines[i]);

    if (length > 0 && lines[i][length - 1] == '\r')
      lines[i][length - 1] = '\0';
  }
  return lines;
}
