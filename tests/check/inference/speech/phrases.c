/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/text/phrases.h"

#include <math.h>
#include <string.h>

static const char *const letters[] = { "<blk>", "a", "b", "c", "d", "e", "|",
  NULL };

static InferVocabulary *
make_vocabulary (void)
{
  return infer_vocabulary_new ("letters", letters, NULL);
}

static InferPhrases *
make (const char *text, double weight)
{
  g_autoptr (InferVocabulary) vocabulary = make_vocabulary ();
  g_autoptr (GError) error = NULL;
  InferPhrases *phrases = infer_phrases_new (vocabulary, text, weight, &error);

  g_assert_no_error (error);
  return phrases;
}

static guint
id_of (char c)
{
  return c == ' ' ? 6 : (guint) (c - 'a') + 1;
}

/* The sum after each letter of @text, and after its end. */
static void
assert_sums (const InferPhrases *phrases, const char *text, const double *sums)
{
  InferPhraseState state = 0;
  double sum = 0;
  float bonus;

  for (guint i = 0; text[i] != '\0'; i++) {
    state = infer_phrases_step (phrases, state, id_of (text[i]), &bonus);
    sum += bonus;
    g_assert_cmpfloat_with_epsilon (sum, sums[i], 1e-5);
  }
  sum += infer_phrases_end (phrases, state);
  g_assert_cmpfloat_with_epsilon (sum, sums[strlen (text)], 1e-5);
}

#define SUMS(...) ((const double[]){ __VA_ARGS__ })

static void
test_one (void)
{
  g_autoptr (InferPhrases) phrases = make ("abc", 2);

  assert_sums (phrases, "", SUMS (0));
  assert_sums (phrases, "abc", SUMS (2, 4, 6, 6));
  assert_sums (phrases, "abd", SUMS (2, 4, 0, 0));
  assert_sums (phrases, "ab", SUMS (2, 4, 0)); /* its end is not there */
  assert_sums (phrases, "abcd", SUMS (2, 4, 6, 6, 6));
  assert_sums (phrases, "aabc", SUMS (2, 2, 4, 6, 6));
  assert_sums (phrases, "abcabc", SUMS (2, 4, 6, 8, 10, 12, 12));
}

static void
test_several (void)
{
  g_autoptr (InferPhrases) phrases =
      make ("ab\n  abcd : 3 \n\nbce:1.5\ne e", 1);

  /* The tree's a and b count for the phrase of the larger weight. */
  assert_sums (phrases, "ab", SUMS (3, 6, 6));
  assert_sums (phrases, "abcd", SUMS (3, 6, 9, 12, 12));
  /* "bc" goes on as the beginning of "bce". */
  assert_sums (phrases, "abce", SUMS (3, 6, 9, 10.5, 10.5));
  assert_sums (phrases, "abca", SUMS (3, 6, 9, 9, 6));
  /* The middle one is of both. */
  assert_sums (phrases, "e e e", SUMS (1, 2, 3, 5, 6, 6));
}

/* Every string over the letters against a search for the phrases: the sum is
 * that of the phrases in it, each counted whenever it ends. */
static void
test_random (void)
{
  static const char *const all[] = { "ab", "ba", "aab", "bcb", "c" };
  g_autofree char *text = g_strjoin ("\n", "ab", "ba", "aab", "bcb", "c", NULL);
  g_autoptr (InferPhrases) phrases = make (text, 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint n = 0; n < 2000; n++) {
    g_autoptr (GString) string = g_string_new (NULL);
    InferPhraseState state = 0;
    double sum = 0, expected = 0;
    float bonus;

    for (guint i = 0; i < n % 30; i++) {
      g_string_append_c (
          string, (char) ('a' + g_rand_int_range (random, 0, 4)));
      state =
          infer_phrases_step (phrases, state, id_of (string->str[i]), &bonus);
      sum += bonus;
      g_assert_cmpfloat (bonus, <=, infer_phrases_most (phrases) + 1e-5f);
      for (guint p = 0; p < G_N_ELEMENTS (all); p++)
        if (g_str_has_suffix (string->str, all[p]))
          expected += (double) strlen (all[p]);
    }
    sum += infer_phrases_end (phrases, state);
    g_assert_cmpfloat_with_epsilon (sum, expected, 1e-4);
  }
}

static void
assert_refused (const char *text, const char *message)
{
  g_autoptr (InferVocabulary) vocabulary = make_vocabulary ();
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_phrases_new (vocabulary, text, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_refused (void)
{
  assert_refused ("ab\nax", "phrases, line 2: 'x' cannot be written with the "
                            "pieces of letters");
  assert_refused ("ab:", "phrases, line 1: the weight '' is not a number from "
                         "-100 to 100; write 'words:weight'");
  assert_refused ("ab:1x", "phrases, line 1: the weight '1x' is not a number "
                           "from -100 to 100; write 'words:weight'");
  assert_refused ("ab:nan", "phrases, line 1: the weight 'nan' is not a number "
                            "from -100 to 100; write 'words:weight'");
}

static void
test_empty (void)
{
  g_autoptr (InferPhrases) phrases = make ("\n \n", 1);
  g_autoptr (InferPhrases) again = infer_phrases_ref (phrases);

  assert_sums (again, "abc", SUMS (0, 0, 0, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/phrases/one", test_one);
  g_test_add_func ("/phrases/several", test_several);
  g_test_add_func ("/phrases/random", test_random);
  g_test_add_func ("/phrases/refused", test_refused);
  g_test_add_func ("/phrases/empty", test_empty);
  return g_test_run ();
}
