/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vocabularies: the first byte says of which files, their contents follow, each
 * up to a NUL, then a text, and ids. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/temp-file.h"

#include <glib/gstdio.h>

#include "inference/speech/text/phrases.h"

static const char *const sources[][3] = {
  { "tokenizer.json" },
  { "vocab.json", "merges.txt", "added_tokens.json" },
  { "vocab.json", "added_tokens.json" },
  { "tokens.txt" },
  { "labels.txt" },
};

static GArray *
take_ids (FuzzBytes *bytes, guint size)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint));

  while (bytes->left > 0 && ids->len < 200) {
    const guint id = fuzz_below (bytes, 256) % (size + 2);
    g_array_append_val (ids, id);
  }
  return ids;
}

/* Words lie one after the other in the text, and take their ids in order. */
static void
check_words (const InferVocabulary *vocabulary, const guint *ids, guint n)
{
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  g_autofree char *text = infer_vocabulary_words (vocabulary, ids, n, words);
  g_autofree char *whole = infer_vocabulary_text (vocabulary, ids, n, FALSE);
  g_autofree char *part = infer_vocabulary_text (vocabulary, ids, n, TRUE);
  guint id = 0;
  gsize at = 0;

  g_assert_cmpstr (text, ==, whole);
  g_assert_true (g_utf8_validate (whole, -1, NULL));
  g_assert_true (g_str_has_prefix (whole, part));
  for (guint i = 0; i < words->len; i++) {
    const InferWordSpan *word = &g_array_index (words, InferWordSpan, i);

    g_assert_true (word->first >= id && word->end > word->first);
    g_assert_true (word->at >= at && word->length > 0);
    g_assert_true (
        g_utf8_validate (text + word->at, (gssize) word->length, NULL));
    id = word->end;
    at = word->at + word->length;
  }
  g_assert_true (id <= n && at <= strlen (text));
}

static void
check_encode (const InferVocabulary *vocabulary, const char *text)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) error = NULL;

  if (!infer_vocabulary_encode (vocabulary, text, ids, &error)) {
    g_assert_true (error != NULL && ids->len == 0);
    return;
  }
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpuint (
        g_array_index (ids, guint, i), <, infer_vocabulary_size (vocabulary));
  check_words (vocabulary, (const guint *) (gpointer) ids->data, ids->len);
}

static void
check_phrases (
    const InferVocabulary *vocabulary, const char *text, const GArray *ids)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferPhrases) phrases =
      infer_phrases_new (vocabulary, text, 1, &error);
  InferPhraseState state = 0;
  float bonus;

  g_assert_true ((phrases == NULL) == (error != NULL));
  for (guint i = 0; phrases != NULL && i < ids->len; i++)
    state = infer_phrases_step (
        phrases, state, g_array_index (ids, guint, i), &bonus);
  if (phrases != NULL)
    infer_phrases_end (phrases, state);
}

static void
check_pieces (const InferVocabulary *vocabulary)
{
  const guint size = infer_vocabulary_size (vocabulary);

  g_assert_cmpuint (size, >, 0);
  for (guint id = 0; id < size + 1; id++) {
    gsize length;
    const char *piece = infer_vocabulary_bytes (vocabulary, id, &length);
    g_autofree char *text = g_strndup (piece, length);
    const guint flags = infer_vocabulary_flags (vocabulary, id);
    const int found = infer_vocabulary_find (vocabulary, text);

    g_assert_true (found < (int) size);
    if (id < size && (flags & INFER_PIECE_BYTE) == 0 && strlen (text) == length)
      g_assert_cmpint (found, >=, 0);
  }
  g_assert_cmpint (infer_vocabulary_blank (vocabulary), <, (int) size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  const guint which = fuzz_below (&bytes, G_N_ELEMENTS (sources));
  g_auto (SpeechFolder) folder = { 0 };
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 3 && sources[which][i] != NULL; i++) {
    g_autofree char *content = fuzz_text (&bytes, size);

    g_ptr_array_add (
        files, fuzz_file (sources[which][i], content, strlen (content)));
  }
  g_assert_true (speech_folder_open (&folder, fuzz_folder (), NULL));
  g_autoptr (InferVocabulary) vocabulary =
      infer_vocabulary_load (&folder, &error);
  for (guint i = 0; i < files->len; i++)
    g_unlink (g_ptr_array_index (files, i));
  g_assert_true ((vocabulary == NULL) == (error != NULL));
  if (vocabulary == NULL)
    return 0;
  g_autofree char *text = fuzz_text (&bytes, 300);
  g_autoptr (GArray) ids =
      take_ids (&bytes, infer_vocabulary_size (vocabulary));
  check_pieces (vocabulary);
  check_words (vocabulary, (const guint *) (gpointer) ids->data, ids->len);
  check_encode (vocabulary, text);
  check_phrases (vocabulary, text, ids);
  return 0;
}
