/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Thousands of random operations on asynchronous requests from eight threads:
 * start, wait, cancel, free, setting tensors, resetting states, another
 * runtime.  The test framework's `--seed` repeats a run.
 * INFER_RANDOM_OPERATIONS: number per thread. */

#include "infer/request.h"

#include "infer/error.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"
#include "tests/check/support/session.h"

#define N_THREADS 8
#define N_OWN 3
#define N_SHARED 4
#define N_RUNTIMES 2
#define N_OPERATIONS 600
#define TAG 100000 /* input values: thread * TAG + step number */

typedef struct
{
  InferAsyncRequest *async;
  gint accepted, called; /* numbers of starts and of callbacks */
} Shared;

typedef struct
{
  guint number, n_operations;
  InferExecutable *const *executables; /* one per runtime */
  Shared *shared;
  GRand *random;
  InferStateSet *set; /* of this thread's sequence */
  InferAsyncRequest *own[N_OWN];
  guint next_value;
  gint accepted, called;
} Player;

static void
count_call (InferAsyncRequest *async, const GError *error, gpointer data)
{
  g_assert_true (
      error == NULL || g_error_matches (error, INFER_ERROR, INFER_ERROR_DEVICE)
      || g_error_matches (error, INFER_ERROR, INFER_ERROR_CANCELLED));
  g_atomic_int_inc ((gint *) data);
}

static InferAsyncRequest *
request_new (InferExecutable *executable, InferStateSet *set, gint *called)
{
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, NULL);

  infer_async_request_set_callback (async, count_call, called);
  infer_request_bind_states (infer_async_request_get_request (async), set);
  g_assert_nonnull (infer_request_get_input (
      infer_async_request_get_request (async), 0, NULL));
  return async;
}

/* Starting a busy request fails and changes nothing. */
static void
start (InferAsyncRequest *async, InferStartFlags flags, gint *accepted)
{
  g_autoptr (GError) error = NULL;

  if (infer_async_request_start (async, flags, &error))
    g_atomic_int_inc (accepted);
  else
    g_assert_error (error, INFER_ERROR, INFER_ERROR_BUSY);
}

/* On either runtime, continuing the sequence. */
static InferAsyncRequest *
player_request (Player *player)
{
  int runtime = g_rand_int_range (player->random, 0, N_RUNTIMES);

  return request_new (
      player->executables[runtime], player->set, &player->called);
}

static InferTensor *
tensor_new (InferType type)
{
  return test_tensor (type, "1,1");
}

/* Sets input and output tensors; the request is idle. */
static void
set_tensors (Player *player, InferRequest *request)
{
  g_autoptr (InferTensor) tensor = tensor_new (
      g_rand_boolean (player->random) ? INFER_TYPE_F32 : INFER_TYPE_F64);

  switch (g_rand_int_range (player->random, 0, 5)) {
    case 0:
      g_assert_true (infer_request_set_input (request, 0, tensor, NULL));
      break;
    case 1:
      g_assert_true (
          infer_request_set_input_batch (request, 0, &tensor, 1, NULL));
      break;
    case 2:
      g_assert_true (infer_request_set_output (request, 0, tensor, NULL));
      break;
    case 3:
      g_assert_true (infer_request_set_output (request, 0, NULL, NULL));
      break;
    default:
      break;
  }
}

static void
set_value (Player *player, InferRequest *request)
{
  InferTensor *input = infer_request_get_input (request, 0, NULL);
  float value = (float) (player->number * TAG + player->next_value++);

  g_assert_nonnull (input);
  g_assert_true (
      infer_convert (input->data, input->type, &value, INFER_TYPE_F32, 1));
}

static void
play_own (Player *player)
{
  InferAsyncRequest **async =
      &player->own[g_rand_int_range (player->random, 0, N_OWN)];
  InferRequest *request = infer_async_request_get_request (*async);

  switch (g_rand_int_range (player->random, 0, 6)) {
    case 0: /* in any state */
      infer_async_request_free (*async);
      *async = player_request (player);
      break;
    case 1:
      infer_async_request_cancel (*async);
      break;
    case 2:
      infer_state_set_reset (player->set);
      break;
    case 3:
      infer_async_request_wait (
          *async, g_rand_int_range (player->random, 0, 300), NULL);
      break;
    default:
      infer_async_request_wait (*async, -1, NULL);
      set_tensors (player, request);
      set_value (player, request);
      start (*async,
          (InferStartFlags) g_rand_int_range (player->random, 0, 2)
              * INFER_START_RESET_STATES,
          &player->accepted);
      break;
  }
}

static void
play_shared (Player *player)
{
  Shared *shared =
      &player->shared[g_rand_int_range (player->random, 0, N_SHARED)];

  switch (g_rand_int_range (player->random, 0, 4)) {
    case 0:
      infer_async_request_cancel (shared->async);
      break;
    case 1:
      infer_async_request_wait (
          shared->async, g_rand_int_range (player->random, -1, 200), NULL);
      break;
    default:
      start (shared->async, INFER_START_DEFAULT, &shared->accepted);
      break;
  }
}

static gpointer
play (gpointer data)
{
  Player *player = data;

  for (guint i = 0; i < N_OWN; i++)
    player->own[i] = player_request (player);
  for (guint i = 0; i < player->n_operations; i++) {
    if (g_rand_boolean (player->random))
      play_own (player);
    else
      play_shared (player);
  }
  for (guint i = 0; i < N_OWN; i++)
    infer_async_request_free (player->own[i]);
  g_assert_cmpint (player->called, ==, player->accepted);
  return NULL;
}

/* Steps of each thread's sequence must have run in the order of the starts. */
static void
check_steps (void)
{
  int last[N_THREADS + 1];

  for (guint i = 0; i <= N_THREADS; i++)
    last[i] = -1;
  for (guint i = 0; i < fake_n_steps (); i++) {
    int value = (int) fake_step (i);
    int sequence = value / TAG;

    if (sequence == 0)
      continue;
    g_assert_cmpint (value, >, last[sequence]);
    last[sequence] = value;
  }
}

static guint
count_operations (void)
{
  const char *text = g_getenv ("INFER_RANDOM_OPERATIONS");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10)
                      : N_OPERATIONS;
}

static void
play_all (InferModel *model, InferExecutable *const *executables)
{
  Player players[N_THREADS] = { 0 };
  Shared shared[N_SHARED] = { 0 };
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_SHARED; i++)
    shared[i].async =
        request_new (executables[i % N_RUNTIMES], NULL, &shared[i].called);
  for (guint i = 0; i < N_THREADS; i++) {
    players[i] = (Player){ .number = i + 1,
      .n_operations = count_operations (),
      .executables = executables,
      .shared = shared,
      .random = g_rand_new_with_seed ((guint32) g_test_rand_int ()),
      .set = infer_state_set_new (model) };
    threads[i] = g_thread_new ("player", play, &players[i]);
  }
  for (guint i = 0; i < N_THREADS; i++) {
    g_thread_join (threads[i]);
    g_rand_free (players[i].random);
    infer_state_set_unref (players[i].set);
  }
  for (guint i = 0; i < N_SHARED; i++) {
    infer_async_request_free (shared[i].async);
    g_assert_cmpint (shared[i].called, ==, shared[i].accepted);
  }
}

/* @backend NULL: the CPU. */
static void
test_random (gconstpointer backend)
{
  FakeSettings *settings = fake_reset ();
  g_autoptr (InferModel) model = fake_model ("1,1", "1,1");
  InferExecutable *executables[N_RUNTIMES];
  g_autoptr (GError) error = NULL;

  settings->fail_every = 13;
  settings->delay_us[INFER_STAGE_START] = 50;
  for (guint i = 0; i < N_RUNTIMES; i++) {
    g_autoptr (InferRuntime) runtime =
        backend != NULL ? infer_runtime_new_for_backend (
            backend, i, i == 0 ? "NUM_STREAMS=4" : NULL, &error)
                        : infer_runtime_new ("CPU", "NUM_STREAMS=2", &error);
    g_assert_no_error (error);
    executables[i] =
        i == 0 ? infer_executable_new (model, runtime, &error)
               : infer_executable_for_runtime (executables[0], runtime, &error);
    g_assert_no_error (error);
  }
  play_all (model, executables);
  for (guint i = 0; i < N_RUNTIMES; i++) {
    g_assert_cmpuint (infer_executable_n_requests (executables[i]), ==, 0);
    infer_executable_unref (executables[i]);
  }
  g_assert_cmpint (fake_n_objects (), ==, 0);
  if (backend != NULL) {
    g_assert_cmpuint (fake_n_steps (), >, 0);
    check_steps ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/async-random/fake-cpu", &fake_cpu, test_random);
  g_test_add_data_func ("/async-random/fake-device", &fake_device, test_random);
  g_test_add_data_func ("/async-random/cpu", NULL, test_random);
  return g_test_run ();
}
