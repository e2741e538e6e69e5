/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"
#include "inference/runtime/fusions.h"
#include "inference/runtime/request-private.h"

#include <string.h>

#include "inference/base/clock.h"
#include "inference/runtime/devices/auto.h"
#include "inference/runtime/request-tensors.h"
#include "inference/runtime/rest.h"
#include "inference/runtime/state-private.h"
#include "inference/base/trace.h"

struct _InferRequest
{
  gatomicrefcount refs;
  InferExecutable *executable;
  /* `place`: `executable` or, with AUTO and MULTI, one of its members;
   * `backend` and `context` are of it. */
  InferExecutable *place;
  const InferBackend *backend;
  gpointer context;
  guint id;
  InferRequestTensors tensors;
  InferStateSet *own_states; /* NULL for a model without variables */
  InferStateSet *states;
  guint n_states;
  gboolean *resets;     /* per state: reset before the coming step */
  InferStrand *entered; /* the strand whose turn `wait` gives back */
  guint64 timings[INFER_N_STAGES];
};

/* --- device --- */

static void
count_request (InferRequest *request, int by)
{
  g_atomic_int_add (&request->place->n_requests, by);
  if (request->place != request->executable)
    g_atomic_int_add (&request->executable->n_requests, by);
}

/* The request is idle; unchanged on failure. */
static gboolean
move_to (InferRequest *request, InferExecutable *place, GError **error)
{
  GError *cause = NULL;
  gpointer context = place->backend->context_new (place->code, &cause);

  if (cause != NULL) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  if (request->place != NULL) {
    request->backend->context_free (request->context);
    count_request (request, -1);
  }
  request->place = place;
  request->backend = place->backend;
  request->context = context;
  infer_request_tensors_set_maker (
      &request->tensors, place->backend->tensor_new, context);
  count_request (request, 1);
  return TRUE;
}

/* If AUTO cannot use a device, it is removed for all requests, so that they do
 * not fail one after the other. */
static gboolean
settle_place (InferRequest *request, GError **error)
{
  InferExecutable *executable = request->executable;
  InferExecutable *place = infer_executable_choose (executable);
  g_autoptr (GError) cause = NULL;

  if (place == request->place || move_to (request, place, &cause))
    return TRUE;
  if (executable->is_auto && infer_auto_leave (executable, place, cause)) {
    place = infer_executable_choose (executable);
    return place == request->place || move_to (request, place, error);
  }
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

InferExecutable *
infer_request_choose_place (InferRequest *request)
{
  if (G_UNLIKELY (request->executable->is_auto))
    settle_place (request, NULL);
  return request->place;
}

void
infer_request_rest (InferRequest *request)
{
  if (request->backend->rest != NULL)
    request->backend->rest (request->context);
}

InferRequest *
infer_request_new (InferExecutable *executable, GError **error)
{
  g_return_val_if_fail (executable != NULL, NULL);

  const InferModel *model = executable->model;
  g_autoptr (InferRequest) request = g_new0 (InferRequest, 1);
  g_atomic_ref_count_init (&request->refs);
  request->executable = infer_executable_ref (executable);
  request->id = (guint) g_atomic_int_add (&executable->next_request, 1);
  infer_request_tensors_init (&request->tensors, model);
  request->n_states = infer_model_n_variables (model);
  if (request->n_states > 0) {
    request->own_states = infer_state_set_new (model);
    request->states = request->own_states;
    request->resets = g_new0 (gboolean, request->n_states);
  }
  if (!settle_place (request, error)) {
    g_prefix_error (error, "%s: ", infer_model_get_path (model));
    return NULL;
  }
  return g_steal_pointer (&request);
}

static void
leave_step (InferRequest *request)
{
  InferStrand *strand = g_steal_pointer (&request->entered);

  if (strand != NULL)
    infer_strand_done (strand);
}

InferRequest *
infer_request_ref (InferRequest *request)
{
  g_atomic_ref_count_inc (&request->refs);
  return request;
}

void
infer_request_free (InferRequest *request)
{
  if (request == NULL || !g_atomic_ref_count_dec (&request->refs))
    return;
  if (request->entered != NULL) /* started, never waited for */
    infer_request_wait (request, NULL);
  if (request->place != NULL) {
    request->backend->context_free (request->context);
    count_request (request, -1);
  }
  infer_request_tensors_clear (&request->tensors);
  infer_request_bind_states (request, NULL);
  g_clear_pointer (&request->own_states, infer_state_set_unref);
  g_free (request->resets);
  infer_executable_unref (request->executable);
  g_free (request);
}

InferExecutable *
infer_request_get_executable (InferRequest *request)
{
  return request->executable;
}

InferTensor *
infer_request_get_input (InferRequest *request, guint index, GError **error)
{
  return infer_request_tensors_get_input (&request->tensors, index, error);
}

InferTensor *
infer_request_set_input_shape (
    InferRequest *request, guint index, const InferShape *shape, GError **error)
{
  return infer_request_tensors_shape_input (
      &request->tensors, index, shape, error);
}

gboolean
infer_request_set_input (
    InferRequest *request, guint index, InferTensor *tensor, GError **error)
{
  return infer_request_tensors_set_input (
      &request->tensors, index, &tensor, tensor != NULL ? 1 : 0, error);
}

gboolean
infer_request_set_input_batch (InferRequest *request, guint index,
    InferTensor *const *tensors, guint n, GError **error)
{
  return infer_request_tensors_set_input (
      &request->tensors, index, tensors, n, error);
}

gboolean
infer_request_set_preprocess (InferRequest *request, guint index,
    const InferPreprocess *settings, GError **error)
{
  return infer_request_tensors_set_preprocess (
      &request->tensors, index, settings, error);
}

gboolean
infer_request_set_pictures (InferRequest *request, guint index,
    const InferImage *pictures, const InferBox *regions, guint n,
    GError **error)
{
  return infer_request_tensors_set_pictures (
      &request->tensors, index, pictures, regions, n, error);
}

InferTensor *
infer_request_get_output (InferRequest *request, guint index, GError **error)
{
  return infer_request_tensors_get_output (&request->tensors, index, error);
}

InferTensor *
infer_request_take_output (InferRequest *request, guint index, GError **error)
{
  return infer_request_tensors_take_output (&request->tensors, index, error);
}

gboolean
infer_request_set_output (
    InferRequest *request, guint index, InferTensor *tensor, GError **error)
{
  return infer_request_tensors_set_output (
      &request->tensors, index, tensor, error);
}

/* --- states --- */

InferStateSet *
infer_request_get_states (InferRequest *request)
{
  return request->states;
}

void
infer_request_bind_states (InferRequest *request, InferStateSet *states)
{
  InferStateSet *before = request->states;

  request->states = states != NULL && request->own_states != NULL
                        ? states
                        : request->own_states;
  if (request->states != NULL && request->states != request->own_states)
    infer_state_set_ref (request->states);
  if (before != NULL && before != request->own_states)
    infer_state_set_unref (before);
}

/* A set of another model; checked before each step, since binding cannot fail.
 */
static gboolean
check_states (const InferRequest *request, GError **error)
{
  if (request->states == NULL
      || infer_state_set_n_states (request->states) == request->n_states)
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s has %u variables: the bound set, of %u, is of another model",
      infer_model_get_path (request->executable->model), request->n_states,
      infer_state_set_n_states (request->states));
}

InferStateSet *
infer_request_peek_states (InferRequest *request)
{
  return request->states;
}

void
infer_request_take_resets (InferRequest *request, gboolean all)
{
  if (request->states == NULL || !check_states (request, NULL))
    return;
  infer_state_set_take_resets (request->states, request->resets);
  for (guint i = 0; all && i < request->n_states; i++)
    request->resets[i] = TRUE;
}

void
infer_request_apply_resets (InferRequest *request)
{
  if (request->states != NULL && check_states (request, NULL))
    infer_state_set_apply_resets (request->states, request->resets);
}

/* --- stages --- */

void
infer_request_clear_timings (InferRequest *request)
{
  memset (request->timings, 0, sizeof request->timings);
}

void
infer_request_set_timing (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end)
{
  request->timings[stage] = end - begin;
}

void
infer_request_trace (
    InferRequest *request, InferStage stage, guint64 begin, guint64 end)
{
  infer_trace_span (
      request->place->label, request->id, infer_stage_name (stage), begin, end);
}

/* Backends' messages name the operation; adds the file. */
static gboolean
name_file (const InferRequest *request, gboolean ok, GError **error)
{
  if (!ok)
    g_prefix_error (
        error, "%s: ", infer_model_get_path (request->executable->model));
  return ok;
}

static gboolean
check_step (const InferRequest *request, GError **error)
{
  return check_states (request, error)
         && (request->tensors.bound
             || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
                 "%s: the request was started without being preprocessed",
                 infer_model_get_path (request->executable->model)));
}

static gboolean
begin_step (InferRequest *request, GError **error)
{
  if (!check_step (request, error))
    return FALSE;
  if (request->states != NULL && !request->backend->strided_states
      && !infer_states_make_dense (
          infer_state_set_list (request->states), error))
    return name_file (request, FALSE, error);
  return name_file (request,
      request->backend->start (request->context, request->tensors.in,
          request->tensors.out,
          request->states != NULL ? infer_state_set_list (request->states)
                                  : NULL,
          error),
      error);
}

static gboolean
run_stage (InferRequest *request, InferStage stage, GError **error)
{
  const InferBackend *backend = request->backend;
  InferRequestTensors *tensors = &request->tensors;

  switch (stage) {
    case INFER_STAGE_PREPROCESS:
      return infer_request_tensors_bind (tensors, error);
    case INFER_STAGE_UPLOAD:
      return name_file (request,
          backend->upload (request->context, tensors->in, error), error);
    case INFER_STAGE_START:
      return begin_step (request, error);
    case INFER_STAGE_WAIT:
      return name_file (
          request, backend->wait (request->context, error), error);
    case INFER_STAGE_DOWNLOAD:
      return name_file (request,
          backend->download (request->context, tensors->out, error), error);
    case INFER_STAGE_POSTPROCESS:
      return infer_request_tensors_deliver (tensors, error);
    case INFER_STAGE_CALLBACK:
    case INFER_N_STAGES:
      break;
  }
  g_return_val_if_reached (FALSE);
}

/* Fails if a mapped file was truncated while the stage read it. */
static gboolean
run_checked (InferRequest *request, InferStage stage, GError **error)
{
  GError *failure = NULL, *cut = NULL;
  gboolean ok = run_stage (request, stage, &failure);

  if ((stage == INFER_STAGE_START || stage == INFER_STAGE_WAIT)
      && !infer_executable_check_files (request->place, &cut)) {
    g_clear_error (&failure);
    failure = cut;
    ok = FALSE;
  }
  if (failure != NULL)
    g_propagate_error (error, failure);
  return ok;
}

static gboolean
has_stage (const InferBackend *backend, InferStage stage)
{
  return (stage != INFER_STAGE_UPLOAD || backend->upload != NULL)
         && (stage != INFER_STAGE_WAIT || backend->wait != NULL)
         && (stage != INFER_STAGE_DOWNLOAD || backend->download != NULL);
}

/* TRUE if AUTO lost the device and the request continues on another. */
static gboolean
leave_place (InferRequest *request, const GError *cause)
{
  InferExecutable *executable = request->executable;

  return executable->is_auto
         && g_error_matches (cause, INFER_ERROR, INFER_ERROR_DEVICE)
         && infer_auto_leave (executable, request->place, cause)
         && move_to (request, infer_executable_choose (executable), NULL);
}

/* Repeats a step on the fallback device after a device error, unless the step
 * has already changed variables. */
static gboolean
run_or_move (InferRequest *request, InferStage stage, GError **error)
{
  GError *cause = NULL;

  if (run_checked (request, stage, &cause))
    return TRUE;
  if (stage < INFER_STAGE_UPLOAD || stage > INFER_STAGE_DOWNLOAD
      || !leave_place (request, cause)
      || (stage == INFER_STAGE_DOWNLOAD && request->states != NULL)) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_error_free (cause);
  return stage == INFER_STAGE_UPLOAD
         || run_checked (request, INFER_STAGE_START, error);
}

gboolean
infer_request_has_stage (const InferRequest *request, InferStage stage)
{
  return has_stage (request->backend, stage);
}

gboolean
infer_request_run_stage (
    InferRequest *request, InferStage stage, GError **error)
{
  if (!has_stage (request->backend, stage))
    return TRUE;
  guint64 begin = infer_clock_ns ();
  gboolean ok = run_or_move (request, stage, error);

  guint64 end = infer_clock_ns ();
  infer_request_set_timing (request, stage, begin, end);
  infer_request_trace (request, stage, begin, end);
  if (stage == INFER_STAGE_WAIT && request->backend->step_duration != NULL)
    request->timings[stage] =
        request->backend->step_duration (request->context);
  return ok;
}

InferExecutor *
infer_request_wait_executor (InferRequest *request)
{
  return request->backend->wait_executor != NULL
             ? request->backend->wait_executor (request->context)
             : NULL;
}

InferTask *
infer_request_cancel_step (InferRequest *request)
{
  /* An AUTO request may be moving to another device right now. */
  if (request->executable->is_auto || request->backend->cancel == NULL)
    return NULL;
  return request->backend->cancel (request->context);
}

gboolean
infer_request_preprocess (InferRequest *request, GError **error)
{
  infer_request_clear_timings (request);
  infer_request_choose_place (request);
  return infer_request_run_stage (request, INFER_STAGE_PREPROCESS, error);
}

gboolean
infer_request_upload (InferRequest *request, GError **error)
{
  return infer_request_run_stage (request, INFER_STAGE_UPLOAD, error);
}

/* Steps of a shared state set wait for their turn.  A request's own set that
 * is not shared needs no turn, and so no lock. */
static void
enter_step (InferRequest *request)
{
  InferStateSet *states = request->states;

  if (states == NULL || request->entered != NULL
      || !infer_state_set_is_shared (states))
    return;
  request->entered = infer_state_set_strand (states);
  infer_strand_enter (request->entered);
}

gboolean
infer_request_start (InferRequest *request, GError **error)
{
  infer_request_take_resets (request, FALSE);
  enter_step (request);
  infer_request_apply_resets (request);
  gboolean ok = infer_request_run_stage (request, INFER_STAGE_START, error);
  if (!ok || request->backend->wait == NULL)
    leave_step (request);
  return ok;
}

gboolean
infer_request_begin_joint (InferRequest *request, InferJointStep *step)
{
  infer_request_take_resets (request, FALSE);
  enter_step (request);
  infer_request_apply_resets (request);
  step->context = request->context;
  step->inputs = request->tensors.in;
  step->outputs = request->tensors.out;
  step->states =
      request->states != NULL ? infer_state_set_list (request->states) : NULL;
  return check_step (request, &step->error);
}

void
infer_request_end_joint (
    InferRequest *request, InferJointStep *step, guint64 begin, guint64 end)
{
  GError *cut = NULL;

  leave_step (request);
  infer_request_set_timing (request, INFER_STAGE_START, begin, end);
  infer_request_trace (request, INFER_STAGE_START, begin, end);
  if (!infer_executable_check_files (request->place, &cut)) {
    g_clear_error (&step->error);
    step->error = cut;
  }
}

gboolean
infer_request_wait (InferRequest *request, GError **error)
{
  gboolean ok = infer_request_run_stage (request, INFER_STAGE_WAIT, error);

  leave_step (request);
  return ok;
}

gboolean
infer_request_download (InferRequest *request, GError **error)
{
  return infer_request_run_stage (request, INFER_STAGE_DOWNLOAD, error);
}

gboolean
infer_request_postprocess (InferRequest *request, GError **error)
{
  return infer_request_run_stage (request, INFER_STAGE_POSTPROCESS, error);
}

gboolean
infer_request_infer (InferRequest *request, GError **error)
{
  return infer_request_preprocess (request, error)
         && infer_request_upload (request, error)
         && infer_request_start (request, error)
         && infer_request_wait (request, error)
         && infer_request_download (request, error)
         && infer_request_postprocess (request, error);
}

/* --- timings --- */

const char *
infer_request_get_state_loss (const InferRequest *request)
{
  return request->backend->state_loss != NULL
             ? request->backend->state_loss (request->context)
             : NULL;
}

const guint64 *
infer_request_get_timings (const InferRequest *request)
{
  return request->timings;
}

GArray *
infer_request_get_op_timings (InferRequest *request)
{
  if (request->backend->op_timings == NULL)
    return g_array_new (FALSE, FALSE, sizeof (InferOpTiming));
  GArray *timings = request->backend->op_timings (request->context);
  for (guint i = 0; i < timings->len; i++) {
    InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (timing->device == NULL)
      timing->device = infer_executable_get_device (request->place);
  }
  return timings;
}

GArray *
infer_request_get_fusions (InferRequest *request)
{
  return request->backend->fusions != NULL
             ? request->backend->fusions (request->context)
             : g_array_new (FALSE, FALSE, sizeof (InferFusion));
}
