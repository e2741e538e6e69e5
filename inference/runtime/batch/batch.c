/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend in front of another: `start` queues a row, threads compute
 * batches of rows, `wait` returns when the row's batch is finished. */

#include "infer/batch.h"

#include <errno.h>
#include <pthread.h>

#include "inference/base/cancel.h"
#include "inference/base/clock.h"
#include "inference/runtime/batch/private.h"
#include "inference/runtime/batch/way.h"
#include "inference/runtime/state-private.h"
#include "inference/runtime/runtime-private.h"

typedef enum
{
  ROW_IDLE,
  ROW_WAITING,   /* queued */
  ROW_COMPUTING, /* in the current batch */
  ROW_DONE,
} RowState;

typedef struct _Batcher Batcher;

/* A thread that computes batches; what it has is its own. */
typedef struct
{
  Batcher *batcher;
  GThread *thread;
  gpointer way;    /* of the way */
  GPtrArray *rows; /* (element-type Row) the current batch */
  guint64 begun;   /* ns */
} Worker;

struct _Batcher
{
  const InferBatchWay *way;
  guint size;
  gint64 timeout_us;
  GArray *axes; /* batch dimension of each variable; NULL: the way has none */
  InferExecutable *inner;
  Worker *workers;
  guint n_workers;

  pthread_mutex_t lock; /* guards all below and the state of rows */
  pthread_cond_t work, done;
  GQueue line;    /* (element-type Row) in order of arrival */
  guint expected; /* upper bound of rows that can be queued at once */
  guint urgent;
  gboolean closing;
};

/* The context of a request. */
typedef struct
{
  InferBatchRow row; /* first */
  Batcher *batcher;
  InferExecutor *executor; /* for the wait; see submit_wait */
  guint64 arrived;         /* ns */
  guint64 duration;        /* of its batch, ns; 0: not computed */
  RowState state;
  InferTask *waiter; /* run when the row is finished */
} Row;

/* --- the thread --- */

/* Locked.  The queued rows that can be batched with the oldest. */
static void
choose_rows (Worker *worker)
{
  Batcher *b = worker->batcher;
  const Row *first = g_queue_peek_head (&b->line);

  g_ptr_array_set_size (worker->rows, 0);
  for (GList *l = b->line.head; l != NULL && worker->rows->len < b->size;
       l = l->next) {
    const Row *row = l->data;

    if (row == first || b->way->fit == NULL
        || b->way->fit (worker->way, &first->row, &row->row))
      g_ptr_array_add (worker->rows, l->data);
  }
}

/* Locked. */
static gboolean
is_due (const Worker *worker)
{
  Batcher *b = worker->batcher;
  const Row *first = g_queue_peek_head (&b->line);

  return worker->rows->len >= b->size || b->line.length >= b->expected
         || b->urgent > 0 || b->closing
         || (b->timeout_us >= 0
             && infer_clock_ns () - first->arrived
                    >= (guint64) b->timeout_us * 1000);
}

/* Locked.  Waits for another row or until the oldest times out. */
static void
wait_for_work (Batcher *b)
{
  const Row *first = g_queue_peek_head (&b->line);
  struct timespec deadline;

  if (first == NULL || b->timeout_us < 0) {
    pthread_cond_wait (&b->work, &b->lock);
    return;
  }
  guint64 until = first->arrived + (guint64) b->timeout_us * 1000;
  deadline.tv_sec = (time_t) (until / 1000000000);
  deadline.tv_nsec = (long) (until % 1000000000);
  pthread_cond_timedwait (&b->work, &b->lock, &deadline);
}

/* Locked.  FALSE: the batcher is closing. */
static gboolean
take_batch (Worker *worker)
{
  Batcher *b = worker->batcher;

  for (;;) {
    if (b->line.length > 0) {
      choose_rows (worker);
      if (is_due (worker))
        break;
    } else if (b->closing) {
      return FALSE;
    }
    wait_for_work (b);
  }
  for (guint i = 0; i < worker->rows->len; i++) {
    Row *row = worker->rows->pdata[i];

    g_queue_remove (&b->line, row);
    row->state = ROW_COMPUTING;
  }
  return TRUE;
}

/* Locked. */
static InferTask *
end_row (Row *row)
{
  row->state = ROW_DONE;
  pthread_cond_broadcast (&row->batcher->done);
  return g_steal_pointer (&row->waiter);
}

static void
finish_rows (Worker *worker)
{
  Batcher *b = worker->batcher;
  const guint n = worker->rows->len;
  g_autofree InferTask **waiters = g_new (InferTask *, n);
  const guint64 duration = infer_clock_ns () - worker->begun;

  pthread_mutex_lock (&b->lock);
  for (guint r = 0; r < n; r++) {
    Row *row = worker->rows->pdata[r];

    row->duration = duration;
    waiters[r] = end_row (row);
  }
  pthread_mutex_unlock (&b->lock);
  /* From here on the callback may free the request. */
  for (guint r = 0; r < n; r++)
    if (waiters[r] != NULL)
      waiters[r]->run (waiters[r]);
}

static gpointer
run_batches (gpointer data)
{
  Worker *worker = data;
  Batcher *b = worker->batcher;

  for (;;) {
    pthread_mutex_lock (&b->lock);
    gboolean more = take_batch (worker);
    pthread_mutex_unlock (&b->lock);
    if (!more)
      return NULL;
    worker->begun = infer_clock_ns ();
    b->way->compute (worker->way, (InferBatchRow *const *) worker->rows->pdata,
        worker->rows->len);
    finish_rows (worker);
  }
}

/* --- the backend --- */

static gpointer
context_new (gpointer code, GError **error)
{
  Batcher *b = code;
  gpointer context = NULL;

  if (b->way->own_contexts) {
    context = b->inner->backend->context_new (b->inner->code, error);
    if (context == NULL)
      return NULL;
  }
  Row *row = g_new0 (Row, 1);
  row->batcher = b;
  row->row.context = context;
  return row;
}

static void
context_free (gpointer context)
{
  Row *row = context;

  if (row->row.context != NULL)
    row->batcher->inner->backend->context_free (row->row.context);
  g_clear_pointer (&row->executor, infer_executor_unref);
  g_clear_error (&row->row.error);
  g_free (row);
}

static gboolean
start (gpointer context, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  Row *row = context;
  Batcher *b = row->batcher;

  row->row.inputs = inputs;
  row->row.outputs = outputs;
  row->row.states = states;
  row->row.cancelled = infer_cancel_flag ();
  pthread_mutex_lock (&b->lock);
  row->arrived = infer_clock_ns ();
  row->duration = 0;
  row->state = ROW_WAITING;
  g_queue_push_tail (&b->line, row);
  pthread_cond_signal (&b->work);
  pthread_mutex_unlock (&b->lock);
  return TRUE;
}

static void
commit_states (InferState *const *states, const GArray *axes)
{
  for (guint i = 0; i < axes->len; i++)
    infer_state_commit (states[i]);
}

static gboolean
wait_row (gpointer context, GError **error)
{
  Row *row = context;
  Batcher *b = row->batcher;

  pthread_mutex_lock (&b->lock);
  while (row->state != ROW_DONE)
    pthread_cond_wait (&b->done, &b->lock);
  row->state = ROW_IDLE;
  pthread_mutex_unlock (&b->lock);
  if (row->row.error != NULL) {
    g_propagate_error (error, g_steal_pointer (&row->row.error));
    return FALSE;
  }
  if (row->row.states != NULL && b->axes != NULL)
    commit_states (row->row.states, b->axes);
  return TRUE;
}

static guint64
step_duration (gpointer context)
{
  return ((const Row *) context)->duration;
}

/* The wait of an asynchronous request continues when its batch is finished. */
static void
submit_wait (InferTask *task, gpointer data)
{
  Row *row = data;
  Batcher *b = row->batcher;

  pthread_mutex_lock (&b->lock);
  gboolean now = row->state == ROW_DONE || row->state == ROW_IDLE;
  if (!now)
    row->waiter = task;
  pthread_mutex_unlock (&b->lock);
  if (now)
    task->run (task);
}

static InferExecutor *
wait_executor (gpointer context)
{
  Row *row = context;

  if (row->executor == NULL)
    row->executor = infer_executor_new_custom (submit_wait, row, NULL);
  return row->executor;
}

static InferTask *
cancel (gpointer context)
{
  Row *row = context;
  Batcher *b = row->batcher;
  InferTask *waiter = NULL;

  pthread_mutex_lock (&b->lock);
  if (row->state == ROW_WAITING) {
    g_queue_remove (&b->line, row);
    row->row.error =
        g_error_new_literal (INFER_ERROR, INFER_ERROR_CANCELLED, "cancelled");
    waiter = end_row (row);
    pthread_cond_signal (&b->work);
  }
  pthread_mutex_unlock (&b->lock);
  return waiter;
}

static void
batcher_free (gpointer code)
{
  Batcher *b = code;

  pthread_mutex_lock (&b->lock);
  b->closing = TRUE;
  pthread_cond_broadcast (&b->work);
  pthread_mutex_unlock (&b->lock);
  for (guint i = 0; i < b->n_workers; i++) {
    Worker *worker = &b->workers[i];

    if (worker->thread != NULL)
      g_thread_join (worker->thread);
    g_ptr_array_unref (worker->rows);
    b->way->worker_free (worker->way);
  }
  g_free (b->workers);
  infer_executable_unref (b->inner);
  g_clear_pointer (&b->axes, g_array_unref);
  pthread_cond_destroy (&b->work);
  pthread_cond_destroy (&b->done);
  pthread_mutex_destroy (&b->lock);
  g_free (b);
}

static const InferBackend batch_backend = {
  .name = "BATCH",
  .executable_free = batcher_free,
  .context_new = context_new,
  .context_free = context_free,
  .start = start,
  .wait = wait_row,
  .step_duration = step_duration,
  .wait_executor = wait_executor,
  .cancel = cancel,
};

/* --- public functions --- */

static gboolean
add_worker (Batcher *b, GError **error)
{
  gpointer way = b->way->worker_new (b->inner, b->axes, error);
  g_autoptr (GError) cause = NULL;

  if (way == NULL)
    return FALSE;
  Worker *worker = &b->workers[b->n_workers++];
  worker->batcher = b;
  worker->way = way;
  worker->rows = g_ptr_array_new ();
  worker->thread =
      g_thread_try_new ("infer-batch", run_batches, worker, &cause);
  return worker->thread != NULL
         || infer_fail (error, INFER_ERROR_FAILED,
             "%s: no thread for batches can be started: %s",
             infer_model_get_path (infer_executable_get_model (b->inner)),
             cause->message);
}

/* @axes: (nullable) */
static Batcher *
batcher_new (InferExecutable *inner, const InferBatchWay *way, GArray *axes,
    guint n_workers, GError **error)
{
  pthread_condattr_t monotonic;
  Batcher *b = g_new0 (Batcher, 1);

  b->way = way;
  b->axes = axes != NULL ? g_array_ref (axes) : NULL;
  b->inner = infer_executable_ref (inner);
  g_queue_init (&b->line);
  pthread_mutex_init (&b->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&b->work, &monotonic);
  pthread_cond_init (&b->done, NULL);
  pthread_condattr_destroy (&monotonic);
  /* Until streams are announced, batches wait to be full. */
  b->expected = G_MAXUINT;
  b->workers = g_new0 (Worker, n_workers);
  while (b->n_workers < n_workers)
    if (!add_worker (b, error)) {
      batcher_free (b);
      return NULL;
    }
  return b;
}

/* @inner runs what @batcher takes. */
static InferExecutable *
in_front (InferModel *model, InferExecutable *inner, Batcher *batcher,
    guint size, gint64 timeout_us)
{
  const guint most = batcher->way->most;

  pthread_mutex_lock (&batcher->lock);
  batcher->size = most > 0 ? MIN (size, most) : size;
  batcher->timeout_us = timeout_us;
  pthread_mutex_unlock (&batcher->lock);
  InferExecutable *executable = infer_executable_new_with_code (
      model, infer_executable_get_runtime (inner), &batch_backend, batcher);
  executable->compiled = infer_model_ref (infer_executable_get_model (inner));
  return executable;
}

InferExecutable *
infer_executable_new_batched (InferModel *model, InferRuntime *runtime,
    guint size, gint64 timeout_us, GError **error)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (int));

  g_return_val_if_fail (size > 0, NULL);
  g_autoptr (InferModel) open = infer_model_open_batch (model, axes, error);
  if (open == NULL)
    return NULL;
  g_autoptr (InferExecutable) inner =
      infer_executable_new (open, runtime, error);
  if (inner == NULL)
    return NULL;
  Batcher *batcher = batcher_new (inner, &infer_batch_merged, axes, 1, error);
  return batcher != NULL ? in_front (model, inner, batcher, size, timeout_us)
                         : NULL;
}

InferExecutable *
infer_executable_new_joint (InferModel *model, InferRuntime *runtime,
    guint size, gint64 timeout_us, GError **error)
{
  g_return_val_if_fail (size > 0, NULL);
  g_autoptr (InferExecutable) inner =
      infer_executable_new (model, runtime, error);
  if (inner == NULL)
    return NULL;
  if (inner->backend == NULL || inner->backend->start_joint == NULL) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: device %s computes each request by itself",
        infer_model_get_path (model), infer_executable_get_device (inner));
    return NULL;
  }
  Batcher *batcher = batcher_new (
      inner, &infer_batch_joint, NULL, MAX (runtime->config.streams, 1), error);
  return batcher != NULL ? in_front (model, inner, batcher, size, timeout_us)
                         : NULL;
}

static Batcher *
batcher_of (InferExecutable *executable)
{
  return executable->backend == &batch_backend ? executable->code : NULL;
}

guint
infer_executable_get_batch_size (InferExecutable *executable)
{
  const Batcher *b = batcher_of (executable);

  return b != NULL ? b->size : 0;
}

static void
change (Batcher *b, gint rows, gint urgent)
{
  if (b == NULL)
    return;
  pthread_mutex_lock (&b->lock);
  if (rows > 0 && b->expected == G_MAXUINT)
    b->expected = 0;
  b->expected += (guint) rows;
  b->urgent += (guint) urgent;
  pthread_cond_broadcast (&b->work);
  pthread_mutex_unlock (&b->lock);
}

void
infer_executable_add_stream (InferExecutable *executable, guint rows)
{
  change (batcher_of (executable), (gint) rows, 0);
}

void
infer_executable_remove_stream (InferExecutable *executable, guint rows)
{
  change (batcher_of (executable), -(gint) rows, 0);
}

void
infer_executable_begin_flush (InferExecutable *executable)
{
  change (batcher_of (executable), 0, 1);
}

void
infer_executable_end_flush (InferExecutable *executable)
{
  change (batcher_of (executable), 0, -1);
}
