/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* On every backend: a sequence through many requests and streams gives the
 * results of one request, and sequences do not mix. */

#include "inference/runtime/backend.h"
#include "infer/error.h"
#include "tests/check/support/fake-backend.h"

#define N_SEQUENCES 3
#define N_REQUESTS 5
#define N_STEPS 200

typedef struct
{
  InferStateSet *set;
  InferAsyncRequest *requests[N_REQUESTS];
  float sum;
} Sequence;

static float
input_of (guint sequence, guint step)
{
  return (float) (1 + step % 7 + 100 * sequence);
}

static gboolean
resets (guint sequence, guint step)
{
  return step % (11 + sequence) == 10;
}

static void
start (Sequence *self, guint sequence, guint step)
{
  InferAsyncRequest *async = self->requests[step % N_REQUESTS];
  InferRequest *request = infer_async_request_get_request (async);
  g_autoptr (GError) error = NULL;

  *(float *) infer_request_get_input (request, 0, NULL)->data =
      input_of (sequence, step);
  gboolean ok = infer_async_request_start (async,
      resets (sequence, step) ? INFER_START_RESET_STATES : INFER_START_DEFAULT,
      &error);
  g_assert_no_error (error);
  g_assert_true (ok);
}

static void
finish (Sequence *self, guint sequence, guint step)
{
  InferAsyncRequest *async = self->requests[step % N_REQUESTS];
  InferRequest *request = infer_async_request_get_request (async);
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_wait (async, -1, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
  self->sum =
      input_of (sequence, step) + (resets (sequence, step) ? 0 : self->sum);
  g_assert_cmpfloat (
      *(float *) infer_request_get_output (request, 0, NULL)->data, ==,
      self->sum);
}

static void
sequence_init (Sequence *self, InferExecutable *executable)
{
  *self = (Sequence){ .set = infer_state_set_new (
                          infer_executable_get_model (executable)) };
  for (guint i = 0; i < N_REQUESTS; i++) {
    self->requests[i] = infer_async_request_new (executable, NULL, NULL);
    infer_request_bind_states (
        infer_async_request_get_request (self->requests[i]), self->set);
  }
}

static void
sequence_clear (Sequence *self)
{
  for (guint i = 0; i < N_REQUESTS; i++)
    infer_async_request_free (self->requests[i]);
  infer_state_set_unref (self->set);
}

static void
test_sequences (gconstpointer device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new (device, "NUM_STREAMS=3", &error);
  g_assert_no_error (error);
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  Sequence sequences[N_SEQUENCES];

  for (guint i = 0; i < N_SEQUENCES; i++)
    sequence_init (&sequences[i], executable);
  for (guint step = 0; step < N_STEPS + N_REQUESTS; step++) {
    for (guint i = 0; i < N_SEQUENCES; i++) {
      if (step >= N_REQUESTS)
        finish (&sequences[i], i, step - N_REQUESTS);
      if (step < N_STEPS)
        start (&sequences[i], i, step);
    }
  }
  for (guint i = 0; i < N_SEQUENCES; i++)
    sequence_clear (&sequences[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_auto (GStrv) devices = infer_runtime_list_devices ();
  for (guint i = 0; devices[i] != NULL; i++) {
    g_autofree char *path = g_strconcat ("/sequence/", devices[i], NULL);
    g_test_add_data_func (path, devices[i], test_sequences);
  }
  return g_test_run ();
}
