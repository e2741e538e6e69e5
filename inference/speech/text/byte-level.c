/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The steps of GPT-2's tokenizer before byte pairs: bytes are spelled as
 * printable characters in its files, and text is split into words. */

#include <string.h>

#include "inference/speech/text/vocabulary-private.h"

/* --- bytes --- */

/* Printable characters of Latin-1 stand for themselves. */
static gboolean
is_itself (gunichar c)
{
  return (c >= '!' && c <= '~') || (c >= 0xa1 && c <= 0xac)
         || (c >= 0xae && c <= 0xff);
}

/* The others are numbered from U+0100 on, in their order. */
static int
byte_of (gunichar c)
{
  if (c < 0x100)
    return is_itself (c) ? (int) c : -1;
  c -= 0x100;
  for (guint byte = 0; byte < 0x100; byte++)
    if (!is_itself (byte) && c-- == 0)
      return (int) byte;
  return -1;
}

static const gint16 *
byte_table (void)
{
  static gsize once;
  static gint16 table[0x180];

  if (g_once_init_enter (&once)) {
    for (guint c = 0; c < G_N_ELEMENTS (table); c++)
      table[c] = (gint16) byte_of (c);
    g_once_init_leave (&once, 1);
  }
  return table;
}

gsize
vocabulary_from_byte_level (const char *piece, gsize length, char *bytes)
{
  const gint16 *table = byte_table ();
  gsize n = 0;

  for (const char *at = piece; at < piece + length;
       at += vocabulary_skip (at)) {
    gunichar c = g_utf8_get_char (at);

    if (c >= 0x180 || table[c] < 0) {
      memcpy (bytes, piece, length); /* it is not spelled so */
      return length;
    }
    bytes[n++] = (char) table[c];
  }
  return n;
}

/* --- words: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|
 *     \s+(?!\S)|\s+ --- */

typedef enum
{
  CLASS_SPACE,
  CLASS_LETTER,
  CLASS_NUMBER,
  CLASS_OTHER,
} Class;

static Class
class_of (const char *at)
{
  const gunichar c = g_utf8_get_char (at);

  switch (g_unichar_type (c)) {
    case G_UNICODE_LOWERCASE_LETTER:
    case G_UNICODE_MODIFIER_LETTER:
    case G_UNICODE_OTHER_LETTER:
    case G_UNICODE_TITLECASE_LETTER:
    case G_UNICODE_UPPERCASE_LETTER:
      return CLASS_LETTER;
    case G_UNICODE_DECIMAL_NUMBER:
    case G_UNICODE_LETTER_NUMBER:
    case G_UNICODE_OTHER_NUMBER:
      return CLASS_NUMBER;
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SPACE_SEPARATOR:
      return CLASS_SPACE;
    default:
      return (c >= '\t' && c <= '\r') || c == 0x85 ? CLASS_SPACE : CLASS_OTHER;
  }
}

static const char *
skip_class (const char *at, const char *end, Class class)
{
  while (at < end && class_of (at) == class)
    at += vocabulary_skip (at);
  return at;
}

static gsize
contraction (const char *at, const char *end)
{
  static const char *const all[] = { "'s", "'t", "'re", "'ve", "'m", "'ll",
    "'d" };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    const gsize n = strlen (all[i]);

    if ((gsize) (end - at) >= n && memcmp (at, all[i], n) == 0)
      return n;
  }
  return 0;
}

const char *
vocabulary_next_word (const char *at, const char *end)
{
  const gsize n = contraction (at, end);

  if (n > 0)
    return at + n;
  const char *from = *at == ' ' && at + 1 < end ? at + 1 : at;
  Class class = class_of (from);
  if (class != CLASS_SPACE)
    return skip_class (from, end, class);
  /* Of space before a word, the last character is left to it. */
  const char *stop = skip_class (at, end, CLASS_SPACE);
  const char *last = g_utf8_prev_char (stop);
  return stop == end || last == at ? stop : last;
}
