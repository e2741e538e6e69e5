/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/remote/peer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* --- servers --- */

FakeServer
fake_server_start (const char *address, gboolean state, guint port)
{
  g_autofree char *number = g_strdup_printf ("%u", port);
  const char *argv[5] = { g_getenv ("INFER_FAKE_SERVER") };
  guint n = 1;
  g_autoptr (GError) error = NULL;
  FakeServer s = { 0 };
  char line[16] = "";

  if (state)
    argv[n++] = "--state";
  argv[n++] = number;
  if (address != NULL)
    argv[n++] = address;
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

void
fake_server_kill (FakeServer *s)
{
  kill (s->pid, SIGKILL);
  waitpid (s->pid, NULL, 0);
}

/* --- models --- */

InferExecutable *
remote_open (const char *url)
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

InferExecutable *
remote_open_on (const FakeServer *server, const char *model)
{
  g_autofree char *url =
      g_strdup_printf ("grpc://127.0.0.1:%u/%s", server->port, model);

  return remote_open (url);
}

InferRequest *
remote_request (InferExecutable *executable)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = infer_request_new (executable, &error);

  g_assert_no_error (error);
  return request;
}

void
remote_set_input (InferRequest *request, guint rows, float first)
{
  const InferShape shape = { .rank = 2, .dims = { rows, 3 } };
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, NULL);

  for (guint i = 0; i < rows * 3; i++)
    ((float *) in->data)[i] = first + (float) i;
}

const float *
remote_output (InferRequest *request)
{
  g_autoptr (GError) error = NULL;
  InferTensor *out = infer_request_get_output (request, 0, &error);

  g_assert_no_error (error);
  return out->data;
}

void
sum_stream_step (SumStream *stream)
{
  g_autoptr (GError) error = NULL;
  const float value = (float) (stream->n++ % 7) + 0.5f;

  remote_set_input (stream->request, 1, value);
  infer_request_infer (stream->request, &error);
  g_assert_no_error (error);
  stream->sum += value;
  g_assert_cmpfloat (remote_output (stream->request)[0], ==, stream->sum);
}

float
fake_server_ask (const FakeServer *server, const char *model)
{
  g_autoptr (InferExecutable) executable = remote_open_on (server, model);
  g_autoptr (InferRequest) request = remote_request (executable);
  g_autoptr (GError) error = NULL;

  remote_set_input (request, 1, 0);
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return remote_output (request)[0];
}
