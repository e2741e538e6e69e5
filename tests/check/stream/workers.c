/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/workers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/support/process.h"

#define HUNG 3 /* exit status */

/* A report of ThreadSanitizer ends the process while the work that caused it is
 * still the one noted. */
const char *__tsan_default_options (void);
const char *
__tsan_default_options (void)
{
  return "halt_on_error=1";
}

static void
hang_up (int number)
{
  _exit (HUNG);
}

void
worker_patience (guint seconds)
{
  alarm (seconds);
}

static void
be_quiet (void)
{
  int null = open ("/dev/null", O_WRONLY | O_CLOEXEC);

  if (null >= 0)
    dup2 (null, STDERR_FILENO);
}

static guint
count_threads (void)
{
  GDir *tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (tasks != NULL && g_dir_read_name (tasks) != NULL)
    n++;
  g_clear_pointer (&tasks, g_dir_close);
  return n;
}

/* LeakSanitizer, where the program is built with it. */
int __lsan_do_recoverable_leak_check (void) __attribute__ ((weak));

#define STEADY (TEST_IS_SANITIZED ? 50 : 10) /* looks, of 20 ms */

/* Threads that nobody joins may be ending, e.g. one that loaded a model: their
 * thread-local memory looks leaked to LeakSanitizer.  Waits until their number
 * has stayed the same for a second, since a busy machine lets them wait. */
static void
wait_for_threads (void)
{
  guint before = 0, same = 0;

  /* else they end after 15 s of idling, maybe just then */
  g_thread_pool_stop_unused_threads ();
  for (guint i = 0; i < 500 && same < STEADY; i++) {
    guint now = count_threads ();

    same = now == before ? same + 1 : 0;
    before = now;
    g_usleep (20 * 1000);
  }
}

/* Whether memory is lost.  What a thread held that was just ending is not lost
 * any more the next time. */
static gboolean
leaks (void)
{
  gboolean lost = TRUE;

  for (guint i = 0; i < 3 && lost; i++) {
    wait_for_threads ();
    lost = __lsan_do_recoverable_leak_check () != 0;
  }
  return lost;
}

static pid_t
start (guint index, guint n, gboolean quiet, WorkerFunc func, WorkerNote *note,
    gpointer data)
{
  pid_t pid = fork ();

  if (pid != 0)
    return pid;
  signal (SIGALRM, hang_up);
  if (quiet)
    be_quiet ();
  gboolean ok = func (index, n, note, data);
  if (__lsan_do_recoverable_leak_check == NULL) {
    wait_for_threads ();
    exit (ok ? 0 : 1);
  }
  /* exit () would look for leaks once more */
  ok = !leaks () && ok;
  fflush (NULL);
  _exit (ok ? 0 : 1);
}

static void
describe (int status, WorkerNote *note)
{
  if (note->wrong[0] != '\0')
    return;
  if (WIFSIGNALED (status))
    g_snprintf (note->wrong, sizeof note->wrong, "ended by signal %d (%s)",
        WTERMSIG (status), g_strsignal (WTERMSIG (status)));
  else if (WEXITSTATUS (status) == HUNG)
    g_strlcpy (note->wrong, "hangs", sizeof note->wrong);
  else
    g_snprintf (note->wrong, sizeof note->wrong,
        "ended with status %d: see the report above", WEXITSTATUS (status));
}

static guint
find (const WorkerNote *notes, guint n, pid_t pid)
{
  guint i = 0;

  while (i < n && notes[i].pid != pid)
    i++;
  return i;
}

WorkerNote *
workers_run (
    guint n, gboolean quiet, WorkerFunc func, gpointer data, WorkerNote *total)
{
  gsize size = n * sizeof (WorkerNote);
  WorkerNote *notes = mmap (
      NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  WorkerNote *failed = NULL;
  int status;

  g_assert_true (notes != MAP_FAILED);
  for (guint i = 0; i < n; i++)
    notes[i].pid = start (i, n, quiet, func, &notes[i], data);
  for (guint left = n; left > 0; left--) {
    guint i = find (notes, n, wait (&status));

    g_assert_cmpuint (i, <, n);
    notes[i].pid = 0;
    if (status == 0 || failed != NULL)
      continue;
    describe (status, &notes[i]);
    failed = g_memdup2 (&notes[i], sizeof notes[i]);
    for (guint k = 0; k < n; k++)
      if (notes[k].pid > 0)
        kill (notes[k].pid, SIGKILL);
  }
  for (guint i = 0; i < n && total != NULL; i++) {
    total->streams += notes[i].streams;
    total->events += notes[i].events;
  }
  munmap (notes, size);
  return failed;
}
