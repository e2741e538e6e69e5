/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tokenizer.json of Hugging Face's tokenizers: models BPE, of bytes or of
 * characters, and Unigram. */

#include <string.h>

#include "inference/speech/text/source.h"

#define GPT2_PATTERN                                                           \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"         \
  "\\s+(?!\\S)|\\s+"

static const char *
type_of (InferJsonValue object)
{
  const char *type = "";

  infer_json_opt_string (object, "type", &type, NULL);
  return type;
}

/* Calls @visit for @part, or for what a Sequence in it consists of. */
static gboolean
for_parts (InferJsonValue part, const char *list,
    gboolean (*visit) (InferJsonValue part, gpointer data), gpointer data)
{
  InferJsonValue parts = infer_json_find (part, list);

  if (infer_json_type (part) != INFER_JSON_OBJECT)
    return TRUE;
  if (strcmp (type_of (part), "Sequence") != 0)
    return visit (part, data);
  for (guint i = 0; i < infer_json_length (parts); i++)
    if (!visit (infer_json_at (parts, i), data))
      return FALSE;
  return TRUE;
}

/* --- how bytes and spaces are spelled --- */

static gboolean
find_byte_level (InferJsonValue part, gpointer found)
{
  *(gboolean *) found |= strcmp (type_of (part), "ByteLevel") == 0;
  return TRUE;
}

static gboolean
is_byte_level (InferJsonValue root)
{
  gboolean found = FALSE;

  for_parts (infer_json_find (root, "pre_tokenizer"), "pretokenizers",
      find_byte_level, &found);
  for_parts (
      infer_json_find (root, "decoder"), "decoders", find_byte_level, &found);
  return found;
}

/* --- how text is prepared; FALSE: encoder.why says what is not known --- */

static gboolean
refuse (InferVocabulary *vocabulary, const char *what, InferJsonValue part)
{
  vocabulary_encode_nothing (
      vocabulary, "its %s '%.64s' is not known here", what, type_of (part));
  return FALSE;
}

static gboolean
has_string (InferJsonValue object, const char *key, const char *expected)
{
  const char *string = NULL;

  return infer_json_opt_string (object, key, &string, NULL) && string != NULL
         && strcmp (string, expected) == 0;
}

static gboolean
add_normalizer (InferJsonValue part, gpointer data)
{
  static const struct
  {
    const char *type;
    GNormalizeMode mode;
  } forms[] = { { "NFC", G_NORMALIZE_NFC }, { "NFD", G_NORMALIZE_NFD },
    { "NFKC", G_NORMALIZE_NFKC }, { "NFKD", G_NORMALIZE_NFKD } };
  InferVocabulary *vocabulary = data;
  const char *type = type_of (part);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (strcmp (type, forms[i].type) == 0) {
      vocabulary->encoder.normalize = (int) forms[i].mode;
      return TRUE;
    }
  if (strcmp (type, "Prepend") == 0
      && has_string (part, "prepend", VOCABULARY_SPACE)) {
    vocabulary->encoder.prefix = ENCODE_PREFIX_ALWAYS;
    return TRUE;
  }
  /* A space is one in our pieces already. */
  if (strcmp (type, "Replace") == 0
      && has_string (infer_json_find (part, "pattern"), "String", " ")
      && has_string (part, "content", VOCABULARY_SPACE))
    return TRUE;
  return refuse (vocabulary, "normalizer", part);
}

static gboolean
add_byte_level_words (InferVocabulary *vocabulary, InferJsonValue part)
{
  gboolean prefix = TRUE, pattern = TRUE;

  infer_json_opt_bool (part, "add_prefix_space", &prefix, NULL);
  infer_json_opt_bool (part, "use_regex", &pattern, NULL);
  if (prefix)
    vocabulary->encoder.prefix = ENCODE_PREFIX_MISSING;
  if (pattern)
    vocabulary->encoder.split = ENCODE_SPLIT_GPT2;
  return TRUE;
}

static gboolean
add_metaspace (InferVocabulary *vocabulary, InferJsonValue part)
{
  gboolean prefix = TRUE, split = TRUE;

  infer_json_opt_bool (part, "add_prefix_space", &prefix, NULL);
  infer_json_opt_bool (part, "split", &split, NULL);
  if (!has_string (part, "replacement", VOCABULARY_SPACE))
    return refuse (vocabulary, "pre-tokenizer", part);
  if (prefix && !has_string (part, "prepend_scheme", "never"))
    vocabulary->encoder.prefix = ENCODE_PREFIX_MISSING;
  if (split)
    vocabulary->encoder.split = ENCODE_SPLIT_SPACES;
  return TRUE;
}

static gboolean
add_pre_tokenizer (InferJsonValue part, gpointer data)
{
  InferVocabulary *vocabulary = data;
  const char *type = type_of (part);

  if (strcmp (type, "ByteLevel") == 0)
    return add_byte_level_words (vocabulary, part);
  if (strcmp (type, "Metaspace") == 0)
    return add_metaspace (vocabulary, part);
  if (strcmp (type, "Split") == 0
      && has_string (
          infer_json_find (part, "pattern"), "Regex", GPT2_PATTERN)) {
    vocabulary->encoder.split = ENCODE_SPLIT_GPT2;
    return TRUE;
  }
  return refuse (vocabulary, "pre-tokenizer", part);
}

static gboolean
read_preparation (InferVocabulary *vocabulary, InferJsonValue root)
{
  return for_parts (infer_json_find (root, "normalizer"), "normalizers",
             add_normalizer, vocabulary)
         && for_parts (infer_json_find (root, "pre_tokenizer"), "pretokenizers",
             add_pre_tokenizer, vocabulary);
}

/* --- pieces --- */

static gboolean
add_added (InferVocabulary *vocabulary, InferJsonValue root, GError **error)
{
  InferJsonValue added = { 0 };

  if (!infer_json_opt_array (root, "added_tokens", &added, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (added); i++) {
    InferJsonValue token = infer_json_at (added, i);
    gboolean special = FALSE;
    const char *content;
    gint64 id;

    if (!infer_json_get_int (token, "id", &id, error)
        || !infer_json_get_string (token, "content", &content, error)
        || !infer_json_opt_bool (token, "special", &special, error)
        || !vocabulary_add_added (vocabulary, id, content, special, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_scored (InferVocabulary *vocabulary, InferJsonValue list, GError **error)
{
  Encoder *encoder = &vocabulary->encoder;

  encoder->scores = g_array_new (FALSE, FALSE, sizeof (double));
  encoder->unknown_score = 0;
  for (guint i = 0; i < infer_json_length (list); i++) {
    InferJsonValue item = infer_json_at (list, i);
    const char *piece;
    gsize length;
    double score;

    if (!infer_json_to_string (infer_json_at (item, 0), &piece, &length, NULL)
        || !infer_json_to_number (infer_json_at (item, 1), &score, NULL))
      return infer_json_fail (item, error, "[piece, score] was expected");
    if (!vocabulary_add_spelled (vocabulary, i, piece, length, error))
      return FALSE;
    g_array_append_val (encoder->scores, score);
    encoder->unknown_score = MIN (encoder->unknown_score, score);
  }
  return TRUE;
}

/* --- merges: "a b", or ["a", "b"] --- */

static gboolean
get_pair (InferJsonValue item, VocabularyText *left, VocabularyText *right)
{
  if (infer_json_type (item) == INFER_JSON_ARRAY)
    return infer_json_length (item) == 2
           && infer_json_to_string (
               infer_json_at (item, 0), &left->bytes, &left->length, NULL)
           && infer_json_to_string (
               infer_json_at (item, 1), &right->bytes, &right->length, NULL);
  if (!infer_json_to_string (item, &left->bytes, &right->length, NULL))
    return FALSE;
  const char *space = memchr (left->bytes, ' ', right->length);
  if (space == NULL)
    return FALSE;
  left->length = (gsize) (space - left->bytes);
  right->bytes = space + 1;
  right->length -= left->length + 1;
  return memchr (right->bytes, ' ', right->length) == NULL;
}

static gboolean
add_merges (InferVocabulary *vocabulary, InferJsonValue merges, GError **error)
{
  const gboolean byte_level = vocabulary->encoder.byte_level;

  for (guint i = 0; i < infer_json_length (merges); i++) {
    VocabularyText left, right;

    if (!get_pair (infer_json_at (merges, i), &left, &right))
      return infer_json_fail (infer_json_at (merges, i), error,
          "two pieces were expected, as \"a b\" or [\"a\", \"b\"]");
    g_autofree char *bytes = g_malloc (left.length + right.length + 1);
    const VocabularyPlace place = { vocabulary->name, i, FALSE };
    left.length =
        vocabulary_spelled (left.bytes, left.length, byte_level, bytes);
    right.length = vocabulary_spelled (
        right.bytes, right.length, byte_level, bytes + left.length);
    left.bytes = bytes;
    right.bytes = bytes + left.length;
    if (!vocabulary_add_merge (vocabulary, &place, left, right, error))
      return FALSE;
  }
  vocabulary_finish_merges (vocabulary);
  return TRUE;
}

/* --- models --- */

static gboolean
check_affixes (InferJsonValue model, GError **error)
{
  static const char *const keys[] = { "continuing_subword_prefix",
    "end_of_word_suffix" };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *affix = "";

    if (!infer_json_opt_string (model, keys[i], &affix, error))
      return FALSE;
    if (affix[0] != '\0')
      return infer_json_fail (infer_json_find (model, keys[i]), error,
          "pieces with a mark of their place in the word are not supported");
  }
  return TRUE;
}

static gboolean
load_pairs (InferVocabulary *vocabulary, InferJsonValue root,
    InferJsonValue model, GError **error)
{
  Encoder *encoder = &vocabulary->encoder;
  InferJsonValue vocab, merges;
  const char *unknown = NULL;

  encoder->byte_level = is_byte_level (root);
  if (!check_affixes (model, error)
      || !infer_json_get_object (model, "vocab", &vocab, error)
      || !infer_json_get_array (model, "merges", &merges, error)
      || !infer_json_opt_bool (
          model, "byte_fallback", &encoder->byte_fallback, error)
      || !infer_json_opt_bool (model, "fuse_unk", &encoder->fuse_unknown, error)
      || !infer_json_opt_bool (
          model, "ignore_merges", &encoder->whole_words, error)
      || !infer_json_opt_string (model, "unk_token", &unknown, error)
      || !vocabulary_add_members (vocabulary, vocab, encoder->byte_level, error)
      || !add_added (vocabulary, root, error)
      || !vocabulary_finish (vocabulary, error)
      || !add_merges (vocabulary, merges, error))
    return FALSE;
  if (unknown != NULL && unknown[0] != '\0')
    encoder->unknown = infer_vocabulary_find (vocabulary, unknown);
  encoder->kind = ENCODE_BYTE_PAIRS;
  return TRUE;
}

static gboolean
load_scored (InferVocabulary *vocabulary, InferJsonValue root,
    InferJsonValue model, GError **error)
{
  Encoder *encoder = &vocabulary->encoder;
  InferJsonValue vocab;
  gint64 unknown = -1;

  if (!infer_json_get_array (model, "vocab", &vocab, error)
      || !infer_json_opt_bool (
          model, "byte_fallback", &encoder->byte_fallback, error)
      || !infer_json_opt_int (model, "unk_id", &unknown, error)
      || !add_scored (vocabulary, vocab, error)
      || !add_added (vocabulary, root, error)
      || !vocabulary_finish (vocabulary, error))
    return FALSE;
  if (unknown < -1 || unknown >= (gint64) vocabulary->pieces->len)
    return infer_json_fail (
        infer_json_find (model, "unk_id"), error, "no piece has this id");
  encoder->unknown = (int) unknown;
  encoder->fuse_unknown = TRUE;
  encoder->kind = ENCODE_BEST;
  return TRUE;
}

static InferVocabulary *
load (const SpeechFolder *folder, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, "tokenizer.json");
  g_autoptr (InferJson) json = infer_json_read (path, error);
  InferJsonValue model;

  if (json == NULL)
    return NULL;
  InferJsonValue root = infer_json_root (json);
  g_autoptr (InferVocabulary) vocabulary = vocabulary_new (path);
  if (!infer_json_get_object (root, "model", &model, error))
    return NULL;
  /* Old files do not say which model it is. */
  const char *type = type_of (model);
  const gboolean pairs =
      type[0] == '\0' ? infer_json_type (infer_json_find (model, "merges"))
                            == INFER_JSON_ARRAY
                      : strcmp (type, "BPE") == 0;
  if (!pairs && strcmp (type, "Unigram") != 0) {
    infer_json_fail (model, error,
        "models BPE and Unigram are supported, not '%.64s'", type);
    return NULL;
  }
  if (!(pairs ? load_pairs : load_scored) (vocabulary, root, model, error))
    return NULL;
  read_preparation (vocabulary, root);
  return g_steal_pointer (&vocabulary);
}

static gboolean
probe (const SpeechFolder *folder)
{
  return speech_folder_has (folder, "tokenizer.json");
}

const VocabularySource vocabulary_source_tokenizer_json = {
  .files = "tokenizer.json",
  .probe = probe,
  .load = load,
};
