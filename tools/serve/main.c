/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-serve: the models of a folder over the Open Inference Protocol. */

#include <errno.h>
#include <glib-unix.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tools/serve/front.h"

enum
{
  DONE = 0,
  FAILED = 1,
  USAGE = 2,
};

typedef struct
{
  ServeServer server;
  GMainLoop *loop;
  gint64 drain_until;
} Program;

static int complain (int status, const char *format, ...) G_GNUC_PRINTF (2, 3);

static int
complain (int status, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *line = g_utf8_make_valid (text, -1);
  for (char *at = line; *at != '\0'; at++)
    if ((guchar) *at < ' ' || *at == 0x7f)
      *at = ' ';
  g_printerr ("infer-serve: %s\n", line);
  return status;
}

static void
print_message (const char *domain, GLogLevelFlags level, const char *message,
    gpointer data)
{
  complain (0, "%s", message);
}

/* --- settings --- */

void
serve_settings_clear (ServeSettings *settings)
{
  char **strings[] = { &settings->models, &settings->listen, &settings->device,
    &settings->config, &settings->token_file, &settings->certificate,
    &settings->key, &settings->client_ca, &settings->token };

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer (strings[i], g_free);
}

/* clang-format off: it takes braces of initialisers in macros for blocks. */
#define OPTION(name, kind, place, what, value)                                 \
  {                                                                            \
    name, 0, 0, G_OPTION_ARG_##kind, place, what, value                        \
  }
/* clang-format on */

static gboolean
parse (ServeSettings *s, int *argc, char ***argv, gboolean *version,
    GError **error)
{
  const GOptionEntry entries[] = {
    OPTION ("listen", STRING, &s->listen,
        "Address to listen on (default: 127.0.0.1, this machine only)",
        "ADDRESS"),
    OPTION ("grpc-port", INT, &s->grpc_port,
        "Port of gRPC (default: 8001; 0: none)", "PORT"),
    OPTION ("http-port", INT, &s->http_port,
        "Port of HTTP (default: 8000; 0: none)", "PORT"),
    OPTION ("metrics-port", INT, &s->metrics_port,
        "Port of metrics, at /metrics (default: 8002; 0: none)", "PORT"),
    OPTION (
        "device", STRING, &s->device, "Where to run (default: CPU)", "DEVICE"),
    OPTION ("config", STRING, &s->config,
        "Properties of the device, e.g. CACHE_DIR=folder", "KEY=VALUE,..."),
    OPTION ("streams", INT, &s->streams,
        "Inferences of a model at the same time (default: processors)", "N"),
    OPTION ("threads", INT, &s->threads, "Threads of each (default: 1)", "N"),
    OPTION ("batch", INT, &s->batch,
        "Compute up to N requests together, of all clients (default: 1)", "N"),
    OPTION ("merge-batches", NONE, &s->merge_batches,
        "As rows of one inference: results may differ in their last bits",
        NULL),
    OPTION ("batch-timeout", INT, &s->batch_timeout_us,
        "Wait for a batch to fill (default: 0, compute what is there)", "US"),
    OPTION ("max-message", INT, &s->max_message_mb,
        "Largest message (default: 64)", "MB"),
    OPTION ("max-waiting", INT, &s->max_waiting,
        "Requests of a model that may wait (default: 1000)", "N"),
    OPTION ("max-sequences", INT, &s->max_sequences,
        "Sequences with states (default: 1000)", "N"),
    OPTION ("max-state-memory", INT, &s->max_state_mb,
        "States of all sequences (default: 1024)", "MB"),
    OPTION ("sequence-idle", INT, &s->sequence_idle_s,
        "End a sequence after so long without a request (default: 60)", "S"),
    OPTION ("drain", INT, &s->drain_s,
        "At SIGTERM, serve running sequences for so long (default: 10)", "S"),
    OPTION ("token-file", FILENAME, &s->token_file,
        "Clients must send 'authorization: Bearer' with this file's first line",
        "FILE"),
    OPTION ("tls-certificate", FILENAME, &s->certificate,
        "Serve over TLS with this certificate (PEM)", "FILE"),
    OPTION ("tls-key", FILENAME, &s->key, "Its private key (PEM)", "FILE"),
    OPTION ("tls-client-ca", FILENAME, &s->client_ca,
        "Clients must have a certificate by one of these (PEM)", "FILE"),
    OPTION ("version", NONE, version, "Print the version", NULL),
    { 0 },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("MODELS_DIR");

  g_option_context_set_summary (context,
      "Serves the models of a folder over the Open Inference Protocol (KServe "
      "v2):\nMODELS_DIR/NAME/[VERSION/]model.xml or model.onnx.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

static gboolean
check_ranges (const ServeSettings *s, GError **error)
{
  const struct
  {
    const char *option;
    int value, least, most;
  } ranges[] = {
    { "grpc-port", s->grpc_port, 0, 65535 },
    { "http-port", s->http_port, 0, 65535 },
    { "metrics-port", s->metrics_port, 0, 65535 },
    { "streams", s->streams, 0, 1024 },
    { "threads", s->threads, 1, 1024 },
    { "batch", s->batch, 1, 1024 },
    { "batch-timeout", s->batch_timeout_us, 0, 60 * G_USEC_PER_SEC },
    { "max-message", s->max_message_mb, 1, 2000 },
    { "max-waiting", s->max_waiting, 1, 1 << 20 },
    { "max-sequences", s->max_sequences, 1, 1 << 20 },
    { "max-state-memory", s->max_state_mb, 1, 1 << 20 },
    { "sequence-idle", s->sequence_idle_s, 1, 1 << 20 },
    { "drain", s->drain_s, 0, 1 << 20 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--%s is %d; it must be from %d to %d", ranges[i].option,
          ranges[i].value, ranges[i].least, ranges[i].most);
  if (s->grpc_port == 0 && s->http_port == 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--grpc-port and --http-port are both 0: nothing would be served");
  if ((s->certificate == NULL) != (s->key == NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--tls-certificate and --tls-key need each other");
  return s->client_ca == NULL || s->certificate != NULL
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "--tls-client-ca needs --tls-certificate");
}

static gboolean
read_token (ServeSettings *s, GError **error)
{
  g_autoptr (GError) failed = NULL;

  if (s->token_file == NULL)
    return TRUE;
  if (!g_file_get_contents (s->token_file, &s->token, NULL, &failed))
    return infer_fail (
        error, INFER_ERROR_NOT_FOUND, "--token-file: %s", failed->message);
  s->token[strcspn (s->token, "\r\n")] = '\0';
  return s->token[0] != '\0'
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "--token-file: the first line of %s is empty", s->token_file);
}

static void
set_defaults (ServeSettings *s)
{
  *s = (ServeSettings){
    .listen = g_strdup ("127.0.0.1"),
    .grpc_port = SERVE_HAVE_GRPC ? 8001 : 0,
    .http_port = 8000,
    .metrics_port = 8002,
    .threads = 1,
    .batch = 1,
    .max_message_mb = 64,
    .max_waiting = 1000,
    .max_sequences = 1000,
    .max_state_mb = 1024,
    .sequence_idle_s = 60,
    .drain_s = 10,
  };
}

/* --- running --- */

/* Many connections need many descriptors. */
static void
raise_descriptors (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit (RLIMIT_NOFILE, &limit);
  }
}

/* Messages come and go: glibc would give their memory back to the system after
 * each, and the next one would pay for its pages again. */
static void
keep_memory (void)
{
#ifdef M_TRIM_THRESHOLD
  mallopt (M_MMAP_THRESHOLD, 8 << 20);
  mallopt (M_TRIM_THRESHOLD, 16 << 20);
#endif
}

static gboolean
on_tick (gpointer data)
{
  Program *program = data;
  guint sequences, calls;

  serve_server_expire (&program->server);
  if (!g_atomic_int_get (&program->server.draining))
    return G_SOURCE_CONTINUE;
  serve_server_load (&program->server, &sequences, &calls);
  if ((sequences == 0 && calls == 0)
      || g_get_monotonic_time () >= program->drain_until)
    g_main_loop_quit (program->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_signal (gpointer data)
{
  Program *program = data;

  if (g_atomic_int_get (&program->server.draining)) { /* the second one */
    g_main_loop_quit (program->loop);
    return G_SOURCE_CONTINUE;
  }
  g_atomic_int_set (&program->server.draining, TRUE);
  program->drain_until = g_get_monotonic_time ()
                         + program->server.settings->drain_s * G_USEC_PER_SEC;
  g_timeout_add (50, on_tick, program);
  return G_SOURCE_CONTINUE;
}

static gpointer
load_models (gpointer data)
{
  ServeServer *server = data;

  serve_repository_load_all (server->repository);
  g_autoptr (GPtrArray) models = serve_repository_models (server->repository);
  g_atomic_int_set (&server->ready, TRUE);
  g_message ("ready: %u model%s", models->len, models->len == 1 ? "" : "s");
  return NULL;
}

static int
serve (const ServeSettings *settings)
{
  g_autoptr (GError) error = NULL;
  Program program = { .server = { .settings = settings } };

  program.server.repository = serve_repository_new (settings, &error);
  if (program.server.repository == NULL)
    return complain (FAILED, "%s", error->message);
  ServeFront *front = serve_front_new (&program.server, &error);
  if (front == NULL) {
    serve_repository_free (program.server.repository);
    return complain (FAILED, "%s", error->message);
  }
  program.loop = g_main_loop_new (NULL, FALSE);
  g_unix_signal_add (SIGTERM, on_signal, &program);
  g_unix_signal_add (SIGINT, on_signal, &program);
  g_timeout_add_seconds (1, on_tick, &program);
  GThread *loader = g_thread_new ("load", load_models, &program.server);
  g_main_loop_run (program.loop);
  g_atomic_int_set (&program.server.draining, TRUE);
  g_thread_join (loader);
  serve_front_free (front, 1);
  serve_repository_free (program.server.repository);
  g_main_loop_unref (program.loop);
  return DONE;
}

int
main (int argc, char **argv)
{
  g_auto (ServeSettings) settings;
  g_autoptr (GError) error = NULL;
  gboolean version = FALSE;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_log_set_handler (
      NULL, G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_WARNING, print_message, NULL);
  set_defaults (&settings);
  if (!parse (&settings, &argc, &argv, &version, &error))
    return complain (USAGE, "%s", error->message);
  if (version) {
    g_print ("infer-serve %s\n", PROJECT_VERSION);
    return DONE;
  }
  if (argc != 2)
    return complain (USAGE,
        "one folder of models is needed, not %d; see "
        "--help",
        argc - 1);
  settings.models = g_strdup (argv[1]);
  if (!check_ranges (&settings, &error) || !read_token (&settings, &error)
      || !serve_front_check (&settings, &error))
    return complain (USAGE, "%s", error->message);
  raise_descriptors ();
  keep_memory ();
  return serve (&settings);
}
