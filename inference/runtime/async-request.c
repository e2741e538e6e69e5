/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "infer/bindings.h"
#include "inference/base/cancel.h"
#include "inference/base/clock.h"
#include "inference/runtime/executor-private.h"
#include "inference/runtime/request-private.h"
#include "inference/runtime/state-private.h"
#include "inference/runtime/runtime-private.h"

#define BIT(stage) (1u << INFER_STAGE_##stage)
#define MAX_ENTRIES 5

/* A pipeline entry: consecutive stages on one executor. */
typedef struct
{
  InferExecutor *executor; /* NULL: the executor of the entry before */
  guint stages;            /* 1 << InferStage */
  gboolean begins_step, ends_step;
} Entry;

struct _InferAsyncRequest
{
  InferTask task; /* posted to one executor after the other */
  InferTask turn; /* posted to the strand of the states */
  gatomicrefcount refs;
  InferRequest *request;
  InferExecutor *callback_executor;
  InferExecutable *place; /* for which the pipeline was built */
  guint n_entries;
  Entry pipeline[MAX_ENTRIES];
  InferCallback callback;
  gpointer callback_data;
  GDestroyNotify callback_destroy; /* nullable */

  /* State of the current run; owned by the thread that runs it. */
  guint position;
  guint skip;   /* stages that the caller has run */
  gint missing; /* of the turn and preprocessing, both needed before the step */
  InferStateSet *states; /* whose strand orders the run; nullable */
  gboolean begun;        /* the step has started on the device */
  gboolean hosted;       /* handed to a host, which has not taken it yet */
  GError *failure;
  gint cancelled;

  pthread_mutex_t lock; /* guards all below */
  pthread_cond_t changed;
  gboolean running, in_callback, deferred, closing;
  pthread_t callback_thread;
  guint64 n_started, n_finished;
  GError *result; /* of the last finished run */
};

/* --- the callback stage --- */

/* Called locked; unlocks during the callback. */
static void
call_back (InferAsyncRequest *async)
{
  InferStateSet *states = g_steal_pointer (&async->states);
  guint64 run = async->n_started;

  g_clear_error (&async->result);
  async->result = g_steal_pointer (&async->failure);
  async->running = FALSE;
  pthread_mutex_unlock (&async->lock);

  if (states != NULL)
    infer_state_set_unref (states);
  guint64 begin = infer_clock_ns ();
  if (async->callback != NULL)
    async->callback (async, async->result, async->callback_data);
  guint64 end = infer_clock_ns ();
  infer_request_trace (async->request, INFER_STAGE_CALLBACK, begin, end);

  pthread_mutex_lock (&async->lock);
  if (!async->running)
    infer_request_set_timing (async->request, INFER_STAGE_CALLBACK, begin, end);
  async->n_finished = run;
  pthread_cond_broadcast (&async->changed);
}

/* If the callback restarts the request and that run ends before the callback
 * returns, the thread in the callback also makes the next call: callbacks of
 * one request neither overlap nor nest. */
static void
finish (InferAsyncRequest *async)
{
  pthread_mutex_lock (&async->lock);
  if (async->in_callback) {
    async->deferred = TRUE;
    pthread_mutex_unlock (&async->lock);
    return;
  }
  async->in_callback = TRUE;
  async->callback_thread = pthread_self ();
  do {
    async->deferred = FALSE;
    call_back (async);
  } while (async->deferred);
  async->in_callback = FALSE;
  pthread_cond_broadcast (&async->changed);
  pthread_mutex_unlock (&async->lock);
}

/* --- the pipeline --- */

static gboolean
may_run (InferAsyncRequest *async, InferStage stage)
{
  /* A started step must be waited for: the device uses the tensors. */
  if (stage == INFER_STAGE_WAIT)
    return async->begun;
  if (async->failure == NULL && g_atomic_int_get (&async->cancelled))
    infer_fail (&async->failure, INFER_ERROR_CANCELLED, "cancelled");
  return async->failure == NULL;
}

static void
run_entry (InferAsyncRequest *async, const Entry *entry)
{
  InferStrand *strand =
      async->states != NULL ? infer_state_set_strand (async->states) : NULL;

  if (entry->begins_step)
    infer_request_apply_resets (async->request);
  const gint *before = infer_cancel_enter (&async->cancelled);
  for (InferStage stage = 0; stage < INFER_STAGE_CALLBACK; stage++) {
    if (!(entry->stages & ~async->skip & 1u << stage)
        || !may_run (async, stage))
      continue;
    gboolean ok = infer_request_run_stage (
        async->request, stage, async->failure != NULL ? NULL : &async->failure);
    if (stage == INFER_STAGE_START)
      async->begun = ok;
    /* The cancellation may have come before the step had started. */
    if (stage == INFER_STAGE_START && ok
        && g_atomic_int_get (&async->cancelled))
      infer_request_cancel_step (async->request);
  }
  infer_cancel_enter (before);
  if (entry->ends_step && strand != NULL)
    infer_strand_done (strand);
}

/* Whether a host may run the first entry.  Not if it would block on the strand:
 * then the task executor runs it. */
static gboolean
enter_first (InferAsyncRequest *async)
{
  return (async->states == NULL || g_atomic_int_get (&async->missing) == 1)
         && infer_executor_try_enter (async->pipeline[0].executor);
}

static void
run (InferTask *task)
{
  InferAsyncRequest *async = (InferAsyncRequest *) task;
  InferExecutor *entered = NULL;

  if (async->hosted) {
    async->hosted = FALSE;
    if (!enter_first (async)) {
      infer_executor_submit (async->pipeline[0].executor, task);
      return;
    }
    entered = async->pipeline[0].executor;
  }
  while (async->pipeline[async->position].stages != BIT (CALLBACK)) {
    const Entry *here = &async->pipeline[async->position];
    const Entry *next = here + 1;

    run_entry (async, here);
    async->position++;
    if (next->begins_step && async->states != NULL
        && !g_atomic_int_dec_and_test (&async->missing))
      return; /* the strand's turn continues the run */
    if (next->executor != NULL && next->executor != here->executor) {
      if (entered != NULL)
        infer_executor_leave (entered);
      infer_executor_submit (next->executor, &async->task);
      return;
    }
  }
  if (entered != NULL)
    infer_executor_leave (entered);
  finish (async);
}

static void
take_turn (InferTask *task)
{
  InferAsyncRequest *async =
      (InferAsyncRequest *) ((char *) task
                             - G_STRUCT_OFFSET (InferAsyncRequest, turn));

  if (g_atomic_int_dec_and_test (&async->missing))
    infer_executor_submit_ahead (
        async->pipeline[async->position].executor, &async->task);
}

static void
add_entry (InferAsyncRequest *async, InferExecutor *executor, guint stages)
{
  g_assert (async->n_entries < MAX_ENTRIES);
  async->pipeline[async->n_entries++] = (Entry){
    .executor = executor,
    .stages = stages,
    .begins_step = (stages & BIT (START)) != 0,
  };
}

static gboolean
build_pipeline (InferAsyncRequest *async, GError **error)
{
  InferExecutable *place = infer_request_choose_place (async->request);

  if (place == async->place)
    return TRUE;
  InferExecutor *cpu = infer_executable_get_task_executor (place, error);
  if (cpu == NULL)
    return FALSE;
  InferExecutor *device = infer_request_wait_executor (async->request);
  if (device == NULL && place->where != NULL)
    device = place->where->wait_executor;
  async->place = place;
  memset (async->pipeline, 0, sizeof async->pipeline);
  async->n_entries = 0;
  add_entry (async, cpu, BIT (PREPROCESS) | BIT (UPLOAD));
  add_entry (async, cpu, BIT (START));
  if (device != NULL)
    add_entry (async, device, BIT (WAIT));
  async->pipeline[async->n_entries - 1].ends_step = TRUE;
  add_entry (async, cpu, BIT (DOWNLOAD) | BIT (POSTPROCESS));
  add_entry (async, async->callback_executor, BIT (CALLBACK));
  return TRUE;
}

/* --- public functions --- */

InferAsyncRequest *
infer_async_request_new (InferExecutable *executable,
    InferExecutor *callback_executor, GError **error)
{
  InferRequest *request = infer_request_new (executable, error);

  if (request == NULL)
    return NULL;
  InferAsyncRequest *async = g_new0 (InferAsyncRequest, 1);
  g_atomic_ref_count_init (&async->refs);
  async->task.run = run;
  async->turn.run = take_turn;
  async->request = request;
  if (callback_executor != NULL)
    async->callback_executor = infer_executor_ref (callback_executor);
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&async->changed, &monotonic);
  pthread_condattr_destroy (&monotonic);
  pthread_mutex_init (&async->lock, NULL);
  if (build_pipeline (async, error))
    return async;
  infer_async_request_free (async);
  return NULL;
}

/* Called locked.  The waiting task is submitted to the task executor, since its
 * end needs the lock. */
static void
cancel (InferAsyncRequest *async)
{
  if (!async->running)
    return;
  g_atomic_int_set (&async->cancelled, TRUE);
  InferTask *task = infer_request_cancel_step (async->request);
  if (task != NULL)
    infer_executor_submit (async->pipeline[0].executor, task);
}

InferAsyncRequest *
infer_async_request_ref (InferAsyncRequest *async)
{
  g_atomic_ref_count_inc (&async->refs);
  return async;
}

void
infer_async_request_free (InferAsyncRequest *async)
{
  if (async == NULL || !g_atomic_ref_count_dec (&async->refs))
    return;
  pthread_mutex_lock (&async->lock);
  async->closing = TRUE;
  cancel (async);
  while (async->running || async->in_callback)
    pthread_cond_wait (&async->changed, &async->lock);
  pthread_mutex_unlock (&async->lock);
  infer_async_request_set_callback (async, NULL, NULL);
  infer_request_free (async->request);
  g_clear_pointer (&async->callback_executor, infer_executor_unref);
  g_clear_error (&async->result);
  pthread_cond_destroy (&async->changed);
  pthread_mutex_destroy (&async->lock);
  g_free (async);
}

InferRequest *
infer_async_request_get_request (InferAsyncRequest *async)
{
  return async->request;
}

void
infer_async_request_set_callback (
    InferAsyncRequest *async, InferCallback callback, gpointer data)
{
  infer_async_request_set_callback_full (async, callback, data, NULL);
}

void
infer_async_request_set_callback_full (InferAsyncRequest *async,
    InferCallback callback, gpointer data, GDestroyNotify destroy)
{
  if (async->callback_destroy != NULL)
    async->callback_destroy (async->callback_data);
  async->callback = callback;
  async->callback_data = data;
  async->callback_destroy = destroy;
}

/* Called locked. */
static gboolean
inside_callback (const InferAsyncRequest *async)
{
  return async->in_callback
         && pthread_equal (async->callback_thread, pthread_self ());
}

static gboolean
claim (InferAsyncRequest *async, GError **error)
{
  pthread_mutex_lock (&async->lock);
  gboolean closing = async->closing;
  gboolean busy =
      async->running || (async->in_callback && !inside_callback (async));
  if (!closing && !busy) {
    async->running = TRUE;
    async->n_started++;
    g_atomic_int_set (&async->cancelled, FALSE);
  }
  pthread_mutex_unlock (&async->lock);
  if (closing)
    return infer_fail (
        error, INFER_ERROR_CANCELLED, "the request is being freed");
  return !busy
         || infer_fail (error, INFER_ERROR_BUSY, "the request is running");
}

static void
unclaim (InferAsyncRequest *async)
{
  pthread_mutex_lock (&async->lock);
  async->running = FALSE;
  async->n_started--;
  pthread_cond_broadcast (&async->changed);
  pthread_mutex_unlock (&async->lock);
}

gboolean
infer_async_request_start (
    InferAsyncRequest *async, InferStartFlags flags, GError **error)
{
  return infer_async_request_start_at (async, NULL, flags, error);
}

/* Whether the first entry has nothing to do, so that only the turn is missing.
 */
static gboolean
is_ready (const InferAsyncRequest *async)
{
  const guint left = async->pipeline[0].stages & ~async->skip;

  return (left & ~BIT (UPLOAD)) == 0
         && !infer_request_has_stage (async->request, INFER_STAGE_UPLOAD);
}

gboolean
infer_async_request_start_at (InferAsyncRequest *async, InferExecutor *host,
    InferStartFlags flags, GError **error)
{
  if (!claim (async, error))
    return FALSE;
  if (!build_pipeline (async, error)) {
    unclaim (async);
    return FALSE;
  }
  gboolean prepared = (flags & INFER_START_PREPROCESSED) != 0;
  InferStateSet *states = infer_request_peek_states (async->request);
  async->skip = prepared ? BIT (PREPROCESS) : 0;
  async->begun = FALSE;
  if (!prepared)
    infer_request_clear_timings (async->request);
  infer_request_take_resets (
      async->request, (flags & INFER_START_RESET_STATES) != 0);

  InferExecutor *first = host != NULL ? host : async->pipeline[0].executor;
  async->hosted = host != NULL;
  async->position = 0;
  if (states == NULL) {
    infer_executor_submit (first, &async->task);
    return TRUE;
  }
  /* The step's place in the sequence is taken here, while inputs are still
   * being prepared.  The run may end, and the request be freed, before these
   * calls return. */
  async->states = infer_state_set_ref (states);
  const gboolean ready = host == NULL && is_ready (async);
  async->missing = ready ? 1 : 2;
  async->position = ready ? 1 : 0;
  infer_state_set_ref (states);
  infer_strand_post (infer_state_set_strand (states), NULL, &async->turn);
  if (!ready)
    infer_executor_submit (first, &async->task);
  infer_state_set_unref (states);
  return TRUE;
}

gboolean
infer_async_request_wait (
    InferAsyncRequest *async, gint64 timeout_us, GError **error)
{
  guint64 until = infer_clock_ns () + (guint64) MAX (timeout_us, 0) * 1000;
  struct timespec deadline = { .tv_sec = (time_t) (until / 1000000000),
    .tv_nsec = (long) (until % 1000000000) };
  GError *result = NULL;
  int status = 0;

  pthread_mutex_lock (&async->lock);
  guint64 run = async->n_started;
  if (inside_callback (async)) {
    pthread_mutex_unlock (&async->lock);
    return infer_fail (error, INFER_ERROR_BUSY,
        "the request cannot be waited for inside its callback");
  }
  while (async->n_finished < run && status != ETIMEDOUT)
    status = timeout_us < 0 ? pthread_cond_wait (&async->changed, &async->lock)
                            : pthread_cond_timedwait (
                                &async->changed, &async->lock, &deadline);
  gboolean finished = async->n_finished >= run;
  if (finished && async->result != NULL)
    result = g_error_copy (async->result);
  pthread_mutex_unlock (&async->lock);
  if (result != NULL) {
    g_propagate_error (error, result);
    return FALSE;
  }
  return finished;
}

void
infer_async_request_cancel (InferAsyncRequest *async)
{
  pthread_mutex_lock (&async->lock);
  cancel (async);
  pthread_mutex_unlock (&async->lock);
}
