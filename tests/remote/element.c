/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter with a model on fake-server, which has no state extension and is
 * started anew: with loss=restart a WARNING and DISCONT, else an ERROR; and a
 * flush ends a call that the server never answers. */

#include <gst/gst.h>
#include <string.h>

#include "tests/remote/peer.h"

/* One tensor [1,3]. */
#define CAPS                                                                   \
  "other/tensors, format=(string)static, num_tensors=1, "                      \
  "types=(string)float32, dimensions=(string)3:1, framerate=0/1"

typedef struct
{
  GstElement *pipeline, *source, *sink;
  GstBus *bus;
} Rig;

static Rig
rig_open (const FakeServer *server, const char *model)
{
  g_autofree char *text = g_strdup_printf (
      "appsrc name=source format=time ! inferfilter "
      "model=grpc://127.0.0.1:%u/%s device=REMOTE output=tensors ! "
      "appsink name=sink sync=false",
      server->port, model);
  g_autoptr (GError) error = NULL;
  Rig rig = { gst_parse_launch (text, &error), NULL, NULL, NULL };

  g_assert_no_error (error);
  rig.source = gst_bin_get_by_name (GST_BIN (rig.pipeline), "source");
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);
  g_object_set (rig.source, "caps", caps, NULL);
  rig.sink = gst_bin_get_by_name (GST_BIN (rig.pipeline), "sink");
  rig.bus = gst_element_get_bus (rig.pipeline);
  gst_element_set_state (rig.pipeline, GST_STATE_PLAYING);
  return rig;
}

static void
rig_close (Rig *rig)
{
  gst_element_set_state (rig->pipeline, GST_STATE_NULL);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->sink);
  gst_object_unref (rig->source);
  gst_object_unref (rig->pipeline);
}

static void
push (Rig *rig, guint n)
{
  const float values[] = { 1, 2, 3 };
  GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);
  GstFlowReturn flow;

  GST_BUFFER_PTS (buffer) = n * 100 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  g_signal_emit_by_name (rig->source, "push-buffer", buffer, &flow);
  gst_buffer_unref (buffer);
  g_assert_cmpint (flow, ==, GST_FLOW_OK);
}

/* NULL: none within 10 s. */
static GstSample *
pull (Rig *rig)
{
  GstSample *sample = NULL;

  g_signal_emit_by_name (
      rig->sink, "try-pull-sample", 10 * GST_SECOND, &sample);
  return sample;
}

static void
expect (Rig *rig, float first, gboolean discont)
{
  GstSample *sample = pull (rig);

  g_assert_nonnull (sample);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  float got = 0;
  gst_buffer_extract (buffer, 0, &got, sizeof got);
  g_assert_cmpfloat (got, ==, first);
  g_assert_true (
      GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT) == discont);
  gst_sample_unref (sample);
}

static void
expect_message (Rig *rig, GstMessageType type, const char *words)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      rig->bus, 10 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, type);
  if (type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_loss (gconstpointer restart)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  Rig rig = rig_open (&server,
      restart != NULL ? "sum?loss=restart&retries=20" : "sum?retries=20");

  for (guint n = 0; n < 3; n++) {
    push (&rig, n);
    expect (&rig, (float) (n + 1), n == 0);
  }
  fake_server_kill (&server);
  server = fake_server_start (NULL, FALSE, server.port);
  push (&rig, 3);
  if (restart != NULL) {
    expect (&rig, 1, TRUE);
    expect_message (&rig, GST_MESSAGE_WARNING, "it begins again");
    push (&rig, 4);
    expect (&rig, 2, FALSE);
  } else {
    expect_message (&rig, GST_MESSAGE_ERROR, "is lost with its server");
  }
  rig_close (&rig);
  fake_server_kill (&server);
}

static void
test_flush (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  Rig rig = rig_open (&server, "slow?timeout=60000");
  const gint64 begin = g_get_monotonic_time ();

  push (&rig, 0);
  g_usleep (200 * 1000);
  gst_element_send_event (rig.source, gst_event_new_flush_start ());
  gst_element_send_event (rig.source, gst_event_new_flush_stop (TRUE));
  rig_close (&rig);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 5 * G_USEC_PER_SEC);
  fake_server_kill (&server);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/remote/element/loss-error", NULL, test_loss);
  g_test_add_data_func (
      "/remote/element/loss-restart", GINT_TO_POINTER (1), test_loss);
  g_test_add_func ("/remote/element/flush", test_flush);
  return g_test_run ();
}
