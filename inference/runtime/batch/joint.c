/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/batch/joint.h"

#include "inference/base/cancel.h"
#include "inference/base/clock.h"
#include "inference/runtime/request-private.h"
#include "inference/runtime/runtime-private.h"

typedef enum
{
  STEP_WAITING,
  STEP_RUNNING,
  STEP_DONE,
} StepState;

/* On the stack of the thread that brings it; guarded by the lock. */
typedef struct
{
  InferRequest *request;
  const gint *cancelled;
  gint64 arrived; /* monotonic, µs */
  StepState state;
  GError *error;
} Step;

struct _InferJoint
{
  GMutex lock; /* guards all below */
  GCond changed;
  guint streams; /* that bring steps */
  guint n_running;
  gint64 patience_us;
  gint64 ended; /* monotonic, µs: the last run */
  GQueue line;  /* (element-type Step): waiting, in order of arrival */
  guint64 steps, runs;
};

InferJoint *
infer_joint_new (gint64 patience_us)
{
  InferJoint *joint = g_new0 (InferJoint, 1);

  joint->patience_us = patience_us;
  g_mutex_init (&joint->lock);
  g_cond_init (&joint->changed);
  g_queue_init (&joint->line);
  return joint;
}

void
infer_joint_free (InferJoint *joint)
{
  if (joint == NULL)
    return;
  g_mutex_clear (&joint->lock);
  g_cond_clear (&joint->changed);
  g_free (joint);
}

static void
add_streams (InferJoint *joint, gint n)
{
  g_mutex_lock (&joint->lock);
  joint->streams += (guint) n;
  g_cond_broadcast (&joint->changed);
  g_mutex_unlock (&joint->lock);
}

void
infer_joint_enter (InferJoint *joint)
{
  add_streams (joint, 1);
}

void
infer_joint_leave (InferJoint *joint)
{
  add_streams (joint, -1);
}

void
infer_joint_count (InferJoint *joint, guint64 *steps, guint64 *runs)
{
  g_mutex_lock (&joint->lock);
  *steps = joint->steps;
  *runs = joint->runs;
  g_mutex_unlock (&joint->lock);
}

/* --- running --- */

/* NULL: its device computes each request by itself. */
static const InferBackend *
backend_of (InferRequest *request)
{
  const InferBackend *backend = infer_request_get_executable (request)->backend;

  return backend != NULL && backend->start_joint != NULL ? backend : NULL;
}

static void
run_joint (const InferBackend *backend, Step *const *taken, guint n)
{
  InferJointStep steps[INFER_MOST_JOINT] = { { .context = NULL } };
  guint of[INFER_MOST_JOINT], n_steps = 0;
  const guint64 begin = infer_clock_ns ();

  for (guint i = 0; i < n; i++) {
    InferJointStep *step = &steps[n_steps];

    *step = (InferJointStep){ .cancelled = taken[i]->cancelled };
    of[n_steps] = i;
    if (infer_request_begin_joint (taken[i]->request, step)) {
      n_steps++;
      continue;
    }
    infer_request_end_joint (taken[i]->request, step, begin, begin);
    taken[i]->error = step->error;
  }
  if (n_steps > 0)
    backend->start_joint (steps, n_steps);
  const guint64 end = infer_clock_ns ();
  for (guint k = 0; k < n_steps; k++) {
    Step *step = taken[of[k]];

    infer_request_end_joint (step->request, &steps[k], begin, end);
    step->error = steps[k].error;
  }
}

static void
run_one (Step *step)
{
  const gint *before = infer_cancel_enter (step->cancelled);

  infer_request_start (step->request, &step->error);
  infer_cancel_enter (before);
}

static void
run_taken (Step *const *taken, guint n)
{
  if (n == 1)
    run_one (taken[0]);
  else
    run_joint (backend_of (taken[0]->request), taken, n);
}

/* Locked; unlocked while steps are computed.  Takes the first of the line. */
static void
lead (InferJoint *joint)
{
  Step *taken[INFER_MOST_JOINT];
  guint n = 0;

  while (n < INFER_MOST_JOINT && joint->line.length > 0) {
    taken[n] = g_queue_pop_head (&joint->line);
    taken[n++]->state = STEP_RUNNING;
  }
  joint->n_running += n;
  joint->steps += n;
  joint->runs++;
  g_mutex_unlock (&joint->lock);
  run_taken (taken, n);
  g_mutex_lock (&joint->lock);
  joint->n_running -= n;
  joint->ended = g_get_monotonic_time ();
  for (guint i = 0; i < n; i++)
    taken[i]->state = STEP_DONE;
  g_cond_broadcast (&joint->changed);
}

/* --- waiting --- */

/* Locked.  Until when the first of the line waits for others while none run:
 * streams whose steps have just been computed need a moment to bring the next.
 */
static gint64
deadline_of (InferJoint *joint)
{
  const Step *first = g_queue_peek_head (&joint->line);

  return MAX (first->arrived, joint->ended) + joint->patience_us;
}

/* Locked.  Steps that come while others run go together after them. */
static gboolean
is_due (InferJoint *joint)
{
  if (joint->line.length >= INFER_MOST_JOINT)
    return TRUE;
  return joint->n_running == 0
         && (joint->line.length >= joint->streams
             || g_get_monotonic_time () >= deadline_of (joint));
}

/* Locked. */
static void
wait_until_done (InferJoint *joint, const Step *step)
{
  while (step->state != STEP_DONE)
    if (step->state == STEP_WAITING && is_due (joint))
      lead (joint);
    else if (step->state == STEP_RUNNING || joint->n_running > 0)
      g_cond_wait (&joint->changed, &joint->lock);
    else
      g_cond_wait_until (&joint->changed, &joint->lock, deadline_of (joint));
}

static gboolean
start (InferJoint *joint, InferRequest *request, GError **error)
{
  Step step = { .request = request,
    .cancelled = infer_cancel_flag (),
    .arrived = g_get_monotonic_time () };

  g_mutex_lock (&joint->lock);
  g_queue_push_tail (&joint->line, &step);
  wait_until_done (joint, &step);
  g_mutex_unlock (&joint->lock);
  if (step.error == NULL)
    return TRUE;
  g_propagate_error (error, step.error);
  return FALSE;
}

gboolean
infer_joint_infer (InferJoint *joint, InferRequest *request, GError **error)
{
  if (backend_of (request) == NULL)
    return infer_request_infer (request, error);
  return infer_request_preprocess (request, error)
         && infer_request_upload (request, error)
         && start (joint, request, error) && infer_request_wait (request, error)
         && infer_request_download (request, error)
         && infer_request_postprocess (request, error);
}
