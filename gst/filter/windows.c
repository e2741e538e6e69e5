/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: audio and feature vectors (rows) to windows, each of which
 * is an inference. */

#include <string.h>

#include "gst/common/error-message.h"
#include "gst/common/samples.h"
#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"
#include "infer/error.h"

static gboolean
fail_rows (guint64 rows, GError **error)
{
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "no memory for %" G_GUINT64_FORMAT " rows of input", rows);
}

static GstFlowReturn
fail_memory (GstInferFilter *self, guint64 rows)
{
  g_autoptr (GError) error = NULL;

  fail_rows (rows, &error);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

static void
pad_rows (const GstInferInput *input, gsize rows, float *to)
{
  for (gsize i = 0; i < rows * input->width; i++)
    to[i] = input->pad;
}

/* --- windows of their own --- */

/* How long the next window, which begins at @pts, waited for its last row: its
 * first row arrived at the end of a buffer as long as the present one. */
static void
observe_wait (GstInferFilter *self, GstClockTime pts)
{
  GstClockTime now = gst_infer_window_next_pts (self->negotiated.window);
  GstClockTime buffer = self->position.last_duration;

  if (!GST_CLOCK_TIME_IS_VALID (pts) || !GST_CLOCK_TIME_IS_VALID (now)
      || now < pts)
    return;
  gst_infer_latency_observe_window (
      &self->latency, now - pts > buffer ? now - pts - buffer : 0);
}

static GstFlowReturn
run_each (GstInferFilter *self)
{
  GstInferWindow *window = self->negotiated.window;
  GstFlowReturn flow = GST_FLOW_OK;
  const float *rows;
  GstInferSpan span;

  while (flow == GST_FLOW_OK
         && (rows = gst_infer_window_peek (window, &span)) != NULL) {
    observe_wait (self, span.pts);
    if (!gst_infer_filter_is_late (self, span.pts, span.duration))
      flow = gst_infer_filter_run_window (self, rows, &span, 0, 0);
    gst_infer_window_advance (window);
  }
  return flow;
}

static GstFlowReturn
run_last (GstInferFilter *self)
{
  const GstInferInput *input = &self->negotiated.input;
  GstInferTail tail = self->active.tail;
  gsize multiple = tail == GST_INFER_TAIL_RUN ? input->multiple : input->length;
  GstInferSpan span;

  if (tail == GST_INFER_TAIL_DROP)
    return GST_FLOW_OK;
  const float *rows = gst_infer_window_tail (
      self->negotiated.window, multiple, input->pad, &span);
  return rows != NULL ? gst_infer_filter_run_window (self, rows, &span, 0, 0)
                      : GST_FLOW_OK;
}

/* --- windows of a stream that leaves row for row --- */

/* The model's output is `delay` rows later than its input.  The first rows of a
 * sequence's output are therefore of the time before it, and left out; at its
 * end silence goes in until the last row is out.  So as many rows leave as
 * came, each with its own timestamp.  A sequence begins after a window that is
 * dropped as too late; the rows of earlier windows that were still to come out
 * are lost as well. */

/* The windows that are complete; rows from number @end on are not pushed. */
static GstFlowReturn
run_row_for_row (GstInferFilter *self, guint64 end)
{
  GstInferWindow *window = self->negotiated.window;
  guint64 delay = self->negotiated.delay;
  gsize context = self->negotiated.input.context;
  GstFlowReturn flow = GST_FLOW_OK;
  const float *rows;
  GstInferSpan span;

  while (flow == GST_FLOW_OK
         && (rows = gst_infer_window_peek (window, &span)) != NULL) {
    guint64 begin = span.offset, stop = begin + span.rows - context;
    guint64 from =
        MAX (begin > delay ? begin - delay : 0, self->position.first_row);
    guint64 to = stop > delay ? MIN (stop - delay, end) : 0;
    gsize keep = to > from ? (gsize) (to - from) : 0;

    if (keep > 0)
      gst_infer_window_locate (window, from, to, &span);
    if (keep > 0 && gst_infer_filter_is_late (self, span.pts, span.duration)) {
      self->position.first_row = stop;
      gst_infer_window_advance (window);
      continue;
    }
    flow = gst_infer_filter_run_window (
        self, rows, &span, context + (gsize) (from + delay - begin), keep);
    gst_infer_window_advance (window);
  }
  return flow;
}

static GstFlowReturn
finish_row_for_row (GstInferFilter *self)
{
  const GstInferInput *input = &self->negotiated.input;
  GstInferWindow *window = self->negotiated.window;
  guint64 total = gst_infer_window_count (window);
  guint64 done = total - total % input->hop;
  GstFlowReturn flow = GST_FLOW_OK;

  if (total == 0 || self->active.tail == GST_INFER_TAIL_DROP)
    return GST_FLOW_OK;
  while (flow == GST_FLOW_OK && done < total + self->negotiated.delay) {
    guint64 have = gst_infer_window_count (window);
    gsize missing = (gsize) (done + input->hop - have);
    float *to = gst_infer_window_grow (window, missing, GST_CLOCK_TIME_NONE);

    if (to == NULL)
      return fail_memory (self, missing);
    pad_rows (input, missing, to);
    flow = run_row_for_row (self, total);
    done += input->hop;
  }
  return flow;
}

/* --- rows --- */

static GstFlowReturn
run_windows (GstInferFilter *self)
{
  return self->negotiated.form->row_for_row
             ? run_row_for_row (self, G_MAXUINT64)
             : run_each (self);
}

GstFlowReturn
gst_infer_filter_run_tail (GstInferFilter *self)
{
  return self->negotiated.form->row_for_row ? finish_row_for_row (self)
                                            : run_last (self);
}

GstFlowReturn
gst_infer_filter_run_gap (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration)
{
  const GstInferInput *input = &self->negotiated.input;
  GstInferWindow *window = self->negotiated.window;
  guint64 rows = gst_infer_window_rows_in (window, duration);

  if (rows > G_MAXSIZE / sizeof (float) / input->width)
    return fail_memory (self, rows);
  float *to = gst_infer_window_grow (window, (gsize) rows, pts);
  if (to == NULL)
    return fail_memory (self, rows);
  self->position.last_duration = gst_infer_window_rows_time (window, rows);
  pad_rows (input, (gsize) rows, to);
  return run_windows (self);
}

/* Copies the rows of @buffer to the window; FALSE with @error: its memory
 * cannot be read, or there is none for them. */
static gboolean
take_rows (GstInferFilter *self, GstBuffer *buffer, gsize rows, GError **error)
{
  const GstInferInput *input = &self->negotiated.input;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer of feature vectors cannot be mapped");
  float *to = gst_infer_window_grow (
      self->negotiated.window, rows, GST_BUFFER_PTS (buffer));
  if (to != NULL)
    memcpy (to, map.data, rows * input->width * sizeof (float));
  gst_buffer_unmap (buffer, &map);
  return to != NULL || fail_rows (rows, error);
}

static gboolean
take_samples (
    GstInferFilter *self, GstBuffer *buffer, gsize *rows, GError **error)
{
  GstInferSamples samples;
  float *to = NULL;

  if (!gst_infer_samples_map (
          &samples, &self->negotiated.input.audio, buffer, error))
    return FALSE;
  *rows = samples.n;
  if (samples.n > 0)
    to = gst_infer_window_grow (
        self->negotiated.window, samples.n, GST_BUFFER_PTS (buffer));
  if (to != NULL)
    gst_infer_samples_read (&samples, 0, samples.n, to);
  gst_infer_samples_unmap (&samples);
  return to != NULL || *rows == 0 || fail_rows (*rows, error);
}

GstFlowReturn
gst_infer_filter_run_rows (GstInferFilter *self, GstBuffer *buffer)
{
  const GstInferInput *input = &self->negotiated.input;
  gsize rows = gst_buffer_get_size (buffer) / (sizeof (float) * input->width);
  g_autoptr (GError) error = NULL;

  if (input->kind == GST_INFER_INPUT_AUDIO)
    take_samples (self, buffer, &rows, &error);
  else if (rows > 0)
    take_rows (self, buffer, rows, &error);
  if (error != NULL) {
    gst_infer_post_error (self, error);
    return GST_FLOW_ERROR;
  }
  if (rows == 0)
    return GST_FLOW_OK;
  self->position.last_duration =
      gst_infer_window_rows_time (self->negotiated.window, rows);
  return run_windows (self);
}
