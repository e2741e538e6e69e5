/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/pipeline/verdict.h"

#include <stdlib.h>
#include <string.h>

/* A smaller gain is not worth a setting. */
#define LEAST_GAIN 0.02
/* A gain must be so many times the noise: with that, of three settings that do
 * nothing one is announced in less than 5 % of cases (test_noise). */
#define NOISE_FACTOR 2

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Median, and in *@spread half of the distance between the quartiles relative
 * to it: a single disturbed round does not count. */
static double
median (const double *values, guint n, double *spread)
{
  double sorted[TOOL_MOST_ROUNDS];

  memcpy (sorted, values, n * sizeof (double));
  qsort (sorted, n, sizeof (double), compare);
  double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  *spread = (sorted[n - 1 - n / 4] - sorted[n / 4]) / 2 / middle;
  return middle;
}

/* All rounds, but one of each eight.  A setting that is no better wins five of
 * five once in 32 times, and has to win by more than the noise besides. */
static gboolean
wins_rounds (const double *scores, const double *base, guint n)
{
  guint won = 0;

  for (guint r = 0; r < n; r++)
    won += scores[r] > base[r];
  return won + n / 8 >= n;
}

ToolVerdict
tool_judge (const ToolRounds *contenders, guint n_contenders, guint n_rounds)
{
  double medians[TOOL_MOST_CONTENDERS], best = 0;
  ToolVerdict verdict = { 0, 0, 0, 0 };

  for (guint i = 0; i < n_contenders; i++) {
    double spread;

    medians[i] = median (contenders[i].scores, n_rounds, &spread);
    verdict.noise = MAX (verdict.noise, spread);
    if (i > 0)
      best = MAX (best, medians[i]);
  }
  verdict.least = MAX (NOISE_FACTOR * verdict.noise, LEAST_GAIN);
  for (guint i = 1; i < n_contenders; i++) {
    double gain = medians[i] / medians[0] - 1;

    if (medians[i] < best * (1 - verdict.noise) || gain <= verdict.least
        || !wins_rounds (contenders[i].scores, contenders[0].scores, n_rounds))
      continue;
    verdict.winner = i;
    verdict.gain = gain;
    return verdict;
  }
  return verdict;
}
