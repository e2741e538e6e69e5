/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many buffers while another thread flushes, with two streams that share the
 * model; and many state cycles.
 *
 *   INFER_TEST_BUFFERS=N   number of buffers, default 100000 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gst/filter/gstinferfilter.h"
#include "tests/check/stream/models.h"
#include "tests/check/support/pads.h"
#include "tests/check/support/process.h"

#define CAPS                                                                   \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)4:1, framerate=(fraction)10/1"
#define N_CYCLES 2000
#define WARM_UP 400

typedef struct
{
  TestPads pads;
  guint n_buffers;
  gint stop;      /* atomic: the flusher stops */
  gint flushing;  /* atomic: a flush is in progress */
  gint number;    /* atomic: of the last flush */
  gint halted;    /* atomic: the last flush the pusher has seen */
  guint64 n_seen; /* written by the sink's thread */
  float last;     /* last value since the flush */
  gboolean wrong;
  guint n_flushes;
} Stream;

/* Values increase in the order of input, whatever a flush has dropped. */
static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  float values[4] = { 0 };

  gst_buffer_extract (buffer, 0, values, sizeof values);
  stream->wrong |= values[0] <= stream->last || values[3] != values[0] + 3
                   || GST_BUFFER_PTS (buffer) != (GstClockTime) values[0];
  stream->last = values[0];
  stream->n_seen++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
stream_begin (Stream *stream, guint n_buffers)
{
  g_autofree char *path = test_model_path ("1,4", FALSE, 0, 1, 0);

  *stream = (Stream){ .n_buffers = n_buffers, .last = -1 };
  g_assert_true (test_pads_begin (&stream->pads,
      g_object_new (GST_TYPE_INFER_FILTER, "model", path, "nireq", 3, NULL),
      take, stream));
}

static gpointer
keep_flushing (gpointer data)
{
  Stream *stream = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  while (!g_atomic_int_get (&stream->stop)) {
    g_usleep ((gulong) g_rand_int_range (random, 200, 3000));
    g_atomic_int_inc (&stream->number);
    g_atomic_int_set (&stream->flushing, TRUE);
    gst_pad_push_event (stream->pads.src, gst_event_new_flush_start ());
    while (g_atomic_int_get (&stream->halted) != stream->number
           && !g_atomic_int_get (&stream->stop))
      g_usleep (10);
    gst_pad_push_event (stream->pads.src, gst_event_new_flush_stop (TRUE));
    g_atomic_int_set (&stream->flushing, FALSE);
    stream->n_flushes++;
  }
  return NULL;
}

static gpointer
keep_pushing (gpointer data)
{
  Stream *stream = data;

  test_pads_send_beginning (&stream->pads, "storm", CAPS);
  GThread *flusher = g_thread_new ("flusher", keep_flushing, stream);
  for (guint i = 0; i < stream->n_buffers; i++) {
    const float v = (float) i;
    const float values[4] = { v, v + 1, v + 2, v + 3 };
    GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);

    GST_BUFFER_PTS (buffer) = i;
    GstFlowReturn flow = gst_pad_push (stream->pads.src, buffer);
    if (flow == GST_FLOW_OK)
      continue;
    g_assert_cmpint (flow, ==, GST_FLOW_FLUSHING);
    do {
      g_atomic_int_set (&stream->halted, g_atomic_int_get (&stream->number));
      g_usleep (10);
    } while (g_atomic_int_get (&stream->flushing));
    test_pads_send_segment (&stream->pads);
  }
  g_atomic_int_set (&stream->stop, TRUE);
  g_thread_join (flusher);
  return NULL;
}

static void
test_storm (void)
{
  const char *wanted = g_getenv ("INFER_TEST_BUFFERS");
  guint n = wanted != NULL ? (guint) atoi (wanted) : 100000;
  Stream streams[2];
  GThread *threads[2];

  for (guint i = 0; i < 2; i++)
    stream_begin (&streams[i], n / 2);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("pusher", keep_pushing, &streams[i]);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < 2; i++) {
    test_pads_end (&streams[i].pads);
    g_test_message ("%" G_GUINT64_FORMAT " of %u came, %u flushes",
        streams[i].n_seen, streams[i].n_buffers, streams[i].n_flushes);
    g_assert_false (streams[i].wrong);
    g_assert_cmpuint (streams[i].n_flushes, >, 10);
    g_assert_cmpuint (streams[i].n_seen, >, streams[i].n_buffers / 4);
  }
}

/* Memory and open files do not grow. */
static void
test_cycles (void)
{
  const float values[4] = { 1, 2, 3, 4 };
  gsize memory = 0;
  guint files = 0;
  Stream stream;

  stream_begin (&stream, 0);
  for (guint i = 0; i < N_CYCLES; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);

    if (i == WARM_UP) {
      memory = test_resident_kb ();
      files = test_count_files ();
    }
    test_pads_send_beginning (&stream.pads, "storm", CAPS);
    g_assert_cmpint (gst_pad_push (stream.pads.src, buffer), ==, GST_FLOW_OK);
    gst_element_set_state (
        stream.pads.element, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
    g_assert_true (
        gst_element_set_state (stream.pads.element, GST_STATE_PLAYING)
        == GST_STATE_CHANGE_SUCCESS);
  }
  g_test_message ("%" G_GSIZE_FORMAT " KB, then %" G_GSIZE_FORMAT " KB", memory,
      test_resident_kb ());
#ifndef __SANITIZE_THREAD__
#ifndef __SANITIZE_ADDRESS__
  g_assert_cmpuint (test_resident_kb (), <, memory + 1024);
#endif
#endif
  g_assert_cmpuint (test_count_files (), <=, files);
  test_pads_end (&stream.pads);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/storm/flushes", test_storm);
  g_test_add_func ("/storm/cycles", test_cycles);
  int failed = g_test_run ();
  test_models_remove ();
  return failed;
}
