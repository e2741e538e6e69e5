/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A backend in front of another: `start` queues a row, a thread computes
 * batches of rows, `wait` returns when the row's batch is finished. */

#include "infer/batch.h"

#include <errno.h>
#include <pthread.h>

#include "inference/runtime/batch/private.h"
#include "inference/runtime/state-private.h"
#include "inference/base/clock.h"
#include "inference/runtime/runtime-private.h"

typedef enum
{
  ROW_IDLE,
  ROW_WAITING,   /* queued */
  ROW_COMPUTING, /* in the current batch */
  ROW_DONE,
} RowState;

typedef struct
{
  guint size;
  gint64 timeout_us;
  GArray *axes; /* (element-type int) batch dimension of each variable */
  InferExecutable *inner;
  InferRequest *request; /* used by the thread only */
  GPtrArray
      *rows; /* (element-type Row) the current batch, used by the thread only */
  guint64 begun; /* ns, used by the thread only */
  GThread *thread;

  pthread_mutex_t lock; /* guards all below and the state of rows */
  pthread_cond_t work, done;
  GQueue line;    /* (element-type Row) in order of arrival */
  guint expected; /* upper bound of rows that can be queued at once */
  guint urgent;
  gboolean closing;
} Batcher;

/* The context of a request. */
typedef struct
{
  Batcher *batcher;
  InferExecutor *executor; /* for the wait; see submit_wait */
  InferTensor *const *inputs;
  InferTensor **outputs;
  InferState *const *states;
  guint64 arrived;  /* ns */
  guint64 duration; /* of its batch, ns; 0: not computed */
  RowState state;
  InferTask *waiter; /* run when the row is finished */
  GError *error;
} Row;

/* --- the thread --- */

static gboolean
same_descs (InferTensor *const *a, InferTensor *const *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (a[i]->type != b[i]->type
        || !infer_shape_equal (&a[i]->shape, &b[i]->shape))
      return FALSE;
  return TRUE;
}

static gboolean
rows_fit (const Batcher *b, const Row *x, const Row *y)
{
  guint n = infer_model_n_inputs (infer_executable_get_model (b->inner));

  return x == y
         || (same_descs (x->inputs, y->inputs, n)
             && (b->axes->len == 0
                 || infer_batch_states_fit (x->states, y->states, b->axes)));
}

/* Locked.  The queued rows that can be batched with the oldest. */
static void
choose_rows (Batcher *b)
{
  const Row *first = g_queue_peek_head (&b->line);

  g_ptr_array_set_size (b->rows, 0);
  for (GList *l = b->line.head; l != NULL && b->rows->len < b->size;
       l = l->next)
    if (rows_fit (b, first, l->data))
      g_ptr_array_add (b->rows, l->data);
}

/* Locked. */
static gboolean
is_due (Batcher *b)
{
  const Row *first = g_queue_peek_head (&b->line);

  return b->rows->len >= b->size || b->line.length >= b->expected
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
take_batch (Batcher *b)
{
  for (;;) {
    if (b->line.length > 0) {
      choose_rows (b);
      if (is_due (b))
        break;
    } else if (b->closing) {
      return FALSE;
    }
    wait_for_work (b);
  }
  for (guint i = 0; i < b->rows->len; i++) {
    Row *row = b->rows->pdata[i];

    g_queue_remove (&b->line, row);
    row->state = ROW_COMPUTING;
  }
  return TRUE;
}

static gboolean
join_inputs (Batcher *b, GError **error)
{
  guint n = infer_model_n_inputs (infer_executable_get_model (b->inner));
  g_autofree InferTensor **parts = g_new (InferTensor *, b->rows->len);

  for (guint i = 0; i < n; i++) {
    for (guint r = 0; r < b->rows->len; r++)
      parts[r] = ((const Row *) b->rows->pdata[r])->inputs[i];
    if (!infer_request_set_input_batch (
            b->request, i, parts, b->rows->len, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
split_output (Batcher *b, guint index, GError **error)
{
  const InferTensor *joined =
      infer_request_get_output (b->request, index, error);

  if (joined == NULL)
    return FALSE;
  InferShape shape = joined->shape;
  if (shape.rank < 1 || shape.dims[0] != b->rows->len) {
    g_autofree char *text = infer_shape_to_string (&shape);

    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "output '%s' of a batch of %u is %s",
        infer_model_output_name (infer_executable_get_model (b->inner), index),
        b->rows->len, text);
  }
  shape.dims[0] = 1;
  for (guint r = 0; r < b->rows->len; r++) {
    InferTensor *to = ((const Row *) b->rows->pdata[r])->outputs[index];

    if ((to->type != joined->type || !infer_shape_equal (&to->shape, &shape))
        && !infer_tensor_reshape (to, joined->type, &shape, error))
      return FALSE;
    infer_batch_get_row (joined, 0, r, b->rows->len, to);
  }
  return TRUE;
}

static gboolean
compute (Batcher *b, GError **error)
{
  InferStateSet *set = infer_request_get_states (b->request);
  InferState *const *states = set != NULL ? infer_state_set_list (set) : NULL;
  g_autofree InferState *const **rows =
      g_new (InferState *const *, b->rows->len);
  guint n_outputs =
      infer_model_n_outputs (infer_executable_get_model (b->inner));

  b->begun = infer_clock_ns ();
  for (guint r = 0; r < b->rows->len; r++)
    rows[r] = ((const Row *) b->rows->pdata[r])->states;
  if (!join_inputs (b, error)
      || (states != NULL
          && !infer_batch_gather (states, rows, b->rows->len, b->axes, error))
      || !infer_request_infer (b->request, error))
    return FALSE;
  for (guint i = 0; i < n_outputs; i++)
    if (!split_output (b, i, error))
      return FALSE;
  return states == NULL
         || infer_batch_scatter (states, rows, b->rows->len, b->axes, error);
}

/* Locked.  @error: (transfer full). */
static InferTask *
end_row (Row *row, GError *error)
{
  row->state = ROW_DONE;
  row->error = error;
  pthread_cond_broadcast (&row->batcher->done);
  return g_steal_pointer (&row->waiter);
}

static void
finish_rows (Batcher *b, const GError *error)
{
  g_autofree InferTask **waiters = g_new (InferTask *, b->rows->len);
  guint64 duration = infer_clock_ns () - b->begun;

  pthread_mutex_lock (&b->lock);
  for (guint r = 0; r < b->rows->len; r++) {
    Row *row = b->rows->pdata[r];

    row->duration = duration;
    waiters[r] = end_row (row, error != NULL ? g_error_copy (error) : NULL);
  }
  pthread_mutex_unlock (&b->lock);
  /* From here on the callback may free the request. */
  for (guint r = 0; r < b->rows->len; r++)
    if (waiters[r] != NULL)
      waiters[r]->run (waiters[r]);
}

/* Computes the rows one by one after a failure: an error in one row must not
 * fail the others. */
static void
compute_apart (Batcher *b)
{
  guint n = b->rows->len;
  g_autofree gpointer *rows = g_new (gpointer, n);

  for (guint r = 0; r < n; r++)
    rows[r] = b->rows->pdata[r];
  for (guint r = 0; r < n; r++) {
    g_autoptr (GError) error = NULL;

    g_ptr_array_set_size (b->rows, 0);
    g_ptr_array_add (b->rows, rows[r]);
    compute (b, &error);
    finish_rows (b, error);
  }
}

static gpointer
run_batches (gpointer data)
{
  Batcher *b = data;

  for (;;) {
    g_autoptr (GError) error = NULL;
    gboolean more, ok;

    pthread_mutex_lock (&b->lock);
    more = take_batch (b);
    pthread_mutex_unlock (&b->lock);
    if (!more)
      return NULL;
    ok = compute (b, &error);
    if (ok || b->rows->len == 1)
      finish_rows (b, error);
    else
      compute_apart (b);
  }
}

/* --- the backend --- */

static gpointer
context_new (gpointer code, GError **error)
{
  Row *row = g_new0 (Row, 1);

  row->batcher = code;
  return row;
}

static void
context_free (gpointer context)
{
  Row *row = context;

  g_clear_pointer (&row->executor, infer_executor_unref);
  g_clear_error (&row->error);
  g_free (row);
}

static gboolean
start (gpointer context, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  Row *row = context;
  Batcher *b = row->batcher;

  row->inputs = inputs;
  row->outputs = outputs;
  row->states = states;
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
  if (row->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&row->error));
    return FALSE;
  }
  if (row->states != NULL)
    commit_states (row->states, b->axes);
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
    waiter = end_row (row,
        g_error_new_literal (INFER_ERROR, INFER_ERROR_CANCELLED, "cancelled"));
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
  pthread_cond_signal (&b->work);
  pthread_mutex_unlock (&b->lock);
  if (b->thread != NULL)
    g_thread_join (b->thread);
  infer_request_free (b->request);
  infer_executable_unref (b->inner);
  g_ptr_array_unref (b->rows);
  g_array_unref (b->axes);
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

static Batcher *
batcher_new (InferExecutable *inner, GArray *axes, guint size,
    gint64 timeout_us, GError **error)
{
  InferRequest *request = infer_request_new (inner, error);
  pthread_condattr_t monotonic;

  if (request == NULL)
    return NULL;
  Batcher *b = g_new0 (Batcher, 1);
  b->size = size;
  b->timeout_us = timeout_us;
  b->axes = g_array_ref (axes);
  b->inner = infer_executable_ref (inner);
  b->request = request;
  b->rows = g_ptr_array_new ();
  g_queue_init (&b->line);
  pthread_mutex_init (&b->lock, NULL);
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&b->work, &monotonic);
  pthread_cond_init (&b->done, NULL);
  pthread_condattr_destroy (&monotonic);
  /* Until streams are announced, batches wait to be full. */
  b->expected = G_MAXUINT;
  g_autoptr (GError) cause = NULL;
  b->thread = g_thread_try_new ("infer-batch", run_batches, b, &cause);
  if (b->thread != NULL)
    return b;
  infer_fail (error, INFER_ERROR_FAILED,
      "%s: no thread for batches can be started: %s",
      infer_model_get_path (infer_executable_get_model (inner)),
      cause->message);
  batcher_free (b);
  return NULL;
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
  Batcher *batcher = batcher_new (inner, axes, size, timeout_us, error);
  if (batcher == NULL)
    return NULL;
  InferExecutable *executable =
      infer_executable_new_with_code (model, runtime, &batch_backend, batcher);
  executable->compiled = infer_model_ref (open);
  return executable;
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
  pthread_cond_signal (&b->work);
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
