/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber with a model that hears known words at known samples. */

#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/stream.h"

#define RATE FAKE_SPEECH_RATE
#define START (10 * GST_SECOND)
#define FAKE                                                                   \
  "infertranscriber name=t kind=fake model=" SOURCE_ROOT "/tests/data "
/* Long enough that the machine's other load does not matter. */
#define LONG_US 20000000

typedef struct
{
  guint64 begin, n;
  guint word;
} Said;

/* --- input --- */

/* Samples with what is @said, up to @n. */
static float *
say (const Said *said, guint n_said, gsize n)
{
  float *samples = g_new0 (float, n);

  for (guint i = 0; i < n_said; i++)
    fake_speech_say (samples + said[i].begin, said[i].n, said[i].word);
  return samples;
}

/* Three utterances of 3, 2 and 4 words within 8 s. */
static const Said words[] = {
  { 12345, 4000, 0 },
  { 18000, 3000, 1 },
  { 22001, 5000, 2 },
  { 48000, 4321, 3 },
  { 54000, 3999, 4 },
  { 80000, 3200, 5 },
  { 85000, 3200, 6 },
  { 90000, 3200, 7 },
  { 95000, 3200, 8 },
};
#define N_WORDS G_N_ELEMENTS (words)
#define N_SAMPLES (8 * RATE)

static GstClockTime
at (guint64 sample)
{
  return START + gst_util_uint64_scale (sample, GST_SECOND, RATE);
}

static void
begin_stream (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("speech"));
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
}

static GstHarness *
begin (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_live (h, FALSE);
  begin_stream (h);
  return h;
}

static GstBuffer *
new_buffer (const float *samples, gsize first, gsize n)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (samples + first, n * sizeof (float));

  GST_BUFFER_PTS (buffer) = at (first);
  GST_BUFFER_DURATION (buffer) = at (first + n) - at (first);
  return buffer;
}

/* Buffers of random sizes up to @most. */
static void
push_all (GstHarness *h, const float *samples, gsize n, gsize most, GRand *rand)
{
  for (gsize i = 0; i < n;) {
    gsize part = rand != NULL
                     ? (gsize) g_rand_int_range (rand, 1, (gint32) most + 1)
                     : most;

    part = MIN (part, n - i);
    fail_unless_equals_int (
        gst_harness_push (h, new_buffer (samples, i, part)), GST_FLOW_OK);
    i += part;
  }
}

/* --- output --- */

static void
log_buffer (GString *log, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  g_autofree char *text = g_malloc0 (size + 1);

  gst_buffer_extract (buffer, 0, text, size);
  g_string_append_printf (log,
      "%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s\n",
      GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer), text);
}

typedef struct
{
  GMutex lock;
  GString *log;       /* texts and gaps, in order */
  GstClockTime until; /* they cover all up to here */
  gboolean torn;      /* one overlaps another, or leaves a hole */
  GstClockTime longest_gap;
  guint n_texts;
} Watch;

static void
cover (Watch *watch, GstClockTime begin, GstClockTime duration)
{
  if (GST_CLOCK_TIME_IS_VALID (watch->until) && begin != watch->until)
    watch->torn = TRUE;
  watch->until = begin + duration;
}

static GstPadProbeReturn
watch_pad (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Watch *watch = data;

  g_mutex_lock (&watch->lock);
  if (GST_IS_BUFFER (info->data)) {
    GstBuffer *buffer = info->data;

    cover (watch, GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer));
    log_buffer (watch->log, buffer);
    watch->n_texts++;
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_GAP) {
    GstClockTime pts, duration;

    gst_event_parse_gap (info->data, &pts, &duration);
    cover (watch, pts, duration);
    watch->longest_gap = MAX (watch->longest_gap, duration);
    g_string_append_printf (watch->log,
        "%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " -\n", pts, duration);
  } else if (gst_event_has_name (info->data, "inside")
             || gst_event_has_name (info->data, "between")) {
    g_string_append_printf (watch->log, "event %s\n",
        gst_structure_get_name (gst_event_get_structure (info->data)));
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_FLUSH_STOP) {
    g_string_truncate (watch->log, 0);
    watch->until = GST_CLOCK_TIME_NONE;
    watch->n_texts = 0;
  }
  g_mutex_unlock (&watch->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch_init (Watch *watch, GstHarness *h)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "src");

  *watch = (Watch){ .until = GST_CLOCK_TIME_NONE };
  watch->log = g_string_new (NULL);
  g_mutex_init (&watch->lock);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
          | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      watch_pad, watch, NULL);
}

static void
watch_clear (Watch *watch)
{
  g_string_free (watch->log, TRUE);
  g_mutex_clear (&watch->lock);
}
typedef Watch TestWatch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestWatch, watch_clear)

/* What @properties give for the words, in buffers of up to @most samples;
 * random with a @seed. */
static char *
run (const char *properties, gsize most, guint32 seed)
{
  g_autofree char *description = g_strconcat (FAKE, properties, NULL);
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_autoptr (GRand) rand = seed != 0 ? g_rand_new_with_seed (seed) : NULL;
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = begin (description);

  watch_init (&watch, h);
  push_all (h, samples, N_SAMPLES, most, rand);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_if (watch.torn, "%s", watch.log->str);
  fail_unless_equals_uint64 (watch.until, at (N_SAMPLES));
  char *log = g_strdup (watch.log->str);
  gst_element_set_state (h->element, GST_STATE_NULL);
  return log;
}

/* --- tests --- */

/* Each word leaves with its exact time, and gaps fill the rest. */
GST_START_TEST (test_words)
{
  static const char *const properties[] = { "vad=none granularity=word",
    "vad=level granularity=word", NULL };

  for (guint i = 0; properties[i] != NULL; i++) {
    g_autofree char *log = run (properties[i], 1600, 0);

    for (guint k = 0; k < N_WORDS; k++) {
      const Said *word = &words[k];
      g_autofree char *line =
          g_strdup_printf ("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s\n",
              at (word->begin), at (word->begin + word->n) - at (word->begin),
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
  g_autofree char *log = run ("vad=level", 1600, 0);

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
    g_autoptr (TestHarness) h = begin (descriptions[i / 2]);

    watch_init (&watch, h);
    push_all (h, silence, 5 * RATE, 160, NULL);
    while (!has_reached (&watch, at (4 * RATE))) /* or the test's limit */
      g_usleep (1000);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_if (watch.torn);
    fail_unless_equals_int (watch.n_texts, 0);
    fail_unless (watch.longest_gap <= 250 * GST_MSECOND);
    fail_unless_equals_uint64 (watch.until, at (5 * RATE));
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
      g_autofree char *expected = run (properties[i], 512, 0);

      for (guint32 seed = 1; seed <= 4; seed++) {
        g_autofree char *log =
            run (properties[i], seed % 2 ? 40000 : 700, seed);
        ck_assert_str_eq (log, expected);
      }
    }
  fake_speech.streaming = FALSE;
}
GST_END_TEST

/* Where an utterance is cut, no word is lost or doubled. */
GST_START_TEST (test_cut)
{
  for (guint longest = 2500; longest <= 7000; longest += 500) {
    g_autofree char *properties =
        g_strdup_printf ("vad=none granularity=word max-utterance=%u", longest);
    g_autofree char *log = run (properties, 1600, 0);

    for (guint k = 0; k < N_WORDS; k++) {
      g_autofree char *line =
          g_strdup_printf ("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s\n",
              at (words[k].begin),
              at (words[k].begin + words[k].n) - at (words[k].begin),
              fake_speech_word (words[k].word));
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

/* Partial results change nothing in the stream, and end in the final text. */
GST_START_TEST (test_partial)
{
  g_autofree char *expected = run ("vad=level", 1600, 0);
  g_autofree char *log = run ("vad=level partial-interval=200", 1600, 0);
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = begin (FAKE "vad=level partial-interval=200");
  g_autofree char *last = NULL;
  guint n_partial = 0, n_final = 0, utterance = 0, revision = 0;
  GstMessage *message;

  ck_assert_str_eq (log, expected);
  push_all (h, samples, N_SAMPLES, 1600, NULL);
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
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = begin (FAKE "vad=level partial-interval=400");
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
  push_all (h, samples, N_SAMPLES, 1600, NULL);
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

/* --- flush, seek, EOS --- */

static void
wait_computing (void)
{
  while (!g_atomic_int_get (&fake_speech.computing))
    g_usleep (200);
}

/* In the middle of a decode. */
GST_START_TEST (test_flushed)
{
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < 3; i++) {
    g_autoptr (TestHarness) h = begin (FAKE "vad=level");

    g_atomic_int_set (&fake_speech.end_us, LONG_US);
    push_all (h, samples, 60000, 1600, NULL);
    wait_computing ();
    gint64 start = g_get_monotonic_time ();
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    best = MIN (best, g_get_monotonic_time () - start);
    g_atomic_int_set (&fake_speech.end_us, 0);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
  fail_unless (best <= 50000, "%d us", (int) best);
  fail_unless (g_atomic_int_get (&fake_speech.n_cancelled) >= 3);
}
GST_END_TEST

/* A seek is a fresh pipeline. */
GST_START_TEST (test_seek)
{
  g_autofree char *expected = run ("vad=level granularity=word", 1600, 0);
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = begin (FAKE "vad=level granularity=word");
  GstSegment segment;

  watch_init (&watch, h);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (gsize until = 10000; until < N_SAMPLES; until += 23456) {
    push_all (h, samples, until, 1600, NULL);
    gst_harness_push_event (h, gst_event_new_flush_start ());
    gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (h, gst_event_new_segment (&segment));
  }
  push_all (h, samples, N_SAMPLES, 1600, NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  ck_assert_str_eq (watch.log->str, expected);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* The word that was being said is not lost, where the stream ends or breaks. */
GST_START_TEST (test_drained)
{
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  GstSegment segment;
  GstEvent *events[] = { gst_event_new_eos (),
    gst_event_new_segment_done (GST_FORMAT_TIME, 0),
    gst_event_new_stream_start ("another"),
    gst_event_new_gap (at (16000), 3 * GST_SECOND), NULL,
    gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new_empty ("inferfilter/reset-state")) };

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 3600 * GST_SECOND;
  events[4] = gst_event_new_segment (&segment);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    g_autoptr (TestHarness) h = begin (FAKE "vad=level");

    push_all (h, samples, 16000, 1600, NULL);
    fail_unless (gst_harness_push_event (h, events[i]));
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), at (12345));
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (buffer), at (16000) - at (12345));
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
}
GST_END_TEST

/* So does DISCONT, and the next sample is the first of a sequence. */
GST_START_TEST (test_discont)
{
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_autoptr (TestHarness) h = begin (FAKE "vad=none granularity=word");
  GstBuffer *buffer;

  push_all (h, samples, 14000, 1400, NULL);
  buffer = new_buffer (samples, 14000, 1600);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  GST_BUFFER_PTS (buffer) = at (14000) + 20 * GST_SECOND;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 2);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (buffer), at (14000) - at (12345));
  gst_buffer_unref (buffer);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (
      GST_BUFFER_PTS (buffer), at (14000) + 20 * GST_SECOND);
  gst_buffer_unref (buffer);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* Events leave behind the text of what was said before them. */
GST_START_TEST (test_order)
{
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = begin (FAKE "vad=level");

  watch_init (&watch, h);
  for (gsize i = 0; i < N_SAMPLES; i += 1600) {
    gst_harness_push (h, new_buffer (samples, i, MIN (1600, N_SAMPLES - i)));
    if (i == 16000 || i == 64000)
      gst_harness_push_event (
          h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                 gst_structure_new_empty (i == 16000 ? "inside" : "between")));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  const char *text = strstr (watch.log->str, "one two three");
  const char *inside = strstr (watch.log->str, "event inside");
  const char *next = strstr (watch.log->str, "four five");
  const char *between = strstr (watch.log->str, "event between");
  fail_unless (text != NULL && text < inside && inside < next && next < between
                   && between < strstr (watch.log->str, "six"),
      "%s", watch.log->str);
  fail_if (watch.torn);
  gst_element_set_state (h->element, GST_STATE_NULL);
}
GST_END_TEST

/* As what the next element takes. */
GST_START_TEST (test_formats)
{
  static const struct
  {
    const char *caps, *text;
  } formats[] = {
    { "text/x-raw", "one two threefour fivesix seven eight nine" },
    { "application/x-subtitle",
        "1\n00:00:10,771 --> 00:00:11,687\none two three\n\n"
        "2\n00:00:13,000 --> 00:00:13,624\nfour five\n\n"
        "3\n00:00:15,000 --> 00:00:16,137\nsix seven eight nine\n\n" },
    { "application/x-subtitle-vtt",
        "WEBVTT\n\n00:00:10.771 --> 00:00:11.687\none two three\n\n"
        "00:00:13.000 --> 00:00:13.624\nfour five\n\n"
        "00:00:15.000 --> 00:00:16.137\nsix seven eight nine\n\n" },
    { "application/json", "{\"pts\":10771562500,\"duration\":916000000,"
                          "\"text\":\"one two three\"}\n"
                          "{\"pts\":13000000000,\"duration\":624937500,"
                          "\"text\":\"four five\"}\n"
                          "{\"pts\":15000000000,\"duration\":1137500000,"
                          "\"text\":\"six seven eight nine\"}\n" },
  };
  g_autofree float *samples = say (words, N_WORDS, N_SAMPLES);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h = test_harness (FAKE "vad=level");

    gst_harness_set_live (h, FALSE);
    gst_harness_set_sink_caps_str (h, formats[i].caps);
    begin_stream (h);
    push_all (h, samples, N_SAMPLES, 1600, NULL);
    g_autofree char *text = test_finish_text (h);
    ck_assert_str_eq (text, formats[i].text);
    gst_element_set_state (h->element, GST_STATE_NULL);
  }
}
GST_END_TEST

static Suite *
transcriber_suite (void)
{
  fake_speech_register ();
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  return test_suite ("infertranscriber", NULL, NULL, test_words, test_segments,
      test_gaps, test_any_size, test_cut, test_partial, test_partial_pad,
      test_flushed, test_seek, test_drained, test_discont, test_order,
      test_formats, NULL);
}

GST_CHECK_MAIN (transcriber)
