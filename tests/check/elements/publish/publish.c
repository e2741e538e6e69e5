/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/elements/publish/publish.h"

#include "gst/infer/keypoints-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#define CAPS "video/x-raw, format=GRAY8, width=64, height=32, framerate=25/1"

GstHarness *
test_publisher (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

GstBuffer *
test_found_frame (guint n, gboolean found)
{
  const GstInferBox box = { 16, 8, 32, 24 };
  const GstInferLabel label = { "cat", 2, 0.75, "find", NULL };
  GstVideoInfo video;

  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_GRAY8, 64, 32);
  GstBuffer *buffer = test_frame (&video);

  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  if (found)
    gst_infer_add_object (buffer, 64, 32, &box, &label, -1);
  return buffer;
}

guint64
test_publish_counter (GstHarness *h, const char *name)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, "inferpublish");
  guint64 value;

  g_object_get (element, name, &value, NULL);
  return value;
}

void
test_publish_wait (GstHarness *h, guint64 n)
{
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (test_publish_counter (h, "sent") + test_publish_counter (h, "dropped")
         < n) {
    fail_unless (g_get_monotonic_time () < deadline);
    g_usleep (1000);
  }
  fail_unless_equals_int64 (
      test_publish_counter (h, "sent") + test_publish_counter (h, "dropped"),
      n);
}
