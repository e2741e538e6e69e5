/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vad.h"

void
infer_vad_reset (InferVad *vad)
{
  *vad = (InferVad){ .config = vad->config };
}

static void
give (GArray *events, gboolean speech, guint64 time, float probability)
{
  const InferVadEvent event = { speech, time, probability };

  g_array_append_val (events, event);
}

static guint64
minus (guint64 time, guint64 less, guint64 least)
{
  return time > least && time - least > less ? time - less : least;
}

/* The start is certain. */
static void
tell_start (InferVad *vad, GArray *events)
{
  guint64 pad = vad->config.pad;

  if (vad->ending) {
    pad = MIN (pad, (vad->start - vad->end) / 2);
    give (events, FALSE, vad->end + pad, vad->end_probability);
  }
  give (
      events, TRUE, minus (vad->start, pad, vad->base), vad->start_probability);
  vad->ending = FALSE;
  vad->told = TRUE;
}

/* The end is certain, but for what the next start does to it. */
static void
stop_speaking (InferVad *vad, guint64 end, float probability)
{
  if (vad->told) {
    vad->ending = TRUE;
    vad->end = end;
    vad->end_probability = probability;
  }
  vad->speaking = vad->told = vad->silent = FALSE;
}

/* Gives out an end that no start can move any more. */
static void
settle_end (InferVad *vad, GArray *events)
{
  guint64 reach = vad->end + 2 * vad->config.pad;

  if (!vad->ending || vad->now < reach || (vad->speaking && vad->start < reach))
    return;
  give (events, FALSE, vad->end + vad->config.pad, vad->end_probability);
  vad->ending = FALSE;
}

static void
update (InferVad *vad, float probability, guint64 begin)
{
  if (probability >= vad->config.threshold) {
    vad->silent = FALSE;
    if (vad->speaking)
      return;
    vad->speaking = TRUE;
    vad->start = begin;
    vad->start_probability = probability;
  } else if (vad->speaking && probability < vad->config.neg_threshold) {
    if (!vad->silent)
      vad->silence = begin;
    vad->silent = TRUE;
    if (begin - vad->silence >= vad->config.min_silence)
      stop_speaking (vad, vad->silence, probability);
  }
}

void
infer_vad_push (InferVad *vad, float probability, guint64 begin, guint64 end,
    GArray *events)
{
  if (!vad->begun)
    vad->base = begin;
  vad->begun = TRUE;
  vad->now = end;
  vad->latest = probability;
  update (vad, probability, begin);
  if (vad->speaking && !vad->silent && !vad->told
      && end - vad->start > vad->config.min_speech)
    tell_start (vad, events);
  settle_end (vad, events);
}

void
infer_vad_finish (InferVad *vad, GArray *events)
{
  if (vad->speaking && !vad->told
      && vad->now - vad->start > vad->config.min_speech)
    tell_start (vad, events);
  if (vad->speaking)
    stop_speaking (vad, vad->now, vad->latest);
  if (vad->ending)
    give (events, FALSE, MIN (vad->end + vad->config.pad, vad->now),
        vad->end_probability);
  infer_vad_reset (vad);
}

guint64
infer_vad_decided (const InferVad *vad)
{
  if (vad->ending)
    return vad->end;
  if (vad->speaking && vad->told)
    return vad->silent ? vad->silence : vad->now;
  return minus (
      vad->speaking ? vad->start : vad->now, vad->config.pad, vad->base);
}

guint64
infer_vad_delay (const InferVadConfig *config, guint64 step)
{
  if (step == 0)
    return 0;
  guint64 start = config->min_speech / step * step + config->pad;
  guint64 end = (config->min_silence + step - 1) / step * step;

  return MAX (start, end > config->pad ? end - config->pad : 0);
}
