/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cuts a stream of rows into windows of equal length, each `hop` rows after the
 * one before, however the rows arrive.  A row is one audio frame (a sample of
 * each channel) or one feature vector: `width` floats.  Timestamps are counted
 * in rows from the last known one, so they never drift.
 * Streaming thread only. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstInferWindow GstInferWindow;

/* What a window covers. */
typedef struct
{
  GstClockTime pts, duration; /* of the real rows, without padding */
  guint64 offset, offset_end; /* rows since the last reset */
  gsize rows;                 /* with padding */
} GstInferSpan;

/* A row lasts @row_num / @row_den nanoseconds; 1 ≤ @hop ≤ @length. */
GstInferWindow *gst_infer_window_new (
    guint width, gsize length, gsize hop, guint64 row_num, guint64 row_den);
void gst_infer_window_free (GstInferWindow *window); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferWindow, gst_infer_window_free)

/* Forgets rows and timestamps. */
void gst_infer_window_reset (GstInferWindow *window);

/* Room for @rows more rows, for the caller to fill at once.  @pts (may be
 * NONE): of the first of them; counting starts anew from it where it is off by
 * more than 40 ms.  NULL: that many do not fit in memory. */
float *gst_infer_window_grow (
    GstInferWindow *window, gsize rows, GstClockTime pts);

/* The next whole window, NULL: not enough rows.  Valid until the next call
 * other than this; advance moves on by a hop. */
const float *gst_infer_window_peek (
    const GstInferWindow *window, GstInferSpan *span);
void gst_infer_window_advance (GstInferWindow *window);

/* What is left when the stream ends: rows not in any window so far, with those
 * before them that overlap, filled up with @pad to a multiple of @multiple rows
 * (at most the length).  NULL: nothing is left.  Reset afterwards. */
const float *gst_infer_window_tail (
    GstInferWindow *window, gsize multiple, float pad, GstInferSpan *span);

/* Rows since the last reset, and the span of those from number @first up to
 * @end (all but `rows` of @span). */
guint64 gst_infer_window_count (const GstInferWindow *window);
void gst_infer_window_locate (const GstInferWindow *window, guint64 first,
    guint64 end, GstInferSpan *span);

/* When the next row should come; NONE where not known. */
GstClockTime gst_infer_window_next_pts (const GstInferWindow *window);
/* How long @rows rows last. */
GstClockTime gst_infer_window_rows_time (
    const GstInferWindow *window, guint64 rows);
/* Rows in @duration, to the nearest. */
guint64 gst_infer_window_rows_in (
    const GstInferWindow *window, GstClockTime duration);
/* How long a window and @more rows last. */
GstClockTime gst_infer_window_duration (
    const GstInferWindow *window, gsize more);

G_END_DECLS
