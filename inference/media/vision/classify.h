/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The best classes of a vector of scores. */

#pragma once

#include <glib.h>

typedef struct
{
  int label;
  float score;
} InferClass;

/* Applies softmax to @scores [n] if any is outside 0 … 1. */
void infer_classify_normalize (float *scores, gsize n);

/* Gets the @k best of @scores [n] except NaN, best first; of equal scores the
 * lower label first.  Returns how many there are, at most min (k, n). */
guint infer_classify_top (
    const float *scores, gsize n, guint k, InferClass *best);
