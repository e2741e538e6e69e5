/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber: the words that leave, final and partial, with their times.
 */

#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/said.h"

/* --- tests --- */

/* Each word leaves with its exact time, and gaps fill the rest. */
GST_START_TEST (test_words)
{
  static const char *const properties[] = { "vad=none granularity=word",
    "vad=level granularity=word", NULL };

  for (guint i = 0; properties[i] != NULL; i++) {
    g_autofree char *log = said_run (properties[i], 1600, 0);

    for (guint k = 0; k < N_WORDS; k++) {
      const Said *word = &said_words[k];
      g_autofree char *line =
          g_strdup_printf ("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s\n",
              said_time (word->begin),
              said_time (word->begin + word->n) - said_time (word->begin),
              fake_speech_word (word->word));
      fail_unless (strstr (log, line) != NULL, "%s: no %s in\n%s",
          properties[i], line, log);
    }
  }
}
GST_END_TEST

/* Utterances of the level detector are segments. */
GST_START_TEST (test_segments)
{
  g_autofree char *log = said_run ("vad=level", 1600, 0);

  fail_unless (strstr (log, " one two three\n") != NULL, "%s", log);
  fail_unless (strstr (log, " four five\n") != NULL, "%s", log);
  fail_unless (strstr (log, " six seven eight nine\n") != NULL, "%s", log);
}
GST_END_TEST

static gboolean
has_reached (Watch *watch, GstClockTime time)
{
  g_mutex_lock (&watch->lock);
  gboolean reached =
      GST_CLOCK_TIME_IS_VALID (watch->until) && watch->until >= time;
  g_mutex_unlock (&watch->lock);
  return reached;
}

/* Gaps in silence are short, and leave while it lasts. */
GST_START_TEST (test_gaps)
{
  static const char *const descriptions[] = { FAKE "vad=level",
    FAKE "vad=none" };
  g_autofree float *silence = g_new0 (float, 5 * RATE);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (descriptions); i++) {
    g_auto (TestWatch) watch;
    fake_speech.streaming = i % 2 != 0;
    g_autoptr (TestHarness) h = said_begin (descriptions[i / 2]);

    said_watch_init (&watch, h);
    said_push_all (h, silence, 5 * RATE, 160, NULL);
    while (
        !has_reached (&watch, said_time (4 * RATE))) /* or the test's limit */
      g_usleep (1000);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_if (watch.torn);
    fail_unless_equals_int (watch.n_texts, 0);
    fail_unless (watch.longest_gap <= 250 * GST_MSECOND);
    fail_unless_equals_uint64 (watch.until, said_time (5 * RATE));
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
  fake_speech.streaming = FALSE;
}
GST_END_TEST

/* The same for any size of buffers, streaming or not. */
GST_START_TEST (test_any_size)
{
  static const char *const properties[] = { "vad=none granularity=word",
    "vad=level", "vad=level granularity=word partial-interval=300",
    "vad=none max-utterance=2500 granularity=word",
    "vad=level commit=deadline latency=700 granularity=word", NULL };

  for (guint streaming = 0; streaming < 2; streaming++)
    for (guint i = 0; properties[i] != NULL; i++) {
      fake_speech.streaming = streaming != 0;
      g_autofree char *expected = said_run (properties[i], 512, 0);

      for (guint32 seed = 1; seed <= 4; seed++) {
        g_autofree char *log =
            said_run (properties[i], seed % 2 ? 40000 : 700, seed);
        ck_assert_str_eq (log, expected);
      }
    }
  fake_speech.streaming = FALSE;
}
GST_END_TEST

/* The first text after a flush or a segment begins anew, and no other. */
GST_START_TEST (test_discont_flags)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = said_begin (FAKE "vad=none granularity=word");

  for (guint round = 0; round < 2; round++) {
    GstBuffer *text;
    guint n = 0;

    if (round > 0) {
      test_flush (h);
      said_begin_stream (h);
    }
    said_push_all (h, samples, N_SAMPLES, 1600, NULL);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    while ((text = gst_harness_try_pull (h)) != NULL) {
      fail_unless_equals_int (
          GST_BUFFER_FLAG_IS_SET (text, GST_BUFFER_FLAG_DISCONT), n == 0);
      gst_buffer_unref (text);
      n++;
    }
    fail_unless_equals_int (n, N_WORDS);
  }
}
GST_END_TEST

/* Where an utterance is cut, no word is lost or doubled. */
GST_START_TEST (test_cut)
{
  for (guint longest = 2500; longest <= 7000; longest += 500) {
    g_autofree char *properties =
        g_strdup_printf ("vad=none granularity=word max-utterance=%u", longest);
    g_autofree char *log = said_run (properties, 1600, 0);

    for (guint k = 0; k < N_WORDS; k++) {
      g_autofree char *line =
          g_strdup_printf ("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s\n",
              said_time (said_words[k].begin),
              said_time (said_words[k].begin + said_words[k].n)
                  - said_time (said_words[k].begin),
              fake_speech_word (said_words[k].word));
      const char *found = strstr (log, line);

      fail_unless (
          found != NULL, "max-utterance=%u: no %s in\n%s", longest, line, log);
    }
    guint n = 0;
    for (const char *c = log; *c != '\0'; c++)
      n += c[0] == ' ' && c[1] != '-';
    fail_unless_equals_int (n, N_WORDS);
  }
}
GST_END_TEST

/* --- partial results --- */

static GstMessage *
pop_transcript (GstHarness *h)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT))
         != NULL) {
    if (gst_message_has_name (message, "infer-transcript"))
      return message;
    gst_message_unref (message);
  }
  return NULL;
}

/* What the model drops is a message and counted, and no text. */
GST_START_TEST (test_dropped)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = said_begin (FAKE "vad=level");
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (h->element), "t");
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstStructure) dropped = NULL;
  GstMessage *message;
  guint n_texts = 0, n_dropped = 0;
  guint64 timestamp = 0, end = 0, count = 0;

  g_atomic_int_set (&fake_speech.drops, TRUE);
  said_push_all (h, samples, N_SAMPLES, 1600, NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  while ((message = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT))
         != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    n_texts += gst_structure_has_name (s, "infer-transcript");
    if (gst_structure_has_name (s, "infer-speech-dropped")) {
      n_dropped++;
      ck_assert_str_eq (gst_structure_get_string (s, "reason"), "loop");
      ck_assert_str_eq (gst_structure_get_string (s, "text"), "one two three");
      gst_structure_get (s, "timestamp", G_TYPE_UINT64, &timestamp, "end",
          G_TYPE_UINT64, &end, NULL);
    }
    gst_message_unref (message);
  }
  ck_assert_uint_eq (n_dropped, 1);
  ck_assert_uint_eq (n_texts, 2);
  ck_assert_uint_le (said_time (said_words[0].begin), timestamp + GST_MSECOND);
  ck_assert_uint_lt (timestamp, end);
  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get (stats, "dropped", GST_TYPE_STRUCTURE, &dropped, NULL);
  ck_assert (gst_structure_get_uint64 (dropped, "loop", &count));
  ck_assert_uint_eq (count, 1);
}
GST_END_TEST

/* Partial results change nothing in the stream, and end in the final text. */
GST_START_TEST (test_partial)
{
  g_autofree char *expected = said_run ("vad=level", 1600, 0);
  g_autofree char *log = said_run ("vad=level partial-interval=200", 1600, 0);
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h =
      said_begin (FAKE "vad=level partial-interval=200");
  g_autofree char *last = NULL;
  guint n_partial = 0, n_final = 0, utterance = 0, revision = 0;
  GstMessage *message;

  ck_assert_str_eq (log, expected);
  said_push_all (h, samples, N_SAMPLES, 1600, NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  while ((message = pop_transcript (h)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);
    gboolean final = FALSE;
    guint number = 0, now = 0;

    gst_structure_get (s, "final", G_TYPE_BOOLEAN, &final, "utterance",
        G_TYPE_UINT, &number, "revision", G_TYPE_UINT, &now, NULL);
    const char *text = gst_structure_get_string (s, "text");
    const char *stable = gst_structure_get_string (s, "stable");
    fail_unless (g_str_has_prefix (text, stable), "%s / %s", text, stable);
    fail_unless (number > utterance || now == revision + 1);
    if (final)
      ck_assert_str_eq (text, stable);
    if (final && last != NULL && number == utterance)
      fail_unless (g_str_has_prefix (text, last), "%s / %s", text, last);
    utterance = number;
    revision = now;
    g_free (last);
    last = g_strdup (text);
    n_final += final;
    n_partial += !final;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n_final, 3);
  fail_unless (n_partial >= 10, "%u", n_partial);
}
GST_END_TEST

static GstFlowReturn
count_text (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GPtrArray *texts = g_object_get_data (G_OBJECT (pad), "texts");
  char *text = g_malloc0 (gst_buffer_get_size (buffer) + 1);

  gst_buffer_extract (buffer, 0, text, G_MAXUINT);
  g_ptr_array_add (texts, text);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* The pad `partial` has each revision, the last one of which is final. */
GST_START_TEST (test_partial_pad)
{
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h =
      said_begin (FAKE "vad=level partial-interval=400");
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GstPad) sink = gst_pad_new ("sink", GST_PAD_SINK);
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (h->element), "t");
  g_autoptr (GstPad) pad = gst_element_request_pad_simple (element, "partial");

  fail_unless (pad != NULL);
  g_object_set_data (G_OBJECT (sink), "texts", texts);
  gst_pad_set_chain_function (sink, count_text);
  gst_pad_set_active (sink, TRUE);
  fail_unless (gst_pad_link (pad, sink) == GST_PAD_LINK_OK);
  said_push_all (h, samples, N_SAMPLES, 1600, NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless (texts->len > 6);
  ck_assert_str_eq (texts->pdata[texts->len - 1], "six seven eight nine");
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_pad_set_active (sink, FALSE);
  gst_pad_unlink (pad, sink);
  gst_element_release_request_pad (element, pad);
}
GST_END_TEST

static Suite *
transcriber_suite (void)
{
  fake_speech_register ();
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  return test_suite ("infertranscriber", NULL, NULL, test_words, test_segments,
      test_gaps, test_any_size, test_discont_flags, test_cut, test_dropped,
      test_partial, test_partial_pad, NULL);
}

GST_CHECK_MAIN (transcriber)
