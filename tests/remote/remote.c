/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* device=REMOTE against fake-server: results, sequences, what survives the loss
 * of a server, and peers that misbehave. */

#include <string.h>

#include "tests/remote/peer.h"

/* --- results --- */

static void
test_results (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "double");
  g_autoptr (InferRequest) request = remote_request (executable);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (
      infer_model_get_info (
          infer_executable_get_model (executable), "confidence_threshold"),
      ==, "0.25");
  for (guint rows = 1; rows < 2000; rows = rows * 3 + 1) {
    remote_set_input (request, rows, 1);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    InferTensor *out = infer_request_get_output (request, 0, NULL);
    g_assert_cmpint (out->shape.dims[0], ==, rows);
    for (guint i = 0; i < rows * 3; i++)
      g_assert_cmpfloat (
          ((const float *) out->data)[i], ==, 2 * (1 + (float) i));
  }
  fake_server_kill (&server);
}

/* A server that refuses every second call is asked again. */
static void
test_several (void)
{
  static const char *const names[] = { "double", "busy?retries=30" };
  FakeServer server = fake_server_start (NULL, FALSE, 0);

  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    g_autoptr (InferExecutable) executable = remote_open_on (&server, names[k]);
    InferAsyncRequest *requests[8];
    g_autoptr (GError) error = NULL;

    for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
      requests[i] = infer_async_request_new (executable, NULL, &error);
      g_assert_no_error (error);
    }
    for (guint n = 0; n < 40; n++) {
      const guint r = n % G_N_ELEMENTS (requests);
      InferRequest *request = infer_async_request_get_request (requests[r]);

      if (n >= G_N_ELEMENTS (requests)) {
        infer_async_request_wait (requests[r], -1, &error);
        g_assert_no_error (error);
        g_assert_cmpfloat (remote_output (request)[0], ==,
            2 * (float) (n - G_N_ELEMENTS (requests)));
      }
      remote_set_input (request, 2, (float) n);
      infer_async_request_start (requests[r], INFER_START_DEFAULT, &error);
      g_assert_no_error (error);
    }
    for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
      infer_async_request_wait (requests[i], -1, &error);
      g_assert_no_error (error);
      infer_async_request_free (requests[i]);
    }
  }
  fake_server_kill (&server);
}

/* --- sequences --- */

static void
test_sequences (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "sum");
  SumStream streams[3] = { 0 };

  for (guint s = 0; s < 3; s++)
    streams[s].request = remote_request (executable);
  for (guint n = 0; n < 60; n++) {
    SumStream *stream = &streams[n % 3];

    if (n == 30) {
      infer_state_set_reset (infer_request_get_states (stream->request));
      stream->sum = 0;
    }
    sum_stream_step (stream);
  }
  /* A set that moves from request to request is one sequence. */
  g_autoptr (InferRequest) other = remote_request (executable);
  infer_request_bind_states (
      other, infer_request_get_states (streams[0].request));
  SumStream moved = { other, streams[0].sum, streams[0].n };
  sum_stream_step (&moved);
  infer_request_bind_states (other, NULL);
  for (guint s = 0; s < 3; s++)
    infer_request_free (streams[s].request);
  fake_server_kill (&server);
}

/* The server is killed and started again, at every distance to a checkpoint. */
static void
test_restart (void)
{
  FakeServer server = fake_server_start (NULL, TRUE, 0);
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u/sum?checkpoint=4&retries=20", server.port);
  g_autoptr (InferExecutable) executable = remote_open (url);
  SumStream stream = { remote_request (executable), 0, 0 };

  for (guint n = 0; n < 30; n++) {
    if (n % 3 == 1) {
      fake_server_kill (&server);
      server = fake_server_start (NULL, TRUE, server.port);
    }
    sum_stream_step (&stream);
  }
  infer_request_free (stream.request);
  fake_server_kill (&server);
}

/* One of three servers is killed under 16 streams, then another. */
static void
test_loss (void)
{
  FakeServer servers[3] = { fake_server_start (NULL, TRUE, 0),
    fake_server_start (NULL, TRUE, 0), fake_server_start (NULL, TRUE, 0) };
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/sum?checkpoint=5",
      servers[0].port, servers[1].port, servers[2].port);
  g_autoptr (InferExecutable) executable = remote_open (url);
  SumStream streams[16] = { 0 };
  gint64 longest = 0;

  for (guint s = 0; s < 16; s++)
    streams[s].request = remote_request (executable);
  for (guint n = 0; n < 40; n++) {
    if (n == 13 || n == 27)
      fake_server_kill (&servers[n / 20]);
    for (guint s = 0; s < 16; s++) {
      gint64 begin = g_get_monotonic_time ();

      sum_stream_step (&streams[s]);
      longest = MAX (longest, g_get_monotonic_time () - begin);
    }
  }
  g_test_message ("longest step: %" G_GINT64_FORMAT " us", longest);
  g_assert_cmpint (longest, <, G_USEC_PER_SEC);
  for (guint s = 0; s < 16; s++)
    infer_request_free (streams[s].request);
  fake_server_kill (&servers[2]);
}

/* The server has taken a step whose answer cannot be read: that step fails, and
 * the next one goes on from the state before it. */
static void
test_garbled (void)
{
  FakeServer server = fake_server_start (NULL, TRUE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "sum");
  SumStream stream = { remote_request (executable), 0, 0 };

  for (guint n = 0; n < 12; n++) {
    g_autoptr (GError) error = NULL;

    sum_stream_step (&stream);
    if (n % 4 != 3)
      continue;
    remote_set_input (stream.request, 5, 1);
    g_assert_false (infer_request_infer (stream.request, &error));
    g_assert_nonnull (strstr (error->message, "malformed or cut short"));
  }
  infer_request_free (stream.request);
  fake_server_kill (&server);
}

/* A server without the extension takes the state with it: an error until the
 * reset, never a wrong sum. */
static void
test_lost_state (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "sum");
  SumStream stream = { remote_request (executable), 0, 0 };

  for (guint n = 0; n < 5; n++)
    sum_stream_step (&stream);
  fake_server_kill (&server);
  server = fake_server_start (NULL, FALSE, server.port);
  for (guint n = 0; n < 2; n++) {
    g_autoptr (GError) error = NULL;

    remote_set_input (stream.request, 1, 1);
    g_assert_false (infer_request_infer (stream.request, &error));
    g_assert_true (strstr (error->message, "is lost with its server") != NULL);
  }
  infer_state_set_reset (infer_request_get_states (stream.request));
  stream.sum = 0;
  for (guint n = 0; n < 5; n++)
    sum_stream_step (&stream);
  infer_request_free (stream.request);
  fake_server_kill (&server);
}

/* --- peers that misbehave --- */

static void
test_bad_answers (void)
{
  static const char *const cases[][2] = {
    { "slow?timeout=200&retries=1", "no answer in time" },
    { "truncated", "malformed or cut short" },
    { "wrong-type", "output 'out' is i32 [1,3], its metadata say f32 [?,3]" },
    { "wrong-shape", "output 'out' is f32 [1,3,1], its metadata say f32" },
    { "no-output", "the answer has no output 'out'" },
    { "odd-name", "the answer has no output 'out'" },
  };
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autofree char *host = g_strdup_printf ("127.0.0.1:%u: ", server.port);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (InferExecutable) executable =
        remote_open_on (&server, cases[i][0]);
    g_autoptr (InferRequest) request = remote_request (executable);
    g_autoptr (GError) error = NULL;

    remote_set_input (request, 1, 1);
    g_assert_false (infer_request_infer (request, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i][1]));
    g_assert_nonnull (strstr (error->message, host));
  }
  fake_server_kill (&server);
}

static void
test_cancel (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "slow");
  g_autoptr (GError) error = NULL;
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, &error);
  const gint64 begin = g_get_monotonic_time ();

  g_assert_no_error (error);
  remote_set_input (infer_async_request_get_request (async), 1, 1);
  g_assert_true (infer_async_request_start (async, INFER_START_DEFAULT, NULL));
  g_usleep (50 * 1000);
  infer_async_request_cancel (async);
  g_assert_false (infer_async_request_wait (async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, G_USEC_PER_SEC);
  infer_async_request_free (async);
  fake_server_kill (&server);
}

static void
test_refused (void)
{
  static const char *const cases[][2] = {
    { "grpc://127.0.0.1:1/double?timeout=500", "127.0.0.1:1" },
    { "grpc://127.0.0.1:%u/unknown", "no such model" },
    { "grpc://127.0.0.1:%u", "the model is missing" },
    { "grpc://127.0.0.1:%u/", "/MODEL or /MODEL/VERSION" },
    { "grpc://127.0.0.1:%u/a/1/2", "/MODEL or /MODEL/VERSION" },
    { "grpc://:%u/a", "HOST or HOST:PORT" },
    { "grpc://127.0.0.1:%u,/a", "HOST or HOST:PORT" },
    { "grpc://127.0.0.1:99999/a", "HOST or HOST:PORT" },
    { "grpc://127.0.0.1:%u/double?speed=1", "unknown key 'speed'" },
    { "grpc://127.0.0.1:%u/double?timeout=soon", "a number from 1" },
    { "grpc://127.0.0.1:%u/double?sequence=maybe", "one of auto, no, yes" },
    { "grpcs://127.0.0.1:%u/double?ca=/nowhere.pem", "/nowhere.pem" },
    { "grpc://127.0.0.1:%u/double?token-file=/nowhere", "/nowhere" },
    { "gopher://127.0.0.1:%u/double", "there are: grpc://" },
  };
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autofree char *port = g_strdup_printf ("%u", server.port);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) parts = g_strsplit (cases[i][0], "%u", -1);
    g_autofree char *url = g_strjoinv (port, parts);
    g_autoptr (GError) error = NULL;

    g_assert_null (infer_model_load (url, NULL, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i][1]));
  }
  fake_server_kill (&server);
}

/* A model on a server, compiled for the CPU: the error names its device. */
static void
test_device (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autofree char *url =
      g_strdup_printf ("grpc://127.0.0.1:%u/double", server.port);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (url, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);

  g_assert_null (infer_executable_new (model, runtime, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "device REMOTE runs it"));
  fake_server_kill (&server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/remote/results", test_results);
  g_test_add_func ("/remote/several", test_several);
  g_test_add_func ("/remote/sequences", test_sequences);
  g_test_add_func ("/remote/restart", test_restart);
  g_test_add_func ("/remote/loss", test_loss);
  g_test_add_func ("/remote/lost-state", test_lost_state);
  g_test_add_func ("/remote/garbled", test_garbled);
  g_test_add_func ("/remote/bad-answers", test_bad_answers);
  g_test_add_func ("/remote/cancel", test_cancel);
  g_test_add_func ("/remote/refused", test_refused);
  g_test_add_func ("/remote/device", test_device);
  return g_test_run ();
}
