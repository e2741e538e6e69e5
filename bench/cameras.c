/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live cameras in one process, paced by the clock, each with a chain of its
 * own: inferfilter (one model for all), inferdecoder, infertrack, inferscene.
 *
 *   cameras MODEL [CAMERAS [SECONDS [FPS [PROPERTY=VALUE…]]]]
 *                                        default 64 cameras, 20 s, 10 frames/s
 *
 * Frames are 640×360, I420.  Prints the frames that came out, the delay from a
 * frame's push to its events (over all cameras, and of the worst camera),
 * processors used, and what a further camera adds to the resident memory.
 * Properties are inferfilter's.  Exit status 1 if frames are missing. */

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
  GMutex lock;    /* guards what follows */
  gint64 *pushed; /* [n_frames] monotonic µs */
  GArray *delays; /* (element-type double) ms */
} Camera;

static guint8 *picture; /* SIZE bytes */

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Camera *camera = gst_pad_get_element_private (pad);
  const guint i = (guint) gst_util_uint64_scale_round (
      GST_BUFFER_PTS (buffer), camera->fps, GST_SECOND);

  g_mutex_lock (&camera->lock);
  const double delay =
      (double) (g_get_monotonic_time () - camera->pushed[i]) / 1000;
  g_array_append_val (camera->delays, delay);
  g_mutex_unlock (&camera->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
camera_begin (Camera *camera, const char *model, char **properties)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *settings = g_strjoinv (" ", properties);
  g_autofree char *chain = g_strdup_printf (
      "inferfilter output=media-with-meta config=INFERENCE_NUM_THREADS=1 "
      "model=%s %s ! inferdecoder ! infertrack ! inferscene name=scene",
      model, settings);
  g_autofree char *id = g_strdup_printf ("camera-%u", camera->index);
  g_autofree char *caps = g_strdup_printf (CAPS, camera->fps);
  GstElement *bin = gst_parse_bin_from_description (chain, TRUE, &error);

  if (bin == NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  g_autoptr (GstElement) scene = gst_bin_get_by_name (GST_BIN (bin), "scene");
  g_object_set (scene, "zones", ZONES, NULL);
  g_mutex_init (&camera->lock);
  camera->pushed = g_new0 (gint64, camera->n_frames);
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
  g_free (camera->pushed);
  g_mutex_clear (&camera->lock);
}

static void
push_frame (Camera *camera, guint i)
{
  /* As a decoder's: memory of its own. */
  GstBuffer *buffer = gst_buffer_new_memdup (picture, SIZE);

  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, camera->fps);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / camera->fps;
  g_mutex_lock (&camera->lock);
  camera->pushed[i] = g_get_monotonic_time ();
  g_mutex_unlock (&camera->lock);
  gst_pad_push (camera->pads.src, buffer);
}

static gpointer
play (gpointer data)
{
  Camera *camera = data;
  g_autoptr (GstQuery) drain = gst_query_new_drain ();

  for (guint i = 0; i < camera->n_frames; i++) {
    const gint64 due =
        camera->start + (gint64) i * G_USEC_PER_SEC / camera->fps;
    const gint64 now = g_get_monotonic_time ();

    if (now < due)
      g_usleep ((gulong) (due - now));
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
begin_all (Camera *cameras, guint n, guint seconds, guint fps,
    const char *model, char **properties)
{
  for (guint i = 0; i < n; i++) {
    cameras[i].index = i;
    cameras[i].fps = fps;
    cameras[i].n_frames = seconds * fps;
    camera_begin (&cameras[i], model, properties);
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
  const guint n = argc > 2 ? (guint) atoi (argv[2]) : 64;
  const guint seconds = argc > 3 ? (guint) atoi (argv[3]) : 20;
  const guint fps = argc > 4 ? (guint) atoi (argv[4]) : 10;
  char **properties = argv + MIN (argc, 5);

  gst_init (&argc, &argv);
  if (argc < 2 || n < 1 || seconds < 1 || fps < 1) {
    g_printerr (
        "usage: cameras MODEL [CAMERAS [SECONDS [FPS [PROPERTY=VALUE...]]]]\n");
    return 2;
  }
  draw ();
  g_autofree Camera *cameras = g_new0 (Camera, n);
  /* One camera alone, for its memory. */
  begin_all (cameras, 1, 2, fps, argv[1], properties);
  run (cameras, 1, 0);
  const double one = tool_resident_megabytes ();
  camera_end (&cameras[0]);
  begin_all (cameras, n, seconds, fps, argv[1], properties);
  const double processors = run (cameras, n, G_USEC_PER_SEC / fps / n);
  const guint got =
      report (cameras, n, processors, one, tool_resident_megabytes ());
  for (guint i = 0; i < n; i++)
    camera_end (&cameras[i]);
  g_free (picture);
  return got == n * seconds * fps ? 0 : 1;
}
