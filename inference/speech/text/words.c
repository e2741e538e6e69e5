/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ids → text and words. */

#include <string.h>

#include "inference/speech/text/vocabulary-private.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* --- UTF-8 --- */

/* The least and greatest second byte after @first (the Unicode Standard, table
 * 3-7). */
static void
second_byte (guchar first, guchar *least, guchar *most)
{
  *least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  *most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
}

gsize
vocabulary_next_character (
    const char *bytes, gsize length, gboolean *valid, gboolean *cut)
{
  const guchar first = (guchar) bytes[0];
  const gsize n = first < 0x80    ? 1
                  : first < 0xc2  ? 0
                  : first < 0xe0  ? 2
                  : first < 0xf0  ? 3
                  : first <= 0xf4 ? 4
                                  : 0;
  guchar least, most;

  *cut = FALSE;
  *valid = n == 1 && first != 0;
  if (n < 2)
    return 1;
  second_byte (first, &least, &most);
  for (gsize i = 1; i < n; i++, least = 0x80, most = 0xbf) {
    *cut = i == length;
    if (*cut || (guchar) bytes[i] < least || (guchar) bytes[i] > most)
      return i;
  }
  *valid = TRUE;
  return n;
}

/* Appends @bytes; what is not UTF-8 is replaced.  @more: a beginning of a
 * character at the end is left out. */
static void
append_valid (GString *text, const char *bytes, gsize length, gboolean more)
{
  gboolean valid, cut;

  for (gsize i = 0, n; i < length; i += n) {
    n = vocabulary_next_character (bytes + i, length - i, &valid, &cut);
    if (valid)
      g_string_append_len (text, bytes + i, (gssize) n);
    else if (!cut || !more)
      g_string_append (text, REPLACEMENT);
  }
}

/* --- text --- */

void
infer_vocabulary_join (const InferVocabulary *vocabulary, const guint *ids,
    gsize n, GString *bytes)
{
  for (gsize i = 0; i < n; i++) {
    gsize length;
    const char *piece = infer_vocabulary_bytes (vocabulary, ids[i], &length);

    if ((infer_vocabulary_flags (vocabulary, ids[i]) & INFER_PIECE_SPECIAL)
        == 0)
      g_string_append_len (bytes, piece, (gssize) length);
  }
}

char *
infer_vocabulary_text (
    const InferVocabulary *vocabulary, const guint *ids, gsize n, gboolean more)
{
  g_autoptr (GString) bytes = g_string_new (NULL);
  GString *text = g_string_new (NULL);

  infer_vocabulary_join (vocabulary, ids, n, bytes);
  append_valid (text, bytes->str, bytes->len, more);
  return g_string_free (text, FALSE);
}

/* --- words --- */

/* A word of a script without spaces may begin with it. */
static gboolean
stands_alone (gunichar c)
{
  switch (g_unichar_get_script (c)) {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_THAI:
    case G_UNICODE_SCRIPT_LAO:
    case G_UNICODE_SCRIPT_KHMER:
    case G_UNICODE_SCRIPT_MYANMAR:
      return !g_unichar_ismark (c);
    default:
      return FALSE;
  }
}

/* The state of the text after the pieces so far. */
typedef struct
{
  char pending[4]; /* of a character that is not complete */
  gsize n_pending;
  gboolean at_start; /* it begins with a piece */
  gboolean alone;    /* the last character was one of a script without spaces */
} Scan;

typedef enum
{
  BEGINS_NOT,
  BEGINS_HERE,   /* a word begins with this piece */
  BEGINS_BEFORE, /* … with the one that began the pending character */
} Begins;

/* Takes the characters of a piece. */
static Begins
scan_piece (Scan *scan, const char *bytes, gsize length)
{
  g_autoptr (GString) all =
      g_string_new_len (scan->pending, (gssize) scan->n_pending);
  const gboolean whole = scan->n_pending == 0;
  Begins begins = length > 0 && bytes[0] == ' ' ? BEGINS_HERE : BEGINS_NOT;
  gboolean valid, cut;

  g_string_append_len (all, bytes, (gssize) length);
  scan->n_pending = 0;
  for (gsize i = 0, n; i < all->len; i += n) {
    n = vocabulary_next_character (all->str + i, all->len - i, &valid, &cut);
    if (cut && i + n == all->len) {
      scan->at_start = whole ? i == 0 : i == 0 && scan->at_start;
      memcpy (scan->pending, all->str + i, n);
      scan->n_pending = n;
      break;
    }
    const gunichar c = valid ? g_utf8_get_char (all->str + i) : ' ';
    const gboolean alone = stands_alone (c);
    if (i == 0 && (alone || (scan->alone && g_unichar_isalnum (c)))
        && (whole || scan->at_start))
      begins = whole ? BEGINS_HERE : BEGINS_BEFORE;
    if (!g_unichar_ismark (c))
      scan->alone = alone;
  }
  return begins;
}

typedef enum
{
  WORD_ORDINARY,
  WORD_OPENING, /* punctuation only: it belongs to the next word */
  WORD_CLOSING, /* … to the word before */
} WordKind;

static WordKind
kind_of_character (gunichar c)
{
  switch (g_unichar_type (c)) {
    case G_UNICODE_OPEN_PUNCTUATION:
    case G_UNICODE_INITIAL_PUNCTUATION:
    case G_UNICODE_DASH_PUNCTUATION:
      return WORD_OPENING;
    case G_UNICODE_CLOSE_PUNCTUATION:
    case G_UNICODE_FINAL_PUNCTUATION:
      return WORD_CLOSING;
    case G_UNICODE_OTHER_PUNCTUATION:
      return c == '"' || c == '\'' || c == 0xbf || c == 0xa1 ? WORD_OPENING
             : c == '&' || c == '%' || c == '@' || c == '#' || c == '*'
                 ? WORD_ORDINARY
                 : WORD_CLOSING;
    default:
      return WORD_ORDINARY;
  }
}

static WordKind
kind_of_word (const char *text, gsize length)
{
  WordKind kind = WORD_ORDINARY;

  for (const char *c = text; c < text + length; c += vocabulary_skip (c)) {
    WordKind next = kind_of_character (g_utf8_get_char (c));

    if (next == WORD_ORDINARY)
      return next;
    if (kind == WORD_ORDINARY)
      kind = next;
  }
  return kind;
}

/* @b follows @a: they become one. */
static void
join_spans (InferWordSpan *a, const InferWordSpan *b)
{
  a->end = b->end;
  a->length = b->at + b->length - a->at;
}

/* Adds a word; *@open: the last one of @words waits for the next. */
static void
add_word (GArray *words, guint base, const InferWordSpan *word, WordKind kind,
    gboolean *open)
{
  InferWordSpan *last =
      words->len > base ? &g_array_index (words, InferWordSpan, words->len - 1)
                        : NULL;

  if (last != NULL && (*open || kind == WORD_CLOSING))
    join_spans (last, word);
  else
    g_array_append_val (words, *word);
  *open = kind == WORD_OPENING;
}

/* The word that grows, and what was given out. */
typedef struct
{
  InferWordSpan word;
  GString *bytes; /* of the word */
  gsize start;    /* in them: of the piece that began the pending character */
  guint start_id;
  GString *text;
  GArray *words;
  guint base; /* words that were there before */
  gboolean open;
} Writer;

static void
close_word (Writer *writer)
{
  GString *text = writer->text;
  gsize first = text->len;

  append_valid (text, writer->bytes->str, writer->bytes->len, FALSE);
  g_string_truncate (writer->bytes, 0);
  gsize end = text->len;
  while (first < end && g_ascii_isspace (text->str[first]))
    first++;
  while (end > first && g_ascii_isspace (text->str[end - 1]))
    end--;
  if (first == end)
    return;
  writer->word.at = first;
  writer->word.length = end - first;
  writer->word.joined = first > 0 && !g_ascii_isspace (text->str[first - 1]);
  add_word (writer->words, writer->base, &writer->word,
      kind_of_word (text->str + first, end - first), &writer->open);
}

/* The bytes since the pending character began belong to another word. */
static void
split_word (Writer *writer)
{
  g_autoptr (GString) rest =
      g_string_new_len (writer->bytes->str + writer->start,
          (gssize) (writer->bytes->len - writer->start));

  g_string_truncate (writer->bytes, writer->start);
  writer->word.end = writer->start_id;
  close_word (writer);
  writer->word.first = writer->start_id;
  writer->start = 0;
  g_string_append_len (writer->bytes, rest->str, (gssize) rest->len);
}

static void
write_piece (
    Writer *writer, Scan *scan, guint i, const char *piece, gsize length)
{
  const gboolean pending = scan->n_pending > 0;
  const Begins begins = scan_piece (scan, piece, length);

  if (begins == BEGINS_BEFORE)
    split_word (writer);
  else if (begins == BEGINS_HERE)
    close_word (writer);
  if (strspn (writer->bytes->str, " ") == writer->bytes->len)
    writer->word.first = i;
  if (!pending || begins == BEGINS_HERE) {
    writer->start = writer->bytes->len;
    writer->start_id = i;
  }
  writer->word.end = i + 1;
  g_string_append_len (writer->bytes, piece, (gssize) length);
}

char *
infer_vocabulary_words (
    const InferVocabulary *vocabulary, const guint *ids, gsize n, GArray *words)
{
  g_autoptr (GString) bytes = g_string_new (NULL);
  Writer writer = { .bytes = bytes,
    .text = g_string_new (NULL),
    .words = words,
    .base = words->len };
  Scan scan = { 0 };

  for (gsize i = 0; i < n; i++) {
    gsize length;
    const char *piece = infer_vocabulary_bytes (vocabulary, ids[i], &length);

    if ((infer_vocabulary_flags (vocabulary, ids[i]) & INFER_PIECE_SPECIAL)
        == 0)
      write_piece (&writer, &scan, (guint) i, piece, length);
  }
  close_word (&writer);
  return g_string_free (writer.text, FALSE);
}
