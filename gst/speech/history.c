/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/history.h"

#include <string.h>

void
gst_infer_history_init (GstInferHistory *history)
{
  history->samples = g_array_new (FALSE, TRUE, sizeof (float));
}

void
gst_infer_history_clear (GstInferHistory *history)
{
  g_clear_pointer (&history->samples, g_array_unref);
}

void
gst_infer_history_reset (GstInferHistory *history)
{
  g_array_set_size (history->samples, 0);
  history->dropped = 0;
  history->end = 0;
}

void
gst_infer_history_append (
    GstInferHistory *history, const float *samples, gsize n)
{
  guint before = history->samples->len;

  if (samples != NULL)
    g_array_append_vals (history->samples, samples, (guint) n);
  else
    g_array_set_size (history->samples, before + (guint) n);
  history->end += n;
}

guint64
gst_infer_history_begin (const GstInferHistory *history)
{
  return history->end - (history->samples->len - history->dropped);
}

const float *
gst_infer_history_at (const GstInferHistory *history, guint64 sample)
{
  gsize back = (gsize) (history->end - sample);

  return &g_array_index (history->samples, float, history->samples->len - back);
}

void
gst_infer_history_drop (GstInferHistory *history, guint64 sample)
{
  guint64 begin = gst_infer_history_begin (history);
  GArray *samples = history->samples;

  if (sample <= begin)
    return;
  history->dropped += (gsize) (MIN (sample, history->end) - begin);
  /* Moved seldom, so that each sample is moved once at most. */
  if (history->dropped >= samples->len - history->dropped) {
    g_array_remove_range (samples, 0, (guint) history->dropped);
    history->dropped = 0;
  }
}
