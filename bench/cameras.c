/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live cameras in one process, paced by the clock, each with a chain of its
 * own: inferfilter (one model for all), inferdecoder, infertrack, inferscene.
 *
 *   cameras MODEL [CAMERAS [SECONDS [FPS [PROPERTY=VALUE…]]]]
 *                                        default 64 cameras, 20 s, 10 frames/s
 *   cameras --chain "ELEMENT ! ELEMENT…" [CAMERAS [SECONDS [FPS]]]
 *                                        another chain for each camera;
 *                                        `name=scene` gets two zones
 *
 * Frames are 640×360, I420.  Prints the frames that came out, the delay from
 * the time a frame is due to its events (over all cameras, and of the worst
 * camera), processors used, and what a further camera adds to the resident
 * memory.  Properties are inferfilter's.  Exit status 1: frames are missing. */

#include <gst/gst.h>
#include <stdlib.h>

#include "bench/percentile.h"
#include "tests/check/support/pads.h"
#include "tools/usage.h"

#define WIDTH 640
#define HEIGHT 360
#define SIZE (WIDTH * HEIGHT * 3 / 2)
#define CAPS                                                                   \
  "video/x-raw, format=I420, width=" G_STRINGIFY (                             \
      WIDTH) ", height=" G_STRINGIFY (HEIGHT) ", framerate=%u/1"
#define ZONES                                                                  \
  "[{\"id\":\"left\",\"points\":[[0,0],[0.5,0],[0.5,1],[0,1]]},"               \
  "{\"id\":\"right\",\"points\":[[0.5,0],[1,0],[1,1],[0.5,1]]}]"

typedef struct
{
  TestPads pads;
  guint index, n_frames, fps;
  gint64 start;   /* monotonic µs of frame 0 */
  GArray *delays; /* (element-type double) ms; the stream lock guards it */
} Camera;

static guint8 *picture; /* SIZE bytes */

/* When frame @i is due, monotonic µs. */
static gint64
due (const Camera *camera, guint i)
{
  return camera->start + (gint64) i * G_USEC_PER_SEC / camera->fps;
}

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Camera *camera = gst_pad_get_element_private (pad);
  const guint i = (guint) gst_util_uint64_scale_round (
      GST_BUFFER_PTS (buffer), camera->fps, GST_SECOND);

  const double delay =
      (double) (g_get_monotonic_time () - due (camera, i)) / 1000;

  g_array_append_val (camera->delays, delay);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
camera_begin (Camera *camera, const char *chain)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *id = g_strdup_printf ("camera-%u", camera->index);
  g_autofree char *caps = g_strdup_printf (CAPS, camera->fps);
  GstElement *bin = gst_parse_bin_from_description (chain, TRUE, &error);

  if (bin == NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  g_autoptr (GstElement) scene = gst_bin_get_by_name (GST_BIN (bin), "scene");
  if (scene != NULL)
    g_object_set (scene, "zones", ZONES, NULL);
  camera->delays =
      g_array_sized_new (FALSE, FALSE, sizeof (double), camera->n_frames);
  if (!test_pads_begin (&camera->pads, bin, take, camera)) {
    g_printerr ("camera %u does not start: GST_DEBUG=2\n", camera->index);
    exit (1);
  }
  test_pads_send_beginning (&camera->pads, id, caps);
}

static void
camera_end (Camera *camera)
{
  test_pads_end (&camera->pads);
  g_array_unref (camera->delays);
}

static void
push_frame (Camera *camera, guint i)
{
  /* As a decoder's: memory of its own. */
  GstBuffer *buffer = gst_buffer_new_memdup (picture, SIZE);

  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, camera->fps);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / camera->fps;
  gst_pad_push (camera->pads.src, buffer);
}

static gpointer
play (gpointer data)
{
  Camera *camera = data;
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  for (guint i = 0; i < camera->n_frames; i++) {
    const gint64 wait = due (camera, i) - g_get_monotonic_time ();

    if (wait > 0)
      g_usleep ((gulong) wait);
    push_frame (camera, i);
  }
  gst_pad_peer_query (camera->pads.src, drain);
  return NULL;
}

/* --- figures --- */

/* A picture of which the model's first steps cannot skip anything. */
static void
draw (void)
{
  guint32 noise = 1;

  picture = g_malloc (SIZE);
  for (gsize i = 0; i < SIZE; i++) {
    noise = noise * 1664525 + 1013904223;
    picture[i] = (guint8) (i % WIDTH / 4 + (noise >> 28));
  }
}

/* Runs cameras @from to @to for their time.  Processors that they used. */
static double
run (Camera *cameras, guint n, guint stagger_us)
{
  g_autofree GThread **threads = g_new (GThread *, n);
  const gint64 begin = g_get_monotonic_time ();
  const double cpu = tool_processor_seconds ();

  for (guint i = 0; i < n; i++) {
    cameras[i].start = begin + (gint64) i * stagger_us;
    threads[i] = g_thread_new ("camera", play, &cameras[i]);
  }
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  return (tool_processor_seconds () - cpu) * G_USEC_PER_SEC
         / (double) (g_get_monotonic_time () - begin);
}

static void
begin_all (
    Camera *cameras, guint n, guint seconds, guint fps, const char *chain)
{
  for (guint i = 0; i < n; i++) {
    cameras[i].index = i;
    cameras[i].fps = fps;
    cameras[i].n_frames = seconds * fps;
    camera_begin (&cameras[i], chain);
  }
}

static guint
report (Camera *cameras, guint n, double processors, double one, double all)
{
  g_autoptr (GArray) delays = g_array_new (FALSE, FALSE, sizeof (double));
  double worst = 0;

  for (guint i = 0; i < n; i++) {
    GArray *own = cameras[i].delays;

    g_array_append_vals (delays, own->data, own->len);
    g_array_sort (own, bench_compare_doubles);
    worst = MAX (worst, bench_percentile (own, 99));
  }
  g_array_sort (delays, bench_compare_doubles);
  g_print ("%u cameras: %u of %u frames; delay p50 %.1f ms, p99 %.1f ms, max "
           "%.1f ms, p99 of the worst camera %.1f ms; %.2f processors",
      n, delays->len, n * cameras[0].n_frames, bench_percentile (delays, 50),
      bench_percentile (delays, 99), bench_percentile (delays, 100), worst,
      processors);
  if (n > 1)
    g_print ("; %.2f MB for a further camera", (all - one) / (n - 1));
  g_print ("\n");
  return delays->len;
}

int
main (int argc, char **argv)
{
  g_autofree char *chain = NULL;
  g_autoptr (GError) error = NULL;
  const GOptionEntry options[] = {
    { "chain", 0, 0, G_OPTION_ARG_STRING, &chain,
        "another chain for each camera; no MODEL then", "ELEMENTS" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (
      "MODEL [CAMERAS [SECONDS [FPS [PROPERTY=VALUE...]]]]");

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  const int first = chain == NULL ? 2 : 1; /* behind the model */
  const guint n = argc > first ? (guint) atoi (argv[first]) : 64;
  const guint seconds = argc > first + 1 ? (guint) atoi (argv[first + 1]) : 20;
  const guint fps = argc > first + 2 ? (guint) atoi (argv[first + 2]) : 10;

  if (chain == NULL && argc > 1) {
    g_autofree char *properties =
        g_strjoinv (" ", argv + MIN (argc, first + 3));

    chain = g_strdup_printf (
        "inferfilter output=media-with-meta config=INFERENCE_NUM_THREADS=1 "
        "model=%s %s ! inferdecoder ! infertrack ! inferscene name=scene",
        argv[1], properties);
  }

  if (chain == NULL || n < 1 || seconds < 1 || fps < 1) {
    g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

    g_printerr ("%s", help);
    return 2;
  }
  draw ();
  g_autofree Camera *cameras = g_new0 (Camera, n);
  /* One camera alone, for its memory. */
  begin_all (cameras, 1, 2, fps, chain);
  run (cameras, 1, 0);
  const double one = tool_resident_megabytes ();
  camera_end (&cameras[0]);
  begin_all (cameras, n, seconds, fps, chain);
  const double processors = run (cameras, n, G_USEC_PER_SEC / fps / n);
  const guint got =
      report (cameras, n, processors, one, tool_resident_megabytes ());
  for (guint i = 0; i < n; i++)
    camera_end (&cameras[i]);
  g_free (picture);
  return got == n * seconds * fps ? 0 : 1;
}
