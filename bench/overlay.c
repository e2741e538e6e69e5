/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cost of inferoverlay in microseconds per frame: boxes with labels,
 * bodies, a mask; minimum and median. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/overlay/draw.h"
#include "gst/infer/results.h"

#define ROUNDS 120
#define MASK 256

typedef enum
{
  BOXES,
  BODIES,
  SEGMENTS,
} Results;

static const char *const names[] = { "10 boxes", "3 bodies", "a mask" };

static void
add_boxes (GstBuffer *buffer, guint width, guint height)
{
  for (guint i = 0; i < 10; i++) {
    float x = (float) width * (0.02f + 0.09f * (float) i);
    float y = (float) height * (0.1f + 0.05f * (float) i);
    const GstInferBox box = { x, y, x + 0.15f * (float) width,
      y + 0.3f * (float) height };
    const GstInferLabel label = { "person", (int) i, 0.87, NULL, NULL };

    gst_infer_add_object (buffer, width, height, &box, &label, -1);
  }
}

static void
add_bodies (GstBuffer *buffer, guint width, guint height)
{
  for (guint i = 0; i < 3; i++) {
    GstInferKeypoint points[33];

    for (guint k = 0; k < 33; k++)
      points[k] = (GstInferKeypoint){ width * (0.2 + 0.3 * i + 0.08 * cos (k)),
        height * (0.1 + 0.8 * k / 33), 1 };
    gst_buffer_add_infer_keypoints_meta (
        buffer, GST_INFER_KEYPOINTS_BODY, 33, points);
  }
}

static void
add_mask (GstBuffer *buffer, guint width, guint height)
{
  guint8 *data = g_malloc (MASK * MASK);
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, MASK * MASK);

  for (int y = 0; y < MASK; y++)
    for (int x = 0; x < MASK; x++)
      data[y * MASK + x] = (guint8) CLAMP (
          512 - 4 * (int) hypot (x - MASK / 2, y - MASK / 2), 0, 255);
  gst_buffer_add_infer_mask_meta (buffer, GST_INFER_MASK_SOFT, MASK, MASK,
      bytes,
      (GstInferMap){ 0, 0, (double) width / MASK, (double) height / MASK },
      NULL);
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static void
measure (GstVideoFormat format, guint width, guint height, Results results)
{
  const GstInferOverlayStyle style = { { TRUE, TRUE, TRUE, TRUE }, TRUE, 0.45,
    0 };
  GstInferCanvas canvas;
  gint64 times[ROUNDS];
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, width, height);
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 90, info.size);
  if (results == BOXES)
    add_boxes (buffer, width, height);
  else if (results == BODIES)
    add_bodies (buffer, width, height);
  else
    add_mask (buffer, width, height);
  if (!gst_video_frame_map (&frame, &info, buffer,
          (GstMapFlags) (GST_MAP_READWRITE | GST_VIDEO_FRAME_MAP_FLAG_NO_REF)))
    abort ();
  for (guint i = 0; i < ROUNDS; i++) {
    gint64 begin = g_get_monotonic_time ();

    gst_infer_canvas_init (&canvas, &frame);
    gst_infer_overlay_draw (&canvas, buffer, &style);
    times[i] = g_get_monotonic_time () - begin;
  }
  qsort (times, ROUNDS, sizeof times[0], compare);
  printf ("%-5s %4u x %-4u  %-9s %7" G_GINT64_FORMAT " %7" G_GINT64_FORMAT "\n",
      gst_video_format_to_string (format), width, height, names[results],
      times[0], times[ROUNDS / 2]);
  gst_video_frame_unmap (&frame);
}

int
main (int argc, char **argv)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx };
  static const guint sizes[][2] = { { 640, 480 }, { 1920, 1080 } };

  gst_init (&argc, &argv);
  printf ("us a frame                       least  median\n");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint r = 0; r < G_N_ELEMENTS (names); r++)
      for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
        measure (formats[f], sizes[s][0], sizes[s][1], (Results) r);
  return 0;
}
