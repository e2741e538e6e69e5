/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* With silero-like.xml: p[t] = (min (energy[t], 1) + p[t - 1]) / 2, so that
 * loud samples are speech from their own window on, and silence is told from it
 * after two windows. */

#include <gst/audio/audio.h>
#include <string.h>

#include "tests/check/support/process.h"
#include "tests/check/support/stream.h"

#define LIKE "vad-model=" SOURCE_ROOT "/tests/data/silero-like.xml "
/* A second of noise after a second of silence: windows 31 to 62 are loud, 63
 * and later are not; 30 ms are added on both sides. */
#define NOISE_BEGIN 16000
#define NOISE_END 32000
#define SPEECH_BEGIN (31 * 512 - 480)
#define SPEECH_END (64 * 512 + 480)
#define LENGTH (4 * TEST_RATE)

/* --- what leaves, in order --- */

typedef struct
{
  GString *text;     /* "gap 0-100 start 100 audio 100-200 end 200" */
  char last[8];      /* kind of the last span */
  guint64 from, to;  /* its samples */
  guint64 reached;   /* until where something has left */
  guint64 most_held; /* samples */
  guint64 pushed;    /* samples that came */
  guint buffers;
} Log;

static guint64
sample_of (GstClockTime time)
{
  return gst_util_uint64_scale_round (time, TEST_RATE, GST_SECOND);
}

static GstClockTime
time_of (guint64 sample)
{
  return gst_util_uint64_scale (sample, GST_SECOND, TEST_RATE);
}

static void
end_span (Log *log)
{
  if (log->last[0] != '\0')
    g_string_append_printf (log->text,
        "%s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " ", log->last, log->from,
        log->to);
  log->last[0] = '\0';
}

static void
add_span (Log *log, const char *kind, GstClockTime pts, GstClockTime duration)
{
  guint64 from = sample_of (pts), to = sample_of (pts + duration);

  if (strcmp (log->last, kind) != 0 || log->to != from) {
    end_span (log);
    g_strlcpy (log->last, kind, sizeof log->last);
    log->from = from;
  }
  log->to = log->reached = to;
}

static void
add_event (Log *log, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  guint64 time;

  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
    GstClockTime pts, duration;

    gst_event_parse_gap (event, &pts, &duration);
    add_span (log, "gap", pts, duration);
  } else if (s != NULL
             && g_str_has_prefix (
                 gst_structure_get_name (s), "infervad/speech-")) {
    fail_unless (gst_structure_get_uint64 (s, "timestamp", &time));
    end_span (log);
    g_string_append_printf (log->text, "%s %" G_GUINT64_FORMAT " ",
        gst_structure_get_name (s) + strlen ("infervad/speech-"),
        sample_of (time));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_TAG) {
    end_span (log);
    g_string_append (log->text, "tag ");
  }
}

static GstPadProbeReturn
watch (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Log *log = data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

    log->buffers++;
    add_span (
        log, "audio", GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer));
  } else {
    add_event (log, GST_PAD_PROBE_INFO_EVENT (info));
  }
  return GST_PAD_PROBE_OK;
}

static GstHarness *
start_with (const char *settings, const char *caps, Log *log)
{
  g_autofree char *description =
      g_strdup_printf ("infervad " LIKE "%s", settings);
  GstHarness *h = test_harness (description);
  g_autoptr (GstPad) pad = gst_pad_get_peer (h->sinkpad);

  *log = (Log){ .text = g_string_new (NULL) };
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch,
      log, NULL);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* (transfer full) */
static char *
end_log (Log *log)
{
  end_span (log);
  return g_string_free (g_steal_pointer (&log->text), FALSE);
}

static void
check_log (Log *log, const char *want)
{
  g_autofree char *text = end_log (log);

  fail_unless_equals_string (text, want);
}

static char *
usual_log (gboolean gap, guint64 at)
{
  guint64 s = at + SPEECH_BEGIN, e = at + SPEECH_END, end = at + LENGTH;

#define N "%" G_GUINT64_FORMAT
  if (gap)
    return g_strdup_printf ("gap " N "-" N " start " N " audio " N "-" N
                            " end " N " gap " N "-" N " ",
        at, s, s, s, e, e, e, end);
  return g_strdup_printf ("start " N " end " N " ", s, e);
#undef N
}

/* --- input --- */

static float *
make_noise (guint64 begin, guint64 end, guint64 length)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  float *samples = g_new0 (float, length);

  for (guint64 i = begin; i < end; i++)
    samples[i] = (float) g_rand_double_range (random, -0.3, 0.3);
  return samples;
}

static void
push_at (GstHarness *h, const float *samples, gsize n, gsize part, guint64 at)
{
  fail_unless_equals_int (
      test_push_samples (h, samples, n, part, time_of (at)), GST_FLOW_OK);
}

static void
push_eos (GstHarness *h)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

/* --- tests --- */

/* Without a gate, the same buffers; events and messages say the same. */
GST_START_TEST (test_untouched)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
  g_autofree char *want = usual_log (FALSE, 0);
  GString *events = g_string_new (NULL);

  for (guint i = 0; i < LENGTH; i += 800) {
    GstBuffer *buffer =
        gst_buffer_new_memdup (samples + i, 800 * sizeof (float));

    GST_BUFFER_PTS (buffer) = time_of (i);
    GST_BUFFER_DURATION (buffer) = time_of (800);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    fail_unless (got == buffer);
  }
  push_eos (h);
  g_autofree char *text = end_log (&log);
  for (char **word = g_strsplit (text, " ", -1), **w = word;; w++) {
    if (*w == NULL) {
      g_strfreev (word);
      break;
    }
    if (strcmp (*w, "start") == 0 || strcmp (*w, "end") == 0)
      g_string_append_printf (events, "%s %s ", w[0], w[1]);
  }
  fail_unless_equals_string (events->str, want);
  g_string_free (events, TRUE);

  guint voices = 0;
  g_autoptr (GstMessage) m = NULL;
  while ((m = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (m);
    gboolean voice;
    guint64 time;

    fail_unless (gst_structure_has_name (s, "voice-activity"));
    fail_unless (gst_structure_get_boolean (s, "stream-has-voice", &voice));
    fail_unless (gst_structure_get_uint64 (s, "timestamp", &time));
    fail_unless_equals_int (voice, voices == 0);
    fail_unless_equals_uint64 (
        time, time_of (voice ? SPEECH_BEGIN : SPEECH_END));
    voices++;
    gst_clear_message (&m);
  }
  fail_unless_equals_int (voices, 2);
}
GST_END_TEST

/* What is speech leaves as it came, GAP events fill the rest; the same for any
 * size of buffers. */
GST_START_TEST (test_gate)
{
  static const gsize parts[] = { 1, 37, 512, 1600, LENGTH };
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
  g_autofree char *want = usual_log (TRUE, 0);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    Log log;
    g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);

    push_at (h, samples, LENGTH, parts[i], 0);
    g_autoptr (GArray) got = test_finish_floats (h);
    check_log (&log, want);
    fail_unless_equals_int (got->len, SPEECH_END - SPEECH_BEGIN);
    fail_unless (
        memcmp (got->data, samples + SPEECH_BEGIN, got->len * sizeof (float))
        == 0);
  }
}
GST_END_TEST

/* Bursts of random lengths: the same events for any size of buffers, and
 * nothing is held for longer than the latency says. */
GST_START_TEST (test_random)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  static const gsize parts[] = { 160, 33, 512, 4000 };

  for (guint run = 0; run < 20; run++) {
    g_autofree float *samples = make_noise (0, LENGTH, LENGTH);
    g_autofree char *want = NULL;
    gboolean loud = FALSE;

    for (guint i = 0; i < LENGTH;) {
      guint n = (guint) g_rand_int_range (random, 1, 6000);

      for (; n > 0 && i < LENGTH; n--, i++)
        samples[i] *= loud ? 1.f : 0.03f;
      loud = !loud;
    }
    for (guint p = 0; p < G_N_ELEMENTS (parts); p++) {
      Log log;
      g_autoptr (TestHarness) h =
          start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
      GstClockTime latency = gst_harness_query_latency (h);

      for (gsize at = 0; at < LENGTH; at += parts[p]) {
        gsize n = MIN (parts[p], LENGTH - at);
        GstBuffer *buffer =
            gst_buffer_new_memdup (samples + at, n * sizeof (float));

        GST_BUFFER_PTS (buffer) = time_of (at);
        GST_BUFFER_DURATION (buffer) = time_of (at + n) - time_of (at);
        fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
        fail_unless (
            time_of (at + n) - time_of (log.reached) <= latency + time_of (n));
      }
      push_eos (h);
      g_autofree char *text = end_log (&log);
      if (want == NULL)
        want = g_steal_pointer (&text);
      else
        fail_unless_equals_string (text, want);
    }
  }
}
GST_END_TEST

static guint
read_numbers (const char *text, guint64 *values, guint most)
{
  guint n = 0;

  while (*text != '\0') {
    if (!g_ascii_isdigit (*text)) {
      text++;
      continue;
    }
    char *end = NULL;
    guint64 value = g_ascii_strtoull (text, &end, 10);
    if (n < most)
      values[n] = value;
    n++;
    text = end;
  }
  return n;
}

/* Other formats, rates and channels: the same times, within a window. */
GST_START_TEST (test_formats)
{
  static const struct
  {
    const char *format;
    guint rate, channels;
  } kinds[] = { { "S16LE", 16000, 2 }, { "S16LE", 48000, 1 },
    { "F32LE", 44100, 6 }, { "S32BE", 8000, 1 }, { "U8", 96000, 2 } };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    guint rate = kinds[k].rate, channels = kinds[k].channels;
    g_autofree char *caps = g_strdup_printf (
        "audio/x-raw, format=%s, layout=interleaved, rate=%u, channels=%u, "
        "channel-mask=(bitmask)0",
        kinds[k].format, rate, channels);
    g_autoptr (GstCaps) parsed = gst_caps_from_string (caps);
    GstAudioInfo info, plain;
    Log log;
    g_autoptr (TestHarness) h = start_with ("gate=gap", caps, &log);
    gsize n = 4 * (gsize) rate;
    g_autofree float *noise = make_noise (rate, 2 * rate, n);
    g_autofree float *frames = g_new (float, n *channels);

    /* Slow enough for 16 kHz. */
    for (gsize i = rate; i < 2 * rate; i++)
      noise[i] = i % (rate / 1000) < rate / 2000 ? 0.3f : -0.3f;
    for (gsize i = 0; i < n * channels; i++)
      frames[i] = noise[i / channels];
    fail_unless (gst_audio_info_from_caps (&info, parsed));
    gst_audio_info_set_format (&plain, GST_AUDIO_FORMAT_F32, (int) rate,
        (int) channels, info.position);
    GstAudioConverter *converter =
        gst_audio_converter_new (0, &plain, &info, NULL);
    gsize size = n * (gsize) info.bpf;
    gpointer bytes = g_malloc (size), in = frames;
    gst_audio_converter_samples (converter, 0, &in, n, &bytes, n);
    gst_audio_converter_free (converter);
    GstBuffer *buffer = gst_buffer_new_wrapped (bytes, size);
    GST_BUFFER_PTS (buffer) = 0;
    GST_BUFFER_DURATION (buffer) = 4 * GST_SECOND;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    push_eos (h);

    g_autofree char *text = end_log (&log);
    guint64 v[8] = { 0 };
    fail_unless_equals_int (read_numbers (text, v, 8), 8);
    fail_unless (v[0] == 0 && v[7] == LENGTH, "%s", text);
    fail_unless (v[1] == v[2] && v[2] == v[3] && v[4] == v[5] && v[5] == v[6],
        "%s", text);
    fail_unless (ABS ((gint64) v[2] - SPEECH_BEGIN) <= 512
                     && ABS ((gint64) v[5] - SPEECH_END) <= 512,
        "%s: %s", caps, text);
  }
}
GST_END_TEST

/* A flush forgets; after it, and after every discontinuity, a stream is as in a
 * fresh element. */
GST_START_TEST (test_flushed)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
  g_autofree char *want = usual_log (TRUE, 100 * TEST_RATE);

  push_at (h, samples, 24000, 999, 0); /* in the middle of speech */
  test_flush (h);
  g_string_truncate (log.text, 0);
  log.last[0] = '\0';
  push_at (h, samples, LENGTH, 1600, 100 * TEST_RATE);
  push_eos (h);
  check_log (&log, want);
}
GST_END_TEST

GST_START_TEST (test_ends)
{
  static const char *const ends[] = { "discont", "gap", "caps", "segment",
    "eos", "stream-start" };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    Log log;
    g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
    g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
    g_autofree char *next = usual_log (TRUE, 100 * TEST_RATE);
    g_autofree char *want = g_strdup_printf (
        "gap 0-%u start %u audio %u-24000 end 24000 %s%s", SPEECH_BEGIN,
        SPEECH_BEGIN, SPEECH_BEGIN, i == 1 ? "gap 24000-32000 " : "", next);
    GstSegment segment;

    push_at (h, samples, 24000, 999, 0);
    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.base = 70 * GST_SECOND;
    if (i == 1)
      gst_harness_push_event (
          h, gst_event_new_gap (time_of (24000), time_of (8000)));
    else if (i == 2)
      gst_harness_set_src_caps_str (h,
          "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, "
          "channels=1, channel-mask=(bitmask)1");
    else if (i == 3)
      gst_harness_push_event (h, gst_event_new_segment (&segment));
    else if (i == 5) {
      gst_harness_push_event (h, gst_event_new_stream_start ("other"));
      gst_harness_push_event (h, gst_event_new_segment (&segment));
    } else if (i == 4) {
      push_eos (h);
      test_flush (h);
    }
    push_at (h, samples, LENGTH, 1600, 100 * TEST_RATE);
    push_eos (h);
    check_log (&log, want);
  }
}
GST_END_TEST

/* Events keep their place among the held buffers, and tags survive a flush. */
GST_START_TEST (test_order)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);

  push_at (h, samples, 20480, 512, 0);
  gst_harness_push_event (
      h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "one", NULL)));
  for (guint at = 20480; at < LENGTH; at += 512) {
    GstBuffer *buffer =
        gst_buffer_new_memdup (samples + at, 512 * sizeof (float));

    GST_BUFFER_PTS (buffer) = time_of (at);
    GST_BUFFER_DURATION (buffer) = time_of (at + 512) - time_of (at);
    gst_harness_push (h, buffer);
  }
  push_eos (h);
  g_autofree char *want = g_strdup_printf (
      "gap 0-%u start %u audio %u-20480 tag audio 20480-%u end "
      "%u gap %u-%u ",
      SPEECH_BEGIN, SPEECH_BEGIN, SPEECH_BEGIN, SPEECH_END, SPEECH_END,
      SPEECH_END, LENGTH);
  check_log (&log, want);
}
GST_END_TEST

GST_START_TEST (test_sticky)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (0, LENGTH, LENGTH);

  push_at (h, samples, 1000, 512, 0); /* nothing is decided yet */
  gst_harness_push_event (
      h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "one", NULL)));
  test_flush (h);
  push_at (h, samples, LENGTH, 512, 0);
  push_eos (h);
  g_autoptr (GstEvent) tag =
      gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_TAG, 0);
  fail_unless (tag != NULL);
  g_free (end_log (&log));
}
GST_END_TEST

/* The stream ends while nothing is linked: what was held is lost, but for
 * sticky events. */
GST_START_TEST (test_sticky_unlinked)
{
  g_autoptr (TestHarness) h = test_harness ("infervad gate=gap min-speech=10");
  g_autofree float *samples = make_noise (0, 4000, 4000);
  g_autoptr (GstPad) src = gst_pad_get_peer (h->sinkpad);
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (h,
      "audio/x-raw, format=F32LE, layout=interleaved, rate=1000, channels=1");
  /* The end decides that it is speech. */
  buffer = gst_buffer_new_memdup (samples, 41 * sizeof (float));
  GST_BUFFER_PTS (buffer) = 0;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gst_harness_push_event (
      h, gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "one", NULL)));
  gst_pad_unlink (src, h->sinkpad);
  buffer = gst_buffer_new_memdup (samples, 16 * sizeof (float));
  GST_BUFFER_PTS (buffer) = GST_SECOND;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_NOT_LINKED);
  fail_unless (gst_pad_link (src, h->sinkpad) == GST_PAD_LINK_OK);
  push_eos (h);
  g_autoptr (GstEvent) tag =
      gst_pad_get_sticky_event (h->sinkpad, GST_EVENT_TAG, 0);
  fail_unless (tag != NULL);
}
GST_END_TEST

/* A day (an hour) of streams that begin anywhere: times are exact. */
GST_START_TEST (test_day)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
  const guint64 day = (guint64) (TEST_IS_SANITIZED ? 1 : 24) * 3600 * TEST_RATE;
  g_autoptr (GString) want = g_string_new (NULL);

  for (guint64 at = 0; at < day;
       at += LENGTH + (guint64) g_rand_int_range (random, 0, 120 * TEST_RATE)) {
    g_autofree char *next = usual_log (TRUE, at);

    if (g_rand_int_range (random, 0, 4) == 0) {
      push_at (h, samples, 30000, 3000, at + 1);
      end_span (&log);
      test_flush (h);
      g_string_truncate (log.text, 0);
      g_string_truncate (want, 0);
    }
    push_at (
        h, samples, LENGTH, (gsize) g_rand_int_range (random, 160, 8000), at);
    g_string_append (want, next);
    gst_harness_push_event (
        h, gst_event_new_gap (time_of (at + LENGTH), GST_CLOCK_TIME_NONE));
    end_span (&log);
    g_autofree char *gap = g_strdup_printf ("gap %" G_GUINT64_FORMAT "-", at);
    fail_unless (strstr (log.text->str, gap) != NULL);
    while (gst_harness_buffers_in_queue (h) > 0)
      gst_buffer_unref (gst_harness_pull (h));
    while (gst_harness_events_in_queue (h) > 0)
      gst_event_unref (gst_harness_pull_event (h));
    const char *tail = strstr (log.text->str, next);
    fail_unless (tail != NULL, "%s: %s", next, log.text->str);
    g_string_truncate (log.text, 0);
  }
  g_free (end_log (&log));
}
GST_END_TEST

/* Running and stream time, in a segment that starts later. */
GST_START_TEST (test_times)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);
  GstSegment segment;
  guint64 running, stream, time;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 500 * GST_MSECOND;
  segment.base = 10 * GST_SECOND;
  segment.time = 30 * GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push_at (h, samples, LENGTH, 1600, 0);
  g_autoptr (GstMessage) m =
      gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT);
  fail_unless (m != NULL);
  const GstStructure *s = gst_message_get_structure (m);
  gst_structure_get (s, "timestamp", G_TYPE_UINT64, &time, "running-time",
      G_TYPE_UINT64, &running, "stream-time", G_TYPE_UINT64, &stream, NULL);
  fail_unless_equals_uint64 (time, time_of (SPEECH_BEGIN));
  fail_unless_equals_uint64 (
      running, time - 500 * GST_MSECOND + 10 * GST_SECOND);
  fail_unless_equals_uint64 (
      stream, time - 500 * GST_MSECOND + 30 * GST_SECOND);
  g_free (end_log (&log));
}
GST_END_TEST

GST_START_TEST (test_latency)
{
  Log log;
  g_autoptr (TestHarness) none = start_with ("", TEST_AUDIO_CAPS, &log);

  fail_unless_equals_uint64 (gst_harness_query_latency (none), 0);
  g_free (end_log (&log));
  g_autoptr (TestHarness) gap = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  /* Two windows, min-speech, min-silence, twice the padding. */
  fail_unless_equals_uint64 (
      gst_harness_query_latency (gap), (64 + 250 + 100 + 60) * GST_MSECOND);
  g_free (end_log (&log));
}
GST_END_TEST

/* Backwards, everything passes. */
GST_START_TEST (test_reverse)
{
  Log log;
  g_autoptr (TestHarness) h = start_with ("gate=gap", TEST_AUDIO_CAPS, &log);
  g_autofree float *samples = make_noise (0, 3200, 3200);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = GST_SECOND;
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  push_at (h, samples, 1600, 1600, 1600);
  push_at (h, samples, 1600, 1600, 0);
  push_eos (h);
  check_log (&log, "audio 1600-3200 audio 0-1600 ");
}
GST_END_TEST

/* The level detector hears a loud sound in silence, too. */
GST_START_TEST (test_level)
{
  g_autoptr (TestHarness) h = test_harness ("infervad gate=gap");
  g_autofree float *samples = make_noise (NOISE_BEGIN, NOISE_END, LENGTH);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  push_at (h, samples, LENGTH, 1600, 0);
  g_autoptr (GArray) got = test_finish_floats (h);
  fail_unless (
      got->len >= TEST_RATE && got->len < 2 * TEST_RATE, "%u", got->len);
}
GST_END_TEST

GST_START_TEST (test_errors)
{
  test_start_fails ("infervad vad-model=/nowhere.onnx", "/nowhere.onnx");
  test_start_fails ("infervad vad-model=" SOURCE_ROOT
                    "/tests/data/summator.xml",
      "not a voice activity detector");
  test_start_fails ("infervad " LIKE "device=TOASTER", "TOASTER");
}
GST_END_TEST

static Suite *
infervad_suite (void)
{
  return test_suite ("infervad", NULL, NULL, test_untouched, test_gate,
      test_random, test_formats, test_flushed, test_ends, test_order,
      test_sticky, test_sticky_unlinked, test_day, test_times, test_latency,
      test_reverse, test_level, test_errors, NULL);
}

GST_CHECK_MAIN (infervad)
