/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "gst/filter/filter-private.h"
#include "gst/common/error-message.h"
#include "inference/runtime/batch.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

/* Where the data of a request's inputs come from. */
typedef struct
{
  const float *rows; /* NULL: tensors from the buffer, or a frame */
  gsize skip, keep;  /* of the rows that come out */
  GstBuffer *buffer;
  GstInferFrame *frame;
} Source;

/* The request's own tensor where no conversion is needed, else one that the
 * preprocess stage converts from. */
static InferTensor *
input_tensor (GstInferFilter *self, InferRequest *request, guint index,
    InferType type, const InferShape *shape, GError **error)
{
  g_autoptr (InferTensor) tensor = NULL;

  if (infer_model_input_desc (self->model, index)->type == type)
    return infer_request_set_input_shape (request, index, shape, error);
  tensor = infer_tensor_new (type, shape, error);
  if (tensor == NULL
      || !infer_request_set_input (request, index, tensor, error))
    return NULL;
  return tensor; /* the request holds it */
}

static gboolean
fill_rows (GstInferFilter *self, InferRequest *request, const float *rows,
    gsize n, GError **error)
{
  InferShape shape = gst_infer_input_shape (&self->input, self->model, 0, n);
  InferTensor *tensor =
      input_tensor (self, request, 0, INFER_TYPE_F32, &shape, error);

  if (tensor == NULL)
    return FALSE;
  gst_infer_input_copy (&self->input, rows, n, tensor->data);
  return TRUE;
}

/* Tensor @index of the buffer: a memory each, or all in a row. */
static gboolean
copy_tensor (GstBuffer *buffer, guint n, guint index, gsize *offset,
    InferTensor *tensor, GError **error)
{
  gsize got;

  if (gst_buffer_n_memory (buffer) == n) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, index);
    gsize size = gst_memory_get_sizes (memory, NULL, NULL);
    GstMapInfo map;

    if (size == tensor->size && gst_memory_map (memory, &map, GST_MAP_READ)) {
      if (size > 0)
        memcpy (tensor->data, map.data, size);
      gst_memory_unmap (memory, &map);
      return TRUE;
    }
    got = size;
  } else {
    got = gst_buffer_extract (buffer, *offset, tensor->data, tensor->size);
    *offset += tensor->size;
    if (got == tensor->size)
      return TRUE;
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "tensor %u of a buffer has %" G_GSIZE_FORMAT
      " bytes, the caps say %" G_GSIZE_FORMAT,
      index, got, tensor->size);
}

static gboolean
fill_tensors (GstInferFilter *self, InferRequest *request, GstBuffer *buffer,
    GError **error)
{
  const GstInferTensors *tensors = &self->input.tensors;
  gsize offset = 0;

  for (guint i = 0; i < tensors->n; i++) {
    const InferDesc *desc = &tensors->descs[i];
    InferTensor *tensor =
        input_tensor (self, request, i, desc->type, &desc->shape, error);

    if (tensor == NULL
        || !copy_tensor (buffer, tensors->n, i, &offset, tensor, error))
      return FALSE;
  }
  return TRUE;
}

static InferStartFlags
start_flags (GstInferFilter *self, GstInferJob *job)
{
  InferStartFlags flags = INFER_START_PREPROCESSED;

  job->reset = FALSE;
  g_atomic_int_set (&self->pristine, FALSE);
  /* What was set for the beginning survives what makes it one. */
  if (g_atomic_int_compare_and_exchange (&self->restored, TRUE, FALSE))
    g_atomic_int_set (&self->reset_pending, FALSE);
  if (g_atomic_int_compare_and_exchange (&self->reset_pending, TRUE, FALSE)
      && infer_model_n_variables (self->model) > 0) {
    flags |= INFER_START_RESET_STATES;
    job->reset = TRUE;
    GST_OBJECT_LOCK (self);
    self->counters.resets++;
    GST_OBJECT_UNLOCK (self);
  }
  return flags;
}

/* Where the task would wait for the job it computes it itself: one thread is
 * woken instead of two, and the streaming thread is as free.  Not one of a
 * batch, which others may wait for, nor behind others where several can be
 * computed at a time. */
static InferExecutor *
choose_host (GstInferFilter *self)
{
  int room = infer_executable_guest_room (self->executable);
  gboolean one_by_one =
      infer_executable_optimal_requests (self->executable) <= 2
      || infer_model_n_variables (self->model) > 0;

  return room >= 0 && infer_executable_get_batch_size (self->executable) == 0
                 && gst_infer_queue_may_host (self->queue, room > 0, one_by_one)
             ? self->host
             : NULL;
}

static gboolean
start (GstInferFilter *self, GstInferJob *job)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  if (gst_infer_queue_get_flow (self->queue) != GST_FLOW_OK)
    return infer_fail (&job->error, INFER_ERROR_CANCELLED, "cancelled");
  gst_infer_filter_join_batch (self);
  return infer_async_request_start_at (
      job->request, choose_host (self), start_flags (self, job), &job->error);
}

static gboolean
fill (GstInferFilter *self, InferRequest *request, const Source *source,
    gsize rows, GError **error)
{
  if (source->frame != NULL)
    return source->frame->box.width == 0
           || gst_infer_filter_fill_frame (self, request, source->frame, error);
  return source->rows != NULL
             ? fill_rows (self, request, source->rows, rows, error)
             : fill_tensors (self, request, source->buffer, error);
}

/* One inference.  Whatever fails takes its place in the line, so that what came
 * before is pushed before the error is posted. */
static GstFlowReturn
run (GstInferFilter *self, const Source *source, const GstInferSpan *span)
{
  GstInferJob *job = gst_infer_queue_wait_idle (self->queue);
  InferRequest *request;
  gboolean ok;

  if (job == NULL)
    return gst_infer_queue_get_flow (self->queue);
  request = infer_async_request_get_request (job->request);
  job->span = *span;
  job->form = self->form;
  job->empty = FALSE;
  job->skip = source->skip;
  job->keep = source->keep;
  job->discont = self->discont;
  if (self->form != &gst_infer_form_audio || job->keep > 0)
    self->discont = FALSE;
  job->begun = g_get_monotonic_time ();
  g_clear_error (&job->error);

  ok = fill (self, request, source, span->rows, &job->error);
  if (source->frame == NULL || source->frame->box.width > 0)
    ok = ok && infer_request_preprocess (request, &job->error);
  job->filled = g_get_monotonic_time () - job->begun;
  if (source->frame != NULL)
    gst_infer_filter_note_frame (self, job, source->frame);
  gst_infer_queue_put_job (self->queue, job);
  if (!ok || job->empty || !start (self, job)) {
    gst_infer_filter_withhold (self, TRUE);
    gst_infer_queue_finish_job (self->queue, job, FALSE);
  }
  return GST_FLOW_OK;
}

GstFlowReturn
gst_infer_filter_run_rows (GstInferFilter *self, const float *rows,
    const GstInferSpan *span, gsize skip, gsize keep)
{
  Source source = { .rows = rows, .skip = skip, .keep = keep };

  return run (self, &source, span);
}

GstFlowReturn
gst_infer_filter_run_picture (GstInferFilter *self, GstInferFrame *frame)
{
  Source source = { .frame = frame };
  GstInferSpan span = {
    .pts = GST_BUFFER_PTS (frame->buffer),
    .duration = GST_BUFFER_DURATION (frame->buffer),
    .offset = GST_BUFFER_OFFSET (frame->buffer),
    .offset_end = GST_BUFFER_OFFSET_END (frame->buffer),
  };

  return run (self, &source, &span);
}

/* How long the window at hand, which began at @pts, waited for its last row:
 * its first came at the end of a buffer as long as the present one. */
static void
observe_wait (GstInferFilter *self, GstClockTime pts)
{
  GstClockTime now = gst_infer_window_next_pts (self->window);
  GstClockTime wait = 0;

  if (!GST_CLOCK_TIME_IS_VALID (pts) || !GST_CLOCK_TIME_IS_VALID (now)
      || now < pts)
    return;
  if (now - pts > self->chunk)
    wait = now - pts - self->chunk;
  GST_OBJECT_LOCK (self);
  self->window_time = self->window_seen ? MAX (self->window_time, wait) : wait;
  self->window_seen = TRUE;
  GST_OBJECT_UNLOCK (self);
}

static GstFlowReturn
run_windows (GstInferFilter *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstInferSpan span;
  Source source = { .rows = NULL };

  if (self->form == &gst_infer_form_audio)
    return gst_infer_filter_run_audio (self, G_MAXUINT64);
  while (flow == GST_FLOW_OK
         && (source.rows = gst_infer_window_peek (self->window, &span))) {
    observe_wait (self, span.pts);
    if (!gst_infer_filter_drops (self, span.pts, span.duration))
      flow = run (self, &source, &span);
    gst_infer_window_advance (self->window);
  }
  return flow;
}

static GstFlowReturn
run_tail (GstInferFilter *self)
{
  GstInferTail tail = self->active.tail;
  gsize multiple =
      tail == GST_INFER_TAIL_RUN ? self->input.multiple : self->input.length;
  Source source = { .rows = NULL };
  GstInferSpan span;

  if (self->form == &gst_infer_form_audio)
    return gst_infer_filter_finish_audio (self);
  if (tail == GST_INFER_TAIL_DROP)
    return GST_FLOW_OK;
  source.rows =
      gst_infer_window_tail (self->window, multiple, self->input.pad, &span);
  return source.rows != NULL ? run (self, &source, &span) : GST_FLOW_OK;
}

GstFlowReturn
gst_infer_filter_end_sequence (GstInferFilter *self, gboolean reset)
{
  GstFlowReturn flow = GST_FLOW_OK;

  if (self->window != NULL) {
    flow = run_tail (self);
    gst_infer_window_reset (self->window);
  }
  self->after = GST_CLOCK_TIME_NONE;
  self->fresh = 0;
  if (reset)
    g_atomic_int_set (&self->reset_pending, TRUE);
  self->discont = TRUE;
  self->turn = 0;
  return flow;
}

/* Frames of many sources have no duration. */
void
gst_infer_filter_note_time (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration)
{
  const GstInferTensors *rate = &self->input.tensors;

  if (!GST_CLOCK_TIME_IS_VALID (duration) && rate->fps_n > 0)
    duration = gst_util_uint64_scale_int (GST_SECOND, rate->fps_d, rate->fps_n);
  self->after = pts;
  if (GST_CLOCK_TIME_IS_VALID (pts) && GST_CLOCK_TIME_IS_VALID (duration))
    self->after += duration;
}

GstFlowReturn
gst_infer_filter_no_memory (GstInferFilter *self, guint64 rows)
{
  g_autoptr (GError) error = NULL;

  infer_fail (&error, INFER_ERROR_NO_MEMORY,
      "no memory for %" G_GUINT64_FORMAT " rows of input", rows);
  gst_infer_post_error (self, error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_infer_filter_fill_gap (
    GstInferFilter *self, GstClockTime pts, GstClockTime duration)
{
  guint64 rows = gst_infer_window_rows_in (self->window, duration);
  gsize values;
  float *to;

  if (rows > G_MAXSIZE / sizeof (float) / self->input.width)
    return gst_infer_filter_no_memory (self, rows);
  to = gst_infer_window_grow (self->window, (gsize) rows, pts);
  if (to == NULL)
    return gst_infer_filter_no_memory (self, rows);
  self->chunk = gst_infer_window_rows_time (self->window, rows);
  values = (gsize) rows * self->input.width;
  for (gsize i = 0; i < values; i++)
    to[i] = self->input.pad;
  return run_windows (self);
}

static void
copy_rows (GstInferFilter *self, const guint8 *from, gsize n, float *to)
{
  const gint16 *samples = (const gint16 *) (gconstpointer) from;

  if (!self->input.s16) {
    memcpy (to, from, n * sizeof (float));
    return;
  }
  for (gsize i = 0; i < n; i++)
    to[i] = (float) samples[i] / 32768.0f;
}

static GstFlowReturn
push_rows (GstInferFilter *self, GstBuffer *buffer)
{
  gsize value = self->input.s16 ? sizeof (gint16) : sizeof (float);
  gsize rows = gst_buffer_get_size (buffer) / (value * self->input.width);
  GstMapInfo map;
  float *to;

  if (rows == 0)
    return GST_FLOW_OK;
  to = gst_infer_window_grow (self->window, rows, GST_BUFFER_PTS (buffer));
  if (to == NULL)
    return gst_infer_filter_no_memory (self, rows);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ, (NULL), ("buffer not mapped"));
    return GST_FLOW_ERROR;
  }
  self->chunk = gst_infer_window_rows_time (self->window, rows);
  copy_rows (self, map.data, rows * self->input.width, to);
  gst_buffer_unmap (buffer, &map);
  return run_windows (self);
}

static GstFlowReturn
run_buffer (GstInferFilter *self, GstBuffer *buffer)
{
  Source source = { .buffer = buffer };
  GstInferSpan span = {
    .pts = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .offset = GST_BUFFER_OFFSET (buffer),
    .offset_end = GST_BUFFER_OFFSET_END (buffer),
  };

  return run (self, &source, &span);
}

/* Lost data shows in the timestamps even where nobody flagged it. */
static gboolean
jumped (GstInferFilter *self, GstBuffer *buffer)
{
  GstClockTime next;

  if (self->window == NULL || !GST_BUFFER_PTS_IS_VALID (buffer))
    return FALSE;
  next = gst_infer_window_next_pts (self->window);
  return GST_CLOCK_TIME_IS_VALID (next)
         && ABS (GST_CLOCK_DIFF (next, GST_BUFFER_PTS (buffer)))
                > (GstClockTimeDiff) MIN (
                    self->active.max_gap, (GstClockTime) G_MAXINT64);
}

static gboolean
begins_sequence (GstInferFilter *self, GstBuffer *buffer)
{
  GstInferReset policy = self->active.state_reset;

  if ((policy & GST_INFER_RESET_DISCONT) != 0
      && (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
          || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC)))
    return TRUE;
  return (policy & GST_INFER_RESET_GAP) != 0 && jumped (self, buffer);
}

GstFlowReturn
gst_infer_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstInferFilter *self = GST_INFER_FILTER (parent);
  g_autoptr (GstBuffer) owned = buffer;
  GstFlowReturn flow = gst_infer_queue_get_flow (self->queue);
  gboolean skip;

  if (flow == GST_FLOW_OK)
    flow = gst_infer_filter_take_over (self);
  if (flow != GST_FLOW_OK)
    return flow;
  if (self->caps == NULL) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("Data came before caps: the stream's format is not known"), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  GST_OBJECT_LOCK (self);
  self->counters.buffers++;
  GST_OBJECT_UNLOCK (self);

  if (begins_sequence (self, owned))
    flow = gst_infer_filter_end_sequence (self, TRUE);
  else if (self->segment.rate < 0 && self->window != NULL)
    flow = gst_infer_filter_end_sequence (self, FALSE);
  if (flow != GST_FLOW_OK)
    return flow;
  if (self->window != NULL)
    return push_rows (self, owned);
  gst_infer_filter_note_time (
      self, GST_BUFFER_PTS (owned), GST_BUFFER_DURATION (owned));
  if (gst_infer_filter_drops (
          self, GST_BUFFER_PTS (owned), GST_BUFFER_DURATION (owned)))
    return GST_FLOW_OK;
  skip = !gst_infer_filter_takes_turn (self);
  if (self->input.kind == GST_INFER_INPUT_VIDEO)
    return gst_infer_filter_run_frame (self, g_steal_pointer (&owned), skip);
  return skip ? GST_FLOW_OK : run_buffer (self, owned);
}
