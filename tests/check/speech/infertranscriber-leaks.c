/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber leaves no object behind, as GStreamer's tracer "leaks"
 * counts them: texts, partial results, a flush, EOS, and an utterance that is
 * dropped when the element stops. */

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/speech/fake-speech.h"
#include "tests/check/support/pads.h"
#include "tests/check/support/tracers/tracers.h"

#define RATE FAKE_SPEECH_RATE
#define CAPS                                                                   \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"

static gint n_texts; /* atomic */

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  g_atomic_int_inc (&n_texts);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* @n seconds with a word at the beginning of each. */
static void
push (TestPads *pads, guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    float *samples = g_new0 (float, RATE);

    fake_speech_say (samples, RATE * 3 / 10, i % 9);
    GstBuffer *buffer = gst_buffer_new_wrapped (samples, RATE * sizeof (float));
    GST_BUFFER_PTS (buffer) = i * GST_SECOND;
    g_assert_cmpint (gst_pad_push (pads->src, buffer), ==, GST_FLOW_OK);
  }
}

static void
wait_for_texts (gint n)
{
  while (g_atomic_int_get (&n_texts) < n) /* or the test's limit */
    g_usleep (1000);
}

static void
run (gboolean eos)
{
  GstElement *element =
      g_object_new (GST_TYPE_INFER_TRANSCRIBER, "kind", "fake", "model",
          SOURCE_ROOT "/tests/data", "partial-interval", 100, NULL);
  TestPads pads;

  g_atomic_int_set (&n_texts, 0);
  g_assert_true (test_pads_begin (&pads, element, take, NULL));
  GstPad *partial = gst_element_request_pad_simple (element, "partial");
  test_pads_send_beginning (&pads, "leaks", CAPS);
  push (&pads, 0, 4);
  wait_for_texts (3);
  gst_pad_push_event (pads.src, gst_event_new_flush_start ());
  gst_pad_push_event (pads.src, gst_event_new_flush_stop (TRUE));
  g_atomic_int_set (&n_texts, 0);
  test_pads_send_segment (&pads);
  push (&pads, 10, 3);
  if (eos) {
    gst_pad_push_event (pads.src, gst_event_new_eos ());
    wait_for_texts (3);
  }
  gst_element_release_request_pad (element, partial);
  gst_object_unref (partial);
  test_pads_end (&pads);
}

int
main (int argc, char **argv)
{
  if (!test_tracers_exist ())
    return 77;
  test_tracers_begin ("leaks", NULL);
  fake_speech_register ();
  run (TRUE);
  run (FALSE);
  return test_tracers_end () > 0;
}
