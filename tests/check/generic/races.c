/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each property of each registered element is set and read by another thread,
 * over and over, in each state and while data flows.  The element works
 * afterwards.  Run it under ThreadSanitizer, too. */

#include "tests/check/support/stream.h"

#define DATA SOURCE_ROOT "/tests/data/"
#define N_BUFFERS 30

#define VIDEO_CAPS                                                             \
  "video/x-raw, format=RGB, width=32, height=32, framerate=25/1"

typedef struct
{
  GObject *element;
  int stop; /* atomic */
  guint n_sets;
} Setter;

/* A value of its range, other ones each time.  FALSE: not of this type. */
static gboolean
choose (GParamSpec *spec, guint turn, GValue *value)
{
  if (g_str_equal (spec->name, "model"))
    g_value_set_static_string (
        value, turn % 2 ? DATA "summator-wave.xml" : DATA "double-wave.xml");
  else if (G_IS_PARAM_SPEC_STRING (spec))
    g_value_take_string (
        value, turn % 2 ? NULL : g_strdup_printf ("%s=%u", spec->name, turn));
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (value, turn % 2 != 0);
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (value, G_PARAM_SPEC_UINT (spec)->minimum + 1 + turn % 2);
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (value, G_PARAM_SPEC_INT (spec)->minimum + (int) turn % 2);
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (value, turn);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (
        value, G_PARAM_SPEC_DOUBLE (spec)->minimum + 0.1 * (turn % 2));
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    g_value_set_enum (value,
        G_PARAM_SPEC_ENUM (spec)
            ->enum_class
            ->values[turn % G_PARAM_SPEC_ENUM (spec)->enum_class->n_values]
            .value);
  else if (G_IS_PARAM_SPEC_FLAGS (spec))
    g_value_set_flags (value, turn % 4);
  else
    return FALSE;
  return TRUE;
}

/* Some write to files or to the network, others are the base class's. */
static gboolean
is_spared (const GParamSpec *spec)
{
  static const char *const names[] = { "file-path", "address", "method",
    "cache-dir", "dump", "dump-dir", NULL };

  return g_type_is_a (GST_TYPE_ELEMENT, spec->owner_type)
         || g_strv_contains (names, spec->name);
}

static void
set_and_get (Setter *setter, GParamSpec *spec, guint turn)
{
  g_auto (GValue) value = G_VALUE_INIT, got = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if ((spec->flags & G_PARAM_WRITABLE) != 0 && choose (spec, turn, &value)) {
    g_object_set_property (setter->element, spec->name, &value);
    setter->n_sets++;
  }
  if ((spec->flags & G_PARAM_READABLE) == 0)
    return;
  g_value_init (&got, spec->value_type);
  g_object_get_property (setter->element, spec->name, &got);
}

static gpointer
keep_setting (gpointer data)
{
  Setter *setter = data;
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (setter->element), &n);

  for (guint turn = 0; !g_atomic_int_get (&setter->stop); turn++)
    for (guint i = 0; i < n; i++)
      if (!is_spared (specs[i]))
        set_and_get (setter, specs[i], turn);
  return NULL;
}

/* All of its properties as they were at first. */
static void
restore (GObject *element)
{
  guint n;
  g_autofree GParamSpec **specs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    g_auto (GValue) value = G_VALUE_INIT;

    if ((specs[i]->flags & G_PARAM_CONSTRUCT) == 0 || is_spared (specs[i]))
      continue;
    g_value_init (&value, specs[i]->value_type);
    g_param_value_set_default (specs[i], &value);
    g_object_set_property (element, specs[i]->name, &value);
  }
  g_autofree char *model = test_model_for (element, "summator-wave.xml");
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "model"))
    g_object_set (element, "model", model, NULL);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "file-path"))
    g_object_set (element, "file-path", "/dev/null", NULL);
}

static gboolean
takes_audio (GstHarness *h)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "sink");
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstCaps) audio = gst_caps_from_string (TEST_AUDIO_CAPS);

  return gst_caps_can_intersect (all, audio);
}

static void
play (GstHarness *h, gboolean audio)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("stream"));
  gst_harness_set_src_caps_str (h, audio ? TEST_AUDIO_CAPS : VIDEO_CAPS);
  for (guint i = 0; i < N_BUFFERS; i++) {
    GstBuffer *out,
        *buffer = gst_buffer_new_and_alloc (audio ? 400 : 32 * 32 * 3);

    gst_buffer_memset (buffer, 0, 0, gst_buffer_get_size (buffer));
    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    gst_harness_push (h, buffer);
    while ((out = gst_harness_try_pull (h)) != NULL)
      gst_buffer_unref (out);
  }
}

static guint
check_element (GstElement *element)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY };
  g_autoptr (GstBus) bus = gst_bus_new ();

  restore (G_OBJECT (element));
  g_autoptr (TestHarness) h =
      gst_harness_new_with_element (element, "sink", "src");
  gst_element_set_bus (element, bus);
  gboolean audio = takes_audio (h);
  Setter setter = { .element = G_OBJECT (element) };
  GThread *thread = g_thread_new ("setter", keep_setting, &setter);
  for (guint turn = 0; turn < 3; turn++)
    for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
      gst_element_set_state (element, states[i]);
      if (states[i] >= GST_STATE_PAUSED)
        play (h, audio);
      else
        g_usleep (1000);
    }
  g_atomic_int_set (&setter.stop, TRUE);
  g_thread_join (thread);

  gst_element_set_state (element, GST_STATE_NULL);
  restore (G_OBJECT (element));
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  fail_unless (gst_element_set_state (element, GST_STATE_PLAYING)
                   != GST_STATE_CHANGE_FAILURE,
      "%s cannot start again", GST_OBJECT_NAME (element));
  play (h, audio);
  g_autoptr (GstMessage) error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (error == NULL, "%s ends in an error", GST_OBJECT_NAME (element));
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  fail_unless (setter.n_sets > 0);
  return setter.n_sets;
}

GST_START_TEST (test_races)
{
  test_each_element (check_element);
}
GST_END_TEST

static Suite *
races_suite (void)
{
  return test_suite ("races", NULL, NULL, test_races, NULL);
}

GST_CHECK_MAIN (races)
