/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter: models loaded in a thread of their own, while the application
 * does other things to the element: sets properties, stops it, releases it. */

#include <string.h>

#include "tests/check/support/stream.h"

#define DATA SOURCE_ROOT "/tests/data/"
#define SUMMATOR DATA "summator-wave.xml" /* 100 samples, x + state */
#define DOUBLE DATA "double-wave.xml"     /* 50 samples, x + x */
#define TENSORS_ONLY DATA "summator.xml"  /* has no sample rate */

#define N_CHANGES 20

static GMutex lock;
static GCond changed;

/* Guarded by the lock. */
static guint n_started, n_complete, n_cancelled;
static gboolean hold, freed;
static int stopped; /* atomic */

static void
set_up (void)
{
  n_started = n_complete = n_cancelled = 0;
  hold = freed = FALSE;
}

static guint
count (guint *counter)
{
  g_mutex_lock (&lock);
  guint n = ++*counter;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  return n;
}

static void
await (const guint *counter, guint n)
{
  gint64 until = g_get_monotonic_time () + 20 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&lock);
  while (*counter < n)
    fail_unless (g_cond_wait_until (&changed, &lock, until));
  g_mutex_unlock (&lock);
}

static GstBuffer *
make_samples (float value, gsize n)
{
  g_autofree float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = value;
  return gst_buffer_new_memdup (values, n * sizeof (float));
}

/* The first value of the next result, which must have @n values. */
static float
pull (GstHarness *h, gsize n)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_get_size (buffer), n * sizeof (float));
  return test_first_value (buffer);
}

static GstProgressType
progress_of (GstMessage *message)
{
  GstProgressType type = GST_PROGRESS_TYPE_CONTINUE;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_PROGRESS)
    gst_message_parse_progress (message, &type, NULL, NULL);
  return type;
}

/* --- from a sync handler --- */

/* As soon as one model is there, the next is asked for, in the loader's own
 * thread. */
static GstBusSyncReply
change_again (GstBus *bus, GstMessage *message, gpointer filter)
{
  if (progress_of (message) != GST_PROGRESS_TYPE_COMPLETE)
    return GST_BUS_PASS;
  guint n = count (&n_complete);
  if (n <= N_CHANGES)
    g_object_set (filter, "model", n % 2 ? DOUBLE : SUMMATOR, NULL);
  return GST_BUS_PASS;
}

GST_START_TEST (test_sync_handler)
{
  g_autoptr (TestHarness) h = test_harness ("inferfilter model=" SUMMATOR);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  gst_harness_push (h, make_samples (1, 100));
  fail_unless_equals_float (pull (h, 100), 1);
  gst_bus_set_sync_handler (test_bus (h), change_again, filter, NULL);
  g_object_set (filter, "model", DOUBLE, NULL);
  await (&n_complete, N_CHANGES + 1);
  gst_harness_push (h, make_samples (3, 100));
  fail_unless_equals_float (pull (h, 100), 3);
  gst_bus_set_sync_handler (test_bus (h), NULL, NULL, NULL);
}
GST_END_TEST

/* --- stopped and released --- */

static GstBusSyncReply
hold_loader (GstBus *bus, GstMessage *message, gpointer unused)
{
  GstProgressType type = progress_of (message);

  if (type == GST_PROGRESS_TYPE_CANCELED)
    count (&n_cancelled);
  if (type == GST_PROGRESS_TYPE_START) {
    count (&n_started);
    g_mutex_lock (&lock);
    while (hold)
      g_cond_wait (&changed, &lock);
    g_mutex_unlock (&lock);
  }
  gst_message_unref (message);
  return GST_BUS_DROP; /* a message holds a reference to the element */
}

static void
note_freed (gpointer unused, GObject *where)
{
  g_mutex_lock (&lock);
  freed = TRUE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

/* Neither the state change nor the release waits for the thread, which is held
 * here before it loads. */
GST_START_TEST (test_stop)
{
  GstElement *filter = gst_element_factory_make ("inferfilter", NULL);
  GstBus *bus = gst_bus_new ();

  hold = TRUE;
  g_object_set (filter, "model", SUMMATOR, "async-load", TRUE, NULL);
  gst_element_set_bus (filter, bus);
  gst_bus_set_sync_handler (bus, hold_loader, NULL, NULL);
  fail_unless_equals_int (gst_element_set_state (filter, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  await (&n_started, 1);
  fail_unless_equals_int (
      gst_element_set_state (filter, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (n_cancelled, 1);

  /* And it can be started again beside that thread. */
  g_mutex_lock (&lock);
  hold = FALSE;
  g_mutex_unlock (&lock);
  g_object_set (filter, "async-load", FALSE, NULL);
  fail_unless_equals_int (gst_element_set_state (filter, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (filter, GST_STATE_NULL);

  g_object_weak_ref (G_OBJECT (filter), note_freed, NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (filter);
  gst_object_unref (bus);
  g_mutex_lock (&lock);
  g_cond_broadcast (&changed);
  while (!freed)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}
GST_END_TEST

static gpointer
keep_setting (gpointer filter)
{
  for (guint i = 0; !g_atomic_int_get (&stopped); i++)
    g_object_set (filter, "model", i % 2 ? SUMMATOR : DOUBLE, NULL);
  gst_object_unref (filter);
  return NULL;
}

/* Another thread sets the model until the element has been stopped, and then
 * has the last reference. */
GST_START_TEST (test_set_while_stopping)
{
  for (guint i = 0; i < 40; i++) {
    GstElement *filter = gst_element_factory_make ("inferfilter", NULL);

    g_object_set (filter, "model", SUMMATOR, NULL);
    gst_element_set_state (filter, GST_STATE_PAUSED);
    g_atomic_int_set (&stopped, FALSE);
    GThread *setter =
        g_thread_new ("setter", keep_setting, gst_object_ref (filter));
    g_usleep (i * 50);
    gst_element_set_state (filter, GST_STATE_NULL);
    gst_object_unref (filter);
    g_atomic_int_set (&stopped, TRUE);
    g_thread_join (setter);
  }
}
GST_END_TEST

/* --- what belongs to a model --- */

static void
await_progress (GstHarness *h, GstProgressType wanted)
{
  GstProgressType type = GST_PROGRESS_TYPE_CONTINUE;

  while (type != wanted) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        test_bus (h), 20 * GST_SECOND, GST_MESSAGE_PROGRESS);

    fail_unless (message != NULL);
    type = progress_of (message);
  }
}

static char *
next_progress (GstHarness *h)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      test_bus (h), 20 * GST_SECOND, GST_MESSAGE_PROGRESS);
  char *text = NULL;

  fail_unless (message != NULL);
  gst_message_parse_progress (message, NULL, NULL, &text);
  return text;
}

/* The messages of @element on its way to PAUSED: "0 load-model", as "2
 * load-model", "4 load-model", "error". */
static char *
messages_to_paused (GstElement *element)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  GString *text = g_string_new (NULL);
  GstMessage *message;

  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_PROGRESS | GST_MESSAGE_ERROR))
         != NULL) {
    g_autofree char *code = NULL, *says = NULL;
    GstProgressType type = GST_PROGRESS_TYPE_START;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_PROGRESS) {
      gst_message_parse_progress (message, &type, &code, &says);
      g_string_append_printf (text, "%d %s, ", (int) type, code);
      fail_unless (*says != '\0');
    } else {
      g_string_append (text, "error");
    }
    gst_message_unref (message);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  return g_string_free (text, FALSE);
}

/* Every element that loads a model says so; a failure is told before the
 * error. */
GST_START_TEST (test_elements)
{
  static const struct
  {
    const char *element, *property, *good;
  } cases[] = {
    { "inferfilter", "model", SUMMATOR },
    { "infervad", "vad-model", NULL },
    { "infertranscriber", "model", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement) element =
        gst_object_ref_sink (gst_element_factory_make (cases[i].element, NULL));

    g_object_set (element, cases[i].property, cases[i].good, NULL);
    g_autofree char *good = messages_to_paused (element);
    g_object_set (element, cases[i].property, "/nowhere", NULL);
    g_autofree char *bad = messages_to_paused (element);
    /* There is no small speech model. */
    if (g_strcmp0 (cases[i].good, "") != 0)
      fail_unless_equals_string (good, "0 load-model, 2 load-model, ");
    fail_unless_equals_string (bad, "0 load-model, 4 load-model, error");
  }
}
GST_END_TEST

/* Progress messages. */
GST_START_TEST (test_progress)
{
  g_autoptr (TestHarness) h = test_harness ("inferfilter model=" SUMMATOR);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

  g_object_set (filter, "model", DOUBLE, NULL);
  g_autofree char *loading = next_progress (h);
  g_autofree char *loaded = next_progress (h);
  fail_unless_equals_string (loading, "Loading " DOUBLE);
  fail_unless_equals_string (loaded, "Loaded " DOUBLE);
  g_object_set (filter, "model", "/nowhere.xml", NULL);
  g_free (next_progress (h));
  g_autofree char *failed = next_progress (h);
  fail_unless_equals_string (failed, "Failed to load /nowhere.xml");
}
GST_END_TEST

/* Weights and model info are set together with their model, in any order. */
GST_START_TEST (test_together)
{
  g_autoptr (TestHarness) h = test_harness ("inferfilter model=" SUMMATOR);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_autofree char *info = NULL, *weights = NULL;

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  g_object_set (filter, "model", DATA "delay-wave.xml", "weights",
      DATA "delay-wave.bin", "model-info", "sample_rate=8000", NULL);
  await_progress (h, GST_PROGRESS_TYPE_COMPLETE);
  g_object_get (filter, "model-info", &info, NULL);
  fail_unless_equals_string (info, "sample_rate=8000");
  gst_harness_push (h, make_samples (1, 100));
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      test_bus (h), 20 * GST_SECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) warning = NULL;
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (
      strstr (warning->message, "8000 Hz") != NULL, "%s", warning->message);
  fail_unless_equals_float (pull (h, 100), 1);

  /* The previous model stays in use, and the properties name it. */
  g_clear_pointer (&info, g_free);
  g_object_get (filter, "model-info", &info, "weights", &weights, NULL);
  fail_unless (info == NULL && weights == NULL);
}
GST_END_TEST

static void
note_name (GObject *filter, GParamSpec *spec, gpointer names)
{
  char *model;

  g_object_get (filter, "model", &model, NULL);
  g_mutex_lock (&lock);
  g_ptr_array_add (names, g_strdup_printf ("%s %s", spec->name, model));
  g_mutex_unlock (&lock);
  g_free (model);
}

/* A model that cannot be used reverts the properties, with a notification of
 * those that change. */
GST_START_TEST (test_notify)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TestHarness) h = test_harness ("inferfilter model=" SUMMATOR);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  g_signal_connect (filter, "notify", G_CALLBACK (note_name), names);
  g_object_set (filter, "model", "/nowhere.xml", NULL);
  g_autoptr (GstMessage) warning = gst_bus_timed_pop_filtered (
      test_bus (h), 20 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  g_object_set (filter, "model", TENSORS_ONLY, NULL);
  await_progress (h, GST_PROGRESS_TYPE_COMPLETE);
  gst_harness_push (h, make_samples (1, 100));
  fail_unless_equals_float (pull (h, 100), 1);

  g_mutex_lock (&lock);
  fail_unless_equals_int (names->len, 4);
  fail_unless_equals_string (names->pdata[0], "model /nowhere.xml");
  fail_unless_equals_string (names->pdata[1], "model " SUMMATOR);
  fail_unless_equals_string (names->pdata[2], "model " TENSORS_ONLY);
  fail_unless_equals_string (names->pdata[3], "model " SUMMATOR);
  g_mutex_unlock (&lock);
}
GST_END_TEST

static Suite *
loading_suite (void)
{
  return test_suite ("loading", set_up, NULL, test_sync_handler, test_stop,
      test_set_while_stopping, test_progress, test_elements, test_together,
      test_notify, NULL);
}

GST_CHECK_MAIN (loading)
