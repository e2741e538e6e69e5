/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hours of words with cuts, gaps, jumps and seeks: each word leaves once, with
 * its time to the sample, and memory stays flat.
 *
 *   INFER_TEST_HOURS=N   default 24; under a sanitizer 1 */

#include <stdlib.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/process.h"
#include "tests/check/support/stream.h"

#define RATE FAKE_SPEECH_RATE
#define MOST_SECONDS 13 /* of an episode, from one break to the next */
/* Breaks in a day; an episode takes 8 s. */
#define LEAST_BREAKS 10000

typedef struct
{
  GstHarness *harness;
  GRand *rand;
  float *samples;          /* of an episode */
  GstClockTime base, next; /* pts of its first sample, and of the next one's */
  guint64 first;           /* samples since the last break */
  guint64 total;           /* samples in all */
  guint64 n_breaks;        /* seeks, jumps and gaps */

  GMutex lock;       /* guards the rest */
  GHashTable *words; /* pts → word number + 1: said, and not heard yet */
  guint n_heard, n_wrong;
  gint n_errors; /* atomic */
} Day;

static guint
choose (Day *day, guint least, guint end)
{
  return (guint) g_rand_int_range (day->rand, (gint32) least, (gint32) end);
}

/* --- output --- */

static GstPadProbeReturn
hear (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Day *day = data;
  GstBuffer *buffer = info->data;

  if (!GST_IS_BUFFER (buffer)) /* the harness would keep them all */
    return GST_EVENT_IS_STICKY (GST_EVENT (info->data)) ? GST_PAD_PROBE_OK
                                                        : GST_PAD_PROBE_DROP;
  guint64 pts = GST_BUFFER_PTS (buffer);

  g_mutex_lock (&day->lock);
  guint word = GPOINTER_TO_UINT (g_hash_table_lookup (day->words, &pts));
  const char *text = word > 0 ? fake_speech_word (word - 1) : "";
  gsize n = strlen (text);
  if (word == 0 || gst_buffer_memcmp (buffer, 0, text, n) != 0)
    day->n_wrong++;
  g_hash_table_remove (day->words, &pts);
  day->n_heard++;
  g_mutex_unlock (&day->lock);
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_DROP;
}

/* Nobody reads the bus. */
static GstBusSyncReply
count_errors (GstBus *bus, GstMessage *message, gpointer data)
{
  Day *day = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_atomic_int_inc (&day->n_errors);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* --- input --- */

static GstClockTime
time_at (const Day *day, guint64 sample)
{
  return day->base + gst_util_uint64_scale (sample, GST_SECOND, RATE);
}

/* Words with silence between them; in one episode of three too little of it to
 * end an utterance, which is then cut. */
static void
fill (Day *day, gsize n)
{
  const guint least = choose (day, 0, 3) == 0 ? RATE / 2 : RATE;

  memset (day->samples, 0, n * sizeof (float));
  for (gsize at = choose (day, RATE / 2, RATE); at + RATE < n;
       at += choose (day, least, 2 * least - RATE / 4)) {
    guint word = choose (day, 0, 9);
    guint64 pts = time_at (day, day->first + at);

    fake_speech_say (
        day->samples + at, choose (day, RATE / 10, RATE * 4 / 10), word);
    g_mutex_lock (&day->lock);
    g_hash_table_insert (
        day->words, g_memdup2 (&pts, sizeof pts), GUINT_TO_POINTER (word + 1));
    g_mutex_unlock (&day->lock);
  }
}

static void
push (Day *day, gsize n, gboolean discont)
{
  for (gsize i = 0; i < n;) {
    gsize wanted = choose (day, 100, 8000), part = MIN (wanted, n - i);
    GstBuffer *buffer =
        gst_buffer_new_memdup (day->samples + i, part * sizeof (float));

    GST_BUFFER_PTS (buffer) = time_at (day, day->first + i);
    if (discont && i == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (
        gst_harness_push (day->harness, buffer), GST_FLOW_OK);
    i += part;
  }
  day->first += n;
  day->total += n;
}

/* Where the next sample is the first of a sequence. */
static void
move_to (Day *day, GstClockTime pts)
{
  day->base = pts;
  day->first = 0;
}

static void
seek (Day *day)
{
  GstSegment segment;

  gst_harness_push_event (day->harness, gst_event_new_flush_start ());
  gst_harness_push_event (day->harness, gst_event_new_flush_stop (TRUE));
  g_mutex_lock (&day->lock);
  g_hash_table_remove_all (day->words);
  g_mutex_unlock (&day->lock);
  move_to (day, choose (day, 0, 100000) * GST_SECOND + 12345);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = day->base;
  gst_harness_push_event (day->harness, gst_event_new_segment (&segment));
}

/* TRUE: the next buffer has DISCONT. */
static gboolean
break_stream (Day *day)
{
  GstClockTime now = time_at (day, day->first);
  guint gap = choose (day, RATE / 10, RATE);

  switch (choose (day, 0, 4)) {
    case 0: /* samples are lost */
      move_to (day, now + choose (day, 0, 5000) * GST_MSECOND);
      return TRUE;
    case 1: /* nothing for a while */
      gst_harness_push_event (
          day->harness, gst_event_new_gap (now, 3 * GST_SECOND));
      move_to (day, now + 3 * GST_SECOND);
      return FALSE;
    case 2: /* silence */
      gst_harness_push_event (
          day->harness, gst_event_new_gap (now,
                            gst_util_uint64_scale (gap, GST_SECOND, RATE)));
      day->first += gap;
      return FALSE;
    default:
      seek (day);
      return FALSE;
  }
}

static void
live_through (Day *day, guint64 seconds)
{
  gboolean discont = FALSE;

  for (guint64 end = day->total + seconds * RATE; day->total < end;) {
    gsize n = choose (day, 3 * RATE, MOST_SECONDS * RATE);

    fill (day, n);
    push (day, n, discont);
    discont = break_stream (day);
    day->n_breaks++;
  }
}

/* --- the test --- */

GST_START_TEST (test_day)
{
  const char *hours = g_getenv ("INFER_TEST_HOURS");
  const guint64 seconds = (guint64) (3600
                                     * (hours != NULL        ? atof (hours)
                                         : TEST_IS_SANITIZED ? 1
                                                             : 24));
  Day day = { .rand = g_rand_new_with_seed (3) };

  day.words = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  day.samples = g_new (float, MOST_SECONDS *RATE);
  day.harness = test_harness ("infertranscriber kind=fake model=" SOURCE_ROOT
                              "/tests/data vad=none max-utterance=4000 "
                              "granularity=word");
  gst_harness_set_live (day.harness, FALSE);
  gst_harness_set_drop_buffers (day.harness, TRUE);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (day.harness->element, "src");
  g_autoptr (GstPad) sink =
      gst_element_get_static_pad (day.harness->element, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, hear,
      &day, NULL);
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, drop, NULL, NULL);
  gst_bus_set_sync_handler (test_bus (day.harness), count_errors, &day, NULL);
  gst_harness_push_event (day.harness, gst_event_new_stream_start ("day"));
  gst_harness_set_src_caps_str (day.harness, TEST_AUDIO_CAPS);

  live_through (&day, seconds / 4);
  gsize before = test_resident_kb ();
  live_through (&day, seconds - seconds / 4);
  gst_harness_push_event (day.harness, gst_event_new_eos ());
  test_wait_eos (day.harness);
  gsize after = test_resident_kb ();

  fail_unless_equals_int (day.n_errors, 0);
  fail_unless_equals_int (day.n_wrong, 0);
  fail_unless_equals_int (g_hash_table_size (day.words), 0);
  fail_unless (day.n_heard > seconds / 3, "%u words", day.n_heard);
  fail_unless (day.n_breaks * 86400 >= LEAST_BREAKS * seconds,
      "%" G_GUINT64_FORMAT " breaks", day.n_breaks);
  fail_unless (TEST_IS_SANITIZED || after < before + 4096, "%zu kB became %zu",
      before, after);
  gst_element_set_state (day.harness->element, GST_STATE_NULL);
  gst_bus_set_sync_handler (test_bus (day.harness), NULL, NULL, NULL);
  test_teardown (day.harness);
  g_hash_table_unref (day.words);
  g_free (day.samples);
  g_rand_free (day.rand);
}
GST_END_TEST

static Suite *
day_suite (void)
{
  fake_speech_register ();
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  return test_suite ("infertranscriber-day", NULL, NULL, test_day, NULL);
}

GST_CHECK_MAIN (day)
