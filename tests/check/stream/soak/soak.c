/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hours of many streams that share a model, at full speed: all windows leave,
 * exact to the nanosecond, and memory, open files and threads stay what they
 * are.
 *
 *   INFER_TEST_HOURS=H     simulated hours of each stream, default 0.5 (with a
 *                          sanitizer 0.1)
 *   INFER_TEST_STREAMS=N   default 64
 *   INFER_TEST_EVERY=S     seconds between two events of a stream, default 20
 */

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check/stream/models.h"
#include "tests/check/stream/soak/stream.h"
#include "tests/check/support/process.h"

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
#define DEFAULT_HOURS 0.1
#else
#define DEFAULT_HOURS 0.5
#endif
#define N_THREADS 4
#define N_PHASES 10
#define WARM_UP 3  /* phases, of which the first fill caches and pools */
#define SLICE_S 10 /* of a stream, then it is the next stream's turn */
/* Than after the warm-up, for any number of hours.  What the streams hold at
 * once varies by 5 MB, and the heap keeps the most that there was. */
#define MORE_KB 6144
#define MORE_THREADS 4 /* GLib keeps a few that are unused for a while */

typedef struct
{
  SoakStream *streams;
  guint n;
  guint64 rows; /* of each stream in a phase */
} Work;

typedef struct
{
  Work *work;
  guint index;
} Share;

typedef struct
{
  gsize kb;
  guint files, threads;
} Use;

static Use
measure (void)
{
  return (
      Use){ test_resident_kb (), test_count_files (), test_count_threads () };
}

static gpointer
run_share (gpointer data)
{
  const Share *share = data;
  const Work *work = share->work;

  for (guint64 done = 0; done < work->rows; done += SLICE_S * SOAK_RATE)
    for (guint i = share->index; i < work->n; i += N_THREADS)
      if (work->streams[i].wrong == NULL)
        soak_stream_push (&work->streams[i],
            MIN ((guint64) SLICE_S * SOAK_RATE, work->rows - done));
  for (guint i = share->index; i < work->n; i += N_THREADS)
    if (work->streams[i].wrong == NULL)
      soak_stream_drain (&work->streams[i]);
  return NULL;
}

static void
run_phase (Work *work)
{
  GThread *threads[N_THREADS];
  Share shares[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++) {
    shares[i] = (Share){ work, i };
    threads[i] = g_thread_new ("soak", run_share, &shares[i]);
  }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

static gboolean
find_failure (const Work *work)
{
  for (guint i = 0; i < work->n; i++)
    if (work->streams[i].wrong != NULL) {
      g_test_message ("%s", work->streams[i].wrong);
      return TRUE;
    }
  return FALSE;
}

static void
report (const Work *work, double hours)
{
  static const char *const names[SOAK_N_EVENTS] = { "discontinuities",
    "losses without a flag", "short gaps", "long gaps", "seeks", "segments",
    "caps", "pauses", "swaps", "ends", "restarts" };
  guint64 windows = 0;

  for (guint e = 0; e < SOAK_N_EVENTS; e++) {
    guint64 n = 0;

    for (guint i = 0; i < work->n; i++)
      n += work->streams[i].events[e];
    g_test_message ("%" G_GUINT64_FORMAT " %s", n, names[e]);
    g_assert_cmpuint (n, >, 0);
  }
  for (guint i = 0; i < work->n; i++)
    windows += work->streams[i].windows;
  g_test_message ("%u streams of %g hours, %" G_GUINT64_FORMAT " windows",
      work->n, hours, windows);
}

/* The sanitizers' own memory grows with what has been in use. */
static void
check_use (const Use *early, const Use *late)
{
#if !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
  g_assert_cmpuint (late->kb, <=, early->kb + MORE_KB);
#endif
  g_assert_cmpuint (late->files, <=, early->files);
  g_assert_cmpuint (late->threads, <=, early->threads + MORE_THREADS);
}

static double
number_from (const char *name, double otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtod (text, NULL) : otherwise;
}

static void
test_soak (void)
{
  double hours = number_from ("INFER_TEST_HOURS", DEFAULT_HOURS);
  guint n = (guint) number_from ("INFER_TEST_STREAMS", 64);
  guint every_s = (guint) number_from ("INFER_TEST_EVERY", 20);
  g_autofree SoakStream *streams = g_new (SoakStream, n);
  Work work = { streams, n, (guint64) (hours * 3600 * SOAK_RATE / N_PHASES) };
  Use uses[N_PHASES];
  gint64 begin = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    soak_stream_begin (&streams[i], i, every_s);
  for (guint i = 0; i < N_PHASES; i++) {
    run_phase (&work);
    uses[i] = measure ();
    g_test_message ("%g h: %" G_GSIZE_FORMAT
                    " KB, %u files, %u threads, %.1f s",
        hours * (i + 1) / N_PHASES, uses[i].kb, uses[i].files, uses[i].threads,
        (double) (g_get_monotonic_time () - begin) / 1e6);
    g_assert_false (find_failure (&work));
  }
  for (guint i = 0; i < n; i++)
    soak_stream_end (&streams[i]);
  g_assert_false (find_failure (&work));
  report (&work, hours);
  for (guint i = WARM_UP; i < N_PHASES; i++)
    check_use (&uses[WARM_UP - 1], &uses[i]);
}

int
main (int argc, char **argv)
{
  /* Each of several arenas keeps what other threads have freed. */
  mallopt (M_ARENA_MAX, 1);
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/soak/streams", test_soak);
  int failed = g_test_run ();
  test_models_remove ();
  return failed;
}
