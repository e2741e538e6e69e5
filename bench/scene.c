/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CPU time of inferscene for a frame of 50 objects and 20 zones.
 *
 *   bench/scene [FRAMES] */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gst/infer/results.h"
#include "gst/scene/objects.h"

#define OBJECTS 50
#define ZONES 20
#define BUFFERS 250

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/* Octagons that overlap, each with every rule. */
static GstInferSceneSettings *
make_settings (void)
{
  g_autoptr (GString) json = g_string_new ("{\"zones\":[");

  for (int z = 0; z < ZONES; z++) {
    g_string_append_printf (
        json, "%s{\"id\":\"zone %d\",\"points\":[", z > 0 ? "," : "", z);
    for (int i = 0; i < 8; i++)
      g_string_append_printf (json, "%s[0.%04d,0.%04d]", i > 0 ? "," : "",
          (int) (1500 + z % 5 * 1700 + 1400 * cos (i * G_PI / 4)),
          (int) (1500 + z / 5 * 2200 + 1400 * sin (i * G_PI / 4)));
    g_string_append (json,
        "],\"loitering\":1,\"left\":2,\"removed\":2,\"object_threshold\":5,"
        "\"direction\":[[0,0],[1,0]]}");
  }
  g_string_append (json, "]}");
  return gst_infer_scene_settings_parse ("bench", json->str, json->len, NULL);
}

static GstBuffer *
make_frame (guint t)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (int i = 0; i < OBJECTS; i++) {
    const float x = (float) (960 + 900 * sin (0.02 * t + i));
    const float y = (float) (540 + 480 * cos (0.013 * t * (1 + i % 3) + i));
    const GstInferBox box = { x - 20, y - 60, x + 20, y };
    const GstInferLabel label = { "person", 0, 0.9, NULL, NULL };
    GstVideoRegionOfInterestMeta *roi =
        gst_infer_add_object (buffer, 1920, 1080, &box, &label, -1);

    if (roi != NULL)
      gst_infer_set_object_id (buffer, roi, i + 1, 0, 0, FALSE);
  }
  return buffer;
}

int
main (int argc, char **argv)
{
  const guint frames = argc > 1 ? (guint) atoi (argv[1]) : 20000;
  GstBuffer *buffers[BUFFERS];
  GstVideoInfo video;
  guint64 events = 0;
  double read = 0, update = 0, meta = 0;

  gst_init (NULL, NULL);
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_GRAY8, 1920, 1080);
  for (guint t = 0; t < BUFFERS; t++)
    buffers[t] = make_frame (t);
  g_autoptr (GstInferSceneSettings) settings = make_settings ();
  g_autoptr (GstInferSceneState) state = gst_infer_scene_state_new ();
  g_autoptr (GArray) objects =
      g_array_new (FALSE, FALSE, sizeof (GstInferSceneObject));
  gst_infer_scene_state_set_settings (state, settings);
  gst_infer_scene_state_set_aspect (state, 1920.0 / 1080);
  for (guint f = 0; f < frames; f++) {
    GArray *said = gst_infer_scene_state_events (state);
    GstBuffer *buffer = gst_buffer_new ();
    const guint at = f % (2 * BUFFERS);
    guint untracked = 0, n;
    const double begin = cpu_seconds ();

    g_array_set_size (objects, 0);
    gst_infer_scene_read_objects (
        buffers[at < BUFFERS ? at : 2 * BUFFERS - 1 - at], &video, state,
        objects, &untracked);
    const double have_read = cpu_seconds ();
    gst_infer_scene_state_update (state, f * (GstClockTime) (40 * GST_MSECOND),
        (const GstInferSceneObject *) (gpointer) objects->data, objects->len);
    const double updated = cpu_seconds ();
    const GstInferSceneShape *shapes =
        gst_infer_scene_state_shapes (state, 1920, 1080, &n);
    gst_buffer_add_infer_scene_meta (buffer, n, shapes, said->len,
        (const GstInferSceneEvent *) (gpointer) said->data);
    const double end = cpu_seconds ();
    read += have_read - begin;
    update += updated - have_read;
    meta += end - updated;
    events += said->len;
    g_array_set_size (said, 0);
    gst_buffer_unref (buffer);
  }
  printf ("%u frames of %d objects, %d zones, %" G_GUINT64_FORMAT
          " events\nread %.2f, update %.2f, meta %.2f, together %.2f µs a "
          "frame\n",
      frames, OBJECTS, ZONES, events, read / frames * 1e6,
      update / frames * 1e6, meta / frames * 1e6,
      (read + update + meta) / frames * 1e6);
  for (guint t = 0; t < BUFFERS; t++)
    gst_buffer_unref (buffers[t]);
  return 0;
}
