/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text → ids: the text is put into the form that the model was trained with and
 * split into words, each of which is encoded by bpe.c, ranks.c or best.c. */

#include <string.h>

#include "inference/speech/text/vocabulary-private.h"

void
vocabulary_encode_nothing (InferVocabulary *vocabulary, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_free (vocabulary->encoder.why);
  vocabulary->encoder.why = g_strdup_vprintf (format, args);
  vocabulary->encoder.kind = ENCODE_NOTHING;
  va_end (args);
}

/* --- characters without a piece --- */

static gboolean
has_bytes (const InferVocabulary *vocabulary, const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (vocabulary->byte_ids[(guchar) bytes[i]] < 0)
      return FALSE;
  return TRUE;
}

gboolean
vocabulary_encode_unknown (const InferVocabulary *vocabulary,
    const char *character, gsize length, gboolean again, GArray *ids,
    GError **error)
{
  const Encoder *encoder = &vocabulary->encoder;
  const guint unknown = (guint) encoder->unknown;

  if (encoder->byte_fallback && has_bytes (vocabulary, character, length)) {
    for (gsize i = 0; i < length; i++) {
      const guint id = (guint) vocabulary->byte_ids[(guchar) character[i]];

      g_array_append_val (ids, id);
    }
    return TRUE;
  }
  if (encoder->unknown >= 0) {
    if (!again || !encoder->fuse_unknown)
      g_array_append_val (ids, unknown);
    return TRUE;
  }
  /* A space is only shown with what it comes before. */
  if (character[0] == ' ' && character[1] != '\0')
    length += vocabulary_skip (character + 1);
  g_autofree char *shown = g_utf8_make_valid (character, (gssize) length);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "'%s' cannot be written with the pieces of %s", shown, vocabulary->name);
}

/* --- the form of the text --- */

static char *
change_case (const InferVocabulary *vocabulary, const char *text)
{
  if (vocabulary->no_lower && !vocabulary->no_upper)
    return g_utf8_strup (text, -1);
  if (vocabulary->no_upper && !vocabulary->no_lower)
    return g_utf8_strdown (text, -1);
  return g_strdup (text);
}

/* (transfer full) */
static char *
prepare (const InferVocabulary *vocabulary, const char *text)
{
  const Encoder *encoder = &vocabulary->encoder;
  g_autofree char *cased = change_case (vocabulary, text);

  if (encoder->normalize >= 0) {
    char *normal =
        g_utf8_normalize (cased, -1, (GNormalizeMode) encoder->normalize);

    g_free (cased);
    cased = normal;
  }
  GString *result = g_string_new (cased);
  if (!encoder->byte_level)
    g_string_replace (result, VOCABULARY_SPACE, " ", 0);
  if (result->len > 0
      && (encoder->prefix == ENCODE_PREFIX_ALWAYS
          || (encoder->prefix == ENCODE_PREFIX_MISSING
              && result->str[0] != ' ')))
    g_string_prepend_c (result, ' ');
  return g_string_free (result, FALSE);
}

static const char *
end_of_word (const Encoder *encoder, const char *at, const char *end)
{
  if (encoder->split == ENCODE_SPLIT_GPT2)
    return vocabulary_next_word (at, end);
  const char *space = encoder->split == ENCODE_SPLIT_SPACES
                          ? memchr (at + 1, ' ', (gsize) (end - at - 1))
                          : NULL;
  return space != NULL ? space : end;
}

static gboolean
encode_word (const InferVocabulary *vocabulary, const char *word, gsize length,
    GArray *ids, GError **error)
{
  switch (vocabulary->encoder.kind) {
    case ENCODE_BYTE_PAIRS:
      return vocabulary_encode_pairs (vocabulary, word, length, ids, error);
    case ENCODE_RANKS:
      return vocabulary_encode_ranks (vocabulary, word, length, ids, error);
    default:
      return vocabulary_encode_best (vocabulary, word, length, ids, error);
  }
}

gboolean
infer_vocabulary_encode (const InferVocabulary *vocabulary, const char *text,
    GArray *ids, GError **error)
{
  const Encoder *encoder = &vocabulary->encoder;
  const guint base = ids->len;

  if (encoder->kind == ENCODE_NOTHING)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: text cannot be turned into tokens: %s", vocabulary->name,
        encoder->why);
  if (!g_utf8_validate (text, -1, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a text for %s is not UTF-8", vocabulary->name);
  g_autofree char *ready = prepare (vocabulary, text);
  const char *end = ready + strlen (ready);
  for (const char *at = ready, *next; at < end; at = next) {
    next = end_of_word (encoder, at, end);
    if (!encode_word (vocabulary, at, (gsize) (next - at), ids, error)) {
      g_array_set_size (ids, base);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
infer_vocabulary_encode_words (const InferVocabulary *vocabulary,
    const char *words, GArray *ids, GError **error)
{
  const gboolean space = vocabulary->encoder.byte_level
                         && vocabulary->encoder.prefix == ENCODE_PREFIX_NONE
                         && words[0] != ' ';
  g_autofree char *text = g_strconcat (space ? " " : "", words, NULL);

  return infer_vocabulary_encode (vocabulary, text, ids, error);
}
