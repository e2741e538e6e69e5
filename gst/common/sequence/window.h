/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cuts a stream of rows into windows of equal length, each `hop` rows after the
 * previous one, whatever the size of the buffers.  A row is one audio frame (a
 * sample of each channel) or one feature vector: `width` floats.  Timestamps
 * are counted in rows from the last known one, so they never drift.  A window
 * may repeat rows before its own as context; numbers and times are those of its
 * own.  Streaming thread only. */

#pragma once

#include <gst/gst.h>

typedef struct _GstInferWindow GstInferWindow;

/* The part of the stream that a window covers. */
typedef struct
{
  GstClockTime pts, duration; /* without padding */
  guint64 offset, offset_end; /* rows since the last reset */
  gsize rows;                 /* with padding and context */
} GstInferSpan;

/* A row lasts @row_num / @row_den nanoseconds; 1 ≤ @hop ≤ @length. */
GstInferWindow *gst_infer_window_new (
    guint width, gsize length, gsize hop, guint64 row_num, guint64 row_den);
void gst_infer_window_free (GstInferWindow *window); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferWindow, gst_infer_window_free)

/* Before the first row: of each window's rows the first @context (at most
 * length - hop) are those before its own, @pad where the sequence has none. */
void gst_infer_window_set_context (
    GstInferWindow *window, gsize context, float pad);

/* Forgets rows and timestamps. */
void gst_infer_window_reset (GstInferWindow *window);

/* Returns room for @rows more rows, to be filled at once; NULL: no memory.
 * @pts: of the first of them, or NONE; counting starts again from it where it
 * is off by more than 40 ms. */
float *gst_infer_window_grow (
    GstInferWindow *window, gsize rows, GstClockTime pts);

/* The next whole window; NULL: not enough rows.  Valid until the next call of
 * another function; advance moves on by a hop. */
const float *gst_infer_window_peek (
    const GstInferWindow *window, GstInferSpan *span);
void gst_infer_window_advance (GstInferWindow *window);

/* The last window when the stream ends: the rows that no window had, after
 * those that overlap, padded with @pad to a multiple of @multiple rows (at most
 * the length).  NULL: there are none.  Reset afterwards. */
const float *gst_infer_window_tail (
    GstInferWindow *window, gsize multiple, float pad, GstInferSpan *span);

/* Rows since the last reset; the span of the rows from number @first up to @end
 * (all fields but `rows`). */
guint64 gst_infer_window_count (const GstInferWindow *window);
void gst_infer_window_locate (const GstInferWindow *window, guint64 first,
    guint64 end, GstInferSpan *span);

/* The timestamp that the next row should have; NONE: not known. */
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
