/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request that has run before runs again without allocating and,
 * synchronously, without locking: counts every malloc and pthread lock of the
 * process. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"
#include "tests/check/support/session.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#else
#define COUNTS 1
#endif

static gint n_allocations, n_locks;

#if COUNTS
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *old, size_t size);

void *
malloc (size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_calloc (n, size);
}

void *
realloc (void *old, size_t size)
{
  g_atomic_int_inc (&n_allocations);
  return __libc_realloc (old, size);
}

int
pthread_mutex_lock (pthread_mutex_t *mutex)
{
  static int (*real) (pthread_mutex_t *);
  if (real == NULL) {
    void *symbol = dlsym (RTLD_NEXT, "pthread_mutex_lock");
    memcpy (&real, &symbol, sizeof real);
  }
  g_atomic_int_inc (&n_locks);
  return real (mutex);
}
#endif

/* Without the fake backend's locks for recording. */
static gboolean
quiet_start (gpointer context, InferTensor *const *inputs,
    InferTensor **outputs, InferState *const *states, GError **error)
{
  const InferTensor *in = inputs[0];

  memcpy (outputs[0]->data, in->data, in->size);
  if (states != NULL) {
    InferState *state = states[0];
    InferTensor *next = infer_state_next (state, in->type, &in->shape, error);

    if (next == NULL)
      return FALSE;
    memcpy (next->data, in->data, in->size);
    infer_state_commit (state);
  }
  return TRUE;
}

typedef struct
{
  const char *name, *state;
  InferType in, out; /* not f32: converted */
  gboolean roi;
} Case;

static InferExecutable *
make_executable (const char *state)
{
  static InferBackend quiet;
  g_autoptr (InferModel) model = fake_model ("2,3", state);

  quiet = fake_cpu;
  quiet.start = quiet_start;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&quiet, 0, NULL, NULL);
  return infer_executable_new (model, runtime, NULL);
}

static InferTensor *
make_input (const Case *c)
{
  InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 3);

  if (!c->roi)
    return infer_tensor_new (c->in, &shape, NULL);
  g_autoptr (InferTensor) base = test_tensor (c->in, "4,5");
  return infer_tensor_new_roi (base, (const gint64[]){ 1, 1 }, &shape, NULL);
}

static void
infer_many (InferRequest *request, InferTensor *in, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_assert_true (infer_request_set_input (request, 0, in, NULL));
    g_assert_true (infer_request_infer (request, NULL));
  }
}

static void
test_synchronous (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (InferExecutable) executable = make_executable (c->state);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (InferTensor) in = make_input (c);
  g_autoptr (InferTensor) out = test_tensor (c->out, "2,3");

  infer_request_set_output (request, 0, out, NULL);
  infer_many (request, in, 5);
  gint allocations = n_allocations, locks = n_locks;
  infer_many (request, in, 100);
  g_assert_cmpint (n_allocations, ==, allocations);
  g_assert_cmpint (n_locks, ==, locks);
}

static void
start_many (InferAsyncRequest *async, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_assert_true (
        infer_async_request_start (async, INFER_START_RESET_STATES, NULL));
    g_assert_true (infer_async_request_wait (async, -1, NULL));
  }
}

static void
test_asynchronous (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (InferExecutable) executable = make_executable (c->state);
  g_autoptr (InferAsyncRequest) async =
      infer_async_request_new (executable, NULL, NULL);
  g_autoptr (InferTensor) in = make_input (c);

  infer_request_set_input (
      infer_async_request_get_request (async), 0, in, NULL);
  start_many (async, 5);
  gint allocations = n_allocations;
  start_many (async, 100);
  g_assert_cmpint (n_allocations, ==, allocations);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "plain", NULL, INFER_TYPE_F32, INFER_TYPE_F32, FALSE },
    { "converted", NULL, INFER_TYPE_U8, INFER_TYPE_F64, FALSE },
    { "roi", NULL, INFER_TYPE_F32, INFER_TYPE_F32, TRUE },
    { "stateful", "2,3", INFER_TYPE_F32, INFER_TYPE_F32, FALSE },
  };

  fake_reset ();
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *sync =
        g_strconcat ("/steady-state/synchronous/", cases[i].name, NULL);
    g_autofree char *async =
        g_strconcat ("/steady-state/asynchronous/", cases[i].name, NULL);

    g_test_add_data_func (sync, &cases[i], test_synchronous);
    g_test_add_data_func (async, &cases[i], test_asynchronous);
  }
  return g_test_run ();
}
