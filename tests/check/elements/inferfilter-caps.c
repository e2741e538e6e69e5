/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Refused models, settings and caps, and the error texts. */

#include <string.h>

#include "tests/check/support/stream.h"

static void
assert_refused_caps (const char *model, const char *caps, const char *part)
{
  g_autofree char *description = test_filter (model, "");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL && strstr (error, part) != NULL,
      "'%s' is not in: %s", part, error);
}

GST_START_TEST (test_refused_caps)
{
  assert_refused_caps ("summator-wave.xml",
      "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1",
      "16000 Hz");
  assert_refused_caps ("summator-wave.xml",
      "audio/x-raw(memory:Foo), format=F64LE, layout=interleaved, rate=16000, "
      "channels=1",
      "F64LE");
  assert_refused_caps ("summator-wave.xml",
      "audio/x-raw, format=S20LE, layout=interleaved, rate=16000, channels=1",
      "put audioconvert before it");
  assert_refused_caps ("summator.xml",
      "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1",
      "model-info=sample_rate=");
  assert_refused_caps ("summator.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)4:1, framerate=(fraction)10/1",
      "[1,3]");
  assert_refused_caps ("summator.xml",
      "other/tensors, format=static, num_tensors=2, "
      "types=(string)\"float32,float32\", dimensions=(string)\"3:1,3:1\", "
      "framerate=(fraction)10/1",
      "1 inputs");
  assert_refused_caps ("summator.xml",
      "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=<3,1>, framerate=(fraction)10/1",
      "write dimensions=(string)");
}
GST_END_TEST

/* dimensions=3 is a number for gst-launch-1.0. */
GST_START_TEST (test_number)
{
  g_autofree char *description = test_filter ("identity.xml", "");
  g_autoptr (TestHarness) h = test_harness (description);

  gst_harness_set_src_caps_str (h,
      "other/tensors, format=static, num_tensors=1, types=float32, "
      "dimensions=3, framerate=10/1");
  g_autofree char *error = test_pop_error (h);
  fail_unless (error == NULL, "%s", error);
}
GST_END_TEST

static void
assert_same_answer (GstHarness *h, const char *text)
{
  g_autoptr (GstCaps) asked = gst_caps_from_string (text);
  g_autoptr (GstCaps) all = gst_pad_peer_query_caps (h->srcpad, NULL);

  fail_unless_equals_int (gst_pad_peer_query_accept_caps (h->srcpad, asked),
      gst_caps_is_subset (asked, all));
}

/* ACCEPT_CAPS and CAPS say the same, but of caps that upstream has sent, whose
 * event has the words. */
GST_START_TEST (test_accept_caps)
{
  static const char *const asked[] = { TEST_AUDIO_CAPS,
    "audio/x-raw, format=F32LE, layout=interleaved, rate=8000, channels=1",
    "audio/x-raw, format=S32LE, layout=non-interleaved, rate=16000, channels=1",
    "audio/x-raw(memory:Foo), format=F32LE, layout=interleaved, rate=16000, "
    "channels=1",
    "video/x-raw, format=RGB, width=4, height=4, framerate=1/1",
    "video/x-raw(memory:GLMemory), format=RGB, width=4, height=4, "
    "framerate=1/1",
    "other/tensors, format=static, num_tensors=1, types=(string)float32, "
    "dimensions=(string)3:1, framerate=(fraction)10/1",
    "other/tensors, format=static, num_tensors=1, types=(string)float32, "
    "dimensions=(string)4:1, framerate=(fraction)10/1" };
  static const char *const models[] = { "summator-wave.xml", "summator.xml" };

  for (guint m = 0; m < G_N_ELEMENTS (models); m++) {
    g_autofree char *description = test_filter (models[m], "");
    g_autoptr (TestHarness) h = test_harness (description);

    for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
      assert_same_answer (h, asked[i]);
  }
  g_autoptr (TestHarness) features = test_harness ("inferfeatures");
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    assert_same_answer (features, asked[i]);
}
GST_END_TEST

static void
assert_error (GstHarness *h, const char *part, const char *more)
{
  g_autofree char *error = test_pop_error (h);

  fail_unless (error != NULL && strstr (error, part) != NULL
                   && strstr (error, more) != NULL,
      "%s", error);
  fail_unless (test_pop_error (h) == NULL);
}

static gboolean
takes_some (GstHarness *h, const char *offer)
{
  g_autoptr (GstCaps) asked = gst_caps_from_string (offer);
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (h->srcpad, asked);

  return !gst_caps_is_empty (caps);
}

/* A query has no effect, and a stream that finds no caps, and ends, an error
 * with @part and @more. */
static void
assert_unmet (
    const char *element, const char *offer, const char *part, const char *more)
{
  g_autoptr (TestHarness) h = test_harness (element);

  fail_if (takes_some (h, offer));
  gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
  for (guint i = 0; i < 2; i++)
    fail_if (takes_some (h, offer));
  fail_unless (gst_bus_pop_filtered (
                   test_bus (h), GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
               == NULL);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_error (h, part, more);
}

/* Where upstream only says "not negotiated", an error gives the reason. */
GST_START_TEST (test_offered_caps)
{
  g_autofree char *waves = test_filter ("summator-wave.xml", "");

  /* Only what differs. */
  assert_unmet (waves, "audio/x-raw, rate=8000",
      "Upstream offers audio/x-raw with rate=8000, this takes rate=16000: ",
      "audioresample");
  assert_unmet ("inferfeatures", "audio/x-raw, rate=8000, channels=2",
      "with rate=8000, channels=2, this takes rate=16000, channels=1: ",
      "audioconvert");
}
GST_END_TEST

/* A stream of a kind of media that the model does not take gets as far as its
 * CAPS event, whose error says why. */
static void
assert_other_media (
    const char *element, const char *caps, const char *part, const char *more)
{
  g_autoptr (TestHarness) h = test_harness (element);

  fail_if (takes_some (h, caps));
  gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
  fail_unless (takes_some (h, caps));
  fail_if (takes_some (h, "text/x-raw"));
  g_autoptr (GstCaps) fixed = gst_caps_from_string (caps);
  fail_unless (gst_pad_peer_query_accept_caps (h->srcpad, fixed));
  fail_unless (test_pop_error (h) == NULL);
  gst_harness_push_event (h, gst_event_new_caps (fixed));
  assert_error (h, part, more);
}

GST_START_TEST (test_other_media)
{
  g_autofree char *waves = test_filter ("summator-wave.xml", "");
  g_autofree char *tensors = test_filter ("summator.xml", "");

  assert_other_media (waves,
      "video/x-raw, format=RGB, width=4, height=4, framerate=1/1", "no image",
      "takes no video");
  assert_other_media (tensors, TEST_AUDIO_CAPS, "the model has no sample_rate",
      "set model-info=sample_rate=HZ");
  assert_other_media ("inferfilter model=" SOURCE_ROOT
                      "/pipelines/models/digits/digits.xml",
      TEST_AUDIO_CAPS, "log-mel", "put inferfeatures before it");
}
GST_END_TEST

/* The debug text of an error names the code that has met it. */
GST_START_TEST (test_place)
{
  g_autoptr (GstElement) filter =
      gst_element_factory_make ("inferfilter", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autofree char *debug = NULL;

  g_object_set (filter, "model", "/nowhere.xml", NULL);
  gst_element_set_bus (filter, bus);
  gst_element_set_state (filter, GST_STATE_PAUSED);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, NULL, &debug);
  fail_unless (strstr (debug, "filter/gstinferfilter.c(") != NULL
                   && strstr (debug, "start ()") != NULL,
      "%s", debug);
  gst_element_set_state (filter, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
}
GST_END_TEST

/* Only the decoder posts its error; the filter's upstream gets the flow return.
 */
GST_START_TEST (test_one_error)
{
  g_autofree char *description = test_filter (
      "summator-wave.xml", "nireq=4 ! inferdecoder mode=detection");
  g_autoptr (TestHarness) h = test_harness (description);
  GstFlowReturn flow = GST_FLOW_OK;

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  for (guint i = 0; i < 1000 && flow == GST_FLOW_OK; i++) {
    GstBuffer *buffer = gst_buffer_new_and_alloc (400);

    gst_buffer_memset (buffer, 0, 0, 400);
    flow = gst_harness_push (h, buffer);
  }
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autofree char *error = test_pop_error (h);
  fail_unless (strstr (error, "mode=detection") != NULL, "%s", error);
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

/* --- a model that loads --- */

static GMutex lock;
static GCond changed;
static gboolean held; /* guarded by the lock */

/* In the thread that loads. */
static GstBusSyncReply
hold_loader (GstBus *bus, GstMessage *message, gpointer unused)
{
  GstProgressType type;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_PROGRESS)
    return GST_BUS_PASS;
  gst_message_parse_progress (message, &type, NULL, NULL);
  g_mutex_lock (&lock);
  while (held && type == GST_PROGRESS_TYPE_START)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
  gst_message_unref (message);
  return GST_BUS_DROP; /* a message holds a reference to the element */
}

static void
let_go (void)
{
  g_mutex_lock (&lock);
  held = FALSE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static GstHarness *
start_loading (void)
{
  g_autoptr (GstElement) filter =
      gst_object_ref_sink (gst_element_factory_make ("inferfilter", NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();

  held = TRUE;
  gst_bus_set_sync_handler (bus, hold_loader, NULL, NULL);
  g_object_set (filter, "model", SOURCE_ROOT "/tests/data/summator-wave.xml",
      "async-load", TRUE, NULL);
  gst_element_set_bus (filter, bus);
  return gst_harness_new_with_element (filter, "sink", "src");
}

/* The caps that can enter: TRUE for those of the model. */
static gboolean
are_of_model (GstHarness *h)
{
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  g_autoptr (GstCaps) video = gst_caps_from_string ("video/x-raw");

  return !gst_caps_can_intersect (caps, video);
}

static gpointer
begin_stream (gpointer data)
{
  GstHarness *h = data;

  gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
  return GINT_TO_POINTER (are_of_model (h));
}

/* A query does not wait for a model that loads; the streaming thread does, so
 * that it negotiates what the model takes. */
GST_START_TEST (test_query_while_loading)
{
  g_autoptr (TestHarness) h = start_loading ();

  fail_if (are_of_model (h));
  GThread *streaming = g_thread_new ("streaming", begin_stream, h);
  fail_if (are_of_model (h));
  let_go ();
  fail_unless (GPOINTER_TO_INT (g_thread_join (streaming)));
}
GST_END_TEST

/* … and the wait ends with a flush, or when the element stops. */
GST_START_TEST (test_stop_while_loading)
{
  for (guint i = 0; i < 2; i++) {
    GstHarness *h = start_loading ();
    GThread *streaming = g_thread_new ("streaming", begin_stream, h);

    if (i == 0)
      gst_harness_push_event (h, gst_event_new_flush_start ());
    else
      gst_element_set_state (h->element, GST_STATE_NULL);
    fail_if (GPOINTER_TO_INT (g_thread_join (streaming)));
    let_go ();
    test_teardown (h);
  }
}
GST_END_TEST

GST_START_TEST (test_start_errors)
{
  static const char *const more[][2] = {
    { "device=TPU", "TPU" },
    { "config=NUM_STREAMZ=2", "NUM_STREAMZ" },
    { "extra-outputs=nobody", "nobody" },
    { "output=media-with-meta", "output=media-with-meta" },
    { "weights=/nowhere.bin", "/nowhere.bin" },
  };
  guint i;

  test_start_fails ("inferfilter", "'model'");
  test_start_fails ("inferfilter model=/nowhere.xml", "/nowhere.xml");
  test_start_fails ("inferfilter model=" SOURCE_ROOT "/tests", "is a folder");
  test_start_fails (
      "inferfilter model=" SOURCE_ROOT "/meson.build", "meson.build");
  for (i = 0; i < G_N_ELEMENTS (more); i++) {
    g_autofree char *description = test_filter ("summator.xml", more[i][0]);

    test_start_fails (description, more[i][1]);
  }
}
GST_END_TEST

static Suite *
inferfilter_caps_suite (void)
{
  return test_suite ("inferfilter-caps", NULL, NULL, test_refused_caps,
      test_number, test_accept_caps, test_offered_caps, test_other_media,
      test_place, test_one_error, test_start_errors, test_query_while_loading,
      test_stop_while_loading, NULL);
}

GST_CHECK_MAIN (inferfilter_caps)
