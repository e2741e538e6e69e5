/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/async-run.h"

static void
called_back (InferAsyncRequest *async, const GError *error, gpointer data)
{
  AsyncRun *run = data;

  g_assert_true (async == run->async);
  g_clear_error (&run->error);
  if (error != NULL)
    run->error = g_error_copy (error);
  run->thread = g_thread_self ();
  if (run->order != NULL)
    g_array_append_val (run->order, run->number);
  g_atomic_int_inc (&run->calls);
  if (run->restarts > 0) {
    run->restarts--;
    g_assert_true (
        infer_async_request_start (async, INFER_START_DEFAULT, NULL));
  }
}

void
async_run_init (
    AsyncRun *run, InferExecutable *executable, InferExecutor *callbacks)
{
  g_autoptr (GError) error = NULL;

  *run = (AsyncRun){ .async = NULL };
  run->async = infer_async_request_new (executable, callbacks, &error);
  g_assert_no_error (error);
  infer_async_request_set_callback (run->async, called_back, run);
}

void
async_run_clear (AsyncRun *run)
{
  infer_async_request_free (run->async);
  g_clear_error (&run->error);
}

void
async_run_bind (AsyncRun *run, InferStateSet *states)
{
  infer_request_bind_states (
      infer_async_request_get_request (run->async), states);
}

void
async_run_set (AsyncRun *run, float value)
{
  InferRequest *request = infer_async_request_get_request (run->async);

  *(float *) infer_request_get_input (request, 0, NULL)->data = value;
}

float
async_run_get (AsyncRun *run)
{
  InferRequest *request = infer_async_request_get_request (run->async);

  return *(float *) infer_request_get_output (request, 0, NULL)->data;
}

void
async_run_start (AsyncRun *run, InferStartFlags flags)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_start (run->async, flags, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

void
async_run_finish (AsyncRun *run)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_wait (run->async, -1, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}
