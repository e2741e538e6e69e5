/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* device=REMOTE against infer-serve: every model of a folder gives there what
 * it gives here, bit for bit, by each protocol, with requests that follow one
 * another and that overlap; and servers may die under running streams.
 *
 * Usage: test-served INFER_SERVE MODELS_DIR SCHEME all | batch | loss MODEL */

#include <gio/gio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "infer/request.h"
#include "tests/remote/infer-serve.h"

#define STEPS 12
#define RESET_AT 7
#define OVERLAPPING 3
#define SERVERS 3
#define STREAMS 16
#define LONG_STEPS 60

static const char *program, *folder, *scheme;
static gboolean batch; /* the server makes batches */

/* --- servers --- */

typedef struct
{
  GPid pid;
  guint port;
} Server;

static Server
start_server (guint port)
{
  const gboolean grpc = g_str_equal (scheme, "grpc");
  g_autofree char *number = g_strdup_printf ("%u", port);
  const char *argv[] = { program, grpc ? "--grpc-port" : "--http-port", number,
    grpc ? "--http-port" : "--grpc-port", "0", "--metrics-port", "0", folder,
    batch ? "--batch=5" : NULL, batch ? "--batch-timeout=300" : NULL, NULL };

  return (Server){ start_infer_serve (argv, port), port };
}

static void
kill_server (Server *server)
{
  kill (server->pid, SIGKILL);
  waitpid (server->pid, NULL, 0);
}

/* Below the ports that connections take, and those of the scripts beside. */
static guint
first_port (void)
{
  return 14000 + (guint) (getpid () % 1700) * 4;
}

/* --- models, here and there --- */

static InferExecutable *
compile (const char *path, const char *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new (device, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  /* A server listens while it still loads its models. */
  const gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  while (g_error_matches (error, INFER_ERROR, INFER_ERROR_DEVICE)
         && g_get_monotonic_time () < deadline) {
    g_clear_error (&error);
    g_usleep (20000);
    model = infer_model_load (path, NULL, &error);
  }
  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

/* Dims that are open are @open. */
static void
fill_inputs (InferRequest *request, GRand *random, gint64 open)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const InferDesc *desc = infer_model_input_desc (model, i);
    InferShape shape = desc->shape;
    g_autoptr (GError) error = NULL;

    for (int d = 0; d < shape.rank; d++)
      shape.dims[d] = shape.dims[d] < 0 ? open : shape.dims[d];
    InferTensor *in =
        infer_request_set_input_shape (request, i, &shape, &error);
    g_assert_no_error (error);
    const gsize n = infer_shape_count (&shape);
    for (gsize k = 0; k < n; k++)
      if (desc->type == INFER_TYPE_F32)
        ((float *) in->data)[k] = (float) g_rand_double_range (random, -1, 1);
      else if (desc->type == INFER_TYPE_I64)
        ((gint64 *) in->data)[k] = g_rand_int_range (random, -9, 9);
      else if (desc->type == INFER_TYPE_I32)
        ((gint32 *) in->data)[k] = g_rand_int_range (random, -9, 9);
      else if (desc->type == INFER_TYPE_F16)
        ((guint16 *) in->data)[k] =
            (guint16) g_rand_int_range (random, 0, 0x3c00);
      else
        ((guint8 *) in->data)[k] = (guint8) g_rand_int_range (random, 0, 2);
  }
}

/* The bytes of all outputs, with their shapes. */
static void
append_outputs (InferRequest *request, GByteArray *to)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < infer_model_n_outputs (model); i++) {
    g_autoptr (GError) error = NULL;
    InferTensor *out = infer_request_get_output (request, i, &error);

    g_assert_no_error (error);
    g_byte_array_append (to, (const guint8 *) out->shape.dims,
        (guint) ((gsize) out->shape.rank * sizeof out->shape.dims[0]));
    g_byte_array_append (to, out->data,
        (guint) (infer_shape_count (&out->shape)
                 * infer_type_size (out->type)));
  }
}

/* STEPS steps with a reset, one after the other.  (transfer full) */
static GByteArray *
run_steps (InferExecutable *executable, guint steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  GByteArray *all = g_byte_array_new ();

  g_assert_no_error (error);
  for (guint n = 0; n < steps; n++) {
    if (n == RESET_AT && infer_request_get_states (request) != NULL)
      infer_state_set_reset (infer_request_get_states (request));
    fill_inputs (request, random, 2);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    append_outputs (request, all);
  }
  return all;
}

/* The same with several requests in flight on one state set. */
static GByteArray *
run_overlapping (InferExecutable *executable)
{
  InferAsyncRequest *requests[OVERLAPPING];
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autoptr (InferStateSet) states =
      infer_state_set_new (infer_executable_get_model (executable));
  GByteArray *all = g_byte_array_new ();

  for (guint r = 0; r < OVERLAPPING; r++) {
    requests[r] = infer_async_request_new (executable, NULL, &error);
    g_assert_no_error (error);
    infer_request_bind_states (
        infer_async_request_get_request (requests[r]), states);
  }
  for (guint n = 0; n < STEPS + OVERLAPPING; n++) {
    InferAsyncRequest *async = requests[n % OVERLAPPING];
    InferRequest *request = infer_async_request_get_request (async);

    if (n >= OVERLAPPING) {
      infer_async_request_wait (async, -1, &error);
      g_assert_no_error (error);
      append_outputs (request, all);
    }
    if (n >= STEPS)
      continue;
    fill_inputs (request, random, 2);
    infer_async_request_start (async,
        n == RESET_AT ? INFER_START_RESET_STATES : INFER_START_DEFAULT, &error);
    g_assert_no_error (error);
  }
  for (guint r = 0; r < OVERLAPPING; r++)
    infer_async_request_free (requests[r]);
  return all;
}

static void
compare (const GByteArray *a, const GByteArray *b)
{
  g_assert_cmpmem (a->data, a->len, b->data, b->len);
}

static char *
local_path (const char *name)
{
  return g_build_filename (folder, name, "model.xml", NULL);
}

static Server common;

static void
test_model (gconstpointer name)
{
  g_autofree char *url = g_strdup_printf (
      "%s://127.0.0.1:%u/%s", scheme, common.port, (const char *) name);
  g_autofree char *path = local_path (name);
  g_autoptr (InferExecutable) here = compile (path, "CPU");
  g_autoptr (InferExecutable) there = compile (url, "REMOTE");
  g_autoptr (GByteArray) want = run_steps (here, STEPS);
  g_autoptr (GByteArray) got = run_steps (there, STEPS);
  g_autoptr (GByteArray) overlapping = run_overlapping (there);

  compare (want, got);
  compare (want, overlapping);
}

/* --- streams --- */

typedef struct
{
  InferExecutable *executable;
  GByteArray *got;
} Stream;

static gpointer
run_stream (gpointer data)
{
  Stream *stream = data;

  stream->got = run_steps (stream->executable, LONG_STEPS);
  return NULL;
}

/* Streams whose steps the server computes together. */
static void
test_batches (gconstpointer name)
{
  Stream streams[STREAMS] = { 0 };
  GThread *threads[STREAMS];
  g_autofree char *path = local_path (name);
  g_autofree char *url = g_strdup_printf (
      "%s://127.0.0.1:%u/%s", scheme, common.port, (const char *) name);
  g_autoptr (InferExecutable) here = compile (path, "CPU");
  g_autoptr (InferExecutable) there = compile (url, "REMOTE");
  g_autoptr (GByteArray) want = run_steps (here, LONG_STEPS);

  for (guint s = 0; s < STREAMS; s++) {
    streams[s].executable = there;
    threads[s] = g_thread_new ("stream", run_stream, &streams[s]);
  }
  for (guint s = 0; s < STREAMS; s++) {
    g_thread_join (threads[s]);
    compare (want, streams[s].got);
    g_byte_array_unref (streams[s].got);
  }
}

/* One of three servers is killed under streams that run, and comes back; then
 * another. */
static void
test_loss (gconstpointer name)
{
  Server servers[SERVERS];
  Stream streams[STREAMS] = { 0 };
  GThread *threads[STREAMS];
  g_autofree char *path = local_path (name);
  g_autoptr (GString) url = g_string_new (NULL);

  for (guint s = 0; s < SERVERS; s++) {
    servers[s] = start_server (first_port () + s);
    g_autofree char *alone = g_strdup_printf (
        "%s://127.0.0.1:%u/%s", scheme, servers[s].port, (const char *) name);
    g_autoptr (InferExecutable) ready G_GNUC_UNUSED = compile (alone, "REMOTE");
    g_string_append_printf (
        url, "%s127.0.0.1:%u", s > 0 ? "," : "", servers[s].port);
  }
  g_autofree char *whole = g_strdup_printf (
      "%s://%s/%s?checkpoint=5", scheme, url->str, (const char *) name);
  g_autoptr (InferExecutable) here = compile (path, "CPU");
  g_autoptr (InferExecutable) there = compile (whole, "REMOTE");
  g_autoptr (GByteArray) want = run_steps (here, LONG_STEPS);
  for (guint s = 0; s < STREAMS; s++) {
    streams[s].executable = there;
    threads[s] = g_thread_new ("stream", run_stream, &streams[s]);
  }
  for (guint k = 0; k < 2; k++) {
    g_usleep (20 * 1000);
    kill_server (&servers[k]);
    g_usleep (20 * 1000);
    servers[k] = start_server (servers[k].port);
  }
  for (guint s = 0; s < STREAMS; s++) {
    g_thread_join (threads[s]);
    compare (want, streams[s].got);
    g_byte_array_unref (streams[s].got);
  }
  for (guint s = 0; s < SERVERS; s++)
    kill_server (&servers[s]);
}

/* --- the folder's models --- */

static void
add_models (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = local_path (name);
    g_autofree char *test = g_strdup_printf ("/served/%s/%s", scheme, name);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      g_test_add_data_func_full (
          test, g_strdup (name), batch ? test_batches : test_model, g_free);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc < 5 || !g_file_test (argv[2], G_FILE_TEST_IS_DIR)) {
    g_print ("1..0 # SKIP no models\n");
    return 0;
  }
  program = argv[1];
  folder = argv[2];
  scheme = argv[3];
  batch = g_str_equal (argv[4], "batch");
  const gboolean loss = g_str_equal (argv[4], "loss");
  if (loss)
    g_test_add_data_func ("/served/loss", argv[5], test_loss);
  else
    add_models ();
  if (!loss)
    common = start_server (first_port ());
  const int status = g_test_run ();
  if (!loss)
    kill_server (&common);
  return status;
}
