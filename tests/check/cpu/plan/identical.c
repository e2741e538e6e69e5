/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* identical MODEL.xml…: for any number of requests, streams and parallel
 * sequences, any order of starts between sequences, pinned or not, results and
 * states equal those of one synchronous request bit for bit. */

#include "infer/request.h"
#include "tools/inputs.h"
#include "tests/check/support/session.h"

#define N_SEQUENCES 3
#define N_STEPS 24
#define MAX_REQUESTS 8

/* Outputs of each step and final states of each sequence. */
typedef struct
{
  GBytes *outputs[N_SEQUENCES][N_STEPS];
  GBytes *states[N_SEQUENCES];
} Results;

static void
results_clear (Results *results)
{
  for (guint s = 0; s < N_SEQUENCES; s++) {
    g_clear_pointer (&results->states[s], g_bytes_unref);
    for (guint t = 0; t < N_STEPS; t++)
      g_clear_pointer (&results->outputs[s][t], g_bytes_unref);
  }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Results, results_clear)

static void
append_tensor (GByteArray *bytes, const InferTensor *tensor)
{
  g_assert_nonnull (tensor);
  g_byte_array_append (bytes, (const guint8 *) tensor->shape.dims,
      (guint) ((gsize) tensor->shape.rank * sizeof tensor->shape.dims[0]));
  g_byte_array_append (bytes, tensor->data, (guint) tensor->size);
}

static GBytes *
take_outputs (InferRequest *request, const InferModel *model)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint k = 0; k < infer_model_n_outputs (model); k++)
    append_tensor (bytes, infer_request_get_output (request, k, NULL));
  return g_byte_array_free_to_bytes (bytes);
}

static GBytes *
take_states (InferStateSet *states)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = 0; i < infer_state_set_n_states (states); i++) {
    g_autoptr (InferTensor) value =
        infer_state_get_value (infer_state_set_get (states, i), NULL);

    append_tensor (bytes, value);
  }
  return g_byte_array_free_to_bytes (bytes);
}

static void
fill (
    InferRequest *request, const InferModel *model, guint sequence, guint step)
{
  g_autoptr (GError) error = NULL;
  g_autofree InferShape *shapes = tool_find_shapes (model, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *tensor =
        infer_request_set_input_shape (request, i, &shapes[i], &error);

    if (tensor != NULL)
      tool_fill (tensor, (sequence * N_STEPS + step) * 16 + i, &error);
    g_assert_no_error (error);
  }
}

static gboolean
resets (guint sequence, guint step)
{
  return step == 7 + sequence;
}

static InferExecutable *
compile (const char *path, const char *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  g_assert_no_error (error);
  return test_compile (model, "CPU", config);
}

static void
run_reference (InferExecutable *executable, Results *results)
{
  const InferModel *model = infer_executable_get_model (executable);

  for (guint s = 0; s < N_SEQUENCES; s++) {
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
    InferStateSet *states = infer_request_get_states (request);

    for (guint t = 0; t < N_STEPS; t++) {
      g_autoptr (GError) error = NULL;

      fill (request, model, s, t);
      if (states != NULL && resets (s, t))
        infer_state_set_reset (states);
      infer_request_infer (request, &error);
      g_assert_no_error (error);
      results->outputs[s][t] = take_outputs (request, model);
    }
    if (states != NULL)
      results->states[s] = take_states (states);
  }
}

/* --- concurrent requests --- */

typedef struct
{
  InferStateSet *states;
  InferAsyncRequest *requests[MAX_REQUESTS];
  guint started, finished;
} Sequence;

typedef struct
{
  const InferModel *model;
  const Results *want;
  guint n_requests;
  Sequence sequences[N_SEQUENCES];
} Game;

static void
finish_step (Game *game, guint s)
{
  Sequence *self = &game->sequences[s];
  guint t = self->finished++;
  InferAsyncRequest *async = self->requests[t % game->n_requests];
  g_autoptr (GError) error = NULL;

  infer_async_request_wait (async, -1, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) got =
      take_outputs (infer_async_request_get_request (async), game->model);
  g_assert_true (g_bytes_equal (got, game->want->outputs[s][t]));
}

static void
start_step (Game *game, guint s)
{
  Sequence *self = &game->sequences[s];
  guint t = self->started;

  if (t == N_STEPS)
    return;
  if (t - self->finished == game->n_requests)
    finish_step (game, s);
  InferAsyncRequest *async = self->requests[t % game->n_requests];
  fill (infer_async_request_get_request (async), game->model, s, t);
  g_assert_true (infer_async_request_start (async,
      resets (s, t) ? INFER_START_RESET_STATES : INFER_START_DEFAULT, NULL));
  self->started++;
}

static void
check_game (InferExecutable *executable, const Results *want, guint n_requests,
    GRand *rand)
{
  Game game = { .model = infer_executable_get_model (executable),
    .want = want,
    .n_requests = n_requests };

  for (guint s = 0; s < N_SEQUENCES; s++) {
    Sequence *self = &game.sequences[s];

    if (infer_model_n_variables (game.model) > 0)
      self->states = infer_state_set_new (game.model);
    for (guint i = 0; i < n_requests; i++) {
      self->requests[i] = infer_async_request_new (executable, NULL, NULL);
      infer_request_bind_states (
          infer_async_request_get_request (self->requests[i]), self->states);
    }
  }
  for (guint i = 0; i < N_SEQUENCES * N_STEPS * 2; i++)
    start_step (&game, (guint) g_rand_int_range (rand, 0, N_SEQUENCES));
  for (guint s = 0; s < N_SEQUENCES; s++) {
    Sequence *self = &game.sequences[s];

    while (self->started < N_STEPS)
      start_step (&game, s);
    while (self->finished < N_STEPS)
      finish_step (&game, s);
    for (guint i = 0; i < n_requests; i++)
      infer_async_request_free (self->requests[i]);
    if (self->states == NULL)
      continue;
    g_autoptr (GBytes) got = take_states (self->states);
    g_assert_true (g_bytes_equal (got, want->states[s]));
    infer_state_set_unref (self->states);
  }
}

static void
test_identical (gconstpointer path)
{
  static const char *const configs[] = { "NUM_STREAMS=1", "NUM_STREAMS=2",
    "NUM_STREAMS=4", "NUM_STREAMS=2,ENABLE_CPU_PINNING=YES" };
  static const guint n_requests[] = { 1, 2, 3, MAX_REQUESTS };
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());

  for (guint threads = 1; threads <= 2; threads++) {
    g_auto (Results) want = { 0 };
    g_autofree char *one =
        g_strdup_printf ("INFERENCE_NUM_THREADS=%u", threads);
    g_autoptr (InferExecutable) alone = compile (path, one);

    run_reference (alone, &want);
    for (guint i = 0; i < G_N_ELEMENTS (configs); i++) {
      g_autofree char *config = g_strdup_printf ("%s,%s", one, configs[i]);
      g_autoptr (InferExecutable) executable = compile (path, config);

      for (guint k = 0; k < G_N_ELEMENTS (n_requests); k++)
        check_game (executable, &want, n_requests[k], rand);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 1; i < argc; i++) {
    g_autofree char *base = g_path_get_basename (argv[i]);
    g_autofree char *path = g_strconcat ("/identical/", base, NULL);

    g_test_add_data_func (path, argv[i], test_identical);
  }
  return g_test_run ();
}
