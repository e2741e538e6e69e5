/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline while memory, threads or the disk fail, and while clocks jump: it
 * ends with EOS or with an error message. */

#include <glib/gstdio.h>
#include <gst/gst.h>

#include "tests/failures/failures.h"

/* As in model.c; GStreamer too ends the process where its own do not fit. */
#define LEAST 8192
#define MOST_WAIT (8 * GST_SECOND)
/* Threads that GStreamer takes from GLib's pool for the pipelines below: the
 * source's, inferfilter's, and the one that takes the pipeline to PLAYING. */
#define POOL_THREADS 3

#define SOURCE                                                                 \
  "fakesrc num-buffers=30 sizetype=fixed sizemax=6400 filltype=zero "          \
  "format=time datarate=64000 ! "                                              \
  "audio/x-raw,format=F32LE,layout=interleaved,rate=16000,channels=1 ! "
#define MODEL SOURCE_ROOT "/pipelines/models/digits/digits-wave.xml"

static char *
error_of (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *debug = NULL;

  gst_message_parse_error (message, &error, &debug);
  return g_strdup (error->message);
}

static void
be_silent (
    const char *domain, GLogLevelFlags level, const char *text, gpointer data)
{
}

/* @start: called before it plays. */
static char *
play_from (const char *description, void (*start) (void))
{
  g_autoptr (GError) error = NULL;

  g_log_set_handler ("infer", G_LOG_LEVEL_WARNING, be_silent, NULL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, be_silent, NULL);
  GstElement *pipeline = gst_parse_launch (description, &error);
  if (error != NULL)
    return g_strdup (error->message);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  if (start != NULL)
    start ();
  gboolean refused = gst_element_set_state (pipeline, GST_STATE_PLAYING)
                     == GST_STATE_CHANGE_FAILURE;
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, refused ? 0 : MOST_WAIT, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message == NULL)
    g_error ("%s", refused ? "refused without an error" : "no end");
  char *says = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
                   ? error_of (message)
                   : NULL;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return says;
}

static char *
play (gpointer data)
{
  return play_from (data, NULL);
}

static char *
play_made (gpointer data)
{
  return play_from (data, failures_start);
}

/* Threads of GStreamer's pool are ready for the next task when GLib counts them
 * as unused: half a second after their task ended, and for fifteen.  GLib keeps
 * one fewer than it is told. */
static void
start_with_idle_threads (void)
{
  gint64 until = g_get_monotonic_time () + 5 * G_TIME_SPAN_SECOND;

  while (g_thread_pool_get_num_unused_threads () < POOL_THREADS
         && g_get_monotonic_time () < until)
    g_usleep (10000);
  g_assert_cmpuint (g_thread_pool_get_num_unused_threads (), >=, POOL_THREADS);
  failures_start ();
}

static char *
play_with_idle_threads (gpointer data)
{
  return play_from (data, start_with_idle_threads);
}

/* Classes and tables are made once; not here, since that starts threads, which
 * fork leaves behind. */
static void
make_classes (void)
{
  static char description[] =
      SOURCE "inferfilter model=" SOURCE_ROOT "/tests/data/summator-wave.xml ! "
             "inferdecoder mode=json ! inferpublish file-path=/dev/null ! "
             "fakesink";

  g_thread_pool_set_max_unused_threads (POOL_THREADS + 1);
  g_autofree char *says = play (description);
  g_assert_cmpstr (says, ==, NULL);
}

/* Frames are smaller than LEAST: GStreamer ends the process where a larger one
 * does not fit. */
#define FRAMES                                                                 \
  "fakesrc num-buffers=30 sizetype=fixed sizemax=3072 filltype=random "        \
  "format=time datarate=30720 ! "                                              \
  "video/x-raw,format=RGB,width=32,height=32,framerate=10/1 ! "

static void
test_memory (void)
{
  /* GObject ends the process where an element does not fit. */
  const FailurePlan once = {
    .kind = FAIL_MEMORY, .least = LEAST, .later = TRUE
  };
  static const struct
  {
    const char *name;
    gboolean fails;
    const char *pipeline;
  } cases[] = {
    { "audio", TRUE,
        SOURCE "inferfilter model=" MODEL " ! inferdecoder ! fakesink" },
    { "features", TRUE,
        SOURCE "inferfeatures ! inferfilter model=" SOURCE_ROOT
               "/pipelines/models/digits/digits.xml ! inferdecoder mode=json ! "
               "inferpublish file-path=/dev/null ! fakesink" },
    { "speech", TRUE,
        SOURCE "infervad gate=gap ! infertranscriber vad=none model=" MODEL
               " ! fakesink" },
    { "video", FALSE,
        FRAMES "infermotion ! infertrack ! inferscene "
               "zones=[{\"id\":\"a\",\"points\":[[0,0],[1,0],[1,1]]}] ! "
               "inferoverlay ! fakesink" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const guint n = failures_run (cases[i].name, &once, 60, play_made,
        (gpointer) (gsize) cases[i].pipeline);

    if (cases[i].fails)
      g_assert_cmpuint (n, >, 0);
  }
}

/* The thread that loads and those that infer.  GStreamer's own are there
 * before: 1.22 waits for ever for one that could not be started. */
static void
test_threads (void)
{
  /* Later: once the idle threads are there. */
  const FailurePlan once = { .kind = FAIL_THREAD, .later = TRUE };

  g_assert_cmpuint (
      failures_run ("threads", &once, 20, play_with_idle_threads,
          SOURCE "inferfilter model=" MODEL " config=INFERENCE_NUM_THREADS=2 "
                 "! inferdecoder ! fakesink"),
      ==, 0); /* one less is enough */
}

/* The results cannot be written: an error. */
static void
test_full_disk (void)
{
  const FailurePlan for_good = { .kind = FAIL_WRITE, .after = TRUE };
  g_autofree char *folder = g_dir_make_tmp ("infer-full-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "lines", NULL);
  g_autofree char *description = g_strdup_printf (SOURCE
      "inferfilter model=" MODEL " ! inferdecoder mode=json ! "
      "inferpublish file-path=%s ! fakesink",
      path);

  g_assert_cmpuint (
      failures_run ("publish", &for_good, 10, play, description), >, 0);
  g_remove (path);
  g_rmdir (folder);
}

/* The wall clock, which is the pipeline's too, jumps by days. */
static char *
play_jumping (gpointer data)
{
  g_autoptr (GstClock) wall = g_object_new (
      GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_REALTIME, NULL);

  gst_system_clock_set_default (wall);
  for (int i = -1; i <= 1; i += 2) {
    failures_jump (i * (gint64) 20 * 24 * 3600 * 1000000000);
    char *says = play (data);
    if (says != NULL)
      return says;
  }
  return NULL;
}

static void
test_clocks (void)
{
  const FailurePlan none = { .kind = FAIL_WRITE };
  static char descriptions[][400] = {
    SOURCE "inferfilter model=" MODEL " ! inferdecoder ! fakesink",
    SOURCE "inferfilter model=" MODEL " qos=true ! fakesink qos=true",
    SOURCE "inferfilter model=" MODEL " ! inferdecoder mode=json ! "
           "inferpublish file-path=/dev/null ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (descriptions); i++)
    g_assert_cmpuint (
        failures_run ("clocks", &none, 1, play_jumping, descriptions[i]), ==,
        0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  if (!failures_are_there ())
    return 77;
  failures_prepare = make_classes;
  g_test_add_func ("/failures/pipeline/memory", test_memory);
  g_test_add_func ("/failures/pipeline/threads", test_threads);
  g_test_add_func ("/failures/pipeline/full-disk", test_full_disk);
  g_test_add_func ("/failures/pipeline/clocks", test_clocks);
  return g_test_run ();
}
