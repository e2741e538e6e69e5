/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Random video streams through all elements in a row: frames of a moving white
 * square, in changing formats and sizes, with flushes, seeks, segments, gaps
 * and events.  Each frame leaves once and in order, with the square detected
 * and drawn; equal frames give equal boxes, byte for byte, at any place of a
 * stream; the tracked id is constant until the stream restarts; nothing leaks
 * (GStreamer's leaks tracer).
 *
 *   INFER_TEST_RUNS=N   number of streams, default 12 */

#include <gst/check/gstharness.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gst/infer/results.h"
#include "tests/check/support/tracers/tracers.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define FRAME (GST_SECOND / 25)
#define SIDE 30 /* of the square, per cent of the frame's height */
#define STEPS 200

typedef struct
{
  GstVideoFormat format;
  int width, height;
} Kind;

static const Kind kinds[] = {
  { GST_VIDEO_FORMAT_RGB, 160, 120 },
  { GST_VIDEO_FORMAT_NV12, 320, 240 },
  { GST_VIDEO_FORMAT_I420, 200, 150 },
  { GST_VIDEO_FORMAT_GRAY8, 160, 120 },
  { GST_VIDEO_FORMAT_BGRx, 96, 72 },
};

typedef enum
{
  BUFFER,
  MARK, /* a serialised event */
} Thing;

typedef struct
{
  Thing thing;
  guint number, kind, scene;
} Expected;

typedef struct
{
  GstHarness *h;
  GRand *random;
  GQueue expected;   /* (element-type Expected) */
  GHashTable *boxes; /* "kind number" → box, over all rounds */
  guint number, kind, scene, marks, left;
  int id;         /* track of the square in `followed` */
  guint followed; /* current scene */
} Stream;

/* Centre of the square on frame @n, as fractions of the frame. */
static void
where (guint n, double *x, double *y)
{
  *x = 0.5 + 0.3 * cos (n * 0.05);
  *y = 0.5 + 0.3 * sin (n * 0.05);
}

static GstBuffer *
frame_of (guint n, const Kind *kind)
{
  g_autofree guint8 *rgb = g_malloc0 ((gsize) (3 * kind->width * kind->height));
  int half = kind->height * SIDE / 200;
  double px, py;

  where (n, &px, &py);
  for (int y = -half; y < half; y++)
    memset (rgb
                + 3
                      * (((int) (py * kind->height) + y) * kind->width
                          + (int) (px * kind->width) - half),
        255, (gsize) (6 * half));
  GstBuffer *frame =
      picture_frame (kind->format, kind->width, kind->height, rgb);
  GST_BUFFER_PTS (frame) = n * FRAME;
  GST_BUFFER_DURATION (frame) = FRAME;
  return frame;
}

static void
expect (Stream *s, Thing thing, guint number)
{
  Expected *e = g_new (Expected, 1);

  *e = (Expected){ thing, number, s->kind, s->scene };
  g_queue_push_tail (&s->expected, e);
}

static void
push_frame (Stream *s)
{
  expect (s, BUFFER, s->number);
  g_assert_cmpint (
      gst_harness_push (s->h, frame_of (s->number, &kinds[s->kind])), ==,
      GST_FLOW_OK);
  s->number++;
}

static void
set_kind (Stream *s, guint kind)
{
  g_autofree char *caps =
      picture_caps (kinds[kind].format, kinds[kind].width, kinds[kind].height);

  s->scene += kind != s->kind;
  s->kind = kind;
  gst_harness_set_src_caps_str (s->h, caps);
}

static void
push_mark (Stream *s)
{
  GstStructure *mark =
      gst_structure_new ("mark", "number", G_TYPE_UINT, ++s->marks, NULL);

  expect (s, MARK, s->marks);
  gst_harness_push_event (
      s->h, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, mark));
}

static void
push_segment (Stream *s)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = s->number * FRAME;
  gst_harness_push_event (s->h, gst_event_new_segment (&segment));
  s->scene++;
}

/* --- output --- */

static void
check_box (Stream *s, const Expected *e, GstVideoRegionOfInterestMeta *roi)
{
  const Kind *kind = &kinds[e->kind];
  g_autofree char *key = g_strdup_printf ("%u %u", e->kind, e->number);
  GstInferBox box, *known = g_hash_table_lookup (s->boxes, key);
  double x, y;

  where (e->number, &x, &y);
  box = gst_infer_object_box (roi, (guint) kind->width, (guint) kind->height);
  /* The model sees 32 by 24 pixels. */
  g_assert_cmpfloat_with_epsilon (
      (double) (box.x0 + box.x1) / 2 / kind->width, x, 1.5 / 32);
  g_assert_cmpfloat_with_epsilon (
      (double) (box.y0 + box.y1) / 2 / kind->height, y, 1.5 / 24);
  if (known == NULL)
    g_hash_table_insert (
        s->boxes, g_steal_pointer (&key), g_memdup2 (&box, sizeof box));
  else
    g_assert_cmpmem (known, sizeof *known, &box, sizeof box);
}

/* A track's id is constant within a scene and differs between scenes. */
static void
check_id (Stream *s, const Expected *e, int id)
{
  g_assert_cmpint (id, >, 0);
  if (s->id > 0 && s->followed == e->scene)
    g_assert_cmpint (id, ==, s->id);
  else if (s->id > 0)
    g_assert_cmpint (id, >=, s->id);
  s->id = id;
  s->followed = e->scene;
}

/* The box is drawn: some pixels have changed. */
static void
check_drawn (const Expected *e, GstBuffer *got)
{
  g_autoptr (GstBuffer) before = frame_of (e->number, &kinds[e->kind]);
  GstMapInfo a, b;

  g_assert_true (gst_buffer_map (before, &a, GST_MAP_READ));
  g_assert_true (gst_buffer_map (got, &b, GST_MAP_READ));
  g_assert_cmpuint (a.size, ==, b.size);
  g_assert_true (memcmp (a.data, b.data, a.size) != 0);
  gst_buffer_unmap (before, &a);
  gst_buffer_unmap (got, &b);
}

static void
take_frame (Stream *s, const Expected *e, GstBuffer *got)
{
  gpointer state = NULL;

  g_assert_cmpuint (GST_BUFFER_PTS (got), ==, e->number * FRAME);
  GstVideoRegionOfInterestMeta *roi =
      (GstVideoRegionOfInterestMeta *) (gpointer)
          gst_buffer_iterate_meta_filtered (
              got, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  g_assert_nonnull (roi);
  g_assert_null (gst_buffer_iterate_meta_filtered (
      got, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
  check_box (s, e, roi);
  check_id (s, e, gst_infer_object_id (roi));
  check_drawn (e, got);
  s->left++;
}

/* Takes all results up to the end of the stream or to a flush. */
static void
take_all (Stream *s, gboolean to_end)
{
  GstBuffer *got;

  while (to_end || gst_harness_buffers_in_queue (s->h) > 0) {
    Expected *e;

    while ((e = g_queue_peek_head (&s->expected)) != NULL && e->thing == MARK)
      g_free (g_queue_pop_head (&s->expected));
    if (e == NULL)
      break;
    got = gst_harness_pull (s->h);
    g_assert_nonnull (got);
    g_queue_pop_head (&s->expected);
    take_frame (s, e, got);
    gst_buffer_unref (got);
    g_free (e);
  }
  g_assert_null (to_end ? gst_harness_try_pull (s->h) : NULL);
}

/* Drops what is in flight. */
static void
seek (Stream *s)
{
  take_all (s, FALSE);
  test_flush (s->h);
  g_queue_clear_full (&s->expected, g_free);
  s->number = (guint) g_rand_int_range (s->random, 0, 300);
  s->scene++;
  push_segment (s);
}

static void
act (Stream *s)
{
  switch (g_rand_int_range (s->random, 0, 24)) {
    case 0:
      set_kind (
          s, (guint) g_rand_int_range (s->random, 0, G_N_ELEMENTS (kinds)));
      break;
    case 1:
      seek (s);
      break;
    case 2:
      push_segment (s);
      break;
    case 3:
      push_mark (s);
      break;
    case 4:
      gst_harness_push_event (
          s->h, gst_event_new_gap (s->number * FRAME, FRAME));
      break;
    case 5:
      take_all (s, FALSE);
      break;
    default:
      push_frame (s);
      break;
  }
}

/* Unread messages hold references to the elements. */
static void
end (Stream *s)
{
  gst_bus_set_flushing (test_bus (s->h), TRUE);
  gst_harness_teardown (s->h);
}

static guint
count_lines (const char *path)
{
  g_autofree char *text = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *p = text; *p != '\0'; p++)
    n += *p == '\n';
  return n;
}

static void
test_random (void)
{
  g_autofree char *model = picture_model_copy ("map", "f32", "1,1,24,32");
  g_autofree char *lines =
      g_build_filename (picture_folder (), "lines.json", NULL);
  g_autoptr (GHashTable) boxes =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GRand) random =
      g_rand_new_with_seed ((guint32) g_test_rand_int ());
  const char *runs = g_getenv ("INFER_TEST_RUNS");
  guint rounds = runs != NULL ? (guint) atoi (runs) : 12;

  for (guint round = 0; round < rounds; round++) {
    g_autofree char *description = g_strdup_printf (
        "inferfilter model=%s model-info=scale_values=255 nireq=%u "
        "output=media-with-meta ! inferdecoder mode=text-detection ! "
        "infertrack ! inferoverlay draw-labels=false ! "
        "inferpublish file-path=%s",
        model, 1 + round % 4, lines);
    Stream s = {
      .h = test_harness (description), .random = random, .boxes = boxes
    };

    g_queue_init (&s.expected);
    set_kind (&s, round % G_N_ELEMENTS (kinds));
    for (guint i = 0; i < STEPS; i++)
      act (&s);
    gst_harness_push_event (s.h, gst_event_new_eos ());
    test_wait_eos (s.h);
    take_all (&s, TRUE);
    g_assert_cmpuint (s.left, >, STEPS / 4);
    g_assert_cmpuint (count_lines (lines), >=, s.left);
    end (&s);
    g_assert_cmpint (unlink (lines), ==, 0);
  }
}

static GstPadProbeReturn
note (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GString *seen = data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    g_string_append_c (seen, 'b');
  else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
           == GST_EVENT_CUSTOM_DOWNSTREAM)
    g_string_append_c (seen, 'm');
  return GST_PAD_PROBE_OK;
}

/* Serialised events keep their places between frames. */
static void
test_marks (void)
{
  g_autofree char *model = picture_model_copy ("map", "f32", "1,1,24,32");
  g_autofree char *description = g_strdup_printf (
      "inferfilter model=%s model-info=scale_values=255 nireq=3 "
      "output=media-with-meta ! inferdecoder mode=text-detection ! "
      "infertrack ! inferoverlay ! inferpublish file-path=/dev/null",
      model);
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (GString) want = g_string_new (NULL);
  Stream s = { .h = test_harness (description) };

  g_queue_init (&s.expected);
  gst_pad_add_probe (s.h->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note,
      seen, NULL);
  set_kind (&s, 1);
  for (guint i = 0; i < 60; i++) {
    push_frame (&s);
    if (i % 3 == 0)
      push_mark (&s);
    g_string_append (want, i % 3 == 0 ? "bm" : "b");
  }
  gst_harness_push_event (s.h, gst_event_new_eos ());
  test_wait_eos (s.h);
  g_assert_cmpstr (seen->str, ==, want->str);
  g_queue_clear_full (&s.expected, g_free);
  end (&s);
}

/* Runs last: ending GStreamer reports the leaks. */
static void
test_leaks (void)
{
  if (!test_tracers_exist ()) {
    g_test_skip ("no tracers");
    return;
  }
  g_assert_cmpuint (test_tracers_end (), ==, 0);
}

int
main (int argc, char **argv)
{
  if (test_tracers_exist ())
    test_tracers_begin ("leaks", NULL);
  else
    gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/video/random", test_random);
  g_test_add_func ("/video/marks", test_marks);
  g_test_add_func ("/video/leaks", test_leaks);
  int failed = g_test_run ();
  picture_folder_clear ();
  return failed;
}
