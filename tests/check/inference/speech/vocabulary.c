/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Vocabularies of every source, written into a folder; Whisper's own where
 * ../shared has it. */

#include "inference/speech/text/vocabulary.h"

#include <glib/gstdio.h>
#include <string.h>

#include "inference/base/json.h"

#define MARK "\xe2\x96\x81" /* U+2581 */

/* --- folders --- */

typedef struct
{
  char *path;
  SpeechFolder folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->path = g_dir_make_tmp ("infer-vocabulary-XXXXXX", NULL);
}

static void
empty_folder (Fixture *fixture)
{
  GDir *dir = g_dir_open (fixture->path, 0, NULL);

  for (const char *name = g_dir_read_name (dir); name != NULL;
       name = g_dir_read_name (dir)) {
    g_autofree char *file = g_build_filename (fixture->path, name, NULL);

    g_unlink (file);
  }
  g_dir_close (dir);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  empty_folder (fixture);
  g_rmdir (fixture->path);
  g_free (fixture->path);
}

static void
write_file (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *file = g_build_filename (fixture->path, name, NULL);

  g_assert_true (g_file_set_contents (file, text, -1, NULL));
}

static InferVocabulary *
try_load (const char *path, GError **error)
{
  g_auto (SpeechFolder) folder = { 0 };

  g_assert_true (speech_folder_open (&folder, path, NULL));
  return infer_vocabulary_load (&folder, error);
}

static InferVocabulary *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  InferVocabulary *vocabulary = try_load (path, &error);

  g_assert_no_error (error);
  return vocabulary;
}

/* @message: behind the folder and a slash. */
static void
assert_refused (Fixture *fixture, const char *message)
{
  g_autofree char *start = g_strconcat (fixture->path, "/", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (try_load (fixture->path, &error));
  g_assert_nonnull (error);
  g_assert_true (g_str_has_prefix (error->message, start));
  g_auto (GStrv) parts = g_strsplit (error->message, start, -1);
  g_autofree char *plain = g_strjoinv ("", parts);
  g_assert_cmpstr (plain, ==, message);
  empty_folder (fixture);
}

/* --- texts and ids --- */

/* "1 2 3" */
static GArray *
parse_ids (const char *text)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] != '\0') {
      const guint id = (guint) g_ascii_strtoull (parts[i], NULL, 10);
      g_array_append_val (ids, id);
    }
  return ids;
}

static char *
print_ids (const GArray *ids)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (
        text, "%s%u", i == 0 ? "" : " ", g_array_index (ids, guint, i));
  return g_string_free (text, FALSE);
}

static void
assert_encodes (
    const InferVocabulary *vocabulary, const char *text, const char *expected)
{
  g_autoptr (GArray) ids = parse_ids ("");
  g_autoptr (GError) error = NULL;

  infer_vocabulary_encode (vocabulary, text, ids, &error);
  g_assert_no_error (error);
  g_autofree char *printed = print_ids (ids);
  g_assert_cmpstr (printed, ==, expected);
}

static void
assert_text (const InferVocabulary *vocabulary, const char *numbers,
    gboolean more, const char *expected)
{
  g_autoptr (GArray) ids = parse_ids (numbers);
  g_autofree char *text = infer_vocabulary_text (
      vocabulary, (const guint *) (gpointer) ids->data, ids->len, more);

  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_cmpstr (text, ==, expected);
}

/* "first-end:word", one after the other; "+" before a word that is joined. */
static void
assert_words (const InferVocabulary *vocabulary, const char *numbers,
    const char *expected)
{
  g_autoptr (GArray) ids = parse_ids (numbers);
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (InferWordSpan));
  g_autofree char *text = infer_vocabulary_words (
      vocabulary, (const guint *) (gpointer) ids->data, ids->len, words);
  g_autoptr (GString) printed = g_string_new (NULL);

  for (guint i = 0; i < words->len; i++) {
    const InferWordSpan *word = &g_array_index (words, InferWordSpan, i);

    g_string_append_printf (printed, "%s%u-%u:%s%.*s", i == 0 ? "" : " ",
        word->first, word->end, word->joined ? "+" : "", (int) word->length,
        text + word->at);
  }
  g_assert_cmpstr (printed->str, ==, expected);
}

static void
assert_piece (
    const InferVocabulary *vocabulary, guint id, const char *bytes, guint flags)
{
  gsize length;
  const char *piece = infer_vocabulary_bytes (vocabulary, id, &length);

  g_assert_cmpmem (piece, length, bytes, strlen (bytes));
  g_assert_cmpuint (infer_vocabulary_flags (vocabulary, id), ==, flags);
}

/* --- byte pairs --- */

#define LETTERS                                                                \
  "\"a\":0,\"b\":1,\"c\":2,\"\xc4\xa0\":3,\"'\":4,\"s\":5,\"1\":6,"
#define PAIRS                                                                  \
  LETTERS "\"ab\":7,\"\xc4\xa0"                                                \
          "ab\":8,\"bc\":9,\"abc\":10,\"'s\":11,\"\xc3\x83\":12,"              \
          "\"\xc2\xa9\":13,\"\xc3\xa3\":14,\"\xc4\xa4\":15,\"\xc4\xa1\":16"
#define SPECIAL "\"<|endoftext|>\":17,\"<|notimestamps|>\":18"
static const char pair_lines[] =
    "#version: 0.2\na b\n\xc4\xa0 ab\nb c\nab c\n' s\n";

static void
check_pairs (const InferVocabulary *vocabulary)
{
  g_assert_cmpuint (infer_vocabulary_size (vocabulary), ==, 19);
  assert_piece (vocabulary, 8, " ab", INFER_PIECE_BEGINS_WORD);
  assert_piece (vocabulary, 12, "\xc3", 0);
  assert_piece (vocabulary, 17, "<|endoftext|>", INFER_PIECE_SPECIAL);
  assert_piece (
      vocabulary, 19, "", INFER_PIECE_SPECIAL | INFER_PIECE_TIMESTAMP);
  assert_piece (
      vocabulary, G_MAXUINT, "", INFER_PIECE_SPECIAL | INFER_PIECE_TIMESTAMP);
  g_assert_cmpint (infer_vocabulary_find (vocabulary, "<|endoftext|>"), ==, 17);
  g_assert_cmpint (infer_vocabulary_find (vocabulary, " ab"), ==, 8);
  g_assert_cmpint (infer_vocabulary_find (vocabulary, "no"), ==, -1);
  g_assert_cmpint (infer_vocabulary_blank (vocabulary), ==, -1);

  /* "a b" comes before "b c", which "ab c" then needs no more. */
  assert_encodes (vocabulary, "abc", "10");
  assert_encodes (vocabulary, "bc", "9");
  assert_encodes (vocabulary, " abc", "8 2");
  assert_encodes (vocabulary, "ab's", "7 11");
  assert_encodes (vocabulary, "a'b", "0 4 1");
  assert_encodes (vocabulary, "ab  ab1b", "7 3 8 6 1");
  assert_encodes (vocabulary, "", "");
  assert_encodes (vocabulary, "\xc3\xa9", "12 13");

  assert_text (vocabulary, "17 8 12 13 7 19", FALSE,
      " ab\xc3\xa9"
      "ab");
  assert_text (vocabulary, "7 12", TRUE, "ab");
  assert_text (vocabulary, "7 12", FALSE, "ab\xef\xbf\xbd");
  assert_text (vocabulary, "12 7 13", TRUE,
      "\xef\xbf\xbd"
      "ab\xef\xbf\xbd");
  assert_text (vocabulary, "", TRUE, "");
}

static void
test_byte_pairs (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "vocab.json", "{" PAIRS "}");
  write_file (fixture, "merges.txt", pair_lines);
  write_file (fixture, "added_tokens.json", "{" SPECIAL "}");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);
  check_pairs (vocabulary);
  g_assert_true (
      g_str_has_suffix (infer_vocabulary_name (vocabulary), "/vocab.json"));
}

#define TOKENIZER(merges)                                                      \
  "{\"added_tokens\":[{\"id\":17,\"content\":\"<|endoftext|>\","               \
  "\"special\":true},{\"id\":18,\"content\":\"<|notimestamps|>\"}],"           \
  "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\","             \
  "\"add_prefix_space\":false},\"decoder\":{\"type\":\"ByteLevel\"},"          \
  "\"model\":{\"type\":\"BPE\",\"vocab\":{" PAIRS "},\"merges\":" merges "}}"

static void
test_tokenizer_json (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokenizer.json",
      TOKENIZER ("[\"a b\",\"\xc4\xa0 ab\",\"b c\",\"ab c\",\"' s\"]"));
  InferVocabulary *vocabulary = load (fixture->path);
  check_pairs (vocabulary);
  infer_vocabulary_unref (vocabulary);
  write_file (fixture, "tokenizer.json",
      TOKENIZER ("[[\"a\",\"b\"],[\"\xc4\xa0\",\"ab\"],[\"b\",\"c\"],"
                 "[\"ab\",\"c\"],[\"'\",\"s\"]]"));
  vocabulary = load (fixture->path);
  check_pairs (vocabulary);
  infer_vocabulary_unref (vocabulary);
}

/* --- SentencePiece's --- */

static const char llama[] =
    "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true}],"
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":"
    "\"Prepend\",\"prepend\":\"" MARK "\"},{\"type\":\"Replace\",\"pattern\":"
    "{\"String\":\" \"},\"content\":\"" MARK "\"}]},\"pre_tokenizer\":null,"
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,"
    "\"byte_fallback\":true,\"vocab\":{\"<unk>\":0,\"<0xC3>\":1,\"<0xA9>\":2,"
    "\"" MARK "\":3,\"a\":4,\"b\":5,\"" MARK "a\":6,\"ab\":7,\"" MARK
    "ab\":8},\"merges\":[\"" MARK " a\",\"a b\",\"" MARK " ab\"]}}";

static void
test_byte_fallback (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokenizer.json", llama);
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);

  assert_piece (vocabulary, 0, "<unk>", INFER_PIECE_SPECIAL);
  assert_piece (vocabulary, 1, "\xc3", INFER_PIECE_BYTE);
  assert_piece (vocabulary, 6, " a", INFER_PIECE_BEGINS_WORD);
  assert_encodes (vocabulary, "ab", "6 5");
  assert_encodes (vocabulary, "bab ab", "3 5 7 6 5");
  assert_encodes (vocabulary, "a\xc3\xa9", "6 1 2");
  assert_encodes (vocabulary, "axxb", "6 0 5");
  assert_text (vocabulary, "6 1 2 8", FALSE, " a\xc3\xa9 ab");
  assert_words (vocabulary, "0 6 1 2 8 0", "1-4:a\xc3\xa9 4-5:ab");
}

static void
test_unigram (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokenizer.json",
      "{\"normalizer\":{\"type\":\"NFKC\"},\"pre_tokenizer\":{\"type\":"
      "\"Metaspace\",\"replacement\":\"" MARK "\",\"prepend_scheme\":"
      "\"always\"},\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":"
      "[[\"<unk>\",0],[\"" MARK "\",-2],[\"a\",-3],[\"b\",-3],[\"ab\",-5],["
      "\"" MARK "a\",-4.5],[\"bb\",-7]]}}");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);

  assert_encodes (vocabulary, "a", "5");            /* -4.5 > -2 - 3 */
  assert_encodes (vocabulary, "ab", "1 4");         /* -7 > -7.5 */
  assert_encodes (vocabulary, "bb b", "1 3 3 1 3"); /* -6 > -7 */
  assert_encodes (vocabulary, " a", "5");
  assert_encodes (vocabulary, "a\xef\xbd\x81", "5 2"); /* a full-width a */
  assert_encodes (vocabulary, "axxa", "5 0 2");
}

/* --- CTC's --- */

static void
test_tokens (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokens.txt",
      "<blk> 0\r\n<unk> 1\n" MARK "HE 2\n" MARK "HELL\t3\nLO 4\nO 5\nL 6\n"
      "<0x41> 7\n 8\n' 9\n" MARK "W 10\n#0 11\n#1 12\n");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);

  g_assert_cmpuint (infer_vocabulary_size (vocabulary), ==, 11);
  g_assert_cmpint (infer_vocabulary_blank (vocabulary), ==, 0);
  assert_piece (vocabulary, 2, " HE", INFER_PIECE_BEGINS_WORD);
  assert_piece (vocabulary, 7, "A", INFER_PIECE_BYTE);
  assert_piece (vocabulary, 8, " ", INFER_PIECE_BEGINS_WORD);
  /* Two pieces either way: the longest first.  Letters as the pieces have. */
  assert_encodes (vocabulary, "hello", "3 5");
  assert_encodes (vocabulary, "hello'A", "3 5 9 7");
  assert_words (vocabulary, "3 5 9 0 2 8 6", "0-3:HELLO' 4-5:HE 6-7:L");
  g_autoptr (GArray) ids = parse_ids ("");
  g_autoptr (GError) error = NULL;
  g_assert_false (infer_vocabulary_encode (vocabulary, "hex", ids, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "'X' cannot be written"));
  g_assert_cmpuint (ids->len, ==, 0);
}

static void
test_characters (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "vocab.json",
      "{\"|\":0,\"a\":1,\"b\":2,\"[UNK]\":3,\"[PAD]\":4}");
  write_file (fixture, "added_tokens.json", "{\"<s>\":5,\"</s>\":6}");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);

  g_assert_cmpuint (infer_vocabulary_size (vocabulary), ==, 7);
  g_assert_cmpint (infer_vocabulary_blank (vocabulary), ==, 4);
  assert_piece (vocabulary, 0, " ", INFER_PIECE_BEGINS_WORD);
  assert_piece (vocabulary, 6, "</s>", INFER_PIECE_SPECIAL);
  assert_encodes (vocabulary, "AB b", "1 2 0 2");
  assert_words (vocabulary, "0 1 2 0 0 2 5 1 0", "1-3:ab 5-8:ba");
}

static void
test_labels (Fixture *fixture, gconstpointer data)
{
  static const char *const words[] = { "<blank>", "zero", "one", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferVocabulary) own =
      infer_vocabulary_new ("digits.xml", words, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (infer_vocabulary_name (own), ==, "digits.xml");
  g_assert_cmpint (infer_vocabulary_blank (own), ==, 0);
  assert_words (own, "1 2 0 1", "0-1:zero 1-2:one 3-4:zero");
  assert_encodes (own, "Zero one", "1 2");

  write_file (fixture, "labels.txt", "_\na\nb\n \n");
  g_autoptr (InferVocabulary) letters = load (fixture->path);
  g_assert_cmpuint (infer_vocabulary_size (letters), ==, 4);
  g_assert_cmpint (infer_vocabulary_blank (letters), ==, 0);
  assert_words (letters, "1 2 3 2 1", "0-2:ab 3-5:ba");
}

/* --- words --- */

static void
test_words (Fixture *fixture, gconstpointer data)
{
  /* 0 " He" 1 "llo" 2 "," 3 " (" 4 "well" 5 ")" 6 " -" 7 " 5" 8 "%" 9 "你好"
   * 10 "们" 11 "。" 12-14 bytes of 吗 15 " “" 16 "a" 17 " $" 18 " ." 19 "\n" */
  write_file (fixture, "tokens.txt",
      MARK "He 0\nllo 1\n, 2\n" MARK "( 3\nwell 4\n) 5\n" MARK "- 6\n" MARK
           "5 7\n% 8\n\xe4\xbd\xa0\xe5\xa5\xbd 9\n\xe4\xbb\xac 10\n"
           "\xe3\x80\x82 11\n<0xE5> 12\n<0x90> 13\n<0x97> 14\n" MARK
           "\xe2\x80\x9c 15\na 16\n" MARK "$ 17\n" MARK ". 18\n<0x0A> 19\n");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);

  assert_words (vocabulary, "", "");
  assert_words (vocabulary, "1 0 1 2 7", "0-1:llo 1-4:Hello, 4-5:5");
  assert_words (vocabulary, "0 3 4 5 7 8", "0-1:He 1-4:(well) 4-6:5%");
  assert_words (vocabulary, "0 6 7 18 6", "0-1:He 1-4:- 5 . 4-5:-");
  assert_words (vocabulary, "15 16 0 17",
      "0-2:\xe2\x80\x9c"
      "a 2-3:He 3-4:$");
  assert_words (vocabulary, "9 10 11 12 13 14 16",
      "0-1:\xe4\xbd\xa0\xe5\xa5\xbd 1-3:+\xe4\xbb\xac\xe3\x80\x82 "
      "3-6:+\xe5\x90\x97 6-7:+a");
  /* A character that is never complete stays within its word. */
  assert_words (vocabulary, "0 12 13 0", "0-3:He\xef\xbf\xbd 3-4:He");
  assert_words (vocabulary, "0 19 19 0", "0-3:He 3-4:He");
}

/* --- what is wrong --- */

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokens.txt", "a 0\nb 1\nc 1\n");
  assert_refused (
      fixture, "tokens.txt: id 1 is given to two pieces, 'b' and 'c'");
  write_file (fixture, "tokens.txt", "a 0\nb 2\n");
  assert_refused (
      fixture, "tokens.txt: no piece has id 1, while ids go up to 2");
  write_file (fixture, "tokens.txt", "a 0\nb x\n");
  assert_refused (fixture, "tokens.txt:2: 'PIECE ID' was expected, not 'b x'");
  write_file (fixture, "tokens.txt", "a 99999999999999999999\n");
  assert_refused (fixture, "tokens.txt: the id 9223372036854775807 of 'a' is "
                           "not between 0 and 2097151");
  write_file (fixture, "tokens.txt", "a 0\n\xff 1\n");
  assert_refused (fixture, "tokens.txt:2: it is not UTF-8 text");
  write_file (fixture, "tokens.txt", "");
  assert_refused (fixture, "tokens.txt: there are no pieces in it");
  write_file (fixture, "vocab.json", "{\"a\":0,\"b\":\"1\"}");
  assert_refused (
      fixture, "vocab.json: b: an integer was expected, not a string");
  write_file (fixture, "vocab.json", "{\"en\":{\"a\":0},\"de\":{\"a\":0}}");
  assert_refused (fixture,
      "vocab.json: the whole: it has the characters of 2 languages; leave "
      "those of the one that the model's adapter is for");
  write_file (fixture, "vocab.json", "{\"a\":0,\"b\":1,\"ab\":2}");
  write_file (fixture, "merges.txt", "a b\na c\n");
  assert_refused (fixture, "merges.txt:2: the merge needs 'c', which is no "
                           "piece of vocab.json");
  write_file (fixture, "vocab.json", "{\"a\":0,\"b\":1,\"ab\":2}");
  write_file (fixture, "merges.txt", "a b\nab\n");
  assert_refused (fixture, "merges.txt:2: two pieces were expected, not 'ab'");
}

static void
test_refused_tokenizer (Fixture *fixture, gconstpointer data)
{
  write_file (fixture, "tokenizer.json", TOKENIZER ("[\"a b\",\"a a\"]"));
  assert_refused (fixture, "tokenizer.json: model.merges[1]: it needs 'aa', "
                           "which is no piece of tokenizer.json");
  write_file (fixture, "tokenizer.json", TOKENIZER ("[\"a b c\"]"));
  assert_refused (fixture, "tokenizer.json: model.merges[0]: two pieces were "
                           "expected, as \"a b\" or [\"a\", \"b\"]");
  write_file (
      fixture, "tokenizer.json", "{\"model\":{\"type\":\"WordPiece\"}}");
  assert_refused (fixture, "tokenizer.json: model: models BPE and Unigram are "
                           "supported, not 'WordPiece'");
  write_file (fixture, "tokenizer.json", "{\"model\":{\"type\":\"BPE\"}}");
  assert_refused (fixture, "tokenizer.json: model.vocab is missing");
  write_file (fixture, "tokenizer.json",
      "{\"model\":{\"type\":\"Unigram\",\"unk_id\":2,\"vocab\":[[\"a\",0]]}}");
  assert_refused (
      fixture, "tokenizer.json: model.unk_id: no piece has this id");
  write_file (fixture, "tokenizer.json",
      "{\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"a\"]]}}");
  assert_refused (
      fixture, "tokenizer.json: model.vocab[0]: [piece, score] was expected");
}

/* It is read, and says why it does not encode. */
static void
test_unknown_preparation (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GArray) ids = parse_ids ("");
  g_autoptr (GError) error = NULL;

  write_file (fixture, "tokenizer.json",
      "{\"normalizer\":{\"type\":\"Precompiled\"},\"model\":{\"type\":"
      "\"Unigram\",\"vocab\":[[\"a\",0]]}}");
  g_autoptr (InferVocabulary) vocabulary = load (fixture->path);
  assert_text (vocabulary, "0 0", FALSE, "aa");
  g_assert_false (infer_vocabulary_encode (vocabulary, "a", ids, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_nonnull (
      strstr (error->message, "its normalizer 'Precompiled' is not known"));
}

static void
test_nothing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (try_load (fixture->path, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "vocab.json and merges.txt"));
}

/* --- Whisper's own --- */

static char *
find_shared (const char *name)
{
  const char *shared = g_getenv ("INFER_SHARED");
  g_autofree char *path = g_build_filename (
      shared != NULL ? shared : SOURCE_ROOT "/../shared", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("no Whisper in the shared models");
  return NULL;
}

/* The ids of text, without timestamps. */
static GArray *
get_tokens (InferJsonValue segment)
{
  InferJsonValue tokens;
  GArray *ids = parse_ids ("");

  g_assert_true (infer_json_get_array (segment, "tokens", &tokens, NULL));
  for (guint i = 0; i < infer_json_length (tokens); i++) {
    gint64 value;

    g_assert_true (infer_json_to_int (infer_json_at (tokens, i), &value, NULL));
    const guint id = (guint) value;
    if (id < 50256)
      g_array_append_val (ids, id);
  }
  return ids;
}

static void
check_segment (const InferVocabulary *vocabulary, InferJsonValue segment,
    guint *n, guint *same)
{
  g_autoptr (GArray) ids = get_tokens (segment);
  g_autofree char *expected = print_ids (ids);
  g_autoptr (GArray) back = parse_ids ("");
  const char *text;

  g_assert_true (infer_json_get_string (segment, "text", &text, NULL));
  assert_text (vocabulary, expected, FALSE, text);
  g_assert_true (infer_vocabulary_encode (vocabulary, text, back, NULL));
  g_autofree char *encoded = print_ids (back);
  *same += strcmp (encoded, expected) == 0;
  (*n)++;
}

/* The model may write a word with other pieces than the encoder would: it does
 * so in one segment. */
static void
test_whisper (void)
{
  g_autofree char *folder = find_shared ("models/whisper_tiny_en");
  g_autofree char *reference = find_shared ("speech/whisper-reference.json");
  guint n = 0, same = 0;

  if (folder == NULL || reference == NULL)
    return;
  g_autoptr (InferVocabulary) vocabulary = load (folder);
  g_autoptr (InferJson) json = infer_json_read (reference, NULL);
  InferJsonValue root = infer_json_root (json);
  g_assert_cmpuint (infer_vocabulary_size (vocabulary), ==, 50363);
  g_assert_cmpint (
      infer_vocabulary_find (vocabulary, "<|startoftranscript|>"), ==, 50257);
  assert_piece (
      vocabulary, 50363, "", INFER_PIECE_SPECIAL | INFER_PIECE_TIMESTAMP);
  for (guint i = 0; i < infer_json_length (root); i++) {
    InferJsonValue segments = infer_json_at (root, i);

    for (guint s = 0; s < infer_json_length (segments); s++)
      check_segment (vocabulary, infer_json_at (segments, s), &n, &same);
  }
  g_test_message ("%u of %u segments are encoded as decoded", same, n);
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (same + 1, >=, n);
}

#define ADD(name, function)                                                    \
  g_test_add ("/vocabulary/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("byte-pairs", test_byte_pairs);
  ADD ("tokenizer-json", test_tokenizer_json);
  ADD ("byte-fallback", test_byte_fallback);
  ADD ("unigram", test_unigram);
  ADD ("tokens", test_tokens);
  ADD ("characters", test_characters);
  ADD ("labels", test_labels);
  ADD ("words", test_words);
  ADD ("refused", test_refused);
  ADD ("refused-tokenizer", test_refused_tokenizer);
  ADD ("unknown-preparation", test_unknown_preparation);
  ADD ("nothing", test_nothing);
  g_test_add_func ("/vocabulary/whisper", test_whisper);
  return g_test_run ();
}
