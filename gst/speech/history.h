/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The latest samples of a sequence, by their numbers.  One thread. */

#pragma once

#include <glib.h>

typedef struct
{
  GArray *samples; /* floats */
  gsize dropped;   /* of them, at the front */
  guint64 end;     /* number of the next sample */
} GstInferHistory;

void gst_infer_history_init (GstInferHistory *history);
void gst_infer_history_clear (GstInferHistory *history);
/* The next sample is number 0. */
void gst_infer_history_reset (GstInferHistory *history);

/* @samples NULL: zeros. */
void gst_infer_history_append (
    GstInferHistory *history, const float *samples, gsize n);
/* The oldest sample that is there. */
guint64 gst_infer_history_begin (const GstInferHistory *history);
/* Samples from number @sample on; valid until the next append or drop. */
const float *gst_infer_history_at (
    const GstInferHistory *history, guint64 sample);
/* Samples before @sample are not needed any more. */
void gst_infer_history_drop (GstInferHistory *history, guint64 sample);
