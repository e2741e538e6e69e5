/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Percentiles of measured times. */

#pragma once

#include <glib.h>

static inline int
bench_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* @sorted: (element-type double); 0 if it is empty. */
static inline double
bench_percentile (const GArray *sorted, guint percent)
{
  return sorted->len > 0
             ? g_array_index (sorted, double, (sorted->len - 1) * percent / 100)
             : 0;
}
