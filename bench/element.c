/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of inferfilter beyond its model, per buffer, from the push to the
 * result at the next pad: one buffer at a time, one every 10 ms, and back to
 * back (time per buffer).  For comparison, the model alone at the same pace,
 * since idle time cools caches and clocks, and a GStreamer `queue`, which only
 * wakes a thread.  Interleaved, medians.
 *
 *   element [ROUNDS]     default 20, 2 s each */

#include <gst/gst.h>
#include <stdlib.h>

#include "gst/filter/gstinferfilter.h"
#include "inference/base/clock.h"
#include "infer/request.h"
#include "tests/check/support/pads.h"

#define N_SINGLE 200
#define N_PACED 20
#define N_MANY 40
#define N_RUNS 10
#define PACE_US 10000
#define MAX_ROUNDS 100

typedef struct
{
  TestPads pads;
  gsize size;
  gint n;      /* atomic: results */
  guint64 end; /* arrival of the last, ns */
} Rig;

/* Of all rounds. */
typedef struct
{
  guint n;
  double us[MAX_ROUNDS * N_SINGLE];
} Series;

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Rig *rig = gst_pad_get_element_private (pad);

  guint64 now = infer_clock_ns ();

  gst_buffer_unref (buffer);
  rig->end = now;
  g_atomic_int_inc (&rig->n);
  return GST_FLOW_OK;
}

static void
rig_begin (Rig *rig, GstElement *element, const char *caps, gsize size)
{
  rig->size = size;
  if (!test_pads_begin (&rig->pads, element, take, rig)) {
    g_printerr ("element: %s does not start\n", GST_OBJECT_NAME (element));
    exit (1);
  }
  test_pads_send_beginning (&rig->pads, "bench", caps);
}

/* Busy wait: a wake-up of this thread is not the element's cost. */
static void
await (Rig *rig, gint n)
{
  while (g_atomic_int_get (&rig->n) < n)
    infer_spin_pause ();
}

static void
push (Rig *rig)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, rig->size, NULL);

  gst_buffer_memset (buffer, 0, 0, rig->size);
  if (gst_pad_push (rig->pads.src, buffer) != GST_FLOW_OK) {
    g_printerr ("element: push refused\n");
    exit (1);
  }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (Series *series)
{
  qsort (series->us, series->n, sizeof *series->us, compare);
  return series->n > 0 ? series->us[series->n / 2] : 0;
}

static void
add (Series *series, guint64 ns)
{
  series->us[series->n++] = (double) ns / 1000;
}

static void
one_at_a_time (Rig *rig, guint n, gulong pause_us, Series *series)
{
  if (rig->pads.element == NULL)
    return;
  g_atomic_int_set (&rig->n, 0);
  for (guint i = 0; i < n; i++) {
    if (pause_us > 0)
      g_usleep (pause_us);
    guint64 begin = infer_clock_ns ();
    push (rig);
    await (rig, (gint) i + 1);
    add (series, rig->end - begin);
  }
}

static void
one_after_the_other (Rig *rig, Series *series)
{
  for (guint run = 0; run < N_RUNS && rig->pads.element != NULL; run++) {
    guint64 begin = infer_clock_ns ();

    g_atomic_int_set (&rig->n, 0);
    for (guint i = 0; i < N_MANY; i++)
      push (rig);
    await (rig, N_MANY);
    add (series, (rig->end - begin) / N_MANY);
  }
}

static void
model_alone (InferRequest *request, guint n, gulong pause_us, Series *series)
{
  for (guint i = 0; i < n; i++) {
    if (pause_us > 0)
      g_usleep (pause_us);
    guint64 begin = infer_clock_ns ();
    if (!infer_request_infer (request, NULL))
      exit (1);
    add (series, infer_clock_ns () - begin);
  }
}

static InferRequest *
load (const char *path, int rank, const gint64 *dims)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  g_autoptr (InferRuntime) runtime = NULL;
  g_autoptr (InferExecutable) executable = NULL;
  InferShape shape = infer_shape_new (rank, dims);
  InferRequest *request = NULL;

  if (model != NULL)
    runtime = infer_runtime_new ("CPU", NULL, &error);
  if (runtime != NULL)
    executable = infer_executable_new (model, runtime, &error);
  if (executable != NULL)
    request = infer_request_new (executable, &error);
  if (request == NULL
      || infer_request_set_input_shape (request, 0, &shape, &error) == NULL) {
    g_printerr ("element: %s\n", error->message);
    exit (1);
  }
  return request;
}

enum
{
  ALONE,
  OURS,
  QUEUE,
  N_SUBJECTS
};

/* A round of each kind; `many`: buffers back to back. */
static void
measure_round (
    InferRequest *request, Rig *rigs, Series *hot, Series *paced, Series *many)
{
  model_alone (request, N_SINGLE, 0, &hot[ALONE]);
  for (guint i = OURS; i < N_SUBJECTS; i++) {
    one_at_a_time (&rigs[i], N_SINGLE, 0, &hot[i]);
    one_after_the_other (&rigs[i], &many[i]);
  }
  model_alone (request, N_PACED, PACE_US, &paced[ALONE]);
  for (guint i = OURS; i < N_SUBJECTS; i++)
    one_at_a_time (&rigs[i], N_PACED, PACE_US, &paced[i]);
}

static void
print (const char *name, const char *pace, Series *alone, Series *series)
{
  double model = median (alone);

  g_print ("%-10s %-16s %9.2f %9.2f %9.2f %9.2f\n", name, pace, model,
      median (&series[OURS]), median (&series[OURS]) - model,
      median (&series[QUEUE]));
}

static void
measure (const char *name, const char *path, const char *caps, int rank,
    const gint64 *dims, guint rounds)
{
  g_autoptr (InferRequest) request = load (path, rank, dims);
  g_autofree Series *hot = g_new0 (Series, N_SUBJECTS);
  g_autofree Series *paced = g_new0 (Series, N_SUBJECTS);
  g_autofree Series *many = g_new0 (Series, N_SUBJECTS);
  GstElement *baseline = gst_element_factory_make ("queue", NULL);
  Rig rigs[N_SUBJECTS] = { 0 };
  gsize size = sizeof (float);

  for (int i = 0; i < rank; i++)
    size *= (gsize) dims[i];
  rig_begin (&rigs[OURS],
      g_object_new (GST_TYPE_INFER_FILTER, "model", path, NULL), caps, size);
  if (baseline != NULL)
    rig_begin (&rigs[QUEUE], baseline, caps, size);
  for (guint i = 0; i < rounds; i++)
    measure_round (request, rigs, hot, paced, many);
  print (name, "one at a time", &hot[ALONE], hot);
  print (name, "every 10 ms", &paced[ALONE], paced);
  print (name, "of many", &hot[ALONE], many);
  for (guint i = OURS; i < N_SUBJECTS; i++)
    if (rigs[i].pads.element != NULL)
      test_pads_end (&rigs[i].pads);
}

int
main (int argc, char **argv)
{
  static const gint64 vector[] = { 1, 3 }, frames[] = { 1, 10, 40 };
  guint rounds = argc > 1 ? (guint) atoi (argv[1]) : 20;

  gst_init (&argc, &argv);
  rounds = CLAMP (rounds, 1, MAX_ROUNDS);
  g_print ("%-10s %-16s %9s %9s %9s %9s\n", "us", "", "model", "element",
      "beyond", "queue");
  measure ("identity", BENCH_ROOT "/tests/data/identity.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)3:1, framerate=(fraction)10/1",
      2, vector, rounds);
  measure ("digits", BENCH_ROOT "/pipelines/models/digits/digits.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)40:10:1, framerate=(fraction)10/1",
      3, frames, rounds);
  return 0;
}
