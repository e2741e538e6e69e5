/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infermotion: what opens the gate, and what does not. */

#include <math.h>
#include <string.h>

#include "gst/common/still.h"
#include "gst/infer/bindings.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define WIDTH 640
#define HEIGHT 368
#define CAPS "video/x-raw, format=GRAY8, width=640, height=368, framerate=25/1"
#define FRAME (GST_SECOND / 25)
#define SIGMA 4.0 /* of the noise */
#define NOISE 65536

typedef struct
{
  GRand *random;
  guint8 scene[HEIGHT][WIDTH]; /* a street, say: patches and edges */
  float noise[NOISE];
  guint t;
  double light;             /* added to all */
  int x, y, side, contrast; /* an object; side 0: none */
} Camera;

/* Nearly normal. */
static double
noise (GRand *random)
{
  double sum = 0;

  for (guint i = 0; i < 4; i++)
    sum += g_rand_double (random);
  return (sum - 2) * sqrt (3) * SIGMA;
}

static void
camera_init (Camera *c)
{
  *c = (Camera){ .random = g_rand_new_with_seed (7) };
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      c->scene[y][x] = (guint8) (90 + 40 * sin (x * 0.05) * cos (y * 0.07)
                                 + ((x / 37 + y / 23) % 3) * 20);
  for (guint i = 0; i < NOISE; i++)
    c->noise[i] = (float) noise (c->random);
}

static gboolean
is_object (const Camera *c, int x, int y)
{
  return x >= c->x && x < c->x + c->side && y >= c->y && y < c->y + c->side;
}

static GstBuffer *
shoot (Camera *c)
{
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, (gsize) WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (int y = 0; y < HEIGHT; y++) {
    const float *add =
        c->noise + g_rand_int_range (c->random, 0, NOISE - WIDTH);

    for (int x = 0; x < WIDTH; x++) {
      const float level = (float) (c->scene[y][x] + c->light) + add[x]
                          + (float) (is_object (c, x, y) ? c->contrast : 0);

      map.data[y * WIDTH + x] = (guint8) CLAMP (level, 0, 255);
    }
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = c->t++ * (GstClockTime) FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* Whether the frame is let through. */
static gboolean
is_open (GstHarness *h, GstBuffer *buffer)
{
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);

  return !gst_infer_is_still (out);
}

static guint
count_open (GstHarness *h, Camera *c, guint frames)
{
  guint open = 0;

  for (guint i = 0; i < frames; i++)
    open += is_open (h, shoot (c));
  return open;
}

static GstHarness *
start (Camera *c, const char *description)
{
  GstHarness *h = test_harness (description);

  camera_init (c);
  gst_harness_set_src_caps_str (h, CAPS);
  return h;
}

/* A parked camera, of which nothing but noise comes. */
GST_START_TEST (test_parked)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion");
  guint64 frames, still;

  fail_unless (is_open (h, shoot (&c)));
  const guint open = count_open (h, &c, 999);
  fail_unless (open <= 8 + 8, "%u", open);
  g_autoptr (GstElement) element = gst_harness_find_element (h, "infermotion");
  g_object_get (element, "frames", &frames, "still", &still, NULL);
  fail_unless_equals_uint64 (frames, 1000);
  fail_unless_equals_uint64 (still, 999 - open);
  g_rand_free (c.random);
}
GST_END_TEST

/* At any place, in no more than a frame. */
GST_START_TEST (test_appears)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion refresh=0");

  count_open (h, &c, 20);
  for (guint i = 0; i < 60; i++) {
    c.side = 32;
    c.contrast = i % 2 == 0 ? 16 : -16;
    c.x = g_rand_int_range (c.random, 0, WIDTH - 32);
    c.y = g_rand_int_range (c.random, 0, HEIGHT - 32);
    fail_unless (is_open (h, shoot (&c)), "%u: at %d, %d", i, c.x, c.y);
    /* At rest, it costs nothing any more; it is seen when it goes. */
    fail_unless_equals_int (count_open (h, &c, 12), 8);
    c.side = 0;
    fail_unless (is_open (h, shoot (&c)));
    fail_unless_equals_int (count_open (h, &c, 12), 8);
  }
  g_rand_free (c.random);
}
GST_END_TEST

/* One that creeps, a pixel in ten frames. */
GST_START_TEST (test_creeps)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion refresh=0 hold=0");
  guint open = 0;

  c.side = 48, c.contrast = 40, c.x = 100, c.y = 100;
  count_open (h, &c, 20);
  for (guint i = 0; i < 400; i++) {
    c.x = 100 + (int) i / 10;
    open += is_open (h, shoot (&c));
  }
  /* Each few pixels. */
  fail_unless (open >= 4 && open <= 40, "%u", open);
  g_rand_free (c.random);
}
GST_END_TEST

/* A fade and a switch. */
GST_START_TEST (test_light)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion refresh=0");
  guint open;

  count_open (h, &c, 20);
  open = 0;
  for (guint i = 0; i < 500; i++) {
    c.light = i * 0.1;
    open += is_open (h, shoot (&c));
  }
  fail_unless (open <= 25, "%u", open);
  c.light = 0;
  open = count_open (h, &c, 500);
  fail_unless (open <= 9, "%u", open);
  g_rand_free (c.random);
}
GST_END_TEST

GST_START_TEST (test_refresh)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion refresh=400 hold=0");

  fail_unless (is_open (h, shoot (&c)));
  for (guint i = 1; i <= 40; i++)
    fail_unless_equals_int (is_open (h, shoot (&c)), i % 10 == 0);
  g_rand_free (c.random);
}
GST_END_TEST

/* The next frame after it is let through. */
GST_START_TEST (test_restart)
{
  static Camera c;
  g_autoptr (TestHarness) h = start (&c, "infermotion refresh=0 hold=0");
  GstBuffer *buffer;

  fail_unless_equals_int (count_open (h, &c, 10), 1);
  buffer = shoot (&c);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  fail_unless (is_open (h, buffer));
  fail_unless_equals_int (count_open (h, &c, 10), 0);
  test_flush (h);
  fail_unless_equals_int (count_open (h, &c, 10), 1);
  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=GRAY8, width=320, height=368, framerate=25/1");
  fail_unless_equals_int (count_open (h, &c, 10), 1);
  g_rand_free (c.random);
}
GST_END_TEST

GST_START_TEST (test_regions)
{
  Camera c;
  g_autoptr (TestHarness) h =
      start (&c, "infermotion regions=true refresh=0 hold=1");
  GstBuffer *out;

  count_open (h, &c, 20);
  c.side = 64, c.contrast = 50, c.x = 200, c.y = 100;
  for (guint i = 0; i < 2; i++) { /* then it is held */
    out = gst_harness_push_and_pull (h, shoot (&c));
    fail_unless_equals_int (test_count_regions (out), 1);
    const GstVideoRegionOfInterestMeta *roi = test_region (out, 0);
    fail_unless_equals_string (g_quark_to_string (roi->roi_type), "motion");
    fail_unless (roi->x <= 200 && roi->y <= 100 && roi->x + roi->w >= 264
                 && roi->y + roi->h >= 164);
    fail_unless (roi->w <= 64 + 64 && roi->h <= 64 + 64);
    gst_buffer_unref (out);
  }
  out = gst_harness_push_and_pull (h, shoot (&c));
  fail_unless_equals_int (test_count_regions (out), 0);
  gst_buffer_unref (out);
  g_rand_free (c.random);
}
GST_END_TEST

/* Green of packed formats, and pictures smaller than a cell. */
GST_START_TEST (test_formats)
{
  static const char *const formats[] = { "RGB", "BGRx", "YUY2", "NV12", "I420",
    "GBR" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    g_autoptr (TestHarness) h = test_harness ("infermotion refresh=0 hold=0");
    g_autofree char *text = g_strdup_printf (
        "video/x-raw, format=%s, width=%d, height=%d, framerate=25/1",
        formats[i / 2], i % 2 == 0 ? 70 : 10, i % 2 == 0 ? 50 : 6);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    GstVideoInfo video;

    fail_unless (gst_video_info_from_caps (&video, caps));
    gst_harness_set_src_caps (h, gst_caps_ref (caps));
    for (guint t = 0; t < 6; t++) {
      GstBuffer *buffer =
          gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&video), NULL);

      gst_buffer_memset (
          buffer, 0, t < 3 ? 50 : 200, GST_VIDEO_INFO_SIZE (&video));
      GST_BUFFER_PTS (buffer) = t * (GstClockTime) FRAME;
      if (t == 4) /* half of the first plane, or less */
        gst_buffer_memset (buffer, 0, 10, GST_VIDEO_INFO_SIZE (&video) / 6);
      const gboolean open = is_open (h, buffer);
      /* A change of everything by the same amount is light; but a picture of
       * one cell, of which half changes, is no longer the same. */
      if (t == 0 || t == 4)
        fail_unless (open, "%s, frame %u", text, t);
      if (t == 1 || t == 2)
        fail_unless (!open, "%s, frame %u", text, t);
    }
  }
}
GST_END_TEST

/* inferfilter infers what is let through; the other frames leave with the last
 * results and their age. */
GST_START_TEST (test_results)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *text =
      g_strdup_printf ("infermotion hold=0 refresh=0 ! inferfilter model=%s "
                       "output=media-with-meta inference-interval=2",
          model);
  g_autoptr (TestHarness) h = test_harness (text);

  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=RGB, width=64, height=32, framerate=25/1");
  static const guint ages[] = { 0, 1, 2, 3, 0, 1, 2 };
  for (guint t = 0; t < G_N_ELEMENTS (ages); t++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 32 * 3, NULL);

    gst_buffer_memset (buffer, 0, 50, 64 * 32 * 3);
    gst_buffer_memset (
        buffer, 0, t < 4 ? 100 : 200, 64 * 32); /* a third of it */
    GST_BUFFER_PTS (buffer) = t * (GstClockTime) FRAME;
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (h, buffer);
    const GstInferTensorMeta *meta = gst_infer_nth_tensor_meta (out, 0);
    fail_unless (meta != NULL);
    fail_unless_equals_int (meta->age, ages[t]);
  }
}
GST_END_TEST

static Suite *
infermotion_suite (void)
{
  return test_suite ("infermotion", NULL, NULL, test_parked, test_appears,
      test_creeps, test_light, test_refresh, test_restart, test_regions,
      test_formats, test_results, NULL);
}

GST_CHECK_MAIN (infermotion)
