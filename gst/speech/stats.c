/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/stats.h"

#include <string.h>

void
gst_infer_speech_stats_reset (GstInferSpeechStats *stats)
{
  g_mutex_lock (&stats->lock);
  stats->counters = (GstInferSpeechCounters){ 0 };
  g_mutex_unlock (&stats->lock);
}

void
gst_infer_speech_stats_count (
    GstInferSpeechStats *stats, guint64 *counter, guint64 n)
{
  g_mutex_lock (&stats->lock);
  *counter += n;
  g_mutex_unlock (&stats->lock);
}

static const char *const reasons[GST_INFER_SPEECH_REASONS] = { "no-speech",
  "log-probability", "compression", "loop", "time", "other" };

void
gst_infer_speech_stats_dropped (GstInferSpeechStats *stats, const char *reason)
{
  guint i = 0;

  while (i + 1 < GST_INFER_SPEECH_REASONS && strcmp (reasons[i], reason) != 0)
    i++;
  gst_infer_speech_stats_count (stats, &stats->counters.dropped[i], 1);
}

void
gst_infer_speech_stats_add (
    GstInferSpeechStats *stats, GstInferWork *work, gint64 begin)
{
  guint64 ns = (guint64) MAX (g_get_monotonic_time () - begin, 0) * GST_USECOND;

  g_mutex_lock (&stats->lock);
  work->n++;
  work->sum += ns;
  work->max = MAX (work->max, ns);
  g_mutex_unlock (&stats->lock);
}

static void
report (GstStructure *s, const char *name, const GstInferWork *work)
{
  g_autoptr (GstStructure) field =
      gst_structure_new ("work", "n", G_TYPE_UINT64, work->n, "mean",
          G_TYPE_UINT64, work->n > 0 ? work->sum / work->n : 0, "max",
          G_TYPE_UINT64, work->max, NULL);

  gst_structure_set (s, name, GST_TYPE_STRUCTURE, field, NULL);
}

static void
report_dropped (GstStructure *s, const guint64 *dropped)
{
  g_autoptr (GstStructure) field = gst_structure_new_empty ("dropped");

  for (guint i = 0; i < GST_INFER_SPEECH_REASONS; i++)
    if (dropped[i] > 0)
      gst_structure_set (field, reasons[i], G_TYPE_UINT64, dropped[i], NULL);
  gst_structure_set (s, "dropped", GST_TYPE_STRUCTURE, field, NULL);
}

GstStructure *
gst_infer_speech_stats_to_structure (GstInferSpeechStats *stats, guint rate)
{
  g_mutex_lock (&stats->lock);
  GstInferSpeechCounters c = stats->counters;
  g_mutex_unlock (&stats->lock);
  guint64 audio =
      rate > 0 ? gst_util_uint64_scale (c.samples, GST_SECOND, rate) : 0;
  guint64 computed =
      c.voice.sum + c.push.sum + c.partial.sum + c.prepare.sum + c.end.sum;
  GstStructure *s = gst_structure_new ("stats", "buffers", G_TYPE_UINT64,
      c.buffers, "audio", G_TYPE_UINT64, audio, "utterances", G_TYPE_UINT64,
      c.utterances, "finals", G_TYPE_UINT64, c.finals, "words", G_TYPE_UINT64,
      c.words, "gaps", G_TYPE_UINT64, c.gaps, "partials", G_TYPE_UINT64,
      c.partials, "partials-skipped", G_TYPE_UINT64, c.partials_skipped,
      "resets", G_TYPE_UINT64, c.resets, "real-time-factor", G_TYPE_DOUBLE,
      audio > 0 ? (double) computed / (double) audio : 0, NULL);

  report (s, "voice", &c.voice);
  report (s, "push", &c.push);
  report (s, "partial", &c.partial);
  report (s, "prepare", &c.prepare);
  report (s, "end", &c.end);
  report_dropped (s, c.dropped);
  return s;
}
