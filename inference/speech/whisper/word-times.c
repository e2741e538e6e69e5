/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/word-times.h"

#include <stdlib.h>

/* OpenAI's bounds: a word of the median length lasts at most 0.7 s, none longer
 * than twice the median next to a pause. */
#define MEDIAN_MOST 70.0 /* frames of 10 ms */
#define LONG 2.0

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y ? 1 : 0;
}

static double
median_length (const WhisperWordTime *words, guint n)
{
  g_autofree double *lengths = g_new (double, n);
  guint k = 0;

  for (guint i = 0; i < n; i++)
    if (words[i].end > words[i].start)
      lengths[k++] = words[i].end - words[i].start;
  if (k == 0)
    return 0;
  qsort (lengths, k, sizeof *lengths, compare);
  return MIN (MEDIAN_MOST, lengths[k / 2]);
}

void
whisper_word_times_trim (
    WhisperWordTime *words, guint n, double from, double to)
{
  double most = LONG * median_length (words, n);

  for (guint i = 0; i < n && most > 0; i++) {
    WhisperWordTime *w = &words[i];

    if (w->end - w->start <= most)
      continue;
    if (i == 0 || words[i - 1].sentence)
      w->start = w->end - most;
    else if (w->sentence || i + 1 == n)
      w->end = w->start + most;
  }
  for (guint i = 0; i < n; i++) {
    double least = i > 0 ? words[i - 1].end : from;

    words[i].start = CLAMP (words[i].start, MIN (least, to), to);
    words[i].end = CLAMP (words[i].end, words[i].start, to);
  }
}
