/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Batches are waited for by everyone who shares the model; these tell it who
 * can still be expected to send something, and who cannot wait. */

#include "gst/filter/filter-private.h"

#include "inference/runtime/batch.h"

/* Steps of one sequence go one by one.  Of a model without state there can be
 * as many as requests, but for those whose result waits for its turn to leave.
 */
static guint
count_rows (GstInferFilter *self)
{
  return infer_model_n_variables (self->model) > 0
             ? 1
             : self->n_jobs - self->withheld;
}

void
gst_infer_filter_join_batch (GstInferFilter *self)
{
  if (self->joined)
    return;
  self->joined = TRUE;
  infer_executable_add_stream (self->executable, count_rows (self));
}

void
gst_infer_filter_leave_batch (GstInferFilter *self)
{
  if (self->joined)
    infer_executable_remove_stream (self->executable, count_rows (self));
  self->joined = FALSE;
}

void
gst_infer_filter_withhold (GstInferFilter *self, gboolean withheld)
{
  g_autoptr (GMutexLocker) locker = NULL;

  if (self->active.batch_size <= 1)
    return;
  locker = g_mutex_locker_new (&self->starting);
  if (infer_model_n_variables (self->model) > 0)
    return;
  if (withheld)
    self->withheld++;
  else
    self->withheld--;
  if (self->joined && withheld)
    infer_executable_remove_stream (self->executable, 1);
  else if (self->joined)
    infer_executable_add_stream (self->executable, 1);
}

/* With the lock `starting`. */
static void
urge (GstInferFilter *self)
{
  self->urges++;
  if (self->executable != NULL)
    infer_executable_begin_flush (self->executable);
}

static void
relax (GstInferFilter *self)
{
  self->urges--;
  if (self->executable != NULL)
    infer_executable_end_flush (self->executable);
}

void
gst_infer_filter_urge (GstInferFilter *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  urge (self);
}

void
gst_infer_filter_relax (GstInferFilter *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  relax (self);
}

void
gst_infer_filter_set_executable (
    GstInferFilter *self, InferExecutable *executable)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  if (executable == NULL)
    gst_infer_filter_leave_batch (self);
  for (guint i = 0; i < self->urges; i++) {
    if (self->executable != NULL)
      infer_executable_end_flush (self->executable);
    if (executable != NULL)
      infer_executable_begin_flush (executable);
  }
  self->executable = executable;
}

void
gst_infer_filter_event_left (GstInferFilter *self, gboolean all)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&self->starting);

  for (guint i = all ? self->barriers : MIN (self->barriers, 1); i > 0; i--) {
    self->barriers--;
    relax (self);
  }
}

gboolean
gst_infer_filter_queue_event (GstInferFilter *self, GstEvent *event)
{
  g_mutex_lock (&self->starting);
  self->barriers++;
  urge (self);
  g_mutex_unlock (&self->starting);
  if (gst_infer_queue_put_event (self->queue, event))
    return TRUE;
  gst_infer_filter_event_left (self, FALSE);
  return FALSE;
}

GstClockTime
gst_infer_filter_batch_wait (GstInferFilter *self)
{
  return self->active.batch_size > 1 && self->active.batch_timeout > 0
             ? (GstClockTime) self->active.batch_timeout * GST_MSECOND
             : 0;
}
