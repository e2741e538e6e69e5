/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live streams, paced by the clock, through inferfilters that share a model:
 * the delay from a complete window to its result, lost results, and pushes that
 * block.
 *
 *   live [--model NAME] [STREAMS [SECONDS [PROPERTY=VALUE…]]]
 *                                  default: digits, 1 stream, 60 s
 *   live --table [--model NAME,NAME…] [--streams N,N…] [--seconds S]
 *        [PROPERTY=VALUE…]
 *                                  each model with each number of streams, and
 *                                  the same as fast as possible, beside one
 *                                  stream on one processor
 *   live --fast [--model NAME] [STREAMS [SECONDS [PROPERTY=VALUE…]]]
 *                                  as fast as possible only, to be profiled
 *
 * Models (models.c) other than digits are in --shared, else INFER_SHARED.  Each
 * case runs in a process of its own.  Exit status 1 if results are missing. */

#include <stdlib.h>

#include "bench/live/live.h"

#define FAST_SECONDS 3 /* of a case that is as fast as possible */
#define LEAST_WINDOWS 4

typedef struct
{
  gboolean table, fast;
  char *models, *streams, *shared;
  int seconds;
  char **rest;
} Options;

static void
options_clear (Options *options)
{
  g_free (options->models);
  g_free (options->streams);
  g_free (options->shared);
  g_strfreev (options->rest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* --- one case --- */

static int
run_one (const LiveCase *c)
{
  LiveFigures f;

  if (!live_run (c, &f))
    return 2;
  if (c->fast) {
    g_print ("%u streams, %u s: %.0f results/s, %.2f processors\n",
        c->n_streams, c->seconds, (double) f.results / c->seconds,
        f.processors);
    return 0;
  }
  guint window_ms = f.window_us / 1000;
  g_print (
      "%u streams, %u s: %u of %u results, %u pushes held up; delay p50 "
      "%.2f ms, p95 %.2f ms, p99 %.2f ms, max %.2f ms (%s one hop, %u ms)\n",
      c->n_streams, c->seconds, f.results, f.wanted, f.blocked, f.p50, f.p95,
      f.p99, f.max, f.p99 < window_ms ? "below" : "NOT below", window_ms);
  return f.results == f.wanted ? 0 : 1;
}

/* --- the table --- */

static void
print_head (void)
{
  g_print ("                 live, delay in ms                                 "
           "               kB, a further  as fast as possible\n"
           "model   streams    p50    p99    max  p99 from push   lost held up "
           "processors     stream   results/s  of linear\n");
}

/* Results per second as fast as possible. */
static double
rate (LiveCase c, guint n_streams, gboolean one_core)
{
  LiveFigures f;

  c.fast = TRUE;
  c.one_core = one_core;
  c.n_streams = n_streams;
  c.seconds = MAX (FAST_SECONDS, c.model->window_us / 1000000 * 2);
  return live_run (&c, &f) ? (double) f.results / c.seconds : 0;
}

/* Adds lost results to *@lost; FALSE: failed. */
static gboolean
print_row (const LiveCase *c, double one, double *first, guint *lost)
{
  LiveFigures f;

  if (!live_run (c, &f))
    return FALSE;
  double all = rate (*c, c->n_streams, FALSE);
  if (c->n_streams == 1)
    *first = f.megabytes;
  g_print ("%-7s %7u %6.2f %6.2f %6.1f %14.2f %6u %7u %11.2f", c->model->name,
      c->n_streams, f.p50, f.p99, f.max, f.pushed_p99, f.wanted - f.results,
      f.blocked, f.processors);
  if (c->n_streams > 1 && *first > 0)
    g_print (
        " %10.0f", (f.megabytes - *first) * 1024 / (double) (c->n_streams - 1));
  else
    g_print (" %10s", "-");
  g_print (" %11.0f %9.0f%%\n", all,
      100 * all / (one * (double) g_get_num_processors ()));
  *lost += f.wanted - f.results;
  return TRUE;
}

static int
print_model (const LiveCase *of, char **counts, guint *lost)
{
  LiveCase c = *of;
  const double one = rate (c, 1, TRUE);
  double first = 0;

  /* Windows of seconds need longer. */
  c.seconds = MAX (c.seconds, LEAST_WINDOWS * c.model->window_us / 1000000);
  for (; *counts != NULL; counts++) {
    c.n_streams = (guint) MAX (atoi (*counts), 1);
    if (one <= 0 || !print_row (&c, one, &first, lost))
      return 2;
  }
  g_print ("%-7s %7s %83s %11.0f   one stream on one processor\n",
      c.model->name, "1", "", one);
  return 0;
}

static const LiveModel *
find (const char *name)
{
  const LiveModel *model = live_model_find (name);

  if (model != NULL)
    return model;
  g_printerr ("live: there is no model '%s'; there are:", name);
  for (model = live_models; model->name != NULL; model++)
    g_printerr (" %s", model->name);
  g_printerr ("\n");
  return NULL;
}

static int
run_table (const Options *options)
{
  g_auto (GStrv) models =
      g_strsplit (options->models != NULL ? options->models
                                          : "digits,silero,gtcrn,kws,hama",
          ",", -1);
  g_auto (GStrv) counts = g_strsplit (
      options->streams != NULL ? options->streams : "1,4,16,64,256", ",", -1);
  guint lost = 0;
  int status = 0;

  print_head ();
  for (char **name = models; *name != NULL && status == 0; name++) {
    LiveCase c = { .model = find (*name),
      .shared = options->shared,
      .properties = options->rest,
      .seconds = (guint) MAX (options->seconds, 1) };

    status = c.model != NULL ? print_model (&c, counts, &lost) : 2;
  }
  return status != 0 ? status : lost > 0;
}

int
main (int argc, char **argv)
{
  g_auto (Options) options = { .seconds = 8,
    .shared = g_strdup (g_getenv ("INFER_SHARED")) };
  const GOptionEntry entries[] = {
    { "table", 0, 0, G_OPTION_ARG_NONE, &options.table,
        "All models and numbers of streams", NULL },
    { "fast", 0, 0, G_OPTION_ARG_NONE, &options.fast,
        "As fast as possible, not at the pace of a clock", NULL },
    { "model", 0, 0, G_OPTION_ARG_STRING, &options.models, "Names of models.c",
        "NAME,NAME" },
    { "streams", 0, 0, G_OPTION_ARG_STRING, &options.streams,
        "Numbers of streams of the table", "N,N" },
    { "seconds", 0, 0, G_OPTION_ARG_INT, &options.seconds,
        "Of each case of the table", "S" },
    { "shared", 0, 0, G_OPTION_ARG_FILENAME, &options.shared,
        "Where the models are (else INFER_SHARED)", "DIR" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.rest, NULL,
        NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("[STREAMS [SECONDS]] [PROPERTY=VALUE…]");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("live: %s\n", error->message);
    return 2;
  }
  if (options.shared == NULL)
    options.shared = g_strdup (BENCH_ROOT "/../shared");
  if (options.table)
    return run_table (&options);
  const guint n = options.rest != NULL ? g_strv_length (options.rest) : 0;
  const LiveCase c = {
    .model = find (options.models != NULL ? options.models : "digits"),
    .shared = options.shared,
    .properties = n > 2 ? options.rest + 2 : NULL,
    .n_streams = n > 0 ? (guint) MAX (atoi (options.rest[0]), 1) : 1,
    .seconds = n > 1 ? (guint) MAX (atoi (options.rest[1]), 1) : 60,
    .fast = options.fast,
  };
  return c.model != NULL ? run_one (&c) : 2;
}
