/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of Whisper that need no network: which tokens may follow, segments,
 * loops, sums of logits, and the path of the alignment. */

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/align.h"
#include "inference/speech/whisper/guards.h"
#include "inference/speech/whisper/logits.h"
#include "inference/speech/whisper/rules.h"
#include "inference/speech/whisper/segments.h"
#include "inference/speech/whisper/word-times.h"

/* Tokens 0 … 9 are text, 10 ends, 11 starts, 12 has no timestamps, 13 … 29 are
 * timestamps. */
#define END 10
#define TIMES 13
#define SIZE 30
#define T(n) (TIMES + (n))

static WhisperConfig
config_new (void)
{
  WhisperConfig c = { .vocabulary = SIZE,
    .start = 11,
    .end = END,
    .no_timestamps = 12,
    .timestamps = TIMES,
    .first_timestamp = 5 };
  guint never = 3, first = END;

  c.suppress = g_array_new (FALSE, FALSE, sizeof (guint));
  c.suppress_first = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (c.suppress, never);
  g_array_append_val (c.suppress_first, first);
  return c;
}

static void
config_clear (WhisperConfig *c)
{
  g_array_unref (c->suppress);
  g_array_unref (c->suppress_first);
}

/* --- rules --- */

/* '.' for tokens that may follow @tokens. */
static char *
allowed (const guint *tokens, guint n, float text, float times)
{
  WhisperConfig c = config_new ();
  float logits[SIZE];
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < SIZE; i++)
    logits[i] = i < TIMES ? text : times;
  whisper_rules_apply (&c, tokens, n, logits);
  for (guint i = 0; i < SIZE; i++)
    g_string_append_c (all, isfinite (logits[i]) ? '.' : 'x');
  config_clear (&c);
  return g_string_free (all, FALSE);
}

static void
test_rules (void)
{
  const guint first[] = { T (2) }, text[] = { T (2), 5 },
              closed[] = { T (2), 5, T (4) },
              paired[] = { T (2), 5, T (4), T (4) };
  g_autofree char *a = allowed (NULL, 0, 5, 0);
  g_autofree char *b = allowed (first, 1, 5, 0);
  g_autofree char *c = allowed (text, 2, 5, 0);
  g_autofree char *d = allowed (closed, 3, 5, 0);
  g_autofree char *e = allowed (paired, 4, 5, 0);
  g_autofree char *f = allowed (text, 2, 0, 5);

  /* A timestamp begins, up to number 5. */
  g_assert_cmpstr (a, ==, "xxxxxxxxxxxxx......xxxxxxxxxxx");
  /* Then text. */
  g_assert_cmpstr (b, ==, "...x........xxxxxxxxxxxxxxxxxx");
  /* Then more of it, or a later timestamp. */
  g_assert_cmpstr (c, ==, "...x........xxxx..............");
  /* A timestamp that ends a segment is followed by one that is no earlier, or
   * by the end. */
  g_assert_cmpstr (d, ==, "xxxxxxxxxx..xxxxx.............");
  g_assert_cmpstr (e, ==, "...x........xxxxxxxxxxxxxxxxxx");
  /* Timestamps together are likelier than the likeliest text. */
  g_assert_cmpstr (f, ==, "xxxxxxxxxxxxxxxx..............");
}

/* --- segments --- */

static gsize
cut (const guint *tokens, guint n, gsize frames, const char *expected)
{
  WhisperConfig c = config_new ();
  g_autoptr (GArray) segments =
      g_array_new (FALSE, FALSE, sizeof (WhisperSegment));
  g_autoptr (GString) text = g_string_new (NULL);
  gsize advance = whisper_segments_cut (&c, tokens, n, frames, segments);

  for (guint i = 0; i < segments->len; i++) {
    const WhisperSegment *s = &g_array_index (segments, WhisperSegment, i);

    g_string_append_printf (text,
        "%u-%u:%" G_GSIZE_FORMAT "-%" G_GSIZE_FORMAT " ", s->first, s->end,
        s->start_at, s->end_at);
  }
  g_assert_cmpstr (text->str, ==, expected);
  config_clear (&c);
  return advance;
}

static void
test_segments (void)
{
  const guint one[] = { T (0), 1, 2, T (4) },
              two[] = { T (0), 1, T (4), T (5), 2, T (8) },
              open[] = { T (0), 1, T (4), T (4), 2, 3 },
              bare[] = { T (1), 1, 2 };

  g_assert_cmpuint (cut (one, 4, 32, "0-4:0-8 "), ==, 32);
  g_assert_cmpuint (cut (two, 6, 32, "0-3:0-8 3-6:10-16 "), ==, 32);
  /* What is not closed is heard again. */
  g_assert_cmpuint (cut (open, 6, 32, "0-3:0-8 "), ==, 8);
  g_assert_cmpuint (cut (bare, 3, 32, "0-3:0-2 "), ==, 32);
  g_assert_cmpuint (cut (bare, 0, 32, ""), ==, 32);
}

/* --- loops --- */

static gboolean
loops (guint period, guint times, guint other)
{
  WhisperConfig c = config_new ();
  guint tokens[100];
  guint n = 0;

  for (guint i = 0; i < other; i++)
    tokens[n++] = i % 7;
  for (guint i = 0; i < period * times; i++)
    tokens[n++] = i % period == 0 && period > 2 ? T (i % 16) : i % period;
  gboolean found = whisper_is_looping (&c, tokens, n);
  config_clear (&c);
  return found;
}

static void
test_loops (void)
{
  for (guint period = 1; period < 12; period++) {
    g_assert_true (loops (period, MAX (5, (12 + period - 1) / period), 9));
    g_assert_false (loops (period, 3, 0));
  }
  /* "ha ha ha ha ha" is none. */
  g_assert_false (loops (1, 5, 3));
}

static void
test_ratio (void)
{
  g_autoptr (GString) same = g_string_new (NULL);

  for (guint i = 0; i < 40; i++)
    g_string_append (same, "and again ");
  g_assert_cmpfloat (whisper_compression_ratio (same->str), >, 10);
  g_assert_cmpfloat (
      whisper_compression_ratio ("He was not an ill-disposed young man."), <,
      1.5);
  g_assert_cmpfloat (whisper_compression_ratio (""), ==, 0);
}

/* --- logits --- */

static void
test_logits (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (gsize n = 1; n < 5000; n += n < 40 ? 1 : 977) {
    g_autofree float *logits = g_new (float, n);
    gsize best = 0;
    double sum = 0;

    for (gsize i = 0; i < n; i++) {
      logits[i] = i % 5 == 3 ? -INFINITY
                             : (float) g_rand_double_range (random, -30, 30);
      if (logits[i] > logits[best])
        best = i;
    }
    for (gsize i = 0; i < n; i++)
      sum += exp ((double) logits[i]);
    g_assert_cmpuint (whisper_logits_best (logits, n), ==, best);
    g_assert_cmpfloat (whisper_logits_most (logits, n), ==, logits[best]);
    g_assert_cmpfloat_with_epsilon (
        (double) whisper_logits_log_sum (logits, n, 1), log (sum), 1e-5);
    /* Each is drawn as often as its share says. */
    double at = 0;
    for (gsize i = 0; i < n; i++) {
      double p = exp ((double) logits[i]) / sum;

      if (p > 1e-3)
        g_assert_cmpuint (
            whisper_logits_sample (logits, n, 1, at + p / 2), ==, i);
      at += p;
    }
  }
  const float none[] = { -INFINITY, -INFINITY };
  g_assert_true (isinf (whisper_logits_log_sum (none, 2, 1)));
  g_assert_true (isinf (whisper_logits_most (none, 2)));
}

/* --- alignment --- */

/* The least cost of all ways, tried one by one. */
static double
least_cost (const float *cost, guint columns, guint rows, guint i, guint j)
{
  double rest = (double) INFINITY;

  if (i + 1 == rows && j + 1 == columns)
    return (double) cost[i * columns + j];
  if (i + 1 < rows)
    rest = MIN (rest, least_cost (cost, columns, rows, i + 1, j));
  if (j + 1 < columns)
    rest = MIN (rest, least_cost (cost, columns, rows, i, j + 1));
  if (i + 1 < rows && j + 1 < columns)
    rest = MIN (rest, least_cost (cost, columns, rows, i + 1, j + 1));
  return (double) cost[i * columns + j] + rest;
}

/* A row of the way goes from its beginning to that of the next, or to just
 * before it. */
static void
test_path (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  for (guint time = 0; time < 200; time++) {
    guint rows = (guint) g_rand_int_range (random, 1, 6);
    guint columns = (guint) g_rand_int_range (random, 1, 7);
    float cost[36];
    guint begins[6];
    double sum = 0;

    for (guint i = 0; i < rows * columns; i++)
      cost[i] = (float) g_rand_double_range (random, -1, 1);
    whisper_align_path (cost, rows, columns, begins);
    g_assert_cmpuint (begins[0], ==, 0);
    for (guint i = 0; i < rows; i++) {
      guint next = i + 1 < rows ? begins[i + 1] : columns;
      double row = 0;

      for (guint j = begins[i]; j < next; j++)
        row += (double) cost[i * columns + j];
      g_assert_cmpuint (next, >=, begins[i]);
      if (i + 1 < rows && next == begins[i])
        row = (double) cost[i * columns + next];
      else if (i + 1 < rows)
        row += MIN (0, (double) cost[i * columns + next]);
      sum += row;
    }
    g_assert_cmpfloat_with_epsilon (
        sum, least_cost (cost, columns, rows, 0, 0), 1e-5);
  }
}

static void
test_smooth (void)
{
  float values[] = { 0, 0, 9, 0, 0, 0, 1, 1, 1, 1, 1, 0 };
  const float expected[] = { 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1 };

  whisper_align_smooth (values, 1, G_N_ELEMENTS (values));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_cmpfloat (values[i], ==, expected[i]);
}

static void
test_trim (void)
{
  WhisperWordTime words[] = { { 0, 120, FALSE }, { 120, 150, FALSE },
    { 150, 180, TRUE }, { 180, 300, FALSE }, { 300, 330, FALSE } };

  whisper_word_times_trim (words, G_N_ELEMENTS (words), 0, 320);
  g_assert_cmpfloat (words[0].start, ==, 60);
  g_assert_cmpfloat (words[3].start, ==, 240);
  g_assert_cmpfloat (words[3].end, ==, 300);
  g_assert_cmpfloat (words[4].end, ==, 320);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/whisper/rules", test_rules);
  g_test_add_func ("/whisper/segments", test_segments);
  g_test_add_func ("/whisper/loops", test_loops);
  g_test_add_func ("/whisper/ratio", test_ratio);
  g_test_add_func ("/whisper/logits", test_logits);
  g_test_add_func ("/whisper/path", test_path);
  g_test_add_func ("/whisper/smooth", test_smooth);
  g_test_add_func ("/whisper/trim", test_trim);
  return g_test_run ();
}
