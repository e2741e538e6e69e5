/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model here, and the same on servers, in turns:
 *
 *   remote MODEL.xml URL…
 *
 * Prints the median of one request at a time, what a server adds to it, and
 * inferences a second with several requests in flight, with ratios. URLs are
 * those of device=REMOTE; a server of others may be among them, and need not
 * have the same model.  Dimensions that are open are --open (default 1);
 * --seconds of each figure (default 6), --requests in flight (default: two for
 * each processor).
 *
 * With several requests in flight it also prints the processor time of an
 * inference in this process, and, with --server PID for each URL, that of the
 * server's processes.  Client and server share the processors here, so "alone"
 * is the throughput of a server whose clients are elsewhere, on the same
 * number of processors: the local inference's processor time divided by the
 * server's. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "infer/request.h"
#include "tools/usage.h"

#define TURNS 12

static double seconds = 6;
static int open_dim = 1, n_requests;
static char **servers; /* process IDs, of the URLs in order */

typedef struct
{
  const char *name;
  InferExecutable *executable;
  InferRequest *request;
  GArray *times; /* gint64, ns */
  InferAsyncRequest **ring;
  guint64 done;
  double took;   /* s */
  int pid;       /* of the server; 0: not known */
  double client; /* s of processor time, here */
  double server; /* of its processes */
} Side;

static void
check (const GError *error, const char *name)
{
  if (error == NULL)
    return;
  g_printerr ("%s: %s\n", name, error->message);
  exit (1);
}

static void
fill (InferRequest *request)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;
    g_autoptr (GError) error = NULL;

    for (int d = 0; d < shape.rank; d++)
      shape.dims[d] = shape.dims[d] < 0 ? open_dim : shape.dims[d];
    InferTensor *in =
        infer_request_set_input_shape (request, i, &shape, &error);
    check (error, "input");
    memset (in->data, 0, in->size);
  }
}

static Side
open_side (const char *path)
{
  const gboolean remote = strstr (path, "://") != NULL;
  g_autofree char *config =
      g_strdup_printf ("NUM_STREAMS=%u", g_get_num_processors ());
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new (
      remote ? "REMOTE" : "CPU", remote ? NULL : config, &error);
  check (error, path);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  check (error, path);
  Side side = { .name = path };
  side.executable = infer_executable_new (model, runtime, &error);
  check (error, path);
  side.request = infer_request_new (side.executable, &error);
  check (error, path);
  side.times = g_array_new (FALSE, FALSE, sizeof (gint64));
  side.ring = g_new (InferAsyncRequest *, n_requests);
  for (int i = 0; i < n_requests; i++) {
    side.ring[i] = infer_async_request_new (side.executable, NULL, &error);
    check (error, path);
    fill (infer_async_request_get_request (side.ring[i]));
  }
  fill (side.request);
  return side;
}

/* --- one at a time --- */

static void
run_single (Side *side, double how_long)
{
  const gint64 end =
      g_get_monotonic_time () + (gint64) (how_long * G_USEC_PER_SEC);
  g_autoptr (GError) error = NULL;

  infer_request_infer (side->request, &error); /* warms the caches */
  check (error, side->name);
  while (g_get_monotonic_time () < end) {
    const gint64 begin = g_get_monotonic_time ();

    infer_request_infer (side->request, &error);
    check (error, side->name);
    const gint64 took = g_get_monotonic_time () - begin;
    g_array_append_val (side->times, took);
  }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gint64
median (const Side *side)
{
  g_array_sort (side->times, compare);
  return g_array_index (side->times, gint64, side->times->len / 2);
}

/* --- processor time --- */

/* Processor time of process @pid in clock ticks; *@parent: the ID of its parent
 * process.  Both are 0 if the process has ended. */
static guint64
read_process (int pid, int *parent)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *text = NULL;

  *parent = 0;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  /* After the name, which may have spaces: state, parent, …; 14 and 15 are the
   * times, counted from 1. */
  const char *rest = strrchr (text, ')');
  g_auto (GStrv) fields = g_strsplit (rest != NULL ? rest : "", " ", 16);
  if (g_strv_length (fields) < 15)
    return 0;
  *parent = atoi (fields[2]);
  return g_ascii_strtoull (fields[12], NULL, 10)
         + g_ascii_strtoull (fields[13], NULL, 10);
}

/* Processor time in seconds of process @pid and of all its descendants; 0 if
 * @pid is 0. */
static double
server_time (int pid)
{
  g_autoptr (GDir) dir = pid > 0 ? g_dir_open ("/proc", 0, NULL) : NULL;
  guint64 ticks = 0;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    int parent, next = atoi (name);
    const guint64 own = next > 0 ? read_process (next, &parent) : 0;

    while (next != pid && next > 0)
      read_process (next, &next);
    ticks += next == pid ? own : 0;
  }
  return (double) ticks / (double) sysconf (_SC_CLK_TCK);
}

/* --- several in flight --- */

static void
run_several (Side *side, double how_long)
{
  const double client = tool_processor_seconds (),
               server = server_time (side->pid);
  const gint64 begin = g_get_monotonic_time (),
               end = begin + (gint64) (how_long * G_USEC_PER_SEC);
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < n_requests; i++) {
    infer_async_request_start (side->ring[i], INFER_START_DEFAULT, &error);
    check (error, side->name);
  }
  for (int i = 0; g_get_monotonic_time () < end; i = (i + 1) % n_requests) {
    infer_async_request_wait (side->ring[i], -1, &error);
    check (error, side->name);
    side->done++;
    infer_async_request_start (side->ring[i], INFER_START_DEFAULT, &error);
    check (error, side->name);
  }
  side->took += (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  for (int i = 0; i < n_requests; i++)
    infer_async_request_wait (side->ring[i], -1, NULL);
  side->client += tool_processor_seconds () - client;
  side->server += server_time (side->pid) - server;
}

static void
report (Side *sides, int n)
{
  const gint64 here = median (&sides[0]);
  const double rate = (double) sides[0].done / sides[0].took;

  for (int i = 0; i < n; i++) {
    const gint64 one = median (&sides[i]);
    const double own = (double) sides[i].done / sides[i].took;

    g_print ("%-60s median %6" G_GINT64_FORMAT " us (%+6" G_GINT64_FORMAT
             ")   %8.1f/s (%.2f)\n",
        sides[i].name, one, one - here, own, own / rate);
  }
  const double local = sides[0].client / (double) sides[0].done * 1e6;
  for (int i = 0; i < n; i++) {
    const Side *side = &sides[i];
    const double server = side->server / (double) side->done * 1e6;

    g_print ("%-60s processor time of an inference: here %7.1f us", side->name,
        side->client / (double) side->done * 1e6);
    if (side->pid > 0)
      g_print (", server %7.1f us, alone (%.2f)", server, local / server);
    g_print ("\n");
  }
}

int
main (int argc, char **argv)
{
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Of each figure", "S" },
    { "requests", 0, 0, G_OPTION_ARG_INT, &n_requests, "In flight", "N" },
    { "open", 0, 0, G_OPTION_ARG_INT, &open_dim, "Open dimensions", "N" },
    { "server", 0, 0, G_OPTION_ARG_STRING_ARRAY, &servers,
        "The next URL's server, for its processor time", "PID" },
    { 0 },
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("MODEL.xml URL...");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc < 2) {
    g_printerr ("%s\n", error != NULL ? error->message : "which model?");
    return 2;
  }
  if (n_requests <= 0)
    n_requests = 2 * (int) g_get_num_processors ();
  const int n = argc - 1;
  g_autofree Side *sides = g_new (Side, n);
  for (int i = 0; i < n; i++)
    sides[i] = open_side (argv[i + 1]);
  for (int i = 1; servers != NULL && servers[i - 1] != NULL && i < n; i++)
    sides[i].pid = atoi (servers[i - 1]);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < n; i++)
      run_single (&sides[i], seconds / TURNS);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < n; i++)
      run_several (&sides[i], seconds / TURNS);
  report (sides, n);
  return 0;
}
