/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/enqueue.h"

#include "ocl/plan/launch.h"
#include "ocl/run/dump.h"

static OclBuffer *
buffer_of (const OclArg *arg, const OclBinding *binding)
{
  gsize offset;

  return arg->value != NULL ? ocl_value_buffer (arg->value, binding, &offset)
                            : ocl_constant_buffer (arg->constant);
}

static gboolean
bind (OclLaunch *launch, const OclBinding *binding, GError **error)
{
  for (guint i = 0; i < launch->args->len; i++) {
    OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->local > 0)
      continue;
    const OclBuffer *buffer = buffer_of (arg, binding);
    if (arg->serial == buffer->serial)
      continue;
    if (!ocl_buffer_set_argument (buffer, launch->step->scope->device,
            launch->kernel, arg->index, error))
      return FALSE;
    arg->serial = buffer->serial;
  }
  return TRUE;
}

static gboolean
enqueue (OclLaunch *launch, const OclBinding *binding, cl_event *event,
    GError **error)
{
  guint dims = launch->global[2] > 1 ? 3 : launch->global[1] > 1 ? 2 : 1;

  return bind (launch, binding, error)
         && ocl_check (ocl_api.clEnqueueNDRangeKernel (binding->stream->run,
                           launch->kernel, dims, NULL, launch->global,
                           launch->local, 0, NULL, event),
             "clEnqueueNDRangeKernel", error);
}

static gboolean
is_enqueued (const OclLaunch *launch)
{
  return !launch->chained && !ocl_launch_is_empty (launch);
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
    if (!is_enqueued (launch) || enqueue (launch, binding, event, error))
      continue;
    g_prefix_error (
        error, "operation '%s' (%s): ", step->op->name, step->op->klass->type);
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

  if (plan->scope->config.perf_count || copies_anything (plan))
    return NULL;
  for (guint i = plan->steps->len; last == NULL && i-- > 0;) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++)
      if (is_enqueued (step->launches->pdata[k]))
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

static gboolean
enqueue_all (
    OclPlan *plan, const OclBinding *binding, cl_event *done, GError **error)
{
  guint n_variables = infer_model_n_variables (plan->model);
  const gboolean dumps = plan->scope->config.dump != NULL;
  const OclLaunch *last = dumps ? NULL : find_last (plan);

  if (dumps ? !enqueue_dumped (plan, binding, error)
            : !enqueue_steps (plan, binding, NULL, last, done, error))
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
ocl_plan_enqueue (
    OclPlan *plan, const OclBinding *binding, cl_event *done, GError **error)
{
  *done = NULL;
  if (enqueue_all (plan, binding, done, error))
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
