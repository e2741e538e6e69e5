/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media of video: the model's output leaves as frames. */

#include <string.h>

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

static GstHarness *
start (const char *model, const char *more, const char *caps)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=media model=%s %s", model, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static void
fill_pixels (guint8 *rgb, int n)
{
  for (int i = 0; i < 3 * n; i++)
    rgb[i] = (guint8) (i * 5 + i / 9);
}

/* The caps that left, and the bytes of the next frame without its padding. */
static GByteArray *
pull_pixels (GstHarness *h, GstVideoInfo *info)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  GByteArray *bytes = g_byte_array_new ();
  GstVideoFrame frame;

  fail_unless (gst_video_info_from_caps (info, caps));
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (int y = 0; y < GST_VIDEO_FRAME_HEIGHT (&frame); y++)
    g_byte_array_append (bytes,
        (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0)
            + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        (guint) (GST_VIDEO_FRAME_WIDTH (&frame)
                 * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 0)));
  gst_video_frame_unmap (&frame);
  return bytes;
}

/* Each pixel comes back four times in its place, with the frame's timestamp,
 * for both layouts and ranges. */
GST_START_TEST (test_twice_as_large)
{
  static const char *const infos[] = { "scale_values=255", "output_range=0 255",
    "mean_values=127.5;scale_values=127.5;output_range=-1 1" };
  g_autofree char *planar = picture_model_tile ("tile", "f32", "1,3,3,5");
  guint8 rgb[3 * 15];

  fill_pixels (rgb, 15);
  for (guint i = 0; i < G_N_ELEMENTS (infos); i++) {
    g_autofree char *more = g_strdup_printf ("model-info=\"%s\"", infos[i]);
    g_autoptr (TestHarness) h = start (planar, more,
        "video/x-raw, format=RGB, width=5, height=3, framerate=25/1");
    GstBuffer *frame = picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb);
    GstVideoInfo info;

    GST_BUFFER_PTS (frame) = 7 * GST_SECOND;
    GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
    gst_harness_push (h, frame);
    g_autoptr (GByteArray) got = pull_pixels (h, &info);
    fail_unless_equals_int (info.finfo->format, GST_VIDEO_FORMAT_RGB);
    fail_unless_equals_int (info.width, 10);
    fail_unless_equals_int (info.height, 6);
    fail_unless_equals_int (info.fps_n, 25);
    fail_unless_equals_int (info.par_n, 1);
    fail_unless_equals_int (info.par_d, 1);
    for (guint y = 0; y < 6; y++)
      for (guint x = 0; x < 10; x++)
        fail_unless (memcmp (got->data + (y * 10 + x) * 3,
                         rgb + (y % 3 * 5 + x % 5) * 3, 3)
                     == 0);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
  }
}
GST_END_TEST

/* Channels last, bytes, blue first, grey: output equals input. */
GST_START_TEST (test_kinds)
{
  static const struct
  {
    const char *type, *dims, *info;
    GstVideoFormat format;
  } kinds[] = {
    { "f32", "1,3,3,5", "output_range=0 255", GST_VIDEO_FORMAT_RGB },
    { "f16", "1,3,3,5", "output_range=0 255", GST_VIDEO_FORMAT_RGB },
    { "u8", "1,3,5,3", "layout=NHWC", GST_VIDEO_FORMAT_RGB },
    { "u8", "1,3,5,3", "layout=NHWC;reverse_input_channels=False",
        GST_VIDEO_FORMAT_BGR },
    { "u8", "1,3,5,1", "layout=NHWC", GST_VIDEO_FORMAT_GRAY8 },
    { "u8", "1,4,3,5", "", GST_VIDEO_FORMAT_RGBA },
  };
  guint8 rgb[3 * 15];

  fill_pixels (rgb, 15);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *name = g_strdup_printf ("kind-%u", i);
    g_autofree char *model =
        picture_model_copy (name, kinds[i].type, kinds[i].dims);
    g_autofree char *more =
        g_strdup_printf ("model-info=\"%s\"", kinds[i].info);
    g_autofree char *caps = picture_caps (kinds[i].format, 5, 3);
    g_autoptr (GstBuffer) frame = picture_frame (kinds[i].format, 5, 3, rgb);
    g_autoptr (TestHarness) h = start (model, more, caps);
    GstVideoInfo info;
    GstVideoFrame mapped;

    gst_harness_push (h, gst_buffer_ref (frame));
    g_autoptr (GByteArray) got = pull_pixels (h, &info);
    fail_unless_equals_int (info.finfo->format, kinds[i].format);
    fail_unless_equals_int (info.width, 5);
    fail_unless (gst_video_frame_map (&mapped, &info, frame, GST_MAP_READ));
    for (int y = 0; y < 3; y++) {
      gsize row = got->len / 3;
      fail_unless (
          memcmp (got->data + (gsize) y * row,
              (guint8 *) mapped.data[0] + y * mapped.info.stride[0], row)
          == 0);
    }
    gst_video_frame_unmap (&mapped);
  }
}
GST_END_TEST

/* Stretched: pixels are not square. Letterboxed: the padding is cut off. */
GST_START_TEST (test_shape)
{
  g_autofree char *model = picture_model_copy ("square", "f32", "1,3,8,8");
  const char *caps =
      "video/x-raw, format=RGB, width=16, height=8, framerate=25/1";
  guint8 rgb[3 * 16 * 8];
  GstHarness *h = start (model, "model-info=\"output_range=0 255\"", caps);
  GstVideoInfo info;

  memset (rgb, 77, sizeof rgb);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 16, 8, rgb));
  g_autoptr (GByteArray) wide = pull_pixels (h, &info);
  fail_unless_equals_int (info.width, 8);
  fail_unless_equals_int (info.height, 8);
  fail_unless_equals_int (info.par_n, 2);
  fail_unless_equals_int (info.par_d, 1);
  test_teardown (h);

  h = start (model,
      "model-info=\"output_range=0 255;pad_value=9;"
      "resize_type=fit_to_window_letterbox\"",
      caps);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 16, 8, rgb));
  g_autoptr (GByteArray) boxed = pull_pixels (h, &info);
  fail_unless_equals_int (info.width, 8);
  fail_unless_equals_int (info.height, 4);
  fail_unless_equals_int (info.par_n, 1);
  fail_unless_equals_int (info.par_d, 1);
  for (guint i = 0; i < boxed->len; i++)
    fail_unless_equals_int (boxed->data[i], 77);
  test_teardown (h);

  h = start (model, "model-info=\"output_range=0 255;resize_type=crop\"", caps);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 16, 8, rgb));
  g_autoptr (GByteArray) cropped = pull_pixels (h, &info);
  fail_unless_equals_int (info.width, 8);
  fail_unless_equals_int (info.height, 8);
  fail_unless_equals_int (info.par_n, 1);
  test_teardown (h);
}
GST_END_TEST

/* States, order and a flush, as with any other output; then other caps. */
GST_START_TEST (test_stream)
{
  g_autofree char *model = picture_model_sum ("sum", "f32", "1,3,4,4");
  const char *caps =
      "video/x-raw, format=RGB, width=4, height=4, framerate=25/1";
  guint8 rgb[3 * 36];
  g_autoptr (TestHarness) h =
      start (model, "nireq=3 model-info=\"output_range=0 255\"", caps);
  GstVideoInfo info;

  memset (rgb, 10, sizeof rgb);
  for (guint i = 0; i < 10; i++)
    gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 4, 4, rgb));
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GByteArray) got = pull_pixels (h, &info);
    fail_unless_equals_int (got->data[5], 10 * (i + 1));
  }
  test_flush (h);
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 4, 4, rgb));
  {
    g_autoptr (GByteArray) got = pull_pixels (h, &info);
    fail_unless_equals_int (got->data[5], 10);
  }
  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=BGR, width=6, height=6, framerate=5/1");
  gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_BGR, 6, 6, rgb));
  {
    g_autoptr (GByteArray) got = pull_pixels (h, &info);
    fail_unless_equals_int (got->data[5], 10);
    fail_unless_equals_int (info.fps_n, 5);
  }
}
GST_END_TEST

/* --- downstream's pool --- */

#define WIDE 64 /* bytes of a row of 10 pixels */

typedef struct
{
  GstBufferPool parent;
} WidePool;
typedef GstBufferPoolClass WidePoolClass;

static GType wide_pool_get_type (void);
G_DEFINE_TYPE (WidePool, wide_pool, GST_TYPE_BUFFER_POOL)

static const char **
wide_pool_options (GstBufferPool *pool)
{
  static const char *options[] = { GST_BUFFER_POOL_OPTION_VIDEO_META, NULL };

  return options;
}

static GstFlowReturn
wide_pool_alloc (
    GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 32 };
  int stride[GST_VIDEO_MAX_PLANES] = { WIDE };

  *buffer = gst_buffer_new_allocate (NULL, 32 + 6 * WIDE, NULL);
  gst_buffer_memset (*buffer, 0, 0xee, 32 + 6 * WIDE);
  gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_RGB, 10, 6, 1, offset, stride);
  return GST_FLOW_OK;
}

static void
wide_pool_class_init (WidePoolClass *klass)
{
  klass->get_options = wide_pool_options;
  klass->alloc_buffer = wide_pool_alloc;
}

static void
wide_pool_init (WidePool *self)
{
}

static GstBufferPool *proposed; /* by the harness's sink pad */

static gboolean
propose (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_add_allocation_pool (query, proposed, 180, 0, 1);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static GstHarness *
start_pooled (const char *model)
{
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media model=%s model-info=scale_values=255", model);
  GstHarness *h = test_harness (description);

  gst_pad_set_query_function (h->sinkpad, propose);
  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=RGB, width=5, height=3, framerate=25/1");
  return h;
}

/* Frames are written where the pool's metas say, and into a new pool when
 * downstream asks for it. */
GST_START_TEST (test_pool)
{
  g_autofree char *model = picture_model_tile ("tile", "f32", "1,3,3,5");
  g_autoptr (TestHarness) h = NULL;
  guint8 rgb[3 * 15];

  fill_pixels (rgb, 15);
  proposed = g_object_new (wide_pool_get_type (), NULL);
  h = start_pooled (model);
  for (guint i = 0; i < 6; i++) {
    GstVideoInfo info;
    GstVideoFrame frame;

    if (i == 3) {
      gst_object_unref (proposed);
      proposed = g_object_new (wide_pool_get_type (), NULL);
      gst_harness_push_upstream_event (h, gst_event_new_reconfigure ());
    }
    gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb));
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
    fail_unless (got->pool == proposed);
    fail_unless (gst_video_info_from_caps (&info, caps));
    fail_unless (gst_video_frame_map (&frame, &info, got, GST_MAP_READ));
    fail_unless_equals_int (GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), WIDE);
    for (int y = 0; y < 6; y++) {
      const guint8 *row = (guint8 *) frame.data[0] + y * WIDE;

      for (int x = 0; x < 10; x++)
        fail_unless (
            memcmp (row + 3 * x, rgb + (y % 3 * 5 + x % 5) * 3, 3) == 0);
      fail_unless_equals_int (row[30], 0xee);
    }
    gst_video_frame_unmap (&frame);
  }
  gst_object_replace ((GstObject **) &proposed, NULL);
}
GST_END_TEST

/* A flush, and the end, wake a task that waits for a buffer of the pool. */
GST_START_TEST (test_pool_flush)
{
  g_autofree char *model = picture_model_tile ("tile", "f32", "1,3,3,5");
  g_autoptr (TestHarness) h = NULL;
  guint8 rgb[3 * 15] = { 0 };

  proposed = g_object_new (wide_pool_get_type (), NULL);
  h = start_pooled (model);
  for (guint i = 0; i < 20; i++) {
    gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb));
    g_autoptr (GstBuffer) only = gst_harness_pull (h);
    fail_unless (only->pool == proposed);
    gst_harness_push (h, picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb));
    if (i < 19)
      test_flush (h);
    else
      gst_element_set_state (h->element, GST_STATE_NULL);
  }
  gst_object_replace ((GstObject **) &proposed, NULL);
}
GST_END_TEST

/* Audio: the allocator with its alignment. */
GST_START_TEST (test_allocator)
{
  g_autofree char *description =
      g_strdup ("inferfilter output=media window=10 model=" SOURCE_ROOT
                "/tests/data/delay-wave.xml");
  g_autoptr (TestHarness) h = test_harness (description);
  GstAllocationParams params = { .align = 255, .prefix = 256 };
  float samples[1600] = { 0 };

  gst_harness_set_propose_allocator (h, NULL, &params);
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  test_push_samples (h, samples, 1600, 1600, 0);
  for (guint i = 0; i < 9; i++) {
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    GstMemory *memory = gst_buffer_peek_memory (got, 0);
    fail_unless_equals_int (memory->align, 255);
    fail_unless_equals_int (memory->offset, 256);
  }
}
GST_END_TEST

static void
assert_refused (const char *model, const char *more, const char *part)
{
  g_autoptr (TestHarness) h = start (model, more,
      "video/x-raw, format=RGB, width=4, height=4, framerate=25/1");
  g_autofree char *message = test_pop_error (h);

  fail_unless (message != NULL && strstr (message, part) != NULL,
      "'%s' lacks '%s'", message, part);
}

/* A frame with a region of interest, a timestamp and a layout of its own. */
static GstBuffer *
frame_with_metas (const guint8 *rgb)
{
  g_autoptr (GstCaps) clock = gst_caps_from_string ("timestamp/x-test");
  GstBuffer *frame =
      picture_pad (picture_frame (GST_VIDEO_FORMAT_RGB, 5, 3, rgb),
          GST_VIDEO_FORMAT_RGB, 5, 3);

  gst_buffer_add_reference_timestamp_meta (
      frame, clock, 5 * GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_buffer_add_video_region_of_interest_meta (frame, "face", 1, 0, 3, 2);
  return frame;
}

/* Metas of the frame stay, scaled as the picture is; of a part of it, those
 * that do not lie in it.  The frame itself is released. */
GST_START_TEST (test_metas)
{
  g_autofree char *model = picture_model_tile ("tile", "f32", "1,3,3,5");
  static const char *const settings[] = { "", "crop=0,0,3,3" };
  guint8 rgb[3 * 15];

  fill_pixels (rgb, 15);
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autoptr (TestHarness) h = start (model, settings[i],
        "video/x-raw, format=RGB, width=5, height=3, framerate=25/1");
    g_autoptr (GstBuffer) frame = frame_with_metas (rgb);

    gst_harness_push (h, gst_buffer_ref (frame));
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    const GstReferenceTimestampMeta *time =
        gst_buffer_get_reference_timestamp_meta (got, NULL);
    fail_unless (time != NULL && time->timestamp == 5 * GST_SECOND);
    GstVideoRegionOfInterestMeta *roi =
        gst_buffer_get_video_region_of_interest_meta_id (got, 0);
    fail_unless_equals_int (roi != NULL, i == 0);
    if (roi != NULL) {
      fail_unless_equals_int (roi->x, 2);
      fail_unless_equals_int (roi->w, 6);
      fail_unless_equals_int (roi->h, 4);
    }
    const GstVideoMeta *layout = gst_buffer_get_video_meta (got);
    fail_unless (layout == NULL || layout->width != 5);
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (frame), 1);
  }
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,4,4");
  g_autofree char *six = picture_model_stack ("six", "f32", "1,3,4,5");

  assert_refused (model, "model-info=output_range=3", "output_range: '3'");
  assert_refused (model, "inference-region=roi-list", "inference-region");
  assert_refused (six, "", "six.xml: output=media needs a picture as output");
}
GST_END_TEST

static Suite *
inferfilter_picture_suite (void)
{
  return test_suite ("inferfilter-picture", NULL, picture_folder_clear,
      test_twice_as_large, test_kinds, test_shape, test_stream, test_pool,
      test_pool_flush, test_allocator, test_metas, test_refused, NULL);
}

GST_CHECK_MAIN (inferfilter_picture)
