/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/enqueue.h"

#include "ocl/run/dump.h"

static gboolean
enqueue (OclLaunch *launch, const OclBinding *binding, cl_event *event,
    GError **error)
{
  return ocl_launch_bind (launch, binding, error)
         && ocl_check (ocl_api.clEnqueueNDRangeKernel (binding->stream->run,
                           launch->kernel, ocl_launch_dims (launch), NULL,
                           launch->global, launch->local, 0, NULL, event),
             "clEnqueueNDRangeKernel", error);
}

/* @done: nullable; the event of @last. */
static gboolean
enqueue_step (OclStep *step, const OclBinding *binding, const OclLaunch *last,
    cl_event *done, GError **error)
{
  for (guint k = 0; k < step->launches->len; k++) {
    OclLaunch *launch = step->launches->pdata[k];
    cl_event *event = step->scope->config.perf_count ? &launch->event
                      : launch == last               ? done
                                                     : NULL;

    g_clear_pointer (&launch->event, ocl_api.clReleaseEvent);
    if (!ocl_launch_is_enqueued (launch)
        || enqueue (launch, binding, event, error))
      continue;
    ocl_launch_prefix_error (launch, error);
    return FALSE;
  }
  return TRUE;
}

gboolean
ocl_plan_copies_out (const OclPlan *plan, OclPlace place, guint index)
{
  const guint n_variables = infer_model_n_variables (plan->model);

  for (guint k = 0; k < plan->results->len; k++)
    if ((place != OCL_PLACE_RESULT || k != index)
        && ocl_value_is_made_in (plan->results->pdata[k], place, index))
      return TRUE;
  for (guint v = 0; v < n_variables; v++)
    if (plan->next[v] != NULL
        && ocl_value_is_made_in (plan->next[v], place, index))
      return TRUE;
  return FALSE;
}

/* A value that leaves the plan and was not written in its place. */
static gboolean
has_to_be_copied (OclValue *value, OclPlace place, guint index)
{
  gsize offset;
  const OclValue *root = ocl_value_root (value, &offset);

  return value->host == NULL && value->bytes > 0
         && (root->place != place || root->index != index);
}

static gboolean
copies_anything (const OclPlan *plan)
{
  for (guint k = 0; k < plan->results->len; k++)
    if (has_to_be_copied (plan->results->pdata[k], OCL_PLACE_RESULT, k))
      return TRUE;
  for (guint v = 0; v < infer_model_n_variables (plan->model); v++)
    if (plan->next[v] != NULL
        && has_to_be_copied (plan->next[v], OCL_PLACE_NEXT, v))
      return TRUE;
  return FALSE;
}

static gboolean
copy_out (OclValue *value, OclPlace place, guint index,
    const OclBinding *binding, GError **error)
{
  gsize offset;
  OclBuffer *dst = place == OCL_PLACE_RESULT ? binding->results[index]
                                             : binding->next[index];

  if (!has_to_be_copied (value, place, index))
    return TRUE;
  const OclBuffer *src = ocl_value_buffer (value, binding, &offset);
  if (src->pointer != NULL)
    return ocl_check (
        ocl_api.clEnqueueWriteBuffer (binding->stream->run, dst->mem, CL_FALSE,
            0, value->bytes, (char *) src->pointer + offset, 0, NULL, NULL),
        "clEnqueueWriteBuffer", error);
  return ocl_check (ocl_api.clEnqueueCopyBuffer (binding->stream->run, src->mem,
                        dst->mem, offset, 0, value->bytes, 0, NULL, NULL),
      "clEnqueueCopyBuffer", error);
}

/* The launch whose event is the plan's; NULL: a marker is needed. */
static const OclLaunch *
find_last (const OclPlan *plan)
{
  const OclLaunch *last = NULL;

  if (plan->scope->config.perf_count || plan->scope->config.dump != NULL
      || copies_anything (plan))
    return NULL;
  for (guint i = plan->steps->len; last == NULL && i-- > 0;) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++)
      if (ocl_launch_is_enqueued (step->launches->pdata[k]))
        last = step->launches->pdata[k];
  }
  return last;
}

static gboolean
enqueue_steps (OclPlan *plan, const OclBinding *binding, OclDump *dump,
    const OclLaunch *last, cl_event *done, GError **error)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    if ((dump != NULL && !ocl_dump_before (dump, step, error))
        || !enqueue_step (step, binding, last, done, error)
        || (dump != NULL && !ocl_dump_after (dump, step, error)))
      return FALSE;
  }
  return dump == NULL || ocl_dump_results (dump, error);
}

static gboolean
enqueue_dumped (OclPlan *plan, const OclBinding *binding, GError **error)
{
  g_autoptr (OclDump) dump = ocl_dump_begin (plan, binding, error);

  return dump != NULL && enqueue_steps (plan, binding, dump, NULL, NULL, error);
}

/* @ends: the plan's event is that of the command buffer. */
static gboolean
enqueue_commands (const OclPlan *plan, const OclBinding *binding,
    gpointer commands, gboolean ends, cl_event *done, GError **error)
{
  cl_event event = NULL;

  /* PoCL 3.1 crashes without an event. */
  if (!ocl_check (plan->scope->device->command_buffers.enqueue (
                      0, NULL, commands, 0, NULL, &event),
          "clEnqueueCommandBufferKHR", error))
    return FALSE;
  if (ends)
    *done = event;
  else
    ocl_api.clReleaseEvent (event);
  return TRUE;
}

static gboolean
enqueue_launches (OclPlan *plan, OclRecordings *recordings,
    const OclBinding *binding, const OclLaunch *last, cl_event *done,
    GError **error)
{
  gpointer commands = NULL;

  if (plan->scope->config.dump != NULL)
    return enqueue_dumped (plan, binding, error);
  if (recordings != NULL
      && !ocl_recordings_find (recordings, binding, &commands, error))
    return FALSE;
  return commands != NULL
             ? enqueue_commands (
                 plan, binding, commands, last != NULL, done, error)
             : enqueue_steps (plan, binding, NULL, last, done, error);
}

static gboolean
enqueue_all (OclPlan *plan, OclRecordings *recordings,
    const OclBinding *binding, cl_event *done, GError **error)
{
  guint n_variables = infer_model_n_variables (plan->model);
  const OclLaunch *last = find_last (plan);

  if (!enqueue_launches (plan, recordings, binding, last, done, error))
    return FALSE;
  for (guint k = 0; k < plan->results->len; k++)
    if (!copy_out (
            plan->results->pdata[k], OCL_PLACE_RESULT, k, binding, error))
      return FALSE;
  for (guint v = 0; v < n_variables; v++)
    if (plan->next[v] != NULL
        && !copy_out (plan->next[v], OCL_PLACE_NEXT, v, binding, error))
      return FALSE;
  /* Drivers wake a thread for a marker: only where no launch comes last. */
  return (last != NULL
             || ocl_check (ocl_api.clEnqueueMarkerWithWaitList (
                               binding->stream->run, 0, NULL, done),
                 "clEnqueueMarkerWithWaitList", error))
         && ocl_check (
             ocl_api.clFlush (binding->stream->run), "clFlush", error);
}

gboolean
ocl_plan_enqueue (OclPlan *plan, OclRecordings *recordings,
    const OclBinding *binding, cl_event *done, GError **error)
{
  *done = NULL;
  if (enqueue_all (plan, recordings, binding, done, error))
    return TRUE;
  /* Commands in the queue use memory that the caller may free. */
  ocl_api.clFinish (binding->stream->run);
  g_clear_pointer (done, ocl_api.clReleaseEvent);
  return FALSE;
}

static guint64
duration (cl_event event)
{
  cl_ulong begin = 0, end = 0;

  if (event == NULL
      || ocl_api.clGetEventProfilingInfo (
             event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL)
             != CL_SUCCESS
      || ocl_api.clGetEventProfilingInfo (
             event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)
             != CL_SUCCESS
      || end < begin)
    return 0;
  return end - begin;
}

void
ocl_plan_read_timings (OclPlan *plan)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    step->ns = 0;
    for (guint k = 0; k < step->launches->len; k++)
      step->ns += duration (((OclLaunch *) step->launches->pdata[k])->event);
  }
}
