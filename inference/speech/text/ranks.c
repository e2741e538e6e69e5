/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Byte pairs without a list of merges, as tiktoken encodes them: a word that is
 * a piece is one; else, of two neighbours that together are a piece, those of
 * the lowest id are joined until none is left. */

#include <string.h>

#include "inference/speech/text/vocabulary-private.h"

/* A piece of the word, from @at up to the next one. */
typedef struct
{
  gsize at;
  guint joined; /* the id of it and the next one together; G_MAXUINT: none */
} Part;

static guint
find_joined (const InferVocabulary *vocabulary, const char *word,
    const Part *parts, guint n, guint i, gsize length)
{
  const gsize end = i + 2 < n ? parts[i + 2].at : length;

  if (i + 1 >= n || end - parts[i].at > vocabulary->longest)
    return G_MAXUINT;
  const int id =
      vocabulary_find_text (vocabulary, word + parts[i].at, end - parts[i].at);
  return id < 0 ? G_MAXUINT : (guint) id;
}

/* Returns how many are left. */
static guint
join_parts (const InferVocabulary *vocabulary, const char *word, gsize length,
    Part *parts, guint n)
{
  for (guint i = 0; i < n; i++)
    parts[i].joined = find_joined (vocabulary, word, parts, n, i, length);
  while (n > 1) {
    guint best = 0;

    for (guint i = 1; i < n; i++)
      if (parts[i].joined < parts[best].joined)
        best = i;
    if (parts[best].joined == G_MAXUINT)
      break;
    memmove (
        parts + best + 1, parts + best + 2, (n - best - 2) * sizeof *parts);
    n--;
    for (guint i = best > 0 ? best - 1 : 0; i <= best; i++)
      parts[i].joined = find_joined (vocabulary, word, parts, n, i, length);
  }
  return n;
}

gboolean
vocabulary_encode_ranks (const InferVocabulary *vocabulary, const char *word,
    gsize length, GArray *ids, GError **error)
{
  const int whole = vocabulary_find_text (vocabulary, word, length);
  const guint base = ids->len, piece = (guint) whole;

  if (whole >= 0) {
    g_array_append_val (ids, piece);
    return TRUE;
  }
  g_autofree Part *parts = g_new (Part, length + 1);
  for (gsize i = 0; i < length; i++)
    parts[i] = (Part){ .at = i };
  const guint n = join_parts (vocabulary, word, length, parts, (guint) length);
  for (guint i = 0; i < n; i++) {
    const gsize end = i + 1 < n ? parts[i + 1].at : length;
    const int id = vocabulary_find_text (
        vocabulary, word + parts[i].at, end - parts[i].at);
    const guint found = (guint) id;

    if (id < 0) { /* one byte, and its character has no piece */
      const char *character =
          g_utf8_find_prev_char (word, word + parts[i].at + 1);

      g_array_set_size (ids, base);
      return vocabulary_encode_unknown (vocabulary, character,
          vocabulary_skip (character), FALSE, ids, error);
    }
    g_array_append_val (ids, found);
  }
  return TRUE;
}
