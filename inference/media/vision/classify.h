/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scores of classes → the best of them. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int label;
  float score;
} InferClass;

/* Makes @scores [n] parts of 1 where they are not yet: softmax where one is
 * beyond 0…1, otherwise nothing. */
void infer_classify_normalize (float *scores, gsize n);

/* The @k best of @scores [n], best first; of equals the lower label.  Returns
 * how many: min (k, n).  NaN is never among them. */
guint infer_classify_top (
    const float *scores, gsize n, guint k, InferClass *best);

G_END_DECLS
