/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams through infertranscriber with a model that hears known words at known
 * samples, and a watch on what leaves. */

#pragma once

#include <string.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/stream.h"

#define RATE FAKE_SPEECH_RATE
#define START (10 * GST_SECOND)
#define FAKE                                                                   \
  "infertranscriber name=t kind=fake model=" SOURCE_ROOT "/tests/data "

typedef struct
{
  guint64 begin, n;
  guint word;
} Said;

/* --- input --- */

/* Samples with what is @said, up to @n. */
static inline float *
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

static inline GstClockTime
at (guint64 sample)
{
  return START + gst_util_uint64_scale (sample, GST_SECOND, RATE);
}

static inline void
begin_stream (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("speech"));
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
}

static inline GstHarness *
begin (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_live (h, FALSE);
  begin_stream (h);
  return h;
}

static inline GstBuffer *
new_buffer (const float *samples, gsize first, gsize n)
{
  GstBuffer *buffer =
      gst_buffer_new_memdup (samples + first, n * sizeof (float));

  GST_BUFFER_PTS (buffer) = at (first);
  GST_BUFFER_DURATION (buffer) = at (first + n) - at (first);
  return buffer;
}

/* Buffers of random sizes up to @most. */
static inline void
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

static inline void
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

static inline void
cover (Watch *watch, GstClockTime begin, GstClockTime duration)
{
  if (GST_CLOCK_TIME_IS_VALID (watch->until) && begin != watch->until)
    watch->torn = TRUE;
  watch->until = begin + duration;
}

static inline GstPadProbeReturn
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

static inline void
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

static inline void
watch_clear (Watch *watch)
{
  g_string_free (watch->log, TRUE);
  g_mutex_clear (&watch->lock);
}
typedef Watch TestWatch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestWatch, watch_clear)

/* What @properties give for the words, in buffers of up to @most samples;
 * random with a @seed. */
static inline char *
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
