/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/ctc.h"

#include <math.h>
#include <string.h>

#define CLASSES 4

/* Scores with one clearly best class at each step. */
static float *
loud (const char *classes, gsize *steps)
{
  *steps = strlen (classes);
  float *scores = g_new0 (float, *steps *CLASSES);
  for (gsize i = 0; i < *steps; i++)
    scores[i * CLASSES + (gsize) (classes[i] - '0')] = 20;
  return scores;
}

/* Decodes @classes @part steps at a time: "1@2-3 …". */
static char *
decode (InferCtc *ctc, const char *classes, gsize part)
{
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  g_autoptr (GString) text = g_string_new (NULL);
  gsize steps;
  g_autofree float *scores = loud (classes, &steps);

  for (gsize at = 0; at < steps; at += part)
    infer_ctc_push (ctc, scores + at * CLASSES, MIN (part, steps - at), tokens);
  infer_ctc_finish (ctc, tokens);
  for (guint i = 0; i < tokens->len; i++) {
    const InferCtcToken *t = &g_array_index (tokens, InferCtcToken, i);

    g_string_append_printf (
        text, "%u@%u-%u ", t->class_index, (guint) t->start, (guint) t->end);
  }
  return g_strdup (text->str);
}

static void
test_merge (gconstpointer width)
{
  g_autoptr (InferCtc) ctc =
      infer_ctc_new (CLASSES, 0, GPOINTER_TO_UINT (width), NULL);
  static const struct
  {
    const char *classes, *tokens;
  } cases[] = {
    { "", "" },
    { "0000", "" },
    { "0110", "1@1-3 " },
    { "1101", "1@0-2 1@3-4 " },
    { "1122", "1@0-2 2@2-4 " },
    { "01010100", "1@1-2 1@3-4 1@5-6 " },
    { "0333000200011", "3@1-4 2@7-8 1@11-13 " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    for (gsize part = 1; part < 6; part++) {
      g_autofree char *text = decode (ctc, cases[i].classes, part);

      g_assert_cmpstr (text, ==, cases[i].tokens);
    }
  }
}

/* Tokens are given out as soon as they are final, not at the end. */
static void
test_early (gconstpointer width)
{
  g_autoptr (InferCtc) ctc =
      infer_ctc_new (CLASSES, 0, GPOINTER_TO_UINT (width), NULL);
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  gsize steps;
  g_autofree float *scores = loud ("0011000", &steps);

  infer_ctc_push (ctc, scores, 4, tokens);
  g_assert_cmpuint (tokens->len, ==, 0);
  g_assert_cmpuint (infer_ctc_decided (ctc), ==, 2);
  infer_ctc_push (ctc, scores + 4 * CLASSES, 3, tokens);
  g_assert_cmpuint (tokens->len, ==, 1);
  g_assert_cmpuint (infer_ctc_decided (ctc), ==, 7);
  g_assert_cmpuint (infer_ctc_steps (ctc), ==, 7);
}

/* The best path is blank, blank (0.36), but "1" sums up to 0.64. */
static void
test_beam_sums (void)
{
  static const float scores[] = { -0.5108256f, -0.9162907f, -100, -100,
    -0.5108256f, -0.9162907f, -100, -100 };
  g_autoptr (InferCtc) greedy = infer_ctc_new (CLASSES, 0, 1, NULL);
  g_autoptr (InferCtc) beam = infer_ctc_new (CLASSES, 0, 8, NULL);
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));

  infer_ctc_push (greedy, scores, 2, tokens);
  infer_ctc_finish (greedy, tokens);
  g_assert_cmpuint (tokens->len, ==, 0);
  infer_ctc_push (beam, scores, 2, tokens);
  infer_ctc_finish (beam, tokens);
  g_assert_cmpuint (tokens->len, ==, 1);
  g_assert_cmpuint (
      g_array_index (tokens, InferCtcToken, 0).class_index, ==, 1);
}

/* A 2 after a 1 is expected, a 1 at the end is not. */
static guint
expect_step (gconstpointer data, guint state, guint class_index, float *bonus)
{
  *bonus = state == 1 && class_index == 2 ? 1.5f : 0;
  return class_index;
}

static float
expect_end (gconstpointer data, guint state)
{
  return state == 1 ? -0.5f : 0;
}

static const InferCtcBias expected = { expect_step, expect_end, NULL, 1.5f };

/* Of a labelling, as digits of base 4. */
static double
bonus_of (guint code)
{
  double sum = code % CLASSES == 1 ? -0.5 : 0;

  for (; code >= CLASSES; code /= CLASSES)
    sum += code % CLASSES == 2 && code / CLASSES % CLASSES == 1 ? 1.5 : 0;
  return sum;
}

/* The most probable labelling of up to 3 tokens, by enumerating all paths. */
static void
best_by_force (
    const float *p, guint steps, gboolean biased, guint *best, guint *n_best)
{
  double sums[64] = { 0 }; /* labelling as digits of base 4 */
  guint paths = 1;

  for (guint s = 0; s < steps; s++)
    paths *= CLASSES;
  for (guint path = 0; path < paths; path++) {
    double product = 1;
    guint code = 0, n = 0, last = 0, rest = path;

    for (guint s = 0; s < steps; s++, rest /= CLASSES) {
      guint c = rest % CLASSES;

      product *= (double) p[s * CLASSES + c];
      if (c != 0 && c != last) {
        code = code * CLASSES + c;
        n++;
      }
      last = c;
    }
    if (n <= 3)
      sums[code] += product;
  }
  *best = 0;
  for (guint i = 0; i < 64 && biased; i++)
    sums[i] *= exp (bonus_of (i));
  for (guint i = 1; i < 64; i++)
    if (sums[i] > sums[*best])
      *best = i;
  *n_best = *best == 0 ? 0 : *best < 4 ? 1 : *best < 16 ? 2 : 3;
}

static void
test_beam_exact (gconstpointer biased)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));

  for (guint round = 0; round < 100; round++) {
    g_autoptr (InferCtc) ctc = infer_ctc_new (CLASSES, 0, 50, NULL);
    float p[3 * CLASSES], logs[3 * CLASSES];
    guint best, n_best, code = 0;

    for (guint s = 0; s < 3; s++) {
      float sum = 0;

      for (guint c = 0; c < CLASSES; c++)
        sum += p[s * CLASSES + c] =
            (float) g_rand_double_range (random, 0.01, 1);
      for (guint c = 0; c < CLASSES; c++)
        logs[s * CLASSES + c] = logf (p[s * CLASSES + c] /= sum);
    }
    best_by_force (p, 3, biased != NULL, &best, &n_best);
    infer_ctc_set_bias (ctc, biased);
    g_array_set_size (tokens, 0);
    infer_ctc_push (ctc, logs, 3, tokens);
    infer_ctc_finish (ctc, tokens);
    for (guint i = 0; i < tokens->len; i++)
      code =
          code * CLASSES + g_array_index (tokens, InferCtcToken, i).class_index;
    g_assert_cmpuint (code, ==, best);
    g_assert_cmpuint (tokens->len, ==, n_best);
  }
}

/* What is pending is what the end would give, and stays pending; a token has
 * the sum of its logarithms. */
static void
test_peek (gconstpointer width)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  for (guint round = 0; round < 200; round++) {
    g_autoptr (InferCtc) ctc =
        infer_ctc_new (CLASSES, 0, GPOINTER_TO_UINT (width), NULL);
    g_autoptr (GArray) given =
        g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
    g_autoptr (GArray) pending =
        g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
    const guint steps = round % 20;
    g_autofree float *scores = g_new (float, (steps + 1) * CLASSES);

    for (guint i = 0; i < steps * CLASSES; i++)
      scores[i] = (float) g_rand_double_range (random, -4, 0);
    infer_ctc_push (ctc, scores, steps, given);
    const guint final = given->len;
    infer_ctc_peek (ctc, pending);
    infer_ctc_finish (ctc, given);
    g_assert_cmpuint (given->len, ==, final + pending->len);
    g_assert_cmpmem (&g_array_index (given, InferCtcToken, final),
        pending->len * sizeof (InferCtcToken), pending->data,
        pending->len * sizeof (InferCtcToken));
    for (guint i = 0; i < given->len; i++) {
      const InferCtcToken *t = &g_array_index (given, InferCtcToken, i);
      double sum = 0;

      for (guint64 s = t->start; s < t->end; s++) {
        const float *row = scores + s * CLASSES;
        double all = 0;

        for (guint c = 0; c < CLASSES; c++)
          all += exp ((double) row[c]);
        sum += (double) row[t->class_index] - log (all);
      }
      /* A prefix that goes on without its token in between has not all. */
      if (GPOINTER_TO_UINT (width) == 1)
        g_assert_cmpfloat_with_epsilon (t->log_probability, sum, 1e-5);
      g_assert_cmpfloat (t->log_probability, <=, 0);
    }
  }
}

/* Memory stays bounded on long noise. */
static void
test_beam_long (void)
{
  g_autoptr (InferCtc) ctc = infer_ctc_new (CLASSES, 0, 8, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (GArray) tokens =
      g_array_new (FALSE, FALSE, sizeof (InferCtcToken));
  guint64 before = 0;

  for (guint step = 0; step < 5000; step++) {
    float scores[CLASSES];

    for (guint c = 0; c < CLASSES; c++)
      scores[c] = (float) g_rand_double_range (random, -8, 8);
    infer_ctc_push (ctc, scores, 1, tokens);
    g_assert_cmpuint (infer_ctc_decided (ctc), >=, before);
    before = infer_ctc_decided (ctc);
  }
  g_assert_cmpuint (tokens->len, >, 1000);
  for (guint i = 1; i < tokens->len; i++)
    g_assert_cmpuint (g_array_index (tokens, InferCtcToken, i).start, >,
        g_array_index (tokens, InferCtcToken, i - 1).start);
}

static void
test_bad_settings (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_ctc_new (CLASSES, CLASSES, 1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (infer_ctc_new (CLASSES, 0, 0, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  gpointer greedy = GUINT_TO_POINTER (1), beam = GUINT_TO_POINTER (8);

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/ctc/greedy/merge", greedy, test_merge);
  g_test_add_data_func ("/ctc/beam/merge", beam, test_merge);
  g_test_add_data_func ("/ctc/greedy/early", greedy, test_early);
  g_test_add_data_func ("/ctc/beam/early", beam, test_early);
  g_test_add_func ("/ctc/beam/sums", test_beam_sums);
  g_test_add_data_func ("/ctc/beam/exact", NULL, test_beam_exact);
  g_test_add_data_func ("/ctc/beam/biased", &expected, test_beam_exact);
  g_test_add_data_func ("/ctc/greedy/peek", greedy, test_peek);
  g_test_add_data_func ("/ctc/beam/peek", beam, test_peek);
  g_test_add_func ("/ctc/beam/long", test_beam_long);
  g_test_add_func ("/ctc/bad-settings", test_bad_settings);
  return g_test_run ();
}
