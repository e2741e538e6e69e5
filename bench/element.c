/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What inferfilter costs beyond its model, per buffer: one at a time (from the
 * push to the result at the next pad, threads being woken), and one after the
 * other (time per buffer of many).  Beside it a GStreamer `queue`, which wakes
 * one thread and does nothing else.  Interleaved, medians. */

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#include "gst/gstinferfilter.h"
#include "inference/clock.h"
#include "inference/request.h"

#define ROUNDS 7
#define N_SINGLE 2000
#define N_MANY 4000

typedef struct
{
  GstElement *element;
  GstPad *src, *sink;
  gsize size;
  GMutex lock;
  GCond cond;
  guint n; /* results */
} Rig;

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Rig *rig = gst_pad_get_element_private (pad);

  gst_buffer_unref (buffer);
  g_mutex_lock (&rig->lock);
  rig->n++;
  g_cond_signal (&rig->cond);
  g_mutex_unlock (&rig->lock);
  return GST_FLOW_OK;
}

static gboolean
swallow (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static void
rig_begin (Rig *rig, GstElement *element, const char *caps_text, gsize size)
{
  g_autoptr (GstPad) in = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (element, "src");
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstSegment segment;

  rig->element = gst_object_ref_sink (element);
  rig->size = size;
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  rig->src = gst_pad_new ("src", GST_PAD_SRC);
  rig->sink = gst_pad_new_from_static_template (&any_sink, "sink");
  gst_pad_set_element_private (rig->sink, rig);
  gst_pad_set_chain_function (rig->sink, take);
  gst_pad_set_event_function (rig->sink, swallow);
  gst_pad_set_active (rig->src, TRUE);
  gst_pad_set_active (rig->sink, TRUE);
  gst_pad_link (rig->src, in);
  gst_pad_link (out, rig->sink);
  if (gst_element_set_state (element, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE) {
    g_printerr ("element: %s does not start\n", GST_OBJECT_NAME (element));
    exit (1);
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (rig->src, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (rig->src, gst_event_new_caps (caps));
  gst_pad_push_event (rig->src, gst_event_new_segment (&segment));
}

static void
rig_end (Rig *rig)
{
  gst_element_set_state (rig->element, GST_STATE_NULL);
  gst_pad_set_active (rig->src, FALSE);
  gst_pad_set_active (rig->sink, FALSE);
  gst_object_unref (rig->element);
  gst_object_unref (rig->src);
  gst_object_unref (rig->sink);
}

static void
await (Rig *rig, guint n)
{
  g_mutex_lock (&rig->lock);
  while (rig->n < n)
    g_cond_wait (&rig->cond, &rig->lock);
  g_mutex_unlock (&rig->lock);
}

static void
push (Rig *rig)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, rig->size, NULL);

  gst_buffer_memset (buffer, 0, 0, rig->size);
  if (gst_pad_push (rig->src, buffer) != GST_FLOW_OK) {
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
median (double *values, guint n)
{
  qsort (values, n, sizeof *values, compare);
  return values[n / 2];
}

/* Microseconds of one, median. */
static double
one_at_a_time (Rig *rig)
{
  static double us[N_SINGLE];

  rig->n = 0;
  for (guint i = 0; i < N_SINGLE; i++) {
    guint64 begin = infer_clock_ns ();

    push (rig);
    await (rig, i + 1);
    us[i] = (double) (infer_clock_ns () - begin) / 1000;
  }
  return median (us, N_SINGLE);
}

static double
one_after_the_other (Rig *rig)
{
  guint64 begin = infer_clock_ns ();

  rig->n = 0;
  for (guint i = 0; i < N_MANY; i++)
    push (rig);
  await (rig, N_MANY);
  return (double) (infer_clock_ns () - begin) / 1000 / N_MANY;
}

static double
model_alone (InferRequest *request)
{
  static double us[N_SINGLE];

  for (guint i = 0; i < N_SINGLE; i++) {
    guint64 begin = infer_clock_ns ();

    if (!infer_request_infer (request, NULL))
      exit (1);
    us[i] = (double) (infer_clock_ns () - begin) / 1000;
  }
  return median (us, N_SINGLE);
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
      || !infer_request_set_input_shape (request, 0, &shape, &error)) {
    g_printerr ("element: %s\n", error->message);
    exit (1);
  }
  return request;
}

static void
measure (const char *name, const char *path, const char *caps, int rank,
    const gint64 *dims)
{
  InferRequest *request = load (path, rank, dims);
  double alone[ROUNDS], single[ROUNDS], many[ROUNDS], queue[ROUNDS],
      queue_many[ROUNDS], model;
  GstElement *baseline = gst_element_factory_make ("queue", NULL);
  Rig ours = { 0 }, theirs = { 0 };
  gsize size = sizeof (float);

  for (int i = 0; i < rank; i++)
    size *= (gsize) dims[i];
  rig_begin (&ours, g_object_new (GST_TYPE_INFER_FILTER, "model", path, NULL),
      caps, size);
  if (baseline != NULL)
    rig_begin (&theirs, baseline, caps, size);
  for (guint i = 0; i < ROUNDS; i++) {
    alone[i] = model_alone (request);
    single[i] = one_at_a_time (&ours);
    many[i] = one_after_the_other (&ours);
    queue[i] = baseline != NULL ? one_at_a_time (&theirs) : 0;
    queue_many[i] = baseline != NULL ? one_after_the_other (&theirs) : 0;
  }
  model = median (alone, ROUNDS);
  g_print ("%-10s %9.2f %10.2f %10.2f %9.2f %10.2f %10.2f %9.2f\n", name, model,
      median (single, ROUNDS), median (single, ROUNDS) - model,
      median (queue, ROUNDS), median (many, ROUNDS),
      median (many, ROUNDS) - model, median (queue_many, ROUNDS));
  rig_end (&ours);
  if (baseline != NULL)
    rig_end (&theirs);
  infer_request_free (request);
}

int
main (int argc, char **argv)
{
  static const gint64 vector[] = { 1, 3 }, frames[] = { 1, 10, 40 };

  gst_init (&argc, &argv);
  g_print ("%-10s %9s %10s %10s %9s %10s %10s %9s\n", "us", "model", "one",
      "beyond", "queue", "of many", "beyond", "queue");
  measure ("identity", BENCH_ROOT "/tests/data/identity.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)3:1, framerate=(fraction)10/1",
      2, vector);
  measure ("digits", BENCH_ROOT "/pipelines/models/digits/digits.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)40:10:1, framerate=(fraction)10/1",
      3, frames);
  return 0;
}
