/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of rows of logits, some of which may be -INFINITY. */

#pragma once

#include <glib.h>

/* The greatest; -INFINITY for none. */
float whisper_logits_most (const float *logits, gsize n);
/* The index of the first of the greatest; @n > 0. */
gsize whisper_logits_best (const float *logits, gsize n);
/* log (sum (exp (logits * @scale))); -INFINITY for none. */
float whisper_logits_log_sum (const float *logits, gsize n, float scale);
/* The index at which the sum of probabilities softmax (logits * @scale) exceeds
 * @at, in [0, 1). */
gsize whisper_logits_sample (
    const float *logits, gsize n, float scale, double at);
