/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/failures/failures.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds for one process. */
#define MOST_TIME 10

void (*failures_prepare) (void);

static gpointer
find (const char *name)
{
  return dlsym (RTLD_DEFAULT, name);
}

gboolean
failures_are_there (void)
{
  return find ("failures_preloaded_begin") != NULL;
}

static const FailurePlan *current;

void
failures_start (void)
{
  void (*begin) (const FailurePlan *);

  *(gpointer *) &begin = find ("failures_preloaded_begin");
  begin (current);
}

void
failures_jump (gint64 ns)
{
  void (*jump) (gint64);

  *(gpointer *) &jump = find ("failures_preloaded_jump");
  jump (ns);
}

/* The result of a case, from the process that ran it. */
typedef struct
{
  guint calls;
  gboolean failed;
  char says[300];
} Report;

static void
run_in_child (const FailurePlan *plan, FailuresFunc func, gpointer data, int to)
{
  guint (*end) (void);
  Report report = { 0 };

  *(gpointer *) &end = find ("failures_preloaded_end");
  alarm (MOST_TIME);
  if (failures_prepare != NULL)
    failures_prepare ();
  current = plan;
  if (!plan->later)
    failures_start ();
  char *error = func (data);
  report.calls = end ();
  report.failed = error != NULL;
  g_strlcpy (report.says, error != NULL ? error : "", sizeof report.says);
  _exit (write (to, &report, sizeof report) == sizeof report ? 0 : 1);
}

static Report
run_once (
    const char *name, const FailurePlan *plan, FailuresFunc func, gpointer data)
{
  Report report = { 0 };
  int pipe_ends[2], status;

  g_assert_cmpint (pipe (pipe_ends), ==, 0);
  pid_t child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    run_in_child (plan, func, data, pipe_ends[1]);
  close (pipe_ends[1]);
  gssize n = read (pipe_ends[0], &report, sizeof report);
  close (pipe_ends[0]);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFSIGNALED (status)) {
    g_test_message ("%s: with call %u failing: %s", name, plan->at,
        strsignal (WTERMSIG (status)));
    g_test_fail ();
    return report;
  }
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (n, ==, sizeof report);
  if (report.failed && report.says[0] == '\0')
    g_error (
        "%s: with call %u failing: an error that says nothing", name, plan->at);
  return report;
}

guint
failures_run (const char *name, const FailurePlan *plan, guint most,
    FailuresFunc func, gpointer data)
{
  FailurePlan now = *plan;
  guint n_failed = 0, n_runs = 0;

  /* For a debugger: one run, in this process. */
  if (g_getenv ("FAILURES_AT") != NULL) {
    now.at = (guint) g_ascii_strtoull (g_getenv ("FAILURES_AT"), NULL, 10);
    run_in_child (&now, func, data, STDERR_FILENO);
  }
  now.at = 0;
  const Report well = run_once (name, &now, func, data);
  if (well.failed)
    g_error ("%s: without a failure: %s", name, well.says);
  for (now.at = 1; now.at <= well.calls;
       now.at += MAX (now.at > most / 2 ? well.calls / (most / 2) : 1, 1)) {
    const Report report = run_once (name, &now, func, data);

    n_runs++;
    n_failed += report.failed;
    if (report.failed)
      g_test_message ("%s: call %u: %s", name, now.at, report.says);
  }
  g_test_message ("%s: %u calls, %u made to fail, %u errors", name, well.calls,
      n_runs, n_failed);
  return n_failed;
}
