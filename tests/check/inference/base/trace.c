/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/trace.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "infer/error.h"
#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"

typedef struct
{
  char name[128];
  long thread;
  double begin, end; /* microseconds */
} Span;

/* The events of a file, one per line as this code writes it. */
static GArray *
read_spans (const char *path)
{
  g_autofree char *text = NULL;
  GArray *spans = g_array_new (FALSE, TRUE, sizeof (Span));

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "[{"));
  g_assert_true (g_str_has_suffix (text, "}]\n"));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    Span span = { .thread = 0 };
    double ts, duration;

    if (sscanf (lines[i],
            "{\"ph\":\"X\",\"cat\":\"infer\",\"name\":\"%127[^\"]\","
            "\"pid\":%*d,\"tid\":%ld,\"ts\":%lf,\"dur\":%lf",
            span.name, &span.thread, &ts, &duration)
        != 4)
      continue;
    span.begin = ts;
    span.end = ts + duration;
    g_array_append_val (spans, span);
  }
  return spans;
}

static const Span *
find (GArray *spans, const char *name)
{
  for (guint i = 0; i < spans->len; i++) {
    const Span *span = &g_array_index (spans, Span, i);
    if (strcmp (span->name, name) == 0)
      return span;
  }
  g_error ("no span '%s'", name);
  return NULL;
}

static char *
temporary (void)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("trace-XXXXXX.json", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  return path;
}

static const Span *
find_stage (GArray *spans, guint request, InferStage stage)
{
  g_autofree char *name = g_strdup_printf (
      "FAKE.0_fake_Req%u_%s", request, infer_stage_name (stage));

  return find (spans, name);
}

/* Every stage is there, in order, and stages of different requests overlap. */
static void
test_pipeline (void)
{
  FakeSettings *settings = fake_reset ();
  g_autofree char *path = temporary ();
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_device, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  InferAsyncRequest *requests[2];

  settings->delay_us[INFER_STAGE_UPLOAD] = 10000;
  settings->delay_us[INFER_STAGE_WAIT] = 20000;
  g_assert_true (infer_trace_start (path, NULL));
  for (guint i = 0; i < 2; i++) {
    requests[i] = infer_async_request_new (executable, NULL, NULL);
    infer_async_request_start (requests[i], INFER_START_DEFAULT, NULL);
  }
  for (guint i = 0; i < 2; i++)
    infer_async_request_wait (requests[i], -1, NULL);
  for (guint i = 0; i < 2; i++)
    infer_async_request_free (requests[i]);
  g_assert_true (infer_trace_stop (NULL));

  g_autoptr (GArray) spans = read_spans (path);
  g_assert_cmpuint (spans->len, ==, 2 * INFER_N_STAGES);
  for (guint i = 0; i < 2; i++) {
    for (InferStage stage = 1; stage < INFER_N_STAGES; stage++)
      g_assert_cmpfloat (find_stage (spans, i, stage)->begin, >=,
          find_stage (spans, i, stage - 1)->end - 0.001);
    const Span *wait = find_stage (spans, i, INFER_STAGE_WAIT);
    g_assert_cmpfloat (wait->end - wait->begin, >=, 20000);
  }
  const Span *first = find_stage (spans, 0, INFER_STAGE_WAIT);
  const Span *second = find_stage (spans, 1, INFER_STAGE_UPLOAD);
  g_assert_cmpfloat (second->begin, <, first->end);
  g_assert_cmpfloat (first->begin, <, second->end);
  g_assert_cmpint (first->thread, !=, second->thread);
  g_unlink (path);
}

#define N_THREADS 4
#define N_EACH 5000

static gpointer
record_many (gpointer data)
{
  for (guint i = 0; i < N_EACH; i++)
    infer_trace_span (data, i, "Start", i, i + 1);
  return NULL;
}

/* Four requests on a slow device take hardly longer than one stage of all of
 * them, not the sum of all stages. */
static void
test_overlap (void)
{
  FakeSettings *settings = fake_reset ();
  g_autofree char *path = temporary ();
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_device, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  double totals[INFER_N_STAGES] = { 0 };
  double begin = G_MAXDOUBLE, end = 0, longest = 0, all = 0;
  InferAsyncRequest *requests[4];

  settings->delay_us[INFER_STAGE_UPLOAD] = 10000;
  settings->delay_us[INFER_STAGE_WAIT] = 80000;
  settings->delay_us[INFER_STAGE_DOWNLOAD] = 10000;
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    requests[i] = infer_async_request_new (executable, NULL, NULL);
  g_assert_true (infer_trace_start (path, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    infer_async_request_start (requests[i], INFER_START_DEFAULT, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    g_assert_true (infer_async_request_wait (requests[i], -1, NULL));
  g_assert_true (infer_trace_stop (NULL));
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    infer_async_request_free (requests[i]);

  g_autoptr (GArray) spans = read_spans (path);
  g_assert_cmpuint (spans->len, ==, G_N_ELEMENTS (requests) * INFER_N_STAGES);
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    for (InferStage stage = 0; stage < INFER_N_STAGES; stage++) {
      const Span *span = find_stage (spans, i, stage);

      begin = MIN (begin, span->begin);
      end = MAX (end, span->end);
      totals[stage] += span->end - span->begin;
    }
  }
  for (InferStage stage = 0; stage < INFER_N_STAGES; stage++) {
    longest = MAX (longest, totals[stage]);
    all += totals[stage];
  }
  g_test_message ("wall %.0f us, longest stage %.0f us, all stages %.0f us",
      end - begin, longest, all);
  g_assert_cmpfloat (longest, >=, 4 * 80000);
  g_assert_cmpfloat (end - begin, <=, 1.2 * longest);
  g_assert_cmpfloat (end - begin, <, all);
  g_unlink (path);
}

/* Runtimes share one file, open from the first to the last of them. */
static void
test_configured (void)
{
  g_autofree char *path = temporary ();
  g_autofree char *config = g_strdup_printf ("TRACE=%s", path);
  g_autofree char *nowhere = g_strdup_printf ("TRACE=%s/no/t.json", path);
  g_autoptr (InferModel) model = fake_model ("1,1", NULL);
  g_autoptr (GError) error = NULL;
  InferRuntime *runtimes[2];

  fake_reset ();
  g_assert_null (infer_runtime_new_for_backend (&fake_cpu, 0, nowhere, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_FAILED);
  for (guint i = 0; i < 2; i++)
    runtimes[i] = infer_runtime_new_for_backend (&fake_cpu, i, config, NULL);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (InferExecutable) executable =
        infer_executable_new (model, runtimes[i], NULL);
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);

    infer_runtime_unref (runtimes[i]);
    g_assert_nonnull (infer_request_get_input (request, 0, NULL));
    g_assert_true (infer_request_infer (request, NULL));
  }
  g_autoptr (GArray) spans = read_spans (path);
  g_assert_cmpuint (spans->len, ==, 6);
  g_assert_nonnull (find (spans, "FAKECPU.0_fake_Req0_Start"));
  g_assert_nonnull (find (spans, "FAKECPU.1_fake_Req0_Start"));
  g_unlink (path);
}

/* More spans than a buffer holds, from many threads; some end before the trace.
 */
static void
test_many (void)
{
  g_autofree char *path = temporary ();
  GThread *threads[N_THREADS];
  g_autofree gboolean *seen = g_new0 (gboolean, N_EACH);

  g_assert_true (infer_trace_start (path, NULL));
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("many", record_many, (gpointer) "a\"b\\c");
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_true (infer_trace_stop (NULL));
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  guint n = 0;
  for (const char *at = text; (at = strstr (at, "\"a\\\"b\\\\c_Req")) != NULL;
       at++) {
    char *end;
    guint64 id = g_ascii_strtoull (at + strlen ("\"a\\\"b\\\\c_Req"), &end, 10);
    g_assert_true (g_str_has_prefix (end, "_Start\""));
    g_assert_cmpuint (id, <, N_EACH);
    seen[id] = TRUE;
    n++;
  }
  g_assert_cmpuint (n, ==, N_THREADS * N_EACH);
  for (guint i = 0; i < N_EACH; i++)
    g_assert_true (seen[i]);
  g_unlink (path);
}

static void
test_off (void)
{
  g_autofree char *path = temporary ();

  infer_trace_span ("before", 0, "Start", 1, 2);
  g_assert_true (infer_trace_start (path, NULL));
  infer_trace_span ("during", 0, "Start", 1234567, 2345678);
  g_assert_true (infer_trace_stop (NULL));
  infer_trace_span ("after", 0, "Start", 1, 2);
  g_autoptr (GArray) spans = read_spans (path);
  g_assert_cmpuint (spans->len, ==, 1);
  const Span *span = find (spans, "during_Req0_Start");
  g_assert_cmpfloat_with_epsilon (span->begin, 1234.567, 1e-6);
  g_assert_cmpfloat_with_epsilon (span->end, 2345.678, 1e-6);
  g_unlink (path);
}

static void
test_errors (void)
{
  g_autofree char *path = temporary ();
  g_autoptr (GError) error = NULL;

  g_assert_false (infer_trace_start ("/nowhere/at/all", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_FAILED);
  g_clear_error (&error);
  g_assert_true (infer_trace_start (path, NULL));
  g_assert_false (infer_trace_start (path, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_BUSY);
  g_assert_true (infer_trace_stop (NULL));
  g_assert_true (infer_trace_stop (NULL)); /* none is running: fine */
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trace/pipeline", test_pipeline);
  g_test_add_func ("/trace/overlap", test_overlap);
  g_test_add_func ("/trace/configured", test_configured);
  g_test_add_func ("/trace/many", test_many);
  g_test_add_func ("/trace/off", test_off);
  g_test_add_func ("/trace/errors", test_errors);
  return g_test_run ();
}
