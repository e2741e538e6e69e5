/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/timing/arrival.h"

static guint
count_references (GstBuffer *buffer)
{
  gpointer state = NULL;
  guint n = 0;

  while (gst_buffer_iterate_meta_filtered (
             buffer, &state, GST_REFERENCE_TIMESTAMP_META_API_TYPE)
         != NULL)
    n++;
  return n;
}

/* The first mark stays; NONE is none. */
static void
test_once (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  gst_infer_mark_arrival (buffer, GST_CLOCK_TIME_NONE);
  g_assert_cmpuint (count_references (buffer), ==, 0);
  g_assert_cmpuint (gst_infer_arrival_of (buffer), ==, GST_CLOCK_TIME_NONE);
  gst_infer_mark_arrival (buffer, 11);
  gst_infer_mark_arrival (buffer, 12);
  g_assert_cmpuint (gst_infer_arrival_of (buffer), ==, 11);
  g_assert_cmpuint (count_references (buffer), ==, 1);
}

/* Copies have it; timestamps of senders and cameras are neither taken for it
 * nor changed. */
static void
test_others (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstCaps) ntp = gst_caps_from_string ("timestamp/x-ntp");

  gst_buffer_add_reference_timestamp_meta (buffer, ntp, 5, GST_SECOND);
  g_assert_cmpuint (gst_infer_arrival_of (buffer), ==, GST_CLOCK_TIME_NONE);
  gst_infer_mark_arrival (buffer, 11);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  g_assert_cmpuint (gst_infer_arrival_of (copy), ==, 11);
  g_assert_cmpuint (count_references (copy), ==, 2);
  const GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (copy, ntp);
  g_assert_cmpuint (meta->timestamp, ==, 5);
  g_assert_cmpuint (meta->duration, ==, GST_SECOND);
}

static void
test_request (void)
{
  g_autoptr (GstEvent) request = gst_infer_arrival_request ();
  g_autoptr (GstEvent) other = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new_empty ("inferfilter/reset-state"));
  g_autoptr (GstEvent) down = gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_copy (gst_event_get_structure (request)));
  g_autoptr (GstEvent) qos =
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1, 0, 0);

  g_assert_true (gst_infer_is_arrival_request (request));
  g_assert_false (gst_infer_is_arrival_request (other));
  g_assert_false (gst_infer_is_arrival_request (down));
  g_assert_false (gst_infer_is_arrival_request (qos));
}

int
main (int argc, char **argv)
{
  gst_init (NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrival/once", test_once);
  g_test_add_func ("/arrival/others", test_others);
  g_test_add_func ("/arrival/request", test_request);
  return g_test_run ();
}
