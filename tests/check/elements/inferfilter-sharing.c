/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several elements with one model: loaded once, each stream as if it were
 * alone, in batches or not. */

#include <math.h>

#include "tests/check/support/stream.h"

#define LENGTH 100
#define N_BANDS 40
#define FRAMES 8

#define TENSOR_CAPS                                                            \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)3:1, framerate=(fraction)10/1"
#define FRAME_CAPS                                                             \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)40:8:1, framerate=(fraction)25/2"

static GstHarness *
start (const char *model, const char *more, const char *caps)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=" SOURCE_ROOT "/%s %s", model, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static GstBuffer *
make_values (float value, gsize n)
{
  g_autofree float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = value;
  return gst_buffer_new_memdup (values, n * sizeof (float));
}

static float
pull_value (GstHarness *h)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  float value;

  fail_unless (buffer != NULL);
  gst_buffer_extract (buffer, 0, &value, sizeof value);
  return value;
}

/* Waits until all that was sent has left: no batch waits while an event is
 * in the queue. */
static void
settle (GstHarness *h)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (h->srcpad, query);
  gst_query_unref (query);
}

/* The number of threads that compute for models. */
static guint
count_threads (const char *name)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  const char *id;
  guint n = 0;

  while ((id = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_strdup_printf ("/proc/self/task/%s/comm", id);
    g_autofree char *comm = NULL;

    if (g_file_get_contents (path, &comm, NULL, NULL)
        && g_str_has_prefix (comm, name))
      n++;
  }
  g_dir_close (dir);
  return n;
}

#define SUMMATOR "tests/data/summator-wave.xml"

/* The number of executables of two elements with these settings. */
static void
assert_threads (const char *a, const char *b, guint n)
{
  g_autoptr (TestHarness) one = start (SUMMATOR, a, TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) other = start (SUMMATOR, b, TEST_AUDIO_CAPS);

  /* Waits until the threads have their names. */
  for (guint i = 0; i < 100 && count_threads ("infer-CPU") < n; i++)
    g_usleep (10000);
  g_usleep (10000);
  fail_unless_equals_int (count_threads ("infer-CPU"), n);
}

/* One stream of computing a model, so that threads count executables. */
GST_START_TEST (test_shared)
{
#define ONE "config=NUM_STREAMS=1 "
  assert_threads (ONE, ONE, 1);
  assert_threads (ONE, ONE "extra-outputs=read", 2);
  assert_threads (ONE, "config=NUM_STREAMS=1,PERF_COUNT=YES", 2);
  assert_threads (ONE "model-instance-id=a", ONE "model-instance-id=a", 1);
  assert_threads (ONE "model-instance-id=a", ONE "model-instance-id=b", 2);
  assert_threads (ONE "model-instance-id=a", ONE, 2);
}
GST_END_TEST

/* Many elements: each has its own sums, the model is loaded once. */
GST_START_TEST (test_many)
{
  GstHarness *h[32];

  for (guint i = 0; i < G_N_ELEMENTS (h); i++)
    h[i] = start (SUMMATOR, "config=NUM_STREAMS=1", TEST_AUDIO_CAPS);
  for (guint step = 1; step < 4; step++)
    for (guint i = 0; i < G_N_ELEMENTS (h); i++) {
      gst_harness_push (h[i], make_values ((float) i, LENGTH));
      fail_unless_equals_float (pull_value (h[i]), (float) (step * i));
    }
  fail_unless (count_threads ("infer-CPU") <= 2);
  for (guint i = 0; i < G_N_ELEMENTS (h); i++)
    test_teardown (h[i]);
}
GST_END_TEST

#define CROWD 12
#define SUMS 300

typedef struct
{
  GstHarness *h;
  float value;
} Summand;

static gpointer
add_up (gpointer data)
{
  const Summand *summand = data;

  for (guint step = 0; step < SUMS; step++)
    fail_unless_equals_int (
        gst_harness_push (summand->h, make_values (summand->value, LENGTH)),
        GST_FLOW_OK);
  return test_finish_floats (summand->h);
}

/* As fast as possible, so that streams get further requests and their threads
 * are woken for several results: each has its own sums, in order. */
GST_START_TEST (test_crowd)
{
  Summand summands[CROWD];
  GThread *threads[CROWD];

  for (guint i = 0; i < CROWD; i++) {
    summands[i] = (Summand){ start (SUMMATOR, "", TEST_AUDIO_CAPS), (float) i };
    threads[i] = g_thread_new ("summand", add_up, &summands[i]);
  }
  for (guint i = 0; i < CROWD; i++) {
    g_autoptr (GArray) sums = g_thread_join (threads[i]);

    fail_unless_equals_int (sums->len, SUMS * LENGTH);
    for (guint step = 0; step < SUMS; step++)
      fail_unless_equals_float (
          g_array_index (sums, float, step *LENGTH), (float) (i * (step + 1)));
    test_teardown (summands[i].h);
  }
}
GST_END_TEST

/* The second element of an instance needs no model; another model is an
 * error. */
GST_START_TEST (test_instance)
{
  g_autoptr (TestHarness) h =
      start (SUMMATOR, "model-instance-id=x", TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) other =
      test_harness ("inferfilter model-instance-id=x");

  gst_harness_set_src_caps_str (other, TEST_AUDIO_CAPS);
  gst_harness_push (h, make_values (1, LENGTH));
  gst_harness_push (other, make_values (5, LENGTH));
  fail_unless_equals_float (pull_value (h), 1);
  fail_unless_equals_float (pull_value (other), 5);
  test_start_fails ("inferfilter model-instance-id=x model=" SOURCE_ROOT
                    "/tests/data/summator.xml",
      "'x' is in use");
  test_start_fails ("inferfilter model-instance-id=y", "'model'");
}
GST_END_TEST

/* After a failed start the next one works. */
GST_START_TEST (test_after_failure)
{
  test_start_fails (
      "inferfilter model-instance-id=z model=/nowhere.xml", "/nowhere.xml");
  g_autoptr (TestHarness) h =
      start (SUMMATOR, "model-instance-id=z", TEST_AUDIO_CAPS);
  gst_harness_push (h, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (h), 1);
}
GST_END_TEST

/* --- a recording's features through the digits model --- */

static GstBuffer *
make_frames (guint stream, guint step)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (stream * 1000 + step);
  float values[FRAMES * N_BANDS];

  for (guint i = 0; i < FRAMES * N_BANDS; i++)
    values[i] = (float) g_rand_double_range (random, -12, 2);
  GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);
  GST_BUFFER_PTS (buffer) = step * 80 * GST_MSECOND;
  if (step == 5 && stream == 1)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
}

#define N_STEPS 10
#define DIGITS "pipelines/models/digits/digits.xml"

static GArray *
run_alone (guint stream)
{
  g_autoptr (TestHarness) h = start (DIGITS, "window=80", FRAME_CAPS);

  for (guint step = 0; step < N_STEPS; step++)
    fail_unless_equals_int (
        gst_harness_push (h, make_frames (stream, step)), GST_FLOW_OK);
  GArray *floats = test_finish_floats (h);
  return floats;
}

typedef struct
{
  GstHarness *h;
  guint stream;
} Player;

static gpointer
play (gpointer data)
{
  Player *player = data;

  for (guint step = 0; step < N_STEPS; step++)
    fail_unless_equals_int (
        gst_harness_push (player->h, make_frames (player->stream, step)),
        GST_FLOW_OK);
  return test_finish_floats (player->h);
}

static void
assert_close (const GArray *have, const GArray *want, float relative)
{
  float scale = 0;

  fail_unless (want->len > 0);
  fail_unless_equals_int (have->len, want->len);
  for (guint i = 0; i < want->len; i++)
    scale = MAX (scale, fabsf (g_array_index (want, float, i)));
  for (guint i = 0; i < want->len; i++)
    fail_unless (
        fabsf (g_array_index (have, float, i) - g_array_index (want, float, i))
            <= relative * scale,
        "value %u is %g, not %g", i, (double) g_array_index (have, float, i),
        (double) g_array_index (want, float, i));
}

/* Concurrent streams: each has the results that it has alone. */
static void
assert_together (const char *more, guint n, float relative)
{
  Player players[8];
  GThread *threads[8];

  for (guint i = 0; i < n; i++) {
    players[i] = (Player){ start (DIGITS, more, FRAME_CAPS), i };
    threads[i] = g_thread_new ("player", play, &players[i]);
  }
  for (guint i = 0; i < n; i++) {
    g_autoptr (GArray) have = g_thread_join (threads[i]);
    g_autoptr (GArray) want = run_alone (i);

    assert_close (have, want, relative);
    test_teardown (players[i].h);
  }
}

GST_START_TEST (test_interleaved)
{
  assert_together ("window=80", 2, 0);
  assert_together ("window=80 config=NUM_STREAMS=1", 4, 0);
}
GST_END_TEST

GST_START_TEST (test_batched)
{
  assert_together ("window=80 batch-size=4", 4, 1e-5f);
  assert_together ("window=80 batch-size=8 batch-timeout=-1", 5, 1e-5f);
  assert_together ("window=80 batch-size=2 batch-timeout=0", 3, 1e-5f);
}
GST_END_TEST

/* --- who waits for whom --- */

/* No batch waits for streams that have ended, flush or are gone, even with
 * an unlimited timeout. */
GST_START_TEST (test_batch_not_blocked)
{
#define FOR_EVER "batch-size=8 batch-timeout=-1"
  g_autoptr (TestHarness) a = start (SUMMATOR, FOR_EVER, TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) b = start (SUMMATOR, FOR_EVER, TEST_AUDIO_CAPS);
  GstHarness *c = start (SUMMATOR, FOR_EVER, TEST_AUDIO_CAPS);

  settle (a);
  settle (b);
  settle (c);
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (a), 1); /* the only stream so far */
  gst_harness_push (b, make_values (5, LENGTH));
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (a), 2);
  fail_unless_equals_float (pull_value (b), 5);
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless (gst_harness_try_pull (a) == NULL);
  gst_harness_push_event (b, gst_event_new_eos ()); /* b ends */
  fail_unless_equals_float (pull_value (a), 3);
  settle (b);

  gst_harness_push (c, make_values (7, LENGTH));
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (a), 4);
  fail_unless_equals_float (pull_value (c), 7);
  gst_harness_push (c, make_values (7, LENGTH));
  test_flush (c); /* with an inference waiting */
  settle (c);
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (a), 5);

  gst_harness_push (c, make_values (2, LENGTH));
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (c), 2);
  fail_unless_equals_float (pull_value (a), 6);
  gst_harness_push (a, make_values (1, LENGTH));
  test_teardown (c); /* c goes */
  fail_unless_equals_float (pull_value (a), 7);
  g_autoptr (GArray) floats = test_finish_floats (a);
  fail_unless_equals_int (floats->len, 0);
}
GST_END_TEST

/* A batch waits for an idle stream until the timeout, which is part of the
 * latency. */
GST_START_TEST (test_batch_timeout)
{
#define FIFTY "batch-size=2 batch-timeout=50"
  g_autoptr (TestHarness) a = start (SUMMATOR, FIFTY, TEST_AUDIO_CAPS);
  g_autoptr (TestHarness) b = start (SUMMATOR, FIFTY, TEST_AUDIO_CAPS);
  GstClockTime window = gst_util_uint64_scale (LENGTH, GST_SECOND, TEST_RATE);

  fail_unless_equals_int64 (
      gst_harness_query_latency (a), window + 50 * GST_MSECOND);
  gst_harness_push (a, make_values (1, LENGTH));
  gst_harness_push (b, make_values (2, LENGTH));
  pull_value (a);
  pull_value (b);
  gint64 before = g_get_monotonic_time ();
  gst_harness_push (a, make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (a), 2);
  gint64 took = g_get_monotonic_time () - before;
  fail_unless (
      took >= 49000 && took < 500000, "took %" G_GINT64_FORMAT " us", took);
}
GST_END_TEST

static GstPadProbeReturn
block (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* A stream that is blocked downstream, and one that sends nothing any more,
 * hold up none of the others, and lose nothing. */
static void
check_fairness (const char *settings)
{
  GstHarness *h[8];

  for (guint i = 0; i < G_N_ELEMENTS (h); i++)
    h[i] = start (SUMMATOR, settings, TEST_AUDIO_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (h); i++)
    settle (h[i]);
  g_autoptr (GstElement) filter =
      gst_harness_find_element (h[0], "inferfilter");
  g_autoptr (GstPad) src = gst_element_get_static_pad (filter, "src");
  const gulong probe = gst_pad_add_probe (
      src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, block, NULL, NULL);
  gst_harness_push (h[0], make_values (1, LENGTH));
  gst_harness_push (h[1], make_values (1, LENGTH));
  for (guint step = 1; step <= 100; step++)
    for (guint i = 2; i < G_N_ELEMENTS (h); i++) {
      gst_harness_push (h[i], make_values ((float) i, LENGTH));
      fail_unless_equals_float (pull_value (h[i]), (float) (step * i));
    }
  fail_unless_equals_float (pull_value (h[1]), 1);
  fail_unless (gst_harness_try_pull (h[0]) == NULL);
  gst_pad_remove_probe (src, probe);
  fail_unless_equals_float (pull_value (h[0]), 1);
  gst_harness_push (h[0], make_values (1, LENGTH));
  fail_unless_equals_float (pull_value (h[0]), 2);
  for (guint i = 0; i < G_N_ELEMENTS (h); i++)
    test_teardown (h[i]);
}

GST_START_TEST (test_fairness)
{
  check_fairness ("config=NUM_STREAMS=1");
  check_fairness ("batch-size=4 batch-timeout=2");
}
GST_END_TEST

/* One stream of a model without state fills batches by itself. */
GST_START_TEST (test_batch_stateless)
{
  GstHarness *h = start (
      "tests/data/identity.xml", "batch-size=4 batch-timeout=-1", TENSOR_CAPS);

  for (guint i = 0; i < 100; i++)
    fail_unless_equals_int (
        gst_harness_push (h, make_values ((float) i, 3)), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < 100; i++)
    fail_unless_equals_float (pull_value (h), (float) i);
  test_teardown (h);
  test_start_fails ("inferfilter batch-size=4 model=" SOURCE_ROOT
                    "/tests/data/non-zero.xml",
      "cannot be batched");
}
GST_END_TEST

static Suite *
inferfilter_sharing_suite (void)
{
  return test_suite ("inferfilter-sharing", NULL, NULL, test_shared, test_many,
      test_crowd, test_instance, test_after_failure, test_interleaved,
      test_batched, test_batch_not_blocked, test_batch_timeout, test_fairness,
      test_batch_stateless, NULL);
}

GST_CHECK_MAIN (inferfilter_sharing)
