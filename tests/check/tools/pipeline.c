/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tune --pipeline: settings in the text of a pipeline, and the verdict. */

#include <math.h>

#include "infer/error.h"
#include "tools/pipeline/line.h"
#include "tools/pipeline/verdict.h"

#define ROUNDS 5

/* --- the line --- */

static void
assert_line (const char *text, const char *element, const ToolSettings *s,
    const char *want)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = tool_line_parse (text, element, &error);

  g_assert_no_error (error);
  g_auto (GStrv) changed = tool_line_with (words, element, s);
  g_autofree char *line = tool_line_to_string (changed);
  g_assert_cmpstr (line, ==, want);
}

static void
test_settings (void)
{
  const ToolSettings none = { 0 }, nireq = { .nireq = 4 };
  const ToolSettings all = { "OPENCL", 2, 8, 2, 3 };

  assert_line ("a ! inferfilter model=m.xml ! b", NULL, &none,
      "gst-launch-1.0 a ! inferfilter model=m.xml ! b");
  assert_line ("gst-launch-1.0 a ! inferfilter nireq=1 model=m.xml ! b", NULL,
      &nireq, "gst-launch-1.0 a ! inferfilter model=m.xml nireq=4 ! b");
  assert_line (
      "inferfilter device=CPU batch-size=1 config=A=1,NUM_STREAMS=9,B=2 "
      "! t. t. ! b",
      NULL, &all,
      "gst-launch-1.0 inferfilter device=OPENCL nireq=2 batch-size=8 "
      "config=A=1,B=2,NUM_STREAMS=2,INFERENCE_NUM_THREADS=3 ! t. t. ! b");
  /* A comma in a value; settings of other elements stay. */
  assert_line ("q nireq=7 ! inferfilter 'config=DUMP=a\\,b,PERFORMANCE_HINT=X'",
      NULL, &all,
      "gst-launch-1.0 q nireq=7 ! inferfilter device=OPENCL nireq=2 "
      "batch-size=8 'config=DUMP=a\\,b,NUM_STREAMS=2,INFERENCE_NUM_THREADS=3'");
}

static void
test_elements (void)
{
  const ToolSettings nireq = { .nireq = 4 };
  const char *two = "inferfilter name=a ! inferfilter nireq=1 name=b";

  assert_line (two, NULL, &nireq,
      "gst-launch-1.0 inferfilter name=a nireq=4 ! inferfilter name=b nireq=4");
  assert_line (two, "b", &nireq,
      "gst-launch-1.0 inferfilter name=a ! inferfilter name=b nireq=4");
}

/* What is printed gives the same words again. */
static void
test_quotes (void)
{
  static const char *const texts[] = {
    "a caps='audio/x-raw, rate=(int)16000' ! inferfilter model=\"a b.xml\"",
    "'(' a ! inferfilter 'model=it'\\''s.xml' ')' ! 'video/x-raw(memory:GLMemory)'",
    "a text='' x='$HOME `id` \\ * ~' ! inferfilter",
  };
  const ToolSettings none = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_auto (GStrv) words = tool_line_parse (texts[i], NULL, NULL);
    g_auto (GStrv) changed = tool_line_with (words, NULL, &none);
    g_autofree char *line = tool_line_to_string (changed);
    g_auto (GStrv) again = tool_line_parse (line, NULL, NULL);
    g_assert_true (g_strv_equal (
        (const char *const *) words, (const char *const *) again));
  }
}

static void
test_refused (void)
{
  static const char *const texts[] = { "", "a ! b", "a inferfilter='x'",
    "'open ! inferfilter" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (tool_line_parse (texts[i], NULL, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  }
  g_autoptr (GError) error = NULL;
  g_assert_null (tool_line_parse ("inferfilter name=x", "y", &error));
  g_assert_nonnull (g_strrstr (error->message, "name=y"));
}

/* --- the verdict --- */

/* @level, with as much noise. */
static ToolRounds
make_rounds (GRand *rand, double level, double noise)
{
  ToolRounds rounds;

  for (guint r = 0; r < ROUNDS; r++)
    rounds.scores[r] = level * (1 + g_rand_double_range (rand, -noise, noise));
  return rounds;
}

/* Settings that do nothing are announced next to never, however loud the
 * machine is. */
static void
test_noise (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (21);
  guint announced = 0;

  for (guint i = 0; i < 4000; i++) {
    double noise = (i % 8 + 1) / 16.;
    ToolRounds c[4];

    for (guint k = 0; k < G_N_ELEMENTS (c); k++)
      c[k] = make_rounds (rand, 100, noise);
    announced += tool_judge (c, G_N_ELEMENTS (c), ROUNDS).winner != 0;
  }
  g_test_message ("%u of 4000", announced);
  g_assert_cmpuint (announced, <, 4000 / 20);
}

/* One that does something is, and by how much. */
static void
test_gain (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (22);

  for (guint i = 0; i < 1000; i++) {
    ToolRounds c[] = { make_rounds (rand, 100, 0.03),
      make_rounds (rand, 90, 0.03), make_rounds (rand, 150, 0.03) };
    ToolVerdict verdict = tool_judge (c, G_N_ELEMENTS (c), ROUNDS);

    g_assert_cmpuint (verdict.winner, ==, 2);
    g_assert_true (verdict.gain > 0.4 && verdict.gain < 0.6);
    g_assert_true (verdict.noise < 0.05);
  }
}

/* Of equals, the first; what is worth less than 2 % is left; a disturbed round
 * does not make a winner. */
static void
test_equals (void)
{
  ToolRounds c[] = { { { 100, 100, 100, 100, 100 } },
    { { 150, 151, 150, 149, 150 } }, { { 152, 150, 150, 151, 150 } } };
  ToolRounds little[] = { { { 100, 100, 100, 100, 100 } },
    { { 101, 101, 101, 101, 101 } } };
  ToolRounds once[] = { { { 100, 100, 100, 100, 100 } },
    { { 130, 130, 130, 130, 90 } } };

  g_assert_cmpuint (tool_judge (c, 3, ROUNDS).winner, ==, 1);
  g_assert_cmpuint (tool_judge (c, 1, ROUNDS).winner, ==, 0);
  g_assert_cmpuint (tool_judge (little, 2, ROUNDS).winner, ==, 0);
  g_assert_cmpuint (tool_judge (once, 2, ROUNDS).winner, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline/settings", test_settings);
  g_test_add_func ("/pipeline/elements", test_elements);
  g_test_add_func ("/pipeline/quotes", test_quotes);
  g_test_add_func ("/pipeline/refused", test_refused);
  g_test_add_func ("/pipeline/noise", test_noise);
  g_test_add_func ("/pipeline/gain", test_gain);
  g_test_add_func ("/pipeline/equals", test_equals);
  return g_test_run ();
}
