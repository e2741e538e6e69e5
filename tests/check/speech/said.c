/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/speech/said.h"

#include <string.h>

const Said said_words[N_WORDS] = {
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

float *
said_samples (const Said *said, guint n_said, gsize n)
{
  float *samples = g_new0 (float, n);

  for (guint i = 0; i < n_said; i++)
    fake_speech_say (samples + said[i].begin, said[i].n, said[i].word);
  return samples;
}

GstClockTime
said_time (guint64 sample)
{
  return START + gst_util_uint64_scale (sample, GST_SECOND, RATE);
}

void
said_begin_stream (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("speech"));
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
}

GstHarness *
said_begin (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_live (h, FALSE);
  said_begin_stream (h);
  return h;
}

GstBuffer *
said_buffer (const float *samples, gsize first, gsize n)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (samples + first, n * sizeof (float));

  GST_BUFFER_PTS (buffer) = said_time (first);
  GST_BUFFER_DURATION (buffer) = said_time (first + n) - said_time (first);
  return buffer;
}

void
said_push_all (
    GstHarness *h, const float *samples, gsize n, gsize most, GRand *rand)
{
  for (gsize i = 0; i < n;) {
    gsize part = rand != NULL
                     ? (gsize) g_rand_int_range (rand, 1, (gint32) most + 1)
                     : most;

    part = MIN (part, n - i);
    fail_unless_equals_int (
        gst_harness_push (h, said_buffer (samples, i, part)), GST_FLOW_OK);
    i += part;
  }
}

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

void
said_watch_init (Watch *watch, GstHarness *h)
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

void
said_watch_clear (Watch *watch)
{
  g_string_free (watch->log, TRUE);
  g_mutex_clear (&watch->lock);
}

char *
said_run (const char *properties, gsize most, guint32 seed)
{
  g_autofree char *description = g_strconcat (FAKE, properties, NULL);
  g_autofree float *samples = said_samples (said_words, N_WORDS, N_SAMPLES);
  g_autoptr (GRand) rand = seed != 0 ? g_rand_new_with_seed (seed) : NULL;
  g_auto (TestWatch) watch;
  g_autoptr (TestHarness) h = said_begin (description);

  said_watch_init (&watch, h);
  said_push_all (h, samples, N_SAMPLES, most, rand);
  gst_harness_push_event (h, gst_event_new_eos ());
  test_wait_eos (h);
  fail_if (watch.torn, "%s", watch.log->str);
  fail_unless_equals_uint64 (watch.until, said_time (N_SAMPLES));
  char *log = g_strdup (watch.log->str);
  gst_element_set_state (h->element, GST_STATE_NULL);
  return log;
}
