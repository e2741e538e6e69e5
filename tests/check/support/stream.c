/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/stream.h"

#include <string.h>

#include "tests/check/support/folder.h"

Suite *
test_suite (const char *name, SFun set_up, SFun tear_down, TFun first, ...)
{
  Suite *suite = suite_create (name);
  TCase *tc = tcase_create (name);
  va_list more;

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, set_up, tear_down);
  va_start (more, first);
  for (TFun test = first; test != NULL; test = va_arg (more, TFun))
    tcase_add_test (tc, test);
  va_end (more);
  return suite;
}

guint
test_each_element (guint (*check) (GstElement *element))
{
  GList *features = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), "inferfilter");
  guint n = 0, elements = 0;

  for (GList *l = features; l != NULL; l = l->next) {
    if (!GST_IS_ELEMENT_FACTORY (l->data))
      continue;
    g_autoptr (GstElement) element =
        gst_object_ref_sink (gst_element_factory_create (l->data, NULL));
    const guint found = check (element);
    elements += found > 0;
    n += found;
  }
  gst_plugin_feature_list_free (features);
  fail_unless (elements >= 3, "%u elements", elements);
  return n;
}

char *
test_model_for (gpointer element, const char *model)
{
  g_autofree char *data = g_build_filename ("tests/data", model, NULL);
  gboolean speech =
      g_str_equal (G_OBJECT_TYPE_NAME (element), "GstInferTranscriber");

  return test_path (speech ? "pipelines/models/digits/digits-wave.xml" : data);
}

char *
test_path (const char *path)
{
  return g_path_is_absolute (path) ? g_strdup (path)
                                   : g_build_filename (SOURCE_ROOT, path, NULL);
}

guint
test_count_messages (GstHarness *harness, GstMessageType type)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (test_bus (harness), type)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

void
test_start_fails (const char *description, const char *part)
{
  g_autoptr (GstElement) element = gst_parse_launch (description, NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;

  gst_element_set_bus (element, bus);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_FAILURE);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in: %s", part, error->message);
  gst_clear_object (&message->src);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bus_set_flushing (
      bus, TRUE); /* messages left on the bus hold a reference to the element */
}

gboolean
test_load_plugin (const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/libgst%s.so", GST_PLUGINS, name);
  g_autoptr (GstPlugin) loaded = g_file_test (path, G_FILE_TEST_EXISTS)
                                     ? gst_plugin_load_file (path, NULL)
                                     : NULL;

  if (loaded == NULL)
    g_printerr ("skipped: there is no %s\n", path);
  return loaded != NULL;
}

GstHarness *
test_harness (const char *description)
{
  GstHarness *harness = gst_harness_new_parse (description);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (harness->element, bus);
  return harness;
}

GstBus *
test_bus (GstHarness *harness)
{
  return GST_ELEMENT_BUS (harness->element);
}

void
test_teardown (GstHarness *harness)
{
  GstBus *bus = test_bus (harness);

  if (bus != NULL)
    gst_bus_set_flushing (bus, TRUE);
  gst_harness_teardown (harness);
}

char *
test_pop_error (GstHarness *harness)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (test_bus (harness), GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return NULL;
  gst_message_parse_error (message, &error, NULL);
  return g_strdup (error->message);
}

float *
test_load_wav (const char *name, gsize *n)
{
  g_autofree char *relative = g_build_filename (
      g_path_is_absolute (name) ? "/" : "pipelines/recordings", name, NULL);
  g_autofree char *path = test_path (relative);

  return test_read_wav (path, n);
}

GstFlowReturn
test_push_samples (GstHarness *harness, const float *samples, gsize n,
    gsize part, GstClockTime start)
{
  GstFlowReturn flow = GST_FLOW_OK;

  for (gsize at = 0; at < n && flow == GST_FLOW_OK; at += part) {
    gsize count = MIN (part, n - at);
    GstBuffer *buffer =
        gst_buffer_new_memdup (samples + at, count * sizeof (float));

    GST_BUFFER_PTS (buffer) =
        start + gst_util_uint64_scale (at, GST_SECOND, TEST_RATE);
    GST_BUFFER_DURATION (buffer) =
        start + gst_util_uint64_scale (at + count, GST_SECOND, TEST_RATE)
        - GST_BUFFER_PTS (buffer);
    if (at == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    flow = gst_harness_push (harness, buffer);
  }
  return flow;
}

void
test_wait_eos (GstHarness *harness)
{
  gboolean eos = FALSE;

  while (!eos) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (harness);

    g_assert_nonnull (event);
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  }
}

static GByteArray *
finish (GstHarness *harness)
{
  GByteArray *bytes = g_byte_array_new ();
  GstBuffer *buffer;

  g_assert_true (gst_harness_push_event (harness, gst_event_new_eos ()));
  test_wait_eos (harness);
  while ((buffer = gst_harness_try_pull (harness)) != NULL) {
    GstMapInfo map;

    g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (bytes, map.data, (guint) map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  return bytes;
}

GArray *
test_finish_floats (GstHarness *harness)
{
  g_autoptr (GByteArray) bytes = finish (harness);
  GArray *floats = g_array_new (FALSE, FALSE, sizeof (float));

  g_array_append_vals (
      floats, bytes->data, bytes->len / (guint) sizeof (float));
  return floats;
}

char *
test_finish_text (GstHarness *harness)
{
  g_autoptr (GByteArray) bytes = finish (harness);

  if (bytes->len == 0)
    return g_strdup ("");
  return g_strndup ((const char *) bytes->data, bytes->len);
}

void
test_flush (GstHarness *harness)
{
  GstSegment segment;
  GstBuffer *buffer;
  GstEvent *event;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  g_assert_true (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  while ((buffer = gst_harness_try_pull (harness)) != NULL)
    gst_buffer_unref (buffer);
  while ((event = gst_harness_try_pull_event (harness)) != NULL)
    gst_event_unref (event);
  g_assert_true (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

char *
test_filter (const char *model, const char *more)
{
  return g_strdup_printf (
      "inferfilter model=" SOURCE_ROOT "/tests/data/%s %s", model, more);
}

GstHarness *
test_summator (const char *more)
{
  g_autofree char *description = test_filter ("summator.xml", more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TEST_SUMMATOR_CAPS ("10"));
  return h;
}

GstFlowReturn
test_push_ones (GstHarness *h, GstClockTime pts)
{
  const float values[3] = { 1, 1, 1 };
  GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  return gst_harness_push (h, buffer);
}

float *
test_ramp (gsize n)
{
  float *samples = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    samples[i] = (float) (i + 1);
  return samples;
}

float
test_first_value (GstBuffer *buffer)
{
  float value;

  g_assert_cmpuint (
      gst_buffer_extract (buffer, 0, &value, sizeof value), ==, sizeof value);
  return value;
}
