/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming thread: one inference, from its input to the queue. */

#include <string.h>

#include "gst/filter/filter.h"
#include "gst/filter/output/form.h"
#include "infer/error.h"
#include "infer/batch.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

#define SHORT_US 200 /* of an inference */

/* A crowded stream may have so many requests with inputs of so many bytes. */
#define CROWDED_REQUESTS 8
#define CROWDED_BYTES 65536

/* Where a request's inputs come from: one of the pointers is set. */
typedef struct
{
  const float *rows; /* a window */
  gsize skip, keep;  /* of its output */
  GstBuffer *buffer; /* tensors */
  GstInferFrameRegion *region;
} Source;

/* The request's own tensor where no conversion is needed, else one that the
 * preprocess stage converts from. */
static InferTensor *
input_tensor (GstInferFilter *self, InferRequest *request, guint index,
    InferType type, const InferShape *shape, GError **error)
{
  if (infer_model_input_desc (self->use.model, index)->type == type)
    return infer_request_set_input_shape (request, index, shape, error);
  g_autoptr (InferTensor) tensor = infer_tensor_new (type, shape, error);
  if (tensor == NULL
      || !infer_request_set_input (request, index, tensor, error))
    return NULL;
  return tensor; /* the request holds it */
}

static gboolean
fill_rows (GstInferFilter *self, InferRequest *request, const float *rows,
    gsize n, GError **error)
{
  const GstInferInput *input = &self->negotiated.input;
  InferShape shape = gst_infer_input_shape (input, self->use.model, 0, n);
  InferTensor *tensor =
      input_tensor (self, request, 0, INFER_TYPE_F32, &shape, error);

  if (tensor == NULL)
    return FALSE;
  gst_infer_input_copy (input, rows, n, tensor->data);
  return TRUE;
}

/* Tensor @index of the buffer: one memory each, or all one after the other. */
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
  const GstInferTensors *tensors = &self->negotiated.input.tensors;
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
  job->reset = gst_infer_states_take_reset (&self->states)
               && infer_model_n_variables (job->model) > 0;
  if (!job->reset)
    return INFER_START_PREPROCESSED;
  gst_infer_stats_count (&self->stats, &self->stats.counters.resets);
  return INFER_START_PREPROCESSED | INFER_START_RESET_STATES;
}

/* The source-pad task, where it would only wait for this inference: one thread
 * is woken instead of two, and the streaming thread stays free.  NULL: one of
 * the executable's threads; these compute also where other streams keep them
 * busy, as the task would have to wait for one.  The task takes no inference of
 * a batch, for which others may wait, and none behind others where several run
 * at a time. */
static InferExecutor *
choose_host (GstInferFilter *self)
{
  InferExecutable *executable = self->use.executable;
  int room = infer_executable_guest_room (executable);
  gboolean behind = infer_executable_optimal_requests (executable) <= 2
                    || infer_model_n_variables (self->use.model) > 0;

  behind = behind && (room > 0 || gst_infer_queue_hosts (self->queue));
  return room >= 0 && infer_executable_get_batch_size (executable) == 0
                 && gst_infer_queue_may_host (self->queue, room > 0, behind)
             ? self->host
             : NULL;
}

/* Other streams' inferences keep the executor busy while a few short ones of
 * this stream are waited for.  @others: inferences of this stream that are
 * under way; with states these wait elsewhere. */
static gboolean
is_crowded (GstInferFilter *self, guint others)
{
  InferExecutable *executable = self->use.executable;
  const guint own = infer_model_n_variables (self->use.model) > 0 ? 0 : others;

  return infer_executable_get_batch_size (executable) == 0
         && g_atomic_int_get (&self->task.execution_us) < SHORT_US
         && infer_executable_get_backlog (executable, own) > 0;
}

static gsize
input_bytes (GstInferFilter *self, const Source *source, gsize rows)
{
  if (source->region != NULL)
    return G_MAXSIZE;
  return source->buffer != NULL
             ? gst_buffer_get_size (source->buffer)
             : rows * self->negotiated.input.width * sizeof (float);
}

/* The more inferences each wakeup of this stream's threads is for, the fewer
 * wakeups there are, and the longer its data stays in the caches. */
static void
add_request (GstInferFilter *self)
{
  g_autoptr (GError) error = NULL;

  if (self->active.nireq > 0 || self->use.n_jobs >= CROWDED_REQUESTS)
    return;
  if (!gst_infer_model_use_add_job (
          &self->use, self->queue, self, gst_infer_filter_done, &error))
    GST_WARNING_OBJECT (self, "no further request: %s", error->message);
}

/* @others: inferences of this stream that are under way.  *@flow: the queue's,
 * where that is why the job is not started.  *@lacks: the stream is crowded and
 * no request is idle. */
static gboolean
start (GstInferFilter *self, GstInferJob *job, guint others,
    GstFlowReturn *flow, gboolean *lacks)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->batch.lock);

  *flow = gst_infer_queue_get_flow (self->queue);
  if (*flow != GST_FLOW_OK)
    return infer_fail (&job->error, INFER_ERROR_CANCELLED, "cancelled");
  if (gst_infer_batch_join (&self->batch))
    GST_DEBUG_OBJECT (self, "batches wait for this stream's inferences");
  *lacks = gst_infer_queue_set_crowded (self->queue, is_crowded (self, others));
  return infer_async_request_start_at (
      job->request, choose_host (self), start_flags (self, job), &job->error);
}

static gboolean
fill (GstInferFilter *self, InferRequest *request, const Source *source,
    gsize rows, GError **error)
{
  if (source->region != NULL)
    return source->region->box.width == 0
           || gst_infer_filter_fill_region (
               self, request, source->region, error);
  return source->rows != NULL
             ? fill_rows (self, request, source->rows, rows, error)
             : fill_tensors (self, request, source->buffer, error);
}

static void
begin_job (GstInferFilter *self, GstInferJob *job, const Source *source,
    const GstInferSpan *span)
{
  job->span = *span;
  job->form = self->negotiated.form;
  job->fps_n = self->negotiated.fps_n;
  job->fps_d = self->negotiated.fps_d;
  job->empty = FALSE;
  job->skip = source->skip;
  job->keep = source->keep;
  job->discont = self->position.discont;
  job->in_unit = self->position.in_unit;
  if (!job->form->row_for_row || job->keep > 0)
    self->position.discont = FALSE;
  if (!job->form->passes_input)
    self->position.lost = FALSE;
  g_clear_error (&job->error);
}

/* A failed inference has its place in the queue as well, so that all before it
 * is pushed before the error is posted. */
static GstFlowReturn
run (GstInferFilter *self, const Source *source, const GstInferSpan *span)
{
  GstInferJob *job = gst_infer_queue_wait_idle (self->queue);
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean lacks = FALSE;
  gint64 begin = g_get_monotonic_time ();

  if (job == NULL)
    return gst_infer_queue_get_flow (self->queue);
  InferRequest *request = infer_async_request_get_request (job->request);
  begin_job (self, job, source, span);
  gboolean ok = fill (self, request, source, span->rows, &job->error);
  if (source->region == NULL || source->region->box.width > 0)
    ok = ok && infer_request_preprocess (request, &job->error);
  job->filling_time = g_get_monotonic_time () - begin;
  if (source->region != NULL)
    gst_infer_filter_note_region (self, job, source->region);
  const guint others = gst_infer_queue_put_job (self->queue, job);
  if (!ok || job->empty || !start (self, job, others, &flow, &lacks)) {
    gst_infer_batch_hold_request (&self->batch);
    gst_infer_queue_finish_job (self->queue, job, FALSE);
  }
  if (G_UNLIKELY (lacks)
      && input_bytes (self, source, span->rows) <= CROWDED_BYTES)
    add_request (self);
  return flow;
}

static GstInferSpan
span_of (GstBuffer *buffer)
{
  return (GstInferSpan){
    .pts = GST_BUFFER_PTS (buffer),
    .duration = GST_BUFFER_DURATION (buffer),
    .offset = GST_BUFFER_OFFSET (buffer),
    .offset_end = GST_BUFFER_OFFSET_END (buffer),
  };
}

GstFlowReturn
gst_infer_filter_run_window (GstInferFilter *self, const float *rows,
    const GstInferSpan *span, gsize skip, gsize keep)
{
  Source source = { .rows = rows, .skip = skip, .keep = keep };

  return run (self, &source, span);
}

GstFlowReturn
gst_infer_filter_run_tensors (GstInferFilter *self, GstBuffer *buffer)
{
  Source source = { .buffer = buffer };
  GstInferSpan span = span_of (buffer);

  return run (self, &source, &span);
}

GstFlowReturn
gst_infer_filter_run_region (GstInferFilter *self, GstInferFrameRegion *region)
{
  Source source = { .region = region };
  GstInferSpan span = span_of (region->buffer);

  return run (self, &source, &span);
}
