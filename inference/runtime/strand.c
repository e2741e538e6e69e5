/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/strand.h"

#include <pthread.h>

struct _InferStrand
{
  pthread_mutex_t lock;
  InferTask *head, *tail;
  gboolean busy;        /* a task has started and is not finished */
  gboolean dispatching; /* a thread is in dispatch and will look again */
};

InferStrand *
infer_strand_new (void)
{
  InferStrand *strand = g_new0 (InferStrand, 1);
  pthread_mutex_init (&strand->lock, NULL);
  return strand;
}

void
infer_strand_free (InferStrand *strand)
{
  if (strand == NULL)
    return;
  g_warn_if_fail (!strand->busy && strand->head == NULL);
  pthread_mutex_destroy (&strand->lock);
  g_free (strand);
}

/* Locked.  A loop, not recursion from `done`: a long queue on immediate
 * executors would overflow the stack. */
static void
dispatch (InferStrand *strand)
{
  if (strand->dispatching)
    return;
  strand->dispatching = TRUE;
  while (!strand->busy && strand->head != NULL) {
    InferTask *task = strand->head;

    strand->head = task->next;
    if (strand->head == NULL)
      strand->tail = NULL;
    strand->busy = TRUE;
    pthread_mutex_unlock (&strand->lock);
    if (task->executor != NULL)
      infer_executor_submit (task->executor, task);
    else
      task->run (task);
    pthread_mutex_lock (&strand->lock);
  }
  strand->dispatching = FALSE;
}

void
infer_strand_post (
    InferStrand *strand, InferExecutor *executor, InferTask *task)
{
  task->next = NULL;
  task->executor = executor;
  pthread_mutex_lock (&strand->lock);
  if (strand->tail != NULL)
    strand->tail->next = task;
  else
    strand->head = task;
  strand->tail = task;
  dispatch (strand);
  pthread_mutex_unlock (&strand->lock);
}

void
infer_strand_done (InferStrand *strand)
{
  pthread_mutex_lock (&strand->lock);
  g_warn_if_fail (strand->busy);
  strand->busy = FALSE;
  dispatch (strand);
  pthread_mutex_unlock (&strand->lock);
}

typedef struct
{
  InferTask task;
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  gboolean turn;
} Turn;

static void
turn_run (InferTask *task)
{
  Turn *turn = (Turn *) task;

  pthread_mutex_lock (&turn->lock);
  turn->turn = TRUE;
  pthread_cond_signal (&turn->arrived);
  pthread_mutex_unlock (&turn->lock);
}

void
infer_strand_enter (InferStrand *strand)
{
  Turn turn = { .task.run = turn_run,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .arrived = PTHREAD_COND_INITIALIZER };

  infer_strand_post (strand, NULL, &turn.task);
  pthread_mutex_lock (&turn.lock);
  while (!turn.turn)
    pthread_cond_wait (&turn.arrived, &turn.lock);
  pthread_mutex_unlock (&turn.lock);
  pthread_cond_destroy (&turn.arrived);
  pthread_mutex_destroy (&turn.lock);
}
