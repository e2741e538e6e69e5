/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/speech/agree.h"

#include <string.h>

typedef InferAgreement TestAgreement;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestAgreement, infer_agreement_free)

#define MOST 64

typedef struct
{
  InferWord words[MOST];
  guint n;
  GStrv text;
} Words;

/* "one@100-140 two@150-200".  Free `text`. */
static void
parse (Words *words, const char *line)
{
  words->n = 0;
  words->text = g_strsplit (line, " ", -1);
  for (guint i = 0; words->text[i] != NULL; i++) {
    char *at = strchr (words->text[i], '@');

    if (at == NULL)
      continue;
    *at = '\0';
    char *end = NULL;
    guint64 start = g_ascii_strtoull (at + 1, &end, 10);
    words->words[words->n++] = (InferWord){ .text = words->text[i],
      .start = start,
      .end = g_ascii_strtoull (end + 1, NULL, 10) };
  }
}

static void
test_equal (void)
{
  g_assert_true (infer_words_equal ("Hello,", "hello"));
  g_assert_true (infer_words_equal ("ÜBER", "über."));
  g_assert_true (infer_words_equal ("don't", "Dont"));
  g_assert_false (infer_words_equal ("two", "to"));
  g_assert_false (infer_words_equal ("…", "?"));
  g_assert_true (infer_words_equal ("\xff", "\xff"));
}

/* The overlap is 1000 to 2000, the cut 1500. */
static void
assert_joined (const char *left, const char *right, const char *want)
{
  g_autoptr (GString) got = g_string_new (NULL);
  Words a, b;
  guint n, first;

  parse (&a, left);
  parse (&b, right);
  infer_words_join (a.words, a.n, b.words, b.n, 1000, 1500, 2000, &n, &first);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (got, "%s ", a.words[i].text);
  g_string_append (got, "|");
  for (guint i = first; i < b.n; i++)
    g_string_append_printf (got, " %s", b.words[i].text);
  g_assert_cmpstr (got->str, ==, want);
  g_strfreev (a.text);
  g_strfreev (b.text);
}

static void
test_join (void)
{
  /* Both have heard the same. */
  assert_joined ("a@500-700 b@1100-1200 c@1300-1400 d@1600-1700",
      "b@1100-1200 c@1310-1400 d@1600-1720 e@2100-2200", "a b c | d e");
  /* Nothing in common, nothing at the same time. */
  assert_joined (
      "a@500-700 b@1100-1200", "c@1700-1800 d@2100-2200", "a b | c d");
  /* A word across the cut, with times that differ: neither lost nor doubled. */
  assert_joined (
      "a@500-700 word@1300-1600", "word@1480-1700 b@2100-2200", "a | word b");
  assert_joined (
      "a@500-700 word@1500-1700", "word@1290-1500 b@2100-2200", "a word | b");
  /* Cut off at the end of the left, at the beginning of the right. */
  assert_joined ("a@1200-1300 b@1700-1800 frag@1900-2000",
      "gment@1000-1080 a@1200-1300 b@1700-1800 fragment@1900-2150",
      "a | b fragment");
  /* A word that one side places just outside of what both have heard. */
  assert_joined ("for@700-820 good@820-990",
      "good@1000-1250 or@1250-1400 evil@2100-2300", "for good | or evil");
  assert_joined ("a@1200-1300 b@1800-1950",
      "a@1200-1300 b@2010-2150 c@2150-2300", "a | b c");
  assert_joined ("words@500-700 and@600-900", "and@1300-2400 here@2400-2600",
      "words | and here");
  /* The same sound, heard differently: once. */
  assert_joined ("too@1400-1500 late@1600-1700",
      "two@1410-1500 latte@1600-1700", "too | latte");
  /* The same word twice is two words. */
  assert_joined ("no@1100-1200 no@1300-1400 no@1600-1700",
      "no@1100-1200 no@1300-1400 no@1600-1700 yes@2100-2200", "no no | no yes");
  /* Case and punctuation do not matter. */
  assert_joined ("The@1100-1200 end.@1300-1400 Now@1600-1700",
      "the@1100-1200 end@1300-1400 now@1600-1700", "The end. | now");
  assert_joined ("", "", "|");
  assert_joined ("a@1700-1800", "", "a |");
  assert_joined ("", "a@1100-1200", "| a");
}

/* What one side has heard. */
typedef struct
{
  InferWord words[MOST];
  guint number[MOST]; /* of the word in the text; + MOST: a part of it */
  char wrong[MOST][8];
  guint n;
} Heard;

/* Word @number from @start to @end, with times that are off by up to 60, and
 * sometimes another text. */
static void
hear (Heard *side, GRand *random, guint number, char *text, guint64 start,
    guint64 end, gboolean part)
{
  gboolean wrong = part || g_rand_int_range (random, 0, 10) == 0;
  guint64 before = side->n > 0 ? side->words[side->n - 1].end : 0;
  InferWord word = { .text = wrong ? side->wrong[side->n] : text,
    .start = start + (guint64) g_rand_int_range (random, 0, 30),
    .end = end + (guint64) g_rand_int_range (random, 0, 60) - 30 };

  g_snprintf (side->wrong[side->n], sizeof side->wrong[0], "x%u",
      (guint) g_rand_int_range (random, 0, 100000));
  word.start = MAX (word.start, before);
  word.end = MAX (word.end, word.start + 1);
  side->words[side->n] = word;
  side->number[side->n++] = part ? number + MOST : number;
}

/* A text of which both sides have heard their samples, with parts of the words
 * that the ends of those divide: each word is there once, in order, and
 * whole. */
static void
test_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint wrong = 0;

  for (guint run = 0; run < 5000; run++) {
    Heard left = { .n = 0 }, right = { .n = 0 };
    char names[MOST][8];
    guint n = 0, kept, first;
    gboolean ok = TRUE;

    for (guint64 at = 0; at < 3000 && n + 1 < MOST; n++) {
      guint64 length = (guint64) g_rand_int_range (random, 60, 300);
      guint64 start = at + 10, end = at + length;

      g_snprintf (names[n], sizeof names[n], "w%u", n);
      at += length;
      if (end <= 2000)
        hear (&left, random, n, names[n], start, end, FALSE);
      else if (start + 30 < 2000 && g_rand_boolean (random))
        hear (&left, random, n, names[n], start, 2000, TRUE);
      if (start >= 1000)
        hear (&right, random, n, names[n], start, end, FALSE);
      else if (end > 1030 && g_rand_boolean (random))
        hear (&right, random, n, names[n], 1000, end, TRUE);
    }
    infer_words_join (left.words, left.n, right.words, right.n, 1000, 1500,
        2000, &kept, &first);
    ok = kept + (right.n - first) == n;
    for (guint i = 0; ok && i < n; i++)
      ok = (i < kept ? left.number[i] : right.number[first + i - kept]) == i;
    wrong += ok ? 0 : 1;
  }
  g_test_message ("%u of 5000 wrong", wrong);
  g_assert_cmpuint (wrong, ==, 0);
}

/* Times are in ms.  A word may end with ":PROBABILITY", if not 1. */
static guint
agree (InferAgreement *agreement, const char *line, guint64 heard)
{
  Words words;

  parse (&words, line);
  for (guint i = 0; i < words.n; i++) {
    char *colon = strchr (words.words[i].text, ':');

    words.words[i].probability = 1;
    if (colon == NULL)
      continue;
    words.words[i].probability = (float) g_ascii_strtod (colon + 1, NULL);
    *colon = '\0';
  }
  guint n = infer_agreement_push (agreement, words.words, words.n, heard);
  g_strfreev (words.text);
  return n;
}

static TestAgreement *
begin (void)
{
  TestAgreement *agreement = infer_agreement_new ();

  infer_agreement_begin (agreement, 1000);
  return agreement;
}

/* Nothing was heard behind the words. */
static void
test_two (void)
{
  g_autoptr (TestAgreement) agreement = begin ();

  g_assert_cmpuint (agree (agreement, "the@0-1", 1), ==, 0);
  g_assert_cmpuint (agree (agreement, "The@0-1 quick@2-3", 3), ==, 1);
  g_assert_cmpuint (agree (agreement, "the@0-1 quick,@2-3 brow@4-5", 5), ==, 2);
  g_assert_cmpuint (agree (agreement, "the@0-1 quick@2-3 brown@4-5", 5), ==, 2);
  g_assert_cmpuint (agree (agreement, "a@0-1 quick@2-3 brown@4-5", 5), ==, 0);
  g_assert_cmpuint (agree (agreement, "a@0-1 quick@2-3 brown@4-5", 5), ==, 3);
  g_assert_cmpuint (agree (agreement, "", 5), ==, 0);
  agree (agreement, "a@0-1", 5);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (agree (agreement, "a@0-1", 5), ==, 0);
}

/* Two that agree on a word that the model doubts do not show it, three do. */
static void
test_doubted (void)
{
  g_autoptr (TestAgreement) agreement = begin ();

  g_assert_cmpuint (agree (agreement, "a:0.3@0-1 b@2-3", 3), ==, 0);
  g_assert_cmpuint (agree (agreement, "a:0.3@0-1 b@2-3", 3), ==, 0);
  g_assert_cmpuint (agree (agreement, "a:0.3@0-1 b@2-3", 3), ==, 2);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (agree (agreement, "a:0.3@0-1 b@2-3", 3), ==, 0);
  g_assert_cmpuint (agree (agreement, "a:0.5@0-1 b@2-3", 3), ==, 2);
}

/* One is enough for a word that ended a while ago. */
static void
test_sure (void)
{
  g_autoptr (TestAgreement) agreement = begin ();

  /* It ended just now; nothing follows it. */
  g_assert_cmpuint (agree (agreement, "a@0-900 b@900-950", 1000), ==, 0);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (agree (agreement, "a@0-500", 1000), ==, 0);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (agree (agreement, "a@0-500 b@600-700", 1000), ==, 1);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (
      agree (agreement, "a@0-500 b@600-700 c@800-990", 1000), ==, 2);
  /* Not sure, but sure enough two seconds later. */
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (
      agree (agreement, "a:0.5@0-500 b@600-700 c@800-990", 1000), ==, 0);
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (
      agree (agreement, "a:0.5@0-500 b@600-700 c@800-990", 3000), ==, 2);
  /* The model doubts what follows. */
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (agree (agreement, "a@0-500 b:0.2@600-700", 1000), ==, 0);
  /* One that is not stable stops those behind it. */
  infer_agreement_begin (agreement, 1000);
  g_assert_cmpuint (
      agree (agreement, "a:0.4@0-100 b@200-300 c@400-500", 1000), ==, 0);
  /* Times count in units of the stream's rate. */
  infer_agreement_begin (agreement, 16000);
  g_assert_cmpuint (agree (agreement, "a@0-500 b@600-700", 1000), ==, 0);
  infer_agreement_begin (agreement, 16000);
  g_assert_cmpuint (agree (agreement, "a@0-500 b@600-700", 4000), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/agree/equal", test_equal);
  g_test_add_func ("/agree/join", test_join);
  g_test_add_func ("/agree/random", test_random);
  g_test_add_func ("/agree/two", test_two);
  g_test_add_func ("/agree/doubted", test_doubted);
  g_test_add_func ("/agree/sure", test_sure);
  return g_test_run ();
}
