/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracer's spans stand in one file with the runtime's, and around them. */

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/support/stream.h"

#define N_WINDOWS 5
#define RECORDING "af_kore-0-clean.wav"
#define PART ((gsize) 1600) /* samples of a buffer */
#define N_WORDS 7           /* of the recording */

static char *path;

typedef struct
{
  guint n;
  double begin, end; /* of the earliest, µs */
} Spans;

/* The file has the spans of one thread after those of another. */
static Spans
find (const char *text, const char *element, const char *stage)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Spans spans = { 0, 0, 0 };

  for (guint i = 0; lines[i] != NULL; i++) {
    const char *ts = strstr (lines[i], "\"ts\":");
    g_autofree char *end = g_strdup_printf ("_%s\"", stage);
    double at, duration;

    if (strstr (lines[i], element) == NULL || strstr (lines[i], end) == NULL
        || ts == NULL
        || sscanf (ts, "\"ts\":%lf,\"dur\":%lf", &at, &duration) != 2)
      continue;
    if (spans.n++ == 0 || at < spans.begin) {
      spans.begin = at;
      spans.end = at + duration;
    }
  }
  return spans;
}

/* In a process of its own, whose end completes the file. */
static void
play (void)
{
  const float samples[100] = { 0 };
  g_autoptr (TestHarness) h =
      test_harness ("inferfilter name=watched model=" SOURCE_ROOT
                    "/tests/data/summator-wave.xml");

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  for (guint i = 0; i < N_WINDOWS; i++) {
    gst_harness_push (h, gst_buffer_new_memdup (samples, sizeof samples));
    gst_buffer_unref (gst_harness_pull (h));
  }
}

/* infertranscriber pushes words from a thread of its own; EOS comes after the
 * last. */
static void
hear (void)
{
  g_autoptr (TestHarness) h = test_harness (
      "infertranscriber name=heard vad=none granularity=word "
      "model=" SOURCE_ROOT "/pipelines/models/digits/digits-wave.xml");
  gsize n;
  g_autofree float *samples = test_load_wav (RECORDING, &n);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  for (gsize at = 0; at < n; at += PART) {
    GstBuffer *buffer = gst_buffer_new_memdup (
        samples + at, MIN (PART, n - at) * sizeof *samples);

    GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (at, GST_SECOND, 16000);
    gst_harness_push (h, buffer);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  for (gboolean ended = FALSE; !ended;) {
    GstEvent *event = gst_harness_pull_event (h);

    ended = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
}

GST_START_TEST (test_transcriber)
{
  g_autofree char *text = NULL;
  gsize n;

  g_free (test_load_wav (RECORDING, &n));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  Spans chain = find (text, "heard", "Chain");
  Spans push = find (text, "heard", "Push");
  Spans start = find (text, "CPU_digits-wave", "Start");
  fail_unless_equals_int (chain.n, (n + PART - 1) / PART);
  fail_unless_equals_int (push.n, N_WORDS);
  fail_unless (start.n > N_WORDS);
  fail_unless (chain.begin < start.begin);
  fail_unless (start.end < push.end);
}
GST_END_TEST

GST_START_TEST (test_spans)
{
  g_autofree char *text = NULL;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  Spans chain = find (text, "watched", "Chain");
  Spans push = find (text, "watched", "Push");
  Spans start = find (text, "CPU_summator-wave", "Start");
  fail_unless_equals_int (chain.n, N_WINDOWS);
  fail_unless_equals_int (push.n, N_WINDOWS);
  fail_unless_equals_int (start.n, N_WINDOWS);
  fail_unless (chain.begin < start.begin);
  fail_unless (start.end < push.end);
}
GST_END_TEST

static Suite *
inferstages_suite (void)
{
  return test_suite (
      "inferstages", NULL, NULL, test_spans, test_transcriber, NULL);
}

int
main (int argc, char **argv)
{
  g_autofree char *tracers = NULL;
  int fd = g_file_open_tmp ("stages-XXXXXX.json", &path, NULL), failed, status;

  g_close (fd, NULL);
  pid_t child = fork ();
  if (child == 0) {
    tracers = g_strdup_printf ("inferstages(file=\"%s\")", path);
    g_setenv ("GST_TRACERS", tracers, TRUE);
    gst_init (&argc, &argv);
    play ();
    hear ();
    exit (0);
  }
  if (waitpid (child, &status, 0) != child || status != 0)
    return 1;
  gst_check_init (&argc, &argv);
  failed = gst_check_run_suite (inferstages_suite (), "inferstages", __FILE__);
  g_unlink (path);
  g_free (path);
  return failed;
}
