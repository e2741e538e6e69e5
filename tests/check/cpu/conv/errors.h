/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors of a convolution beside those of sums of direct products. */

#pragma once

#include <glib.h>
#include <math.h>

/* Largest and squared differences from the exact sums. */
typedef struct
{
  double most, squares;
} Errors;

static inline void
errors_add (Errors *errors, double difference)
{
  errors->most = MAX (errors->most, fabs (difference));
  errors->squares += difference * difference;
}

/* At most four times those of direct summation: the mean, and the largest of
 * some thousand. */
static inline void
errors_check (const Errors *got, const Errors *direct, const char *what)
{
  g_test_message ("%s: %.2f, mean %.2f", what, got->most / direct->most,
      sqrt (got->squares / direct->squares));
  g_assert_cmpfloat (got->most, <=, 4 * direct->most);
  g_assert_cmpfloat (got->squares, <=, 16 * direct->squares);
}
