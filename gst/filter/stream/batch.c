/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/batch.h"

#include "infer/batch.h"

/* Rows that the stream can have waiting at a time.  Locked. */
static guint
count_rows (const GstInferBatch *batch)
{
  return batch->stateful ? 1 : batch->requests - batch->unreleased;
}

/* Batches that no stream has ever joined wait until they are full.  Locked. */
static void
wait_for_nobody (GstInferBatch *batch)
{
  infer_executable_add_stream (batch->executable, 1);
  infer_executable_remove_stream (batch->executable, 1);
}

gboolean
gst_infer_batch_join (GstInferBatch *batch)
{
  if (batch->joined)
    return FALSE;
  if (batch->paused) {
    wait_for_nobody (batch);
    return FALSE;
  }
  batch->joined = TRUE;
  infer_executable_add_stream (batch->executable, count_rows (batch));
  return batch->enabled;
}

void
gst_infer_batch_leave_locked (GstInferBatch *batch)
{
  if (batch->joined)
    infer_executable_remove_stream (batch->executable, count_rows (batch));
  batch->joined = FALSE;
}

void
gst_infer_batch_leave (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  gst_infer_batch_leave_locked (batch);
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_set_paused (GstInferBatch *batch, gboolean paused)
{
  g_mutex_lock (&batch->lock);
  batch->paused = paused;
  if (paused)
    gst_infer_batch_leave_locked (batch);
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_hold_request (GstInferBatch *batch)
{
  if (!batch->enabled)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&batch->lock);
  if (batch->stateful)
    return;
  batch->unreleased++;
  if (batch->joined)
    infer_executable_remove_stream (batch->executable, 1);
}

void
gst_infer_batch_release_request (GstInferBatch *batch)
{
  if (!batch->enabled)
    return;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&batch->lock);
  if (batch->stateful)
    return;
  batch->unreleased--;
  if (batch->joined)
    infer_executable_add_stream (batch->executable, 1);
}

/* Locked. */
static void
begin_flush (GstInferBatch *batch)
{
  batch->flushes++;
  if (batch->executable != NULL)
    infer_executable_begin_flush (batch->executable);
}

/* Locked. */
static void
end_flush (GstInferBatch *batch)
{
  batch->flushes--;
  if (batch->executable != NULL)
    infer_executable_end_flush (batch->executable);
}

void
gst_infer_batch_begin_flush (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  begin_flush (batch);
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_end_flush (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  end_flush (batch);
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_enable (GstInferBatch *batch, gboolean enabled)
{
  g_mutex_lock (&batch->lock);
  batch->enabled = enabled;
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_set_executable (GstInferBatch *batch,
    InferExecutable *executable, guint requests, gboolean stateful)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
      g_mutex_locker_new (&batch->lock);

  if (executable == NULL)
    gst_infer_batch_leave_locked (batch);
  for (guint i = 0; i < batch->flushes; i++) {
    if (batch->executable != NULL)
      infer_executable_end_flush (batch->executable);
    if (executable != NULL)
      infer_executable_begin_flush (executable);
  }
  batch->executable = executable;
  batch->requests = requests;
  batch->stateful = stateful;
}

void
gst_infer_batch_add_barrier (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  batch->barriers++;
  if (!batch->stopped)
    begin_flush (batch);
  g_mutex_unlock (&batch->lock);
}

/* Locked. */
static void
remove_barrier (GstInferBatch *batch)
{
  if (batch->barriers == 0)
    return;
  batch->barriers--;
  if (!batch->stopped)
    end_flush (batch);
}

void
gst_infer_batch_remove_barrier (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  remove_barrier (batch);
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_stop (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  gst_infer_batch_leave_locked (batch);
  for (guint i = 0; i < batch->barriers && !batch->stopped; i++)
    end_flush (batch);
  batch->stopped = TRUE;
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_resume (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  for (guint i = 0; i < batch->barriers && batch->stopped; i++)
    begin_flush (batch);
  batch->stopped = FALSE;
  g_mutex_unlock (&batch->lock);
}

void
gst_infer_batch_reset (GstInferBatch *batch)
{
  g_mutex_lock (&batch->lock);
  while (batch->barriers > 0)
    remove_barrier (batch);
  batch->unreleased = 0;
  g_mutex_unlock (&batch->lock);
}
