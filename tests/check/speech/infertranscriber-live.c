/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber: too slow a model, latency, downstream, states, models that
 * do not load. */

#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/stream.h"

#define RATE FAKE_SPEECH_RATE
#define FOLDER SOURCE_ROOT "/tests/data"
#define ANY "infertranscriber name=t kind=fake model=" FOLDER " "
#define FAKE ANY "vad=level "
#define PART 1600

/* A word of 300 ms at the beginning of each second. */
static float *
say_words (guint n)
{
  float *samples = g_new0 (float, n *RATE);

  for (guint i = 0; i < n; i++)
    fake_speech_say (samples + i * RATE, 300 * RATE / 1000, i % 9);
  return samples;
}

static GstHarness *
begin (const char *description, gboolean live)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_live (h, live);
  gst_harness_push_event (h, gst_event_new_stream_start ("speech"));
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

static GstFlowReturn
push_part (GstHarness *h, const float *samples, gsize i)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (samples + i, PART * sizeof (float));

  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, RATE);
  return gst_harness_push (h, buffer);
}

static GstFlowReturn
push_all (GstHarness *h, const float *samples, gsize n)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (gsize i = 0; i < n && flow == GST_FLOW_OK; i += PART)
    flow = push_part (h, samples, i);
  return flow;
}

static GstElement *
transcriber (GstHarness *h)
{
  return gst_bin_get_by_name (GST_BIN (h->element), "t");
}

static guint64
get_stat (GstHarness *h, const char *name)
{
  g_autoptr (GstElement) element = transcriber (h);
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = G_MAXUINT64;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);
  return value;
}

static guint
count_messages (GstHarness *h, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (test_bus (h), type)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

static void
end (GstHarness *h)
{
  gst_element_set_state (h->element, GST_STATE_NULL);
  test_teardown (h);
}

/* --- too slow --- */

/* Live: all words leave, partial results do not, and one warning says why. */
GST_START_TEST (test_overload)
{
  g_autofree float *samples = say_words (60);
  GstHarness *h = begin (
      FAKE "granularity=word partial-interval=100 min-silence=100", TRUE);

  g_atomic_int_set (&fake_speech.end_us, 10000);
  g_atomic_int_set (&fake_speech.partial_us, 20000);
  fail_unless_equals_int (push_all (h, samples, 60 * RATE), GST_FLOW_OK);
  fail_unless (get_stat (h, "waiting") > 10 * GST_SECOND);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 60);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 1);
  fail_unless (get_stat (h, "partials-skipped") > 0);
  fail_unless_equals_int (get_stat (h, "words"), 60);
  g_atomic_int_set (&fake_speech.end_us, 0);
  g_atomic_int_set (&fake_speech.partial_us, 0);
  end (h);
}
GST_END_TEST

/* Not live: upstream waits, no partial result is left out, nobody is warned. */
GST_START_TEST (test_back_pressure)
{
  g_autofree float *samples = say_words (60);
  GstHarness *h = begin (
      FAKE "granularity=word partial-interval=100 min-silence=100", FALSE);

  g_atomic_int_set (&fake_speech.end_us, 2000);
  for (gsize i = 0; i < 60 * RATE; i += PART) {
    fail_unless_equals_int (push_part (h, samples, i), GST_FLOW_OK);
    fail_unless (get_stat (h, "waiting") <= 6 * GST_SECOND);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 60);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
  fail_unless_equals_int (get_stat (h, "partials-skipped"), 0);
  g_atomic_int_set (&fake_speech.end_us, 0);
  end (h);
}
GST_END_TEST

/* --- ends that are prepared --- */

/* Live: in the silence after a word that may be the last, once for each; where
 * somebody goes on, the text is that of the whole utterance.  Not live: never.
 */
GST_START_TEST (test_prepared)
{
  g_autofree float *samples = g_new0 (float, 10 * RATE);

  for (guint i = 0; i < 10; i++) { /* pauses of 400 and 1000 ms */
    guint at = (i / 2 * 2000 + i % 2 * 700) * RATE / 1000;
    fake_speech_say (samples + at, 300 * RATE / 1000, i % 9);
  }
  for (guint live = 0; live < 2; live++) {
    GstHarness *h = begin (FAKE "min-silence=500 pad=50", live);
    gint before = g_atomic_int_get (&fake_speech.n_prepared);

    /* Never behind, so that none is left out. */
    for (gsize i = 0; i < 10 * RATE; i += PART) {
      fail_unless_equals_int (push_part (h, samples, i), GST_FLOW_OK);
      while (get_stat (h, "waiting") > PART * GST_SECOND / RATE)
        g_usleep (100);
    }
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 5);
    fail_unless_equals_int (
        g_atomic_int_get (&fake_speech.n_prepared) - before, live ? 10 : 0);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    gst_check_buffer_data (buffer, "one two\n", strlen ("one two\n"));
    end (h);
  }
}
GST_END_TEST

/* --- latency --- */

static GstClockTime
query_latency (GstHarness *h)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "src");
  GstClockTime min, max;
  gboolean live;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  return min;
}

/* As set; or at least what the rules need, then what was seen, of which a
 * message tells. */
GST_START_TEST (test_latency)
{
  g_autofree float *samples = say_words (10);
  GstHarness *h = begin (FAKE "latency=1234 min-silence=100", TRUE);
  guint delay = 0;

  fail_unless_equals_uint64 (query_latency (h), 1234 * GST_MSECOND);
  end (h);

  h = begin (FAKE "min-silence=800 pad=100", TRUE);
  fail_unless (query_latency (h) >= 900 * GST_MSECOND);
  fail_unless (query_latency (h) <= 1500 * GST_MSECOND);
  g_atomic_int_set (&fake_speech.end_us, 1600000);
  push_all (h, samples, 2 * RATE);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  g_atomic_int_set (&fake_speech.end_us, 0);
  fail_unless (count_messages (h, GST_MESSAGE_LATENCY) >= 1);
  fail_unless (query_latency (h) >= 2000 * GST_MSECOND);
  g_autoptr (GstElement) element = transcriber (h);
  g_object_get (element, "max-observed-delay", &delay, NULL);
  fail_unless (delay >= 1600 && delay < 60000, "%u", delay);
  g_clear_object (&element);
  end (h);
}
GST_END_TEST

/* Texts are shown later, and nothing else changes. */
GST_START_TEST (test_lateness)
{
  g_autofree float *samples = say_words (2);
  GstHarness *h = begin (FAKE "lateness=700", FALSE);
  GstEvent *event;
  GstClockTime base = 0;

  push_all (h, samples, 2 * RATE);
  g_autoptr (GstBuffer) buffer = NULL;
  gst_harness_push_event (h, gst_event_new_eos ());
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    const GstSegment *segment;

    if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment (event, &segment);
      base = segment->base;
    }
    gst_event_unref (event);
  }
  fail_unless_equals_uint64 (base, 700 * GST_MSECOND);
  end (h);
}
GST_END_TEST

/* Words that are not final yet leave when their time has come, once. */
GST_START_TEST (test_deadline)
{
  g_autofree float *samples = say_words (8);
  GstHarness *h = begin (FAKE
      "commit=deadline latency=2000 granularity=word min-silence=2000",
      FALSE);

  push_all (h, samples, 8 * RATE);
  for (guint i = 0; i < 5; i++) { /* the utterance has not ended */
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * GST_SECOND);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless_equals_int (gst_harness_buffers_received (h), 8);
  end (h);
}
GST_END_TEST

/* --- downstream --- */

/* Its flow reaches upstream, and linked again it goes on. */
GST_START_TEST (test_unlinked)
{
  g_autofree float *samples = say_words (20);
  GstHarness *h = begin (FAKE "min-silence=100", FALSE);
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  fail_unless (gst_pad_unlink (src, h->sinkpad));
  for (gsize i = 0; i < 200 * 20 * RATE && flow == GST_FLOW_OK; i += PART) {
    flow = push_part (h, samples, i % (20 * RATE));
    g_usleep (100);
  }
  fail_unless_equals_int (flow, GST_FLOW_NOT_LINKED);
  fail_unless (gst_pad_link (src, h->sinkpad) == GST_PAD_LINK_OK);
  fail_unless_equals_int (push_all (h, samples, 20 * RATE), GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_unless (gst_harness_buffers_received (h) >= 19);
  end (h);
}
GST_END_TEST

static gboolean
is_qos (GstHarness *h)
{
  g_autoptr (GstEvent) event = gst_harness_try_pull_upstream_event (h);

  return event != NULL
         && (GST_EVENT_TYPE (event) == GST_EVENT_QOS || is_qos (h));
}

/* Late texts make nobody upstream drop audio. */
GST_START_TEST (test_qos)
{
  GstHarness *h = begin (FAKE, TRUE);

  gst_harness_push_upstream_event (
      h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2, GST_SECOND, GST_SECOND));
  fail_if (is_qos (h));
  end (h);
}
GST_END_TEST

/* An error of the model ends the stream: one message, and EOS downstream. */
GST_START_TEST (test_failure)
{
  g_autofree float *samples = say_words (20);
  GstHarness *h = begin (FAKE "min-silence=100", FALSE);

  g_atomic_int_set (&fake_speech.fails, TRUE);
  GstFlowReturn flow = push_all (h, samples, 20 * RATE);
  test_wait_eos (h);
  fail_unless (
      flow == GST_FLOW_ERROR || push_part (h, samples, 0) == GST_FLOW_ERROR);
  g_autofree char *error = test_pop_error (h);
  fail_unless (
      error != NULL && strstr (error, "the fake speech model fails") != NULL,
      "%s", error);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  end (h);
}
GST_END_TEST

/* --- states --- */

static gpointer
keep_pushing (gpointer data)
{
  GstHarness *h = data;
  g_autofree float *samples = say_words (9);

  while (push_all (h, samples, 9 * RATE) == GST_FLOW_OK)
    continue;
  return NULL;
}

/* Up and down at any moment, while samples come and the model computes. */
GST_START_TEST (test_states)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_atomic_int_set (&fake_speech.end_us, 3000);
  for (guint i = 0; i < 60; i++) {
    GstHarness *h = begin (FAKE "partial-interval=200 min-silence=100", i % 2);
    GThread *thread = g_thread_new ("push", keep_pushing, h);

    g_usleep ((gulong) g_rand_int_range (rand, 0, 20000));
    if (i % 3 == 0) {
      gst_element_set_state (h->element, GST_STATE_PAUSED);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 3000));
      gst_element_set_state (h->element, GST_STATE_PLAYING);
    }
    if (i % 4 == 0) {
      gst_harness_push_event (h, gst_event_new_flush_start ());
      g_thread_join (thread);
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      gst_harness_push_event (h, gst_event_new_segment (&segment));
      thread = g_thread_new ("push", keep_pushing, h);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 3000));
    }
    gst_element_set_state (h->element, GST_STATE_NULL);
    g_thread_join (thread);
    end (h);
  }
  g_atomic_int_set (&fake_speech.end_us, 0);
}
GST_END_TEST

/* READY and PAUSED again: a fresh element. */
GST_START_TEST (test_again)
{
  g_autofree float *samples = say_words (3);
  GstHarness *h = begin (FAKE, FALSE);

  for (guint i = 1; i <= 3; i++) {
    push_all (h, samples, 3 * RATE);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_unless_equals_int (gst_harness_buffers_received (h), 3 * i);
    gst_element_set_state (h->element, GST_STATE_READY);
    gst_element_set_state (h->element, GST_STATE_PLAYING);
    gst_harness_push_event (h, gst_event_new_stream_start ("speech"));
    gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  }
  end (h);
}
GST_END_TEST

/* --- models --- */

/* Elements of equal settings share a model. */
GST_START_TEST (test_shared)
{
  gint before = g_atomic_int_get (&fake_speech.n_loaded);
  GstHarness *a = begin (FAKE, FALSE);
  GstHarness *b = begin (FAKE "min-silence=50", FALSE);

  fail_unless_equals_int (g_atomic_int_get (&fake_speech.n_loaded), before + 1);
  end (a);
  end (b);
  a = begin (FAKE, FALSE);
  fail_unless_equals_int (g_atomic_int_get (&fake_speech.n_loaded), before + 2);
  end (a);
}
GST_END_TEST

/* Each says what is wrong and where. */
GST_START_TEST (test_start_errors)
{
  test_start_fails ("infertranscriber", "set the property 'model'");
  test_start_fails ("infertranscriber model=/nowhere/model", "/nowhere/model");
  test_start_fails ("infertranscriber model=" FOLDER " kind=nothing",
      "no kind of speech model called 'nothing'");
  test_start_fails ("infertranscriber model=" SOURCE_ROOT "/docs", "docs");
  test_start_fails (
      FAKE "task=translate", "the kind 'fake' has no setting 'task'");
  test_start_fails (FAKE "options=abc", "'abc' in 'options'");
  test_start_fails (ANY "vad=silero", "vad-model");
  test_start_fails (
      ANY "vad=silero vad-model=/nowhere/silero.onnx", "/nowhere/silero.onnx");
}
GST_END_TEST

/* What may change at any time counts from the next utterance on. */
GST_START_TEST (test_phrases)
{
  g_autofree float *samples = say_words (1);
  GstHarness *h = begin (FAKE, FALSE);
  g_autoptr (GstElement) element = transcriber (h);
  static const char *const phrases[] = { NULL, "a", "b", NULL };
  static const char *const texts[] = { "one\n", "aone\n", "bone\n", "one\n" };

  for (guint i = 0; i < G_N_ELEMENTS (phrases); i++) {
    g_object_set (element, "phrases", phrases[i], NULL);
    push_all (h, samples, RATE);
    gst_harness_push_event (h, gst_event_new_segment_done (GST_FORMAT_TIME, 0));
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless (buffer != NULL);
    gst_check_buffer_data (buffer, texts[i], strlen (texts[i]));
  }
  g_clear_object (&element);
  end (h);
}
GST_END_TEST

/* --- in transcriberbin --- */

static gboolean
answer_live (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return FALSE;
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* What gst-plugins-rs' transcriberbin does before it uses a transcriber: sets
 * its own latency, lateness and language, and asks it for its latency while it
 * is PAUSED behind a live source that is not. */
GST_START_TEST (test_bin_latency)
{
  g_autoptr (GstElement) t = gst_object_ref_sink (
      g_object_new (GST_TYPE_INFER_TRANSCRIBER, "kind", "fake", "model", FOLDER,
          "latency", 4000u, "lateness", 0u, "language-code", "en-US", NULL));
  g_autoptr (GstPad) source =
      gst_object_ref_sink (gst_pad_new ("source", GST_PAD_SRC));
  g_autoptr (GstPad) sink = gst_element_get_static_pad (t, "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (t, "src");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min, max;
  static const char *const asked[] = { "latency", "lateness" };
  gboolean live;

  /* It sets them only if they are of this type. */
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++) {
    const GParamSpec *spec =
        g_object_class_find_property (G_OBJECT_GET_CLASS (t), asked[i]);

    fail_unless (spec != NULL && spec->value_type == G_TYPE_UINT);
  }
  fail_unless (pad != NULL);
  /* Without languages to translate to, it asks for no pad. */
  fail_unless (gst_element_get_pad_template (t, "translate_src_%u") == NULL);
  gst_pad_set_query_function (source, answer_live);
  fail_unless (gst_pad_link (source, sink) == GST_PAD_LINK_OK);
  fail_unless (
      gst_element_set_state (t, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, 4 * GST_SECOND);
  fail_unless (gst_pad_unlink (source, sink));
  gst_element_set_state (t, GST_STATE_NULL);
}
GST_END_TEST

static GstPadProbeReturn
count_finals (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (gst_event_has_name (info->data, "rstranscribe/final-transcript"))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static GstEvent *
pull_item (GstHarness *h)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (h)) != NULL
         && !gst_event_has_name (event, "rstranscribe/new-item"))
    gst_event_unref (event);
  return event;
}

/* For its textwrap: a buffer for each word, with nothing but the word in it;
 * and the events of other transcribers. */
GST_START_TEST (test_bin_text)
{
  g_autofree float *samples = say_words (2);
  GstHarness *h = begin (FAKE "latency=4000 language-code=en-US "
                              "granularity=word min-silence=100",
      TRUE);
  static const char *const texts[] = { "one", "two" };

  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  gint n_finals = 0;

  gst_pad_add_probe (
      src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count_finals, &n_finals, NULL);
  gst_harness_set_sink_caps_str (h, "text/x-raw, format=utf8");
  push_all (h, samples, 2 * RATE);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    g_autoptr (GstEvent) item = pull_item (h);
    GstClockTime running = GST_CLOCK_TIME_NONE, duration = 0;

    gst_check_buffer_data (buffer, texts[i], strlen (texts[i]));
    fail_unless (item != NULL);
    const GstStructure *s = gst_event_get_structure (item);
    ck_assert_str_eq (gst_structure_get_string (s, "content"), texts[i]);
    fail_unless (gst_structure_get_uint64 (s, "running-time", &running));
    fail_unless (gst_structure_get_uint64 (s, "duration", &duration));
    fail_unless_equals_uint64 (running, GST_BUFFER_PTS (buffer));
    fail_unless_equals_uint64 (duration, GST_BUFFER_DURATION (buffer));
  }
  fail_unless_equals_int (g_atomic_int_get (&n_finals), 2);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
  end (h);
}
GST_END_TEST

/* --- formats --- */

/* Channels are mixed; a wrong rate is refused with words. */
GST_START_TEST (test_formats)
{
  g_autofree float *samples = say_words (2);
  g_autofree gint16 *stereo = g_new0 (gint16, 4 * RATE);
  GstHarness *h = begin (FAKE "granularity=word", FALSE);

  gst_harness_set_src_caps_str (h,
      "audio/x-raw, format=S16LE, layout=interleaved, rate=16000, channels=2, "
      "channel-mask=(bitmask)3");
  for (guint i = 0; i < 2 * RATE; i++)
    stereo[2 * i] =
        (gint16) (samples[i] * 32767 * 2); /* the mean is as it was */
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_memdup (stereo,
                                                   4 * RATE * sizeof (gint16))),
      GST_FLOW_OK);
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autoptr (GstBuffer) first_buffer = gst_harness_pull (h);
  gst_check_buffer_data (first_buffer, "one\n", 4);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (first_buffer), 0);
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (first_buffer), 300 * GST_MSECOND);
  end (h);

  h = test_harness (FAKE);
  gst_harness_set_src_caps_str (h,
      "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1");
  gst_harness_push (h, gst_buffer_new_and_alloc (400));
  g_autofree char *error = test_pop_error (h);
  fail_unless (
      error != NULL && strstr (error, "16000 Hz") != NULL, "%s", error);
  end (h);
}
GST_END_TEST

static Suite *
live_suite (void)
{
  fake_speech_register ();
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  return test_suite ("infertranscriber-live", NULL, NULL, test_overload,
      test_back_pressure, test_prepared, test_latency, test_lateness,
      test_deadline, test_unlinked, test_qos, test_failure, test_states,
      test_again, test_shared, test_start_errors, test_phrases,
      test_bin_latency, test_bin_text, test_formats, NULL);
}

GST_CHECK_MAIN (live)
