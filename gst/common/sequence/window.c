/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/sequence/window.h"

#include <string.h>

#include "gst/common/sequence/timeline.h"

struct _GstInferWindow
{
  guint width;
  gsize length, hop;

  float *data;
  gsize capacity;   /* rows */
  gsize head, rows; /* rows before head are no longer needed */
  gsize unused;     /* rows that no window has had yet */
  /* Rows from head that are context: 0 until the first row of a sequence. */
  gsize context, lead;
  float pad;          /* value of context before a sequence */
  guint64 head_index; /* number of the row after those, since the reset */

  GstInferTimeline times; /* of rows */
};

GstInferWindow *
gst_infer_window_new (
    guint width, gsize length, gsize hop, guint64 row_num, guint64 row_den)
{
  g_return_val_if_fail (width > 0 && hop > 0 && hop <= length, NULL);
  g_return_val_if_fail (row_den > 0, NULL);

  GstInferWindow *window = g_new0 (GstInferWindow, 1);
  window->width = width;
  window->length = length;
  window->hop = hop;
  window->times.num = row_num;
  window->times.den = row_den;
  gst_infer_window_reset (window);
  return window;
}

void
gst_infer_window_free (GstInferWindow *window)
{
  if (window == NULL)
    return;
  g_free (window->data);
  g_free (window);
}

void
gst_infer_window_set_context (GstInferWindow *window, gsize context, float pad)
{
  g_return_if_fail (context <= window->length - window->hop);

  window->context = context;
  window->pad = pad;
}

void
gst_infer_window_reset (GstInferWindow *window)
{
  window->lead = 0;
  window->head = window->rows = window->unused = 0;
  window->head_index = 0;
  gst_infer_timeline_reset (&window->times);
}

static gboolean
make_room (GstInferWindow *window, gsize rows)
{
  gsize row_size = window->width * sizeof (float);
  gsize need, capacity;

  if (window->head > 0) {
    memmove (window->data, window->data + window->head * window->width,
        window->rows * row_size);
    window->head = 0;
  }
  if (!g_size_checked_add (&need, window->rows, rows))
    return FALSE;
  if (need <= window->capacity)
    return TRUE;
  capacity = MAX (need, 2 * window->length);
  if (capacity > G_MAXSIZE / row_size)
    return FALSE;
  float *data = g_try_realloc (window->data, capacity * row_size);
  if (data == NULL)
    return FALSE;
  window->data = data;
  window->capacity = capacity;
  return TRUE;
}

/* Rows of context before a sequence. */
static gboolean
begin_sequence (GstInferWindow *window)
{
  if (!make_room (window, window->context))
    return FALSE;
  for (gsize i = 0; i < window->context * window->width; i++)
    window->data[i] = window->pad;
  window->rows = window->lead = window->context;
  return TRUE;
}

float *
gst_infer_window_grow (GstInferWindow *window, gsize rows, GstClockTime pts)
{
  if (window->lead < window->context && !begin_sequence (window))
    return NULL;
  if (!make_room (window, rows))
    return NULL;
  gst_infer_timeline_note (
      &window->times, gst_infer_window_count (window), pts);
  float *at = window->data + window->rows * window->width;
  window->rows += rows;
  window->unused += rows;
  return at;
}

guint64
gst_infer_window_count (const GstInferWindow *window)
{
  return window->head_index + window->rows - window->lead;
}

void
gst_infer_window_locate (const GstInferWindow *window, guint64 first,
    guint64 end, GstInferSpan *span)
{
  span->pts = gst_infer_timeline_at (&window->times, first);
  span->duration =
      GST_CLOCK_TIME_IS_VALID (span->pts)
          ? gst_infer_timeline_at (&window->times, end) - span->pts
          : gst_infer_timeline_duration (&window->times, end - first);
  span->offset = first;
  span->offset_end = end;
}

static void
fill_span (const GstInferWindow *window, gsize real_rows, gsize rows,
    GstInferSpan *span)
{
  gst_infer_window_locate (window, window->head_index,
      window->head_index + real_rows - window->lead, span);
  span->rows = rows;
}

const float *
gst_infer_window_peek (const GstInferWindow *window, GstInferSpan *span)
{
  if (window->rows < window->length)
    return NULL;
  fill_span (window, window->length, window->length, span);
  return window->data + window->head * window->width;
}

void
gst_infer_window_advance (GstInferWindow *window)
{
  g_return_if_fail (window->rows >= window->hop);

  window->unused = MIN (window->unused, window->rows - window->length);
  window->head += window->hop;
  window->rows -= window->hop;
  window->head_index += window->hop;
}

const float *
gst_infer_window_tail (
    GstInferWindow *window, gsize multiple, float pad, GstInferSpan *span)
{
  gsize padded, first, last;

  if (window->unused == 0 || window->rows >= window->length)
    return NULL;
  padded = window->rows + (multiple - window->rows % multiple) % multiple;
  padded = MIN (padded, window->length);
  fill_span (window, window->rows, padded, span);
  first = window->rows * window->width;
  last = padded * window->width;
  if (!make_room (window, padded - window->rows))
    return NULL;
  for (gsize i = first; i < last; i++)
    window->data[i] = pad;
  window->unused = 0;
  return window->data;
}

GstClockTime
gst_infer_window_next_pts (const GstInferWindow *window)
{
  return gst_infer_timeline_at (
      &window->times, gst_infer_window_count (window));
}

GstClockTime
gst_infer_window_rows_time (const GstInferWindow *window, guint64 rows)
{
  return gst_infer_timeline_duration (&window->times, rows);
}

guint64
gst_infer_window_rows_in (const GstInferWindow *window, GstClockTime duration)
{
  if (window->times.num == 0)
    return 0;
  return gst_util_uint64_scale_round (
      duration, window->times.den, window->times.num);
}

GstClockTime
gst_infer_window_duration (const GstInferWindow *window, gsize more)
{
  return gst_infer_timeline_duration (
      &window->times, window->length - window->context + more);
}
