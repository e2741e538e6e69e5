/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=auto: what follows decides what leaves. */

#include <string.h>

#include "gst/infer/mask-meta.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

#define VIDEO "video/x-raw, format=RGB, width=5, height=3, framerate=25/1"
#define TENSORS "other/tensors, format=static"

static GstHarness *
start (const char *model, const char *more, const char *takes, const char *caps)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s %s", model, more);
  GstHarness *h = test_harness (description);

  if (takes != NULL)
    gst_harness_set_sink_caps_str (h, takes);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static GstBuffer *
make_frame (void)
{
  guint8 rgb[3 * 15];

  memset (rgb, 90, sizeof rgb);
  return picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb);
}

static const char *
media_type (GstHarness *h)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (caps != NULL);
  return g_intern_string (
      gst_structure_get_name (gst_caps_get_structure (caps, 0)));
}

/* The output for a frame: "other/tensors", "video/x-raw", or "frame" for the
 * input frame with a tensor meta. */
static const char *
push_frame (GstHarness *h)
{
  GstBuffer *frame = make_frame ();
  GstFlowReturn flow = gst_harness_push (h, gst_buffer_ref (frame));
  g_autofree char *error = test_pop_error (h);

  fail_unless (flow == GST_FLOW_OK && error == NULL, "%s", error);
  g_autoptr (GstBuffer) got = gst_harness_pull (h);
  gboolean same =
      gst_buffer_peek_memory (got, 0) == gst_buffer_peek_memory (frame, 0);
  gst_buffer_unref (frame);
  fail_unless_equals_int (striped_meta (got, 0) != NULL, same);
  return same ? "frame" : media_type (h);
}

GST_START_TEST (test_video)
{
  static const struct
  {
    const char *takes, *more, *copy, *stack;
  } cases[] = {
    { NULL, "", "other/tensors", "other/tensors" },
    { TENSORS, "", "other/tensors", "other/tensors" },
    { "video/x-raw", "", "video/x-raw", "frame" },
    { "text/x-raw; video/x-raw, format=RGB", "", "video/x-raw", "frame" },
    { "video/x-raw; " TENSORS, "", "frame", "frame" },
    { TENSORS "; video/x-raw", "", "other/tensors", "other/tensors" },
    { "video/x-raw", "model-info=model_type=segmentation", "frame", "frame" },
    { "video/x-raw; " TENSORS, "output=media", "video/x-raw", NULL },
    { "video/x-raw; " TENSORS, "output=tensors", "other/tensors",
        "other/tensors" },
    { NULL, "output=media-with-meta", "frame", "frame" },
  };
  g_autofree char *copy = picture_model_copy ("copy", "f32", "1,3,3,5");
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (TestHarness) one =
        start (copy, cases[i].more, cases[i].takes, VIDEO);
    fail_unless_equals_string (push_frame (one), cases[i].copy);
    if (cases[i].stack == NULL)
      continue;
    g_autoptr (TestHarness) two =
        start (stack, cases[i].more, cases[i].takes, VIDEO);
    fail_unless_equals_string (push_frame (two), cases[i].stack);
  }
}
GST_END_TEST

GST_START_TEST (test_audio)
{
  static const char *const cases[][2] = {
    { NULL, "other/tensors" },
    { TENSORS, "other/tensors" },
    { "video/x-raw; " TENSORS, "other/tensors" },
    { "audio/x-raw", "audio/x-raw" },
    { "audio/x-raw; " TENSORS, "audio/x-raw" },
    { TENSORS "; audio/x-raw", "other/tensors" },
  };
  g_autofree char *model = test_path ("tests/data/delay-wave.xml");
  float samples[1600] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (TestHarness) h =
        start (model, "window=10", cases[i][0], TEST_AUDIO_CAPS);

    fail_unless_equals_int (
        test_push_samples (h, samples, 1600, 1600, 0), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
    fail_unless_equals_string (media_type (h), cases[i][1]);
  }
}
GST_END_TEST

/* Without a word about `output`: results on frames, text, or JSON. */
GST_START_TEST (test_decoder)
{
  g_autofree char *copy = picture_model_copy ("copy", "f32", "1,3,3,5");
  static const char *const on_frames[] = { "inferdecoder mode=segmentation",
    "inferdecoder mode=segmentation ! inferoverlay",
    "inferdecoder mode=segmentation ! infertrack ! queue ! identity" };

  if (!test_load_plugin ("coreelements"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (on_frames); i++) {
    g_autofree char *more = g_strdup_printf ("! %s", on_frames[i]);
    g_autoptr (TestHarness) h = start (copy, more, NULL, VIDEO);

    fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    fail_unless (
        gst_buffer_get_meta (got, GST_INFER_MASK_META_API_TYPE) != NULL);
  }
  g_autoptr (TestHarness) h =
      start (copy, "! inferdecoder mode=json", NULL, VIDEO);
  fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_string (media_type (h), "application/json");
}
GST_END_TEST

/* The caps offered upstream follow the choice. */
GST_START_TEST (test_upstream)
{
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");
  g_autoptr (GstCaps) grey =
      gst_caps_from_string ("video/x-raw, format=GRAY8, width=9, height=9");
  g_autoptr (GstCaps) rgb =
      gst_caps_from_string ("video/x-raw, format=RGB, width=9, height=9");
  g_autoptr (TestHarness) h = start (stack, "", "video/x-raw, format=GRAY8",
      "video/x-raw, format=GRAY8,"
      "width=5, height=3, framerate=25/1");
  g_autoptr (GstCaps) frames = gst_pad_peer_query_caps (h->srcpad, NULL);
  g_autoptr (TestHarness) other = start (stack, "", TENSORS, VIDEO);
  g_autoptr (GstCaps) any = gst_pad_peer_query_caps (other->srcpad, NULL);

  fail_unless (gst_caps_can_intersect (frames, grey));
  fail_if (gst_caps_can_intersect (frames, rgb));
  fail_unless (gst_caps_can_intersect (any, grey));
  fail_unless (gst_caps_can_intersect (any, rgb));
}
GST_END_TEST

/* Elements that read results warn once if the frames have tensors that no
 * inferdecoder has decoded. */
GST_START_TEST (test_no_decoder)
{
  static const struct
  {
    const char *after;
    gboolean warns;
  } cases[] = {
    { "inferoverlay", TRUE },
    { "infertrack", TRUE },
    { "inferpublish file-path=/dev/null", TRUE },
    { "inferdecoder mode=text-detection keep-tensors=true ! inferoverlay",
        FALSE },
    { "inferdecoder mode=segmentation ! infertrack", FALSE },
  };
  g_autofree char *dark = picture_model_copy ("dark", "f32", "1,1,3,5");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *more = g_strdup_printf (
        "model-info=model_type=any;scale_values=1e6 ! %s", cases[i].after);
    g_autoptr (TestHarness) h = start (dark, more, NULL, VIDEO);

    for (guint k = 0; k < 40; k++) {
      fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
      gst_buffer_unref (gst_harness_pull (h));
    }
    g_autoptr (GstMessage) warning =
        gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_WARNING);
    g_autoptr (GstMessage) again =
        gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_WARNING);
    fail_unless_equals_int (warning != NULL, cases[i].warns);
    fail_unless (again == NULL);
  }
}
GST_END_TEST

/* --- another element follows --- */

static GstPad *
relink (GstHarness *h, GstPad *before, const char *takes)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (takes);
  g_autoptr (GstPadTemplate) template =
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps);
  GstPad *pad = gst_pad_new_from_template (template, "next");
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");

  gst_pad_set_chain_function (pad, GST_PAD_CHAINFUNC (before));
  gst_pad_set_active (pad, TRUE);
  gst_pad_unlink (src, before);
  fail_unless_equals_int (gst_pad_link (src, pad), GST_PAD_LINK_OK);
  return pad;
}

typedef struct
{
  GAsyncQueue *names;
} Received;

static GstFlowReturn
receive (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Received *received = gst_pad_get_element_private (pad);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  g_async_queue_push (received->names,
      g_strdup (gst_structure_get_name (gst_caps_get_structure (caps, 0))));
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

GST_START_TEST (test_relinked)
{
  static const char *const takes[] = { TENSORS, "video/x-raw", TENSORS,
    "video/x-raw, format=RGB" };
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");
  g_autoptr (TestHarness) h = start (stack, "", NULL, VIDEO);
  Received received = { g_async_queue_new_full (g_free) };
  g_autoptr (GstPad) at = gst_object_ref (h->sinkpad);

  fail_unless_equals_string (push_frame (h), "other/tensors");
  for (guint i = 0; i < G_N_ELEMENTS (takes); i++) {
    g_autoptr (GstPad) next = relink (h, at, takes[i]);

    gst_pad_set_element_private (next, &received);
    gst_pad_set_chain_function (next, receive);
    for (guint k = 0; k < 3; k++) {
      fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
      g_autofree char *name = g_async_queue_pop (received.names);
      fail_unless_equals_string (
          name, i % 2 == 0 ? "other/tensors" : "video/x-raw");
    }
    gst_object_replace ((GstObject **) &at, GST_OBJECT (next));
  }
  g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
  gst_pad_unlink (src, at);
  gst_pad_link (src, h->sinkpad);
  g_async_queue_unref (received.names);
}
GST_END_TEST

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_set ((int *) data, TRUE);
  return GST_PAD_PROBE_OK;
}

/* As applications do it: the pad is blocked while results are under way.  Those
 * made for the element before are dropped, and nothing fails. */
GST_START_TEST (test_relinked_while_busy)
{
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");
  Received received = { g_async_queue_new_full (g_free) };

  for (guint i = 0; i < 20; i++) {
    g_autoptr (TestHarness) h = start (stack, "nireq=8", TENSORS, VIDEO);
    g_autoptr (GstPad) src = gst_element_get_static_pad (h->element, "src");
    int held = FALSE;

    fail_unless_equals_string (push_frame (h), "other/tensors");
    gulong probe = gst_pad_add_probe (src,
        GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold, &held,
        NULL);
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
    while (!g_atomic_int_get (&held))
      g_thread_yield ();
    g_autoptr (GstPad) next = relink (h, h->sinkpad, "video/x-raw");
    gst_pad_set_element_private (next, &received);
    gst_pad_set_chain_function (next, receive);
    gst_pad_remove_probe (src, probe);
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (gst_harness_push (h, make_frame ()), GST_FLOW_OK);
    for (guint k = 0; k < 4; k++) {
      g_autofree char *name = g_async_queue_pop (received.names);
      fail_unless_equals_string (name, "video/x-raw");
    }
    fail_unless_equals_int (g_async_queue_length (received.names), 0);
    g_autofree char *error = test_pop_error (h);
    fail_unless (error == NULL, "%s", error);
    gst_pad_unlink (src, next);
    gst_pad_link (src, h->sinkpad);
  }
  g_async_queue_unref (received.names);
}
GST_END_TEST

/* --- nothing fits --- */

/* The frames fit the model, not the next element: upstream, whose CAPS query
 * would find nothing, gets as far as its CAPS event. */
GST_START_TEST (test_passing_refused)
{
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s", stack);
  g_autoptr (TestHarness) h = test_harness (description);
  g_autoptr (GstCaps) offer = gst_caps_from_string (VIDEO);

  gst_harness_set_sink_caps_str (h, "video/x-raw, format=GRAY8");
  gst_harness_play (h);
  g_autoptr (GstCaps) before = gst_pad_peer_query_caps (h->srcpad, offer);
  fail_unless (gst_caps_is_empty (before));
  gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
  g_autoptr (GstCaps) after = gst_pad_peer_query_caps (h->srcpad, offer);
  fail_unless (gst_caps_is_equal (after, offer));
  gst_harness_push_event (h, gst_event_new_caps (offer));
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL
                   && strstr (error, "the next element takes video/x-raw with "
                                     "format=GRAY8")
                          != NULL,
      "%s", error);
}
GST_END_TEST

/* One error, with all of @parts. */
static void
assert_refused (const char *model, const char *more, const char *takes,
    const char *caps, const char *const *parts)
{
  g_autoptr (TestHarness) h = start (model, more, takes, caps);
  g_autofree char *message = test_pop_error (h);
  g_autofree char *second = test_pop_error (h);

  for (guint i = 0; parts[i] != NULL; i++)
    fail_unless (message != NULL && strstr (message, parts[i]) != NULL,
        "'%s' lacks '%s'", message, parts[i]);
  fail_unless (second == NULL, "%s", second);
}

GST_START_TEST (test_refused)
{
  g_autofree char *stack = picture_model_stack ("six", "f32", "1,3,3,5");
  g_autofree char *copy = picture_model_copy ("copy", "f32", "1,3,3,5");
  g_autofree char *wave = test_path ("tests/data/delay-wave.xml");
  g_autofree char *logits =
      test_path ("pipelines/models/digits/digits-wave.xml");

  assert_refused (stack, "", "text/x-raw", VIDEO,
      (const char *const[]){
          "other/tensors", "takes text/x-raw", "inferdecoder", NULL });
  assert_refused (stack, "output=tensors", "video/x-raw", VIDEO,
      (const char *const[]){ "output=tensors", "takes video/x-raw",
          "set output=media-with-meta, or auto", NULL });
  assert_refused (copy, "output=tensors", "video/x-raw", VIDEO,
      (const char *const[]){ "set output=media, or auto", NULL });
  assert_refused (copy, "output=media-with-meta", TENSORS, VIDEO,
      (const char *const[]){
          "takes other/tensors", "set output=tensors, or auto", NULL });
  assert_refused (wave, "output=tensors", "audio/x-raw", TEST_AUDIO_CAPS,
      (const char *const[]){
          "takes audio/x-raw", "set output=media, or auto", NULL });
  assert_refused (copy, "",
      "video/x-raw, format=I420, width=7; video/x-raw, format=I420", VIDEO,
      (const char *const[]){ "format=(string)RGB",
          "takes video/x-raw with format=I420:", "videoconvert", NULL });
  assert_refused (wave, "", "audio/x-raw, rate=[1,8000], channels=1",
      TEST_AUDIO_CAPS,
      (const char *const[]){
          "rate=(int)16000", "with rate=[ 1, 8000 ]:", "audioconvert", NULL });
  assert_refused (wave, "", "video/x-raw", TEST_AUDIO_CAPS,
      (const char *const[]){ "other/tensors", "takes video/x-raw", NULL });
  assert_refused (logits, "", "audio/x-raw", TEST_AUDIO_CAPS,
      (const char *const[]){ "the next element takes audio",
          "as many as go in, but 'logits'", NULL });
}
GST_END_TEST

static Suite *
inferfilter_output_suite (void)
{
  return test_suite ("inferfilter-output", NULL, picture_folder_clear,
      test_video, test_audio, test_decoder, test_upstream, test_no_decoder,
      test_relinked, test_relinked_while_busy, test_passing_refused,
      test_refused, NULL);
}

GST_CHECK_MAIN (inferfilter_output)
