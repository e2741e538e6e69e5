/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random streams: the element's output equals the oracle's, bit for bit.
 *
 *   INFER_TEST_RUNS=N         number of streams, default 5500
 *   INFER_TEST_FROM=S         their first seed, default random
 *   INFER_TEST_WITHOUT=A,A    no operations of these kinds (plan.h)
 *   INFER_TEST_SIMPLER=A,A    with these settings simplified (plan.c)
 *   INFER_TEST_JOBS=N         processes, default one per processor
 *   INFER_TEST_SEED=S         only the stream of this seed
 *   INFER_TEST_OPS=N,N        … and of it only these operations
 *   INFER_TEST_REPEAT=N       … so often, default 1
 *
 * A failing plan is shortened while it still fails, and printed. */

#include <stdlib.h>

#include "tests/check/stream/rig.h"
#include "tests/check/stream/shrink.h"

#define PATIENCE_S 60     /* per stream */
#define DEFAULT_RUNS 5500 /* a quarter of a million events */

typedef struct
{
  guint32 first;
  guint runs;
  gboolean fixed; /* the same stream each time */
} Campaign;

static guint
number_from (const char *name, guint otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? (guint) strtoul (text, NULL, 10) : otherwise;
}

static Plan *
make_plan (const Campaign *campaign, guint32 seed)
{
  Plan *plan = plan_new (seed);
  const char *ops = g_getenv ("INFER_TEST_OPS");
  const char *simpler = g_getenv ("INFER_TEST_SIMPLER");
  const char *without = g_getenv ("INFER_TEST_WITHOUT");

  if (without != NULL)
    plan_drop (plan, without);
  if (campaign->fixed && ops != NULL)
    plan_keep (plan, ops);
  if (simpler != NULL)
    plan_simplify_all (plan, simpler);
  return plan;
}

static gboolean
work (guint index, guint n, WorkerNote *note, gpointer data)
{
  const Campaign *campaign = data;

  gst_init (NULL, NULL);
  for (guint i = index; i < campaign->runs; i += n) {
    guint32 seed = campaign->first + (campaign->fixed ? 0 : i);
    g_autoptr (Plan) plan = make_plan (campaign, seed);

    note->at = seed;
    worker_patience (PATIENCE_S);
    g_autofree char *wrong = rig_run (plan, &note->events);
    note->streams++;
    if (wrong == NULL)
      continue;
    g_strlcpy (note->wrong, wrong, sizeof note->wrong);
    return FALSE;
  }
  worker_patience (0);
  return TRUE;
}

static void
report (const Campaign *campaign, const WorkerNote *failed, guint jobs)
{
  Plan *plan = make_plan (campaign, failed->at);
  g_autofree char *why = NULL, *text = plan_to_string (plan);
  guint runs;

  g_printerr (
      "INFER_TEST_SEED=%u fails: %s\n%s", failed->at, failed->wrong, text);
  plan = plan_shrink (plan, rig_run, jobs, &why, &runs);
  g_free (text);
  text = plan_to_string (plan);
  g_autofree char *numbers = plan_numbers (plan);
  g_autofree char *simpler = plan_simplified (plan);
  if (why == NULL)
    g_printerr ("It did not fail again in %u runs.\n", runs);
  else
    g_printerr ("shrunk to:\n%s%s\n", text, why);
  g_printerr ("again: INFER_TEST_SEED=%u INFER_TEST_OPS=%s "
              "INFER_TEST_SIMPLER=%s INFER_TEST_REPEAT=%u %s\n",
      failed->at, numbers, simpler, runs, g_get_prgname ());
  plan_free (plan);
}

int
main (int argc, char **argv)
{
  guint jobs =
      MAX (number_from ("INFER_TEST_JOBS", g_get_num_processors ()), 1);
  Campaign campaign = { .fixed = g_getenv ("INFER_TEST_SEED") != NULL };
  WorkerNote total = { 0 };

  g_set_prgname (argv[0]);
  rig_init ();
  campaign.runs = campaign.fixed
                      ? number_from ("INFER_TEST_REPEAT", 1)
                      : number_from ("INFER_TEST_RUNS", DEFAULT_RUNS);
  campaign.first = number_from (
      campaign.fixed ? "INFER_TEST_SEED" : "INFER_TEST_FROM", g_random_int ());
  g_print (
      "%u streams from INFER_TEST_SEED=%u\n", campaign.runs, campaign.first);
  gint64 begin = g_get_monotonic_time ();
  g_autofree WorkerNote *failed = workers_run (
      MIN (jobs, MAX (campaign.runs, 1)), FALSE, work, &campaign, &total);
  double seconds = (double) (g_get_monotonic_time () - begin) / 1e6;
  g_print ("%" G_GUINT64_FORMAT " streams, %" G_GUINT64_FORMAT
           " events, %.0f events/s\n",
      total.streams, total.events, (double) total.events / seconds);
  if (failed != NULL)
    report (&campaign, failed, jobs);
  rig_deinit ();
  return failed == NULL ? 0 : 1;
}
