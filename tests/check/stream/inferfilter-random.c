/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random streams: the element's output equals the oracle's, bit for bit.
 *
 *   INFER_TEST_RUNS=N   number of streams, default 300
 *   INFER_TEST_FROM=S   their first seed, default random
 *   INFER_TEST_SEED=S   only the stream of this seed
 *   INFER_TEST_OPS=N,N  … and of it only these operations
 *
 * A failing plan is shortened while it still fails, and printed. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/check/stream/rig.h"

#define PATIENCE_S 60 /* per stream */
#define TRIES                                                                  \
  5 /* of a failing plan, since failures may depend on thread timing */

static volatile sig_atomic_t stuck_seed;

static void
stuck (int number)
{
  static const char message[] = "a stream hangs; INFER_TEST_SEED=";
  char digits[12];
  guint32 seed = (guint32) stuck_seed;
  gsize n = sizeof digits;

  digits[--n] = '\n';
  do {
    digits[--n] = (char) ('0' + seed % 10);
    seed /= 10;
  } while (seed > 0);
  if (write (2, message, sizeof message - 1) < 0
      || write (2, digits + n, sizeof digits - n) < 0)
    _exit (2);
  abort ();
}

static char *
run_patiently (const Plan *plan)
{
  alarm (PATIENCE_S);
  char *wrong = rig_run (plan);
  alarm (0);
  return wrong;
}

static gboolean
still_fails (const Plan *plan)
{
  for (guint i = 0; i < TRIES; i++) {
    g_autofree char *wrong = run_patiently (plan);

    if (wrong != NULL)
      return TRUE;
  }
  return FALSE;
}

/* Removes ranges of operations, long ones first. */
static Plan *
shrink_ops (Plan *plan)
{
  for (guint size = MAX (plan->n_ops / 2, 1); size > 0; size /= 2) {
    for (guint at = 0; at + size <= plan->n_ops;) {
      Plan *less = plan_copy (plan);

      memmove (less->ops + at, less->ops + at + size,
          (less->n_ops - at - size) * sizeof (PlanOp));
      less->n_ops -= size;
      if (still_fails (less)) {
        plan_free (plan);
        plan = less;
      } else {
        plan_free (less);
        at += size;
      }
    }
  }
  return plan;
}

static Plan *
shrink_config (Plan *plan)
{
  const PlanConfig old = plan->config;
  PlanConfig simpler[] = { old, old, old, old, old };

  simpler[0].nireq = 1;
  simpler[1].hop_ms = 0;
  simpler[2].delay_us = simpler[2].jitter_us = 0;
  simpler[3].sink_us = 0;
  simpler[4].stateful = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (simpler); i++) {
    Plan *less = plan_copy (plan);

    less->config = simpler[i];
    if (memcmp (&simpler[i], &old, sizeof old) != 0 && still_fails (less)) {
      plan_free (plan);
      return less;
    }
    plan_free (less);
  }
  return plan;
}

static void
report (guint32 seed, const Plan *failing, const char *wrong)
{
  Plan *plan = plan_copy (failing);
  g_autofree char *again = NULL;

  g_autofree char *text = plan_to_string (plan);
  g_printerr ("INFER_TEST_SEED=%u fails: %s\n%s", seed, wrong, text);
  g_clear_pointer (&text, g_free);
  plan = shrink_config (shrink_ops (plan));
  for (guint i = 0; i < TRIES && again == NULL; i++)
    again = run_patiently (plan);
  text = plan_to_string (plan);
  g_printerr (
      "shrunk to:\n%s%s\n", text, again != NULL ? again : "(sometimes)");
  plan_free (plan);
}

static gboolean
run_seed (guint32 seed)
{
  const char *only = g_getenv ("INFER_TEST_OPS");
  g_autoptr (Plan) plan = plan_new (seed);

  if (only != NULL)
    plan_keep (plan, only);
  stuck_seed = (sig_atomic_t) seed;
  g_autofree char *wrong = run_patiently (plan);
  if (wrong != NULL)
    report (seed, plan, wrong);
  return wrong == NULL;
}

int
main (int argc, char **argv)
{
  const char *runs = g_getenv ("INFER_TEST_RUNS");
  const char *fixed = g_getenv ("INFER_TEST_SEED");
  guint n = runs != NULL ? (guint) atoi (runs) : 300;
  gboolean ok = TRUE;

  gst_init (&argc, &argv);
  signal (SIGALRM, stuck);
  rig_init ();
  const char *from = fixed != NULL ? fixed : g_getenv ("INFER_TEST_FROM");
  guint32 first =
      from != NULL ? (guint32) strtoul (from, NULL, 10) : g_random_int ();
  if (fixed != NULL)
    n = 1;
  g_print ("%u streams from INFER_TEST_SEED=%u\n", n, first);
  for (guint i = 0; i < n && ok; i++)
    ok = run_seed (first + i);
  rig_deinit ();
  return ok ? 0 : 1;
}
