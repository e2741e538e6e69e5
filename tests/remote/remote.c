/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* device=REMOTE against fake-server: results, sequences, what survives the loss
 * of a server, and peers that misbehave. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "infer/request.h"

/* --- servers --- */

typedef struct
{
  GPid pid;
  int out;
  guint port;
} Server;

/* @port 0: any. */
static Server
start_server (gboolean state, guint port)
{
  g_autofree char *number = g_strdup_printf ("%u", port);
  const char *argv[4] = { g_getenv ("INFER_FAKE_SERVER") };
  guint n = 1;
  g_autoptr (GError) error = NULL;
  Server s = { 0 };
  char line[16] = "";

  if (state)
    argv[n++] = "--state";
  argv[n++] = number;
  g_spawn_async_with_pipes (NULL, (char **) (gsize) argv, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &s.pid, NULL, &s.out, NULL,
      &error);
  g_assert_no_error (error);
  FILE *out = fdopen (s.out, "r");
  g_assert_nonnull (fgets (line, sizeof line, out));
  fclose (out);
  s.port = (guint) g_ascii_strtoull (line, NULL, 10);
  g_assert_cmpuint (s.port, >, 0);
  return s;
}

static void
kill_server (Server *s)
{
  kill (s->pid, SIGKILL);
  waitpid (s->pid, NULL, 0);
}

/* --- models --- */

static InferExecutable *
open_model (const char *url)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("REMOTE", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferModel) model = infer_model_load (url, NULL, &error);
  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

static InferExecutable *
open_on (const Server *server, const char *model)
{
  g_autofree char *url =
      g_strdup_printf ("grpc://127.0.0.1:%u/%s", server->port, model);

  return open_model (url);
}

static InferRequest *
new_request (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = infer_request_new (executable, &error);

  g_assert_no_error (error);
  return request;
}

static void
set_input (InferRequest *request, guint rows, float first)
{
  const InferShape shape = { .rank = 2, .dims = { rows, 3 } };
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);

  for (guint i = 0; i < rows * 3; i++)
    ((float *) in->data)[i] = first + (float) i;
}

static const float *
output (InferRequest *request)
{
  g_autoptr (GError) error = NULL;
  InferTensor *out = infer_request_get_output (request, 0, &error);

  g_assert_no_error (error);
  return out->data;
}

/* --- results --- */

static void
test_results (void)
{
  Server server = start_server (FALSE, 0);
  g_autoptr (InferExecutable) executable = open_on (&server, "double");
  g_autoptr (InferRequest) request = new_request (executable);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (
      infer_model_get_info (
          infer_executable_get_model (executable), "confidence_threshold"),
      ==, "0.25");
  for (guint rows = 1; rows < 2000; rows = rows * 3 + 1) {
    set_input (request, rows, 1);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    InferTensor *out = infer_request_get_output (request, 0, NULL);
    g_assert_cmpint (out->shape.dims[0], ==, rows);
    for (guint i = 0; i < rows * 3; i++)
      g_assert_cmpfloat (
          ((const float *) out->data)[i], ==, 2 * (1 + (float) i));
  }
  kill_server (&server);
}

/* A server that refuses every second call is asked again. */
static void
test_several (void)
{
  static const char *const names[] = { "double", "busy?retries=30" };
  Server server = start_server (FALSE, 0);

  for (guint k = 0; k < G_N_ELEMENTS (names); k++) {
    g_autoptr (InferExecutable) executable = open_on (&server, names[k]);
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
        g_assert_cmpfloat (
            output (request)[0], ==, 2 * (float) (n - G_N_ELEMENTS (requests)));
      }
      set_input (request, 2, (float) n);
      infer_async_request_start (requests[r], INFER_START_DEFAULT, &error);
      g_assert_no_error (error);
    }
    for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
      infer_async_request_wait (requests[i], -1, &error);
      g_assert_no_error (error);
      infer_async_request_free (requests[i]);
    }
  }
  kill_server (&server);
}

/* --- sequences --- */

typedef struct
{
  InferRequest *request;
  float sum;
  guint n;
} Stream;

/* One more step of a stream; its result is the sum of all inputs. */
static void
step (Stream *stream)
{
  g_autoptr (GError) error = NULL;
  const float value = (float) (stream->n++ % 7) + 0.5f;

  set_input (stream->request, 1, value);
  infer_request_infer (stream->request, &error);
  g_assert_no_error (error);
  stream->sum += value;
  g_assert_cmpfloat (output (stream->request)[0], ==, stream->sum);
}

static void
test_sequences (void)
{
  Server server = start_server (FALSE, 0);
  g_autoptr (InferExecutable) executable = open_on (&server, "sum");
  Stream streams[3] = { 0 };

  for (guint s = 0; s < 3; s++)
    streams[s].request = new_request (executable);
  for (guint n = 0; n < 60; n++) {
    Stream *stream = &streams[n % 3];

    if (n == 30) {
      infer_state_set_reset (infer_request_get_states (stream->request));
      stream->sum = 0;
    }
    step (stream);
  }
  /* A set that moves from request to request is one sequence. */
  g_autoptr (InferRequest) other = new_request (executable);
  infer_request_bind_states (
      other, infer_request_get_states (streams[0].request));
  Stream moved = { other, streams[0].sum, streams[0].n };
  step (&moved);
  infer_request_bind_states (other, NULL);
  for (guint s = 0; s < 3; s++)
    infer_request_free (streams[s].request);
  kill_server (&server);
}

/* The server is killed and started again, at every distance to a checkpoint. */
static void
test_restart (void)
{
  Server server = start_server (TRUE, 0);
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u/sum?checkpoint=4&retries=20", server.port);
  g_autoptr (InferExecutable) executable = open_model (url);
  Stream stream = { new_request (executable), 0, 0 };

  for (guint n = 0; n < 30; n++) {
    if (n % 3 == 1) {
      kill_server (&server);
      server = start_server (TRUE, server.port);
    }
    step (&stream);
  }
  infer_request_free (stream.request);
  kill_server (&server);
}

/* One of three servers is killed under 16 streams, then another. */
static void
test_loss (void)
{
  Server servers[3] = { start_server (TRUE, 0), start_server (TRUE, 0),
    start_server (TRUE, 0) };
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/sum?checkpoint=5",
      servers[0].port, servers[1].port, servers[2].port);
  g_autoptr (InferExecutable) executable = open_model (url);
  Stream streams[16] = { 0 };
  gint64 longest = 0;

  for (guint s = 0; s < 16; s++)
    streams[s].request = new_request (executable);
  for (guint n = 0; n < 40; n++) {
    if (n == 13 || n == 27)
      kill_server (&servers[n / 20]);
    for (guint s = 0; s < 16; s++) {
      gint64 begin = g_get_monotonic_time ();

      step (&streams[s]);
      longest = MAX (longest, g_get_monotonic_time () - begin);
    }
  }
  g_test_message ("longest step: %" G_GINT64_FORMAT " us", longest);
  g_assert_cmpint (longest, <, G_USEC_PER_SEC);
  for (guint s = 0; s < 16; s++)
    infer_request_free (streams[s].request);
  kill_server (&servers[2]);
}

/* The server has taken a step whose answer cannot be read: that step fails, and
 * the next one goes on from the state before it. */
static void
test_garbled (void)
{
  Server server = start_server (TRUE, 0);
  g_autoptr (InferExecutable) executable = open_on (&server, "sum");
  Stream stream = { new_request (executable), 0, 0 };

  for (guint n = 0; n < 12; n++) {
    g_autoptr (GError) error = NULL;

    step (&stream);
    if (n % 4 != 3)
      continue;
    set_input (stream.request, 5, 1);
    g_assert_false (infer_request_infer (stream.request, &error));
    g_assert_nonnull (strstr (error->message, "malformed or cut short"));
  }
  infer_request_free (stream.request);
  kill_server (&server);
}

/* A server without the extension takes the state with it: an error until the
 * reset, never a wrong sum. */
static void
test_lost_state (void)
{
  Server server = start_server (FALSE, 0);
  g_autoptr (InferExecutable) executable = open_on (&server, "sum");
  Stream stream = { new_request (executable), 0, 0 };

  for (guint n = 0; n < 5; n++)
    step (&stream);
  kill_server (&server);
  server = start_server (FALSE, server.port);
  for (guint n = 0; n < 2; n++) {
    g_autoptr (GError) error = NULL;

    set_input (stream.request, 1, 1);
    g_assert_false (infer_request_infer (stream.request, &error));
    g_assert_true (strstr (error->message, "is lost with its server") != NULL);
  }
  infer_state_set_reset (infer_request_get_states (stream.request));
  stream.sum = 0;
  for (guint n = 0; n < 5; n++)
    step (&stream);
  infer_request_free (stream.request);
  kill_server (&server);
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
  Server server = start_server (FALSE, 0);
  g_autofree char *host = g_strdup_printf ("127.0.0.1:%u: ", server.port);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (InferExecutable) executable = open_on (&server, cases[i][0]);
    g_autoptr (InferRequest) request = new_request (executable);
    g_autoptr (GError) error = NULL;

    set_input (request, 1, 1);
    g_assert_false (infer_request_infer (request, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i][1]));
    g_assert_nonnull (strstr (error->message, host));
  }
  kill_server (&server);
}

static void
test_cancel (void)
{
  Server server = start_server (FALSE, 0);
  g_autoptr (InferExecutable) executable = open_on (&server, "slow");
  g_autoptr (GError) error = NULL;
  InferAsyncRequest *async = infer_async_request_new (executable, NULL, &error);
  const gint64 begin = g_get_monotonic_time ();

  g_assert_no_error (error);
  set_input (infer_async_request_get_request (async), 1, 1);
  g_assert_true (infer_async_request_start (async, INFER_START_DEFAULT, NULL));
  g_usleep (50 * 1000);
  infer_async_request_cancel (async);
  g_assert_false (infer_async_request_wait (async, -1, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, G_USEC_PER_SEC);
  infer_async_request_free (async);
  kill_server (&server);
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
    { "grpc://127.0.0.1:%u/double?timeout=soon", "a number from 0" },
    { "grpc://127.0.0.1:%u/double?sequence=maybe", "one of auto, no, yes" },
    { "grpcs://127.0.0.1:%u/double?ca=/nowhere.pem", "/nowhere.pem" },
    { "grpc://127.0.0.1:%u/double?token-file=/nowhere", "/nowhere" },
    { "gopher://127.0.0.1:%u/double", "there are: grpc://" },
  };
  Server server = start_server (FALSE, 0);
  g_autofree char *port = g_strdup_printf ("%u", server.port);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) parts = g_strsplit (cases[i][0], "%u", -1);
    g_autofree char *url = g_strjoinv (port, parts);
    g_autoptr (GError) error = NULL;

    g_assert_null (infer_model_load (url, NULL, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i][1]));
  }
  kill_server (&server);
}

/* A model on a server, compiled for the CPU: the error names its device. */
static void
test_device (void)
{
  Server server = start_server (FALSE, 0);
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
  kill_server (&server);
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
