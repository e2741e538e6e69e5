/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of an inference of an empty model (Parameter → Result): synchronous,
 * and asynchronous beyond the cost of waking a thread and being woken.  With an
 * argument, OpenVINO's library, the same for OpenVINO, interleaved. */

#include <glib/gstdio.h>
#include <pthread.h>
#include <stdlib.h>

#include "bench/compare/engine.h"
#include "inference/base/clock.h"
#include "infer/request.h"

#define N_ROUNDS 15
#define N_EACH 4000

static const char identity[] =
    "<?xml version=\"1.0\"?>\n"
    "<net name=\"identity\" version=\"11\"><layers>"
    "<layer id=\"0\" name=\"in\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"1,16\" element_type=\"f32\"/>"
    "<output><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>16</dim>"
    "</port></output></layer>"
    "<layer id=\"1\" name=\"out\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>16</dim>"
    "</port></input></layer></layers><edges>"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
    "</edges></net>\n";

typedef struct
{
  const char *name;
  void (*once) (gpointer data);
  gpointer data;
  double ns[N_ROUNDS]; /* of one inference, per round */
} Measure;

static void
check (gboolean ok, const GError *error)
{
  if (ok)
    return;
  g_printerr ("overhead: %s\n", error != NULL ? error->message : "failed");
  exit (1);
}

/* --- measured calls --- */

static void
infer_once (gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_request_infer (data, &error);

  check (ok, error);
}

static void
async_once (gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = infer_async_request_start (data, INFER_START_DEFAULT, &error)
                && infer_async_request_wait (data, -1, &error);

  check (ok, error);
}

/* The lower bound: a task on a pool thread that wakes the caller. */
typedef struct
{
  InferTask task;
  InferExecutor *pool;
  pthread_mutex_t lock;
  pthread_cond_t done;
  gboolean ran;
} Wakeup;

static void
wakeup_run (InferTask *task)
{
  Wakeup *wakeup = (Wakeup *) task;

  pthread_mutex_lock (&wakeup->lock);
  wakeup->ran = TRUE;
  pthread_cond_signal (&wakeup->done);
  pthread_mutex_unlock (&wakeup->lock);
}

static void
wakeup_once (gpointer data)
{
  Wakeup *wakeup = data;

  wakeup->ran = FALSE;
  infer_executor_submit (wakeup->pool, &wakeup->task);
  pthread_mutex_lock (&wakeup->lock);
  while (!wakeup->ran)
    pthread_cond_wait (&wakeup->done, &wakeup->lock);
  pthread_mutex_unlock (&wakeup->lock);
}

static void
peer_once (gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = engine_openvino.infer (data, &error);

  check (ok, error);
}

static void
peer_async_once (gpointer data)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = engine_openvino.start (data, 0, &error)
                && engine_openvino.wait (data, 0, &error);

  check (ok, error);
}

/* --- measuring --- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (const Measure *measure)
{
  double sorted[N_ROUNDS];

  for (guint i = 0; i < N_ROUNDS; i++)
    sorted[i] = measure->ns[i];
  qsort (sorted, N_ROUNDS, sizeof *sorted, compare_doubles);
  return sorted[N_ROUNDS / 2];
}

static void
run_rounds (Measure *measures, guint n)
{
  for (guint round = 0; round < N_ROUNDS; round++) {
    for (guint i = 0; i < n; i++) {
      guint64 begin = infer_clock_ns ();

      for (guint k = 0; k < N_EACH; k++)
        measures[i].once (measures[i].data);
      measures[i].ns[round] = (double) (infer_clock_ns () - begin) / N_EACH;
    }
  }
}

static void
report (const Measure *measures, guint n, double floor)
{
  for (guint i = 0; i < n; i++) {
    double ns = median (&measures[i]);
    gboolean async = i % 2 == 1;

    g_print ("%-34s %9.2f us", measures[i].name, ns / 1000);
    if (async)
      g_print ("   beyond a wake-up %7.2f us", (ns - floor) / 1000);
    g_print ("\n");
  }
}

static gpointer
load_peer (const char *peers)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  OpenEngine open; /* stays open */
  int fd = g_file_open_tmp ("identity-XXXXXX.xml", &path, &error);

  check (fd >= 0, error);
  g_close (fd, NULL);
  check (g_file_set_contents (path, identity, -1, &error), error);
  check (engine_open (&engine_openvino, peers, &open, &error), error);
  EngineSettings settings = { .model = path, .threads = 1 };
  gpointer model = engine_openvino.load (open.library, &settings, &error);
  g_unlink (path);
  check (model != NULL, error);
  return model;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) xml = g_bytes_new_static (identity, sizeof identity - 1);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, NULL, "identity", &error);
  check (model != NULL, error);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  check (runtime != NULL, error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  check (executable != NULL, error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  check (request != NULL, error);
  g_autoptr (InferAsyncRequest) async =
      infer_async_request_new (executable, NULL, &error);
  check (async != NULL, error);
  Wakeup wakeup = { .task.run = wakeup_run,
    .pool = infer_executor_new_pool ("wakeup", 1),
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER };
  gpointer peer_model = NULL;
  Measure measures[] = {
    { .name = "inferfilter, synchronous", infer_once, request },
    { .name = "inferfilter, asynchronous", async_once, async },
    { .name = "OpenVINO, synchronous", peer_once, NULL },
    { .name = "OpenVINO, asynchronous", peer_async_once, NULL },
    { .name = "a thread's wake-up and back", wakeup_once, &wakeup },
  };
  Measure *floor = &measures[4];
  guint n = 2;

  if (argc > 1) {
    peer_model = load_peer (argv[1]);
    measures[2].data = measures[3].data = peer_model;
    n = 4;
  } else {
    measures[2] = *floor;
    floor = &measures[2];
  }
  run_rounds (measures, n + 1);
  g_print ("%-34s %9.2f us\n", floor->name, median (floor) / 1000);
  report (measures, n, median (floor));
  if (peer_model != NULL)
    engine_openvino.unload (peer_model);
  infer_executor_unref (wakeup.pool);
  return 0;
}
