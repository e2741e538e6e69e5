/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media-with-meta: the input frame leaves with the model's outputs. */

#define _GNU_SOURCE /* memfd_create */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gst/infer/tensor-meta.h"
#include "gst/infer/results.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"
#include "tests/check/support/striped.h"

/* The same buffer leaves, with all its metas and times. */
GST_START_TEST (test_untouched)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h = striped_harness (model, "");
  GstBuffer *frame = striped_frame (7), *before = frame;
  g_autoptr (GstCaps) caps = NULL, want = gst_caps_from_string (STRIPED_CAPS);
  guint8 pixel;

  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_MARKER);
  fail_unless_equals_int (gst_harness_push (h, frame), GST_FLOW_OK);
  g_autoptr (GstBuffer) got = gst_harness_pull (h);
  fail_unless (got == before);
  fail_unless (gst_buffer_is_writable (got));
  fail_unless_equals_int64 (GST_BUFFER_PTS (got), 7 * GST_SECOND / 25);
  fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), 7);
  fail_unless (GST_BUFFER_FLAG_IS_SET (got, GST_BUFFER_FLAG_MARKER));
  fail_if (GST_BUFFER_FLAG_IS_SET (got, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_extract (got, 9, &pixel, 1);
  fail_unless_equals_int (pixel, 20);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_is_equal (caps, want));

  GstInferTensorMeta *meta = striped_meta (got, 0);
  fail_unless (meta != NULL && striped_meta (got, 1) == NULL);
  fail_unless_equals_int (meta->n, 1);
  fail_unless_equals_int (meta->input_width, 4);
  fail_unless_equals_int (meta->input_height, 2);
  fail_unless_equals_int (meta->roi_id, -1);
  fail_unless_equals_int (meta->age, 0);
  fail_unless_equals_string (gst_infer_tensor_meta_name (meta, 0), "x");
  fail_unless_equals_string (
      gst_structure_get_string (
          gst_infer_tensor_meta_model_info (meta), "model"),
      model);
  striped_assert_map (meta, 0, 0, 3, 4);
  for (guint x = 0; x < 4; x++)
    fail_unless_equals_float (striped_value (meta, x), (float) (10 * x + 10));
}
GST_END_TEST

/* Two filters, and a decoder that takes the tensors of the second one. */
GST_START_TEST (test_instance)
{
  g_autofree char *model = picture_model_copy ("dot", "f32", "1,3,1,1");
  g_autofree char *more = g_strdup_printf (
      "model-instance-id=one ! inferfilter output=media-with-meta model=%s "
      "model-instance-id=two ! inferfilter output=media-with-meta model=%s ! "
      "inferdecoder mode=classification model-instance-id=two",
      model, model);
  g_autoptr (TestHarness) h = striped_harness (model, more);

  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, striped_frame (0));
  const GstInferTensorMeta *one = striped_meta (got, 0);
  const GstInferTensorMeta *last = striped_meta (got, 1);
  fail_unless (one != NULL && last != NULL && striped_meta (got, 2) == NULL);
  fail_unless_equals_string (one->model_instance_id, "one");
  fail_unless (last->model_instance_id == NULL);
}
GST_END_TEST

/* Skipped frames carry the last results and their age. */
GST_START_TEST (test_interval)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h = striped_harness (model, "inference-interval=3");

  for (guint i = 0; i < 7; i++) {
    fail_unless_equals_int (
        gst_harness_push (h, striped_frame (i)), GST_FLOW_OK);
    g_autoptr (GstBuffer) got = gst_harness_pull (h);
    const GstInferTensorMeta *meta = striped_meta (got, 0);
    fail_unless (meta != NULL && striped_meta (got, 1) == NULL);
    fail_unless_equals_int (meta->age, i % 3);
    fail_unless_equals_float (striped_value (meta, 3), 40);
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), i);
  }
}
GST_END_TEST

/* Input row 0 lies a whole row of input above the frame. */
GST_START_TEST (test_letterbox)
{
  g_autofree char *model = picture_model_copy ("tall", "f32", "1,3,6,6");
  g_autoptr (TestHarness) h =
      striped_harness (model, "model-info=resize_type=fit_to_window_letterbox");

  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, striped_frame (0));
  striped_assert_map (striped_meta (got, 0), 0, -2, 2, 2);
}
GST_END_TEST

/* Property `crop`. */
GST_START_TEST (test_crop)
{
  static const char *const wrong[] = { "1,2,3", "0,0,0,4", "9,0,4,8", "x" };
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  GstHarness *h = striped_harness (model, "crop=6,4,3,2");

  g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, striped_frame (0));
  fail_unless_equals_float (striped_value (striped_meta (got, 0), 5), 30);
  fail_unless_equals_int (striped_meta (got, 0)->roi_id, -1);
  striped_assert_map (striped_meta (got, 0), 6, 4, 0.75, 1);
  test_teardown (h);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree char *more = g_strdup_printf ("crop=%s", wrong[i]);

    h = striped_harness (model, more);
    g_autofree char *message = test_pop_error (h);
    fail_unless (message != NULL && strstr (message, wrong[i]) != NULL);
    test_teardown (h);
  }
}
GST_END_TEST

/* The model changes between two frames; one that takes no images is refused
 * with the reason. */
GST_START_TEST (test_swap)
{
  g_autofree char *wide = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *dot = picture_model_copy ("dot", "f32", "1,3,1,1");
  g_autofree char *flat = picture_model_copy ("flat", "f32", "1,12");
  g_autoptr (TestHarness) h = striped_harness (wide, "crop=9,0,3,8");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  guint number = 0, width = 0;

  g_object_set (filter, "model", dot, NULL);
  while (width != 1) {
    g_autoptr (GstBuffer) got =
        gst_harness_push_and_pull (h, striped_frame (number));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), number++);
    fail_unless_equals_float (striped_value (striped_meta (got, 0), 0), 40);
    width = striped_meta (got, 0)->input_width;
    fail_unless (width == 4 || width == 1);
    striped_assert_map (
        striped_meta (got, 0), 9, 0, 3.0 / width, width == 1 ? 8 : 4);
  }
  g_object_set (filter, "model", flat, NULL);
  g_autoptr (GstMessage) warning = gst_bus_timed_pop_filtered (
      test_bus (h), 10 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  for (guint i = 0; i < 10; i++) {
    g_autoptr (GstBuffer) got =
        gst_harness_push_and_pull (h, striped_frame (number));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (got), number++);
    fail_unless_equals_int (striped_meta (got, 0)->input_width, 1);
  }
}
GST_END_TEST

static void
note_end (gpointer data, GstMiniObject *object)
{
  g_atomic_int_inc ((int *) data);
}

/* After a flush no request has a frame, and no result is left. */
GST_START_TEST (test_flushed)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h =
      striped_harness (model, "inference-region=roi-list nireq=4");
  int gone = 0;

  for (guint round = 0; round < 30; round++) {
    GstBuffer *frame;

    for (guint i = 0; i < 4; i++) {
      frame = striped_frame (i);
      gst_mini_object_weak_ref (GST_MINI_OBJECT (frame), note_end, &gone);
      for (guint k = 0; k < 3; k++)
        striped_add_region (frame, "x", 3 * k, 0, 3, 8);
      gst_harness_push (h, frame);
    }
    test_flush (h);
    fail_unless_equals_int (g_atomic_int_get (&gone), 4 * ((int) round + 1));
    frame = striped_frame (9);
    striped_add_region (frame, "x", 9, 0, 3, 8);
    g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
    fail_unless_equals_int64 (GST_BUFFER_OFFSET (got), 9);
    fail_unless_equals_float (striped_value (striped_meta (got, 0), 0), 40);
    fail_unless (striped_meta (got, 1) == NULL);
  }
}
GST_END_TEST

GST_START_TEST (test_new_caps)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autoptr (TestHarness) h = striped_harness (model, "");
  g_autofree char *text = picture_caps (GST_VIDEO_FORMAT_NV12, 32, 16);
  guint8 rgb[3 * 32 * 16];

  memset (rgb, 128, sizeof rgb);
  gst_harness_push (h, striped_frame (0));
  gst_harness_set_src_caps_str (h, text);
  g_autoptr (GstBuffer) one = gst_harness_push_and_pull (
      h, picture_frame (GST_VIDEO_FORMAT_NV12, 32, 16, rgb));
  g_autoptr (GstBuffer) two = gst_harness_pull (h);
  striped_assert_map (striped_meta (one, 0), 0, 0, 3, 4);
  striped_assert_map (striped_meta (two, 0), 0, 0, 8, 8);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      "NV12");
}
GST_END_TEST

/* Frames that pass have downstream's caps and memory. */
GST_START_TEST (test_negotiation)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=media-with-meta model=%s", model);
  GstHarness *h = test_harness (description);
  g_autoptr (GstCaps) want = gst_caps_from_string (
      "video/x-raw, format=I420, width=640, height=480, framerate=25/1");
  g_autoptr (GstCaps) other = gst_caps_from_string (
      "video/x-raw, format=RGB, width=640, height=480, framerate=25/1");
  g_autoptr (GstCaps) fixed = gst_caps_from_string (STRIPED_CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (fixed, TRUE);

  gst_harness_set_sink_caps_str (h, "video/x-raw, format=I420, width=640");
  g_autoptr (GstCaps) caps = gst_pad_peer_query_caps (h->srcpad, NULL);
  fail_unless (gst_caps_can_intersect (caps, want));
  fail_if (gst_caps_can_intersect (caps, other));
  test_teardown (h);

  g_autoptr (TestHarness) plain = striped_harness (model, "");
  gst_harness_add_propose_allocation_meta (
      plain, GST_VIDEO_CROP_META_API_TYPE, NULL);
  fail_unless (gst_pad_peer_query (plain->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (
      query, GST_VIDEO_CROP_META_API_TYPE, NULL));
}
GST_END_TEST

/* --- memory --- */

/* System memory under another name, which counts how often it is mapped. */
typedef struct
{
  GstAllocator parent;
  int maps;
  gboolean broken;
} FakeAllocator;
typedef GstAllocatorClass FakeAllocatorClass;

typedef struct
{
  GstMemory parent;
  guint8 data[3 * STRIPED_W * STRIPED_H];
} FakeMemory;

static GType fake_allocator_get_type (void);
G_DEFINE_TYPE (FakeAllocator, fake_allocator, GST_TYPE_ALLOCATOR)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FakeAllocator, gst_object_unref)

static void
fake_free (GstAllocator *allocator, GstMemory *memory)
{
  g_free (memory);
}

static gpointer
fake_map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  FakeAllocator *self = (FakeAllocator *) memory->allocator;

  g_atomic_int_inc (&self->maps);
  return self->broken ? NULL : ((FakeMemory *) memory)->data;
}

static void
fake_unmap (GstMemory *memory)
{
}

static void
fake_allocator_class_init (FakeAllocatorClass *klass)
{
  klass->free = fake_free;
}

static void
fake_allocator_init (FakeAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = "FakeMemory";
  allocator->mem_map = fake_map;
  allocator->mem_unmap = fake_unmap;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static GstBuffer *
fake_frame (FakeAllocator *allocator)
{
  g_autoptr (GstBuffer) frame = striped_frame (0);
  FakeMemory *memory = g_new0 (FakeMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_memory_init (GST_MEMORY_CAST (memory), 0, GST_ALLOCATOR (allocator), NULL,
      sizeof memory->data, 0, 0, sizeof memory->data);
  gst_buffer_extract (frame, 0, memory->data, sizeof memory->data);
  gst_buffer_append_memory (buffer, GST_MEMORY_CAST (memory));
  return buffer;
}

static GstHarness *
memory_harness (const char *more, const char *feature)
{
  g_autofree char *model = picture_model_copy ("copy", "f32", "1,3,2,4");
  g_autofree char *caps = g_strdup_printf (
      "video/x-raw(%s)%s", feature, strchr (STRIPED_CAPS, ','));
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media-with-meta model=%s %s", model, more);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

/* Frames in other memory pass as they are, and are mapped only for a model that
 * reads them. */
GST_START_TEST (test_memory)
{
  static const struct
  {
    const char *more, *object;
    int maps; /* of four frames */
  } cases[] = {
    { "", NULL, 4 },
    { "inference-interval=2", NULL, 2 },
    { "inference-region=roi-list", NULL, 0 },
    { "inference-region=roi-list", "face", 4 },
    { "inference-region=roi-list object-class=car", "face", 0 },
  };
  static const char *const features[] = { "memory:DMABuf", "memory:GLMemory" };
  g_autoptr (FakeAllocator) allocator =
      gst_object_ref_sink (g_object_new (fake_allocator_get_type (), NULL));

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const char *feature = features[i % 2];
    g_autoptr (TestHarness) h = memory_harness (cases[i / 2].more, feature);

    allocator->maps = 0;
    for (guint k = 0; k < 4; k++) {
      GstBuffer *frame = fake_frame (allocator), *before = frame;

      if (cases[i / 2].object != NULL)
        striped_add_region (frame, cases[i / 2].object, 0, 0, 3, 8);
      g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);
      fail_unless (got == before);
      if (cases[i / 2].maps == 4)
        fail_unless_equals_float (striped_value (striped_meta (got, 0), 0), 10);
    }
    fail_unless_equals_int (allocator->maps, cases[i / 2].maps);
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
    fail_unless (
        gst_caps_features_contains (gst_caps_get_features (caps, 0), feature));
  }
}
GST_END_TEST

GST_START_TEST (test_unreadable_memory)
{
  g_autoptr (FakeAllocator) allocator =
      gst_object_ref_sink (g_object_new (fake_allocator_get_type (), NULL));
  g_autoptr (TestHarness) h = memory_harness ("", "memory:GLMemory");

  allocator->broken = TRUE;
  gst_harness_push (h, fake_frame (allocator));
  g_autofree char *error = test_pop_error (h);
  fail_unless (error != NULL
                   && strstr (error, "memory of type FakeMemory, which cannot "
                                     "be mapped for reading")
                          != NULL,
      "%s", error);

  g_autoptr (TestHarness) other = memory_harness ("", "memory:NVMM");
  g_autofree char *refused = test_pop_error (other);
  fail_unless (
      refused != NULL
          && strstr (refused, "in system memory, DMABuf or GLMemory") != NULL,
      "%s", refused);
}
GST_END_TEST

#ifdef HAVE_ALLOCATORS

#include <gst/allocators/allocators.h>

/* Takes @fd. */
static GstBuffer *
dmabuf_frame (GstAllocator *allocator, int fd)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstMemory *memory =
      gst_dmabuf_allocator_alloc (allocator, fd, 3 * STRIPED_W * STRIPED_H);

  fail_unless (memory != NULL);
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}

/* A file in memory with the content of a frame. */
static int
readable_file (void)
{
  g_autoptr (GstBuffer) frame = striped_frame (0);
  int fd = memfd_create ("frame", MFD_CLOEXEC);
  GstMapInfo map;

  fail_unless (fd >= 0 && gst_buffer_map (frame, &map, GST_MAP_READ));
  fail_unless_equals_int64 (write (fd, map.data, map.size), (gint64) map.size);
  gst_buffer_unmap (frame, &map);
  return fd;
}

/* One that cannot be mapped. */
static int
pipe_end (void)
{
  int ends[2];

  fail_unless_equals_int (pipe (ends), 0);
  close (ends[1]);
  return ends[0];
}

/* GStreamer's own allocator of DMABufs: the frame leaves in the same memory,
 * read by the model; and passes where nothing reads it, even if it could not be
 * read. */
GST_START_TEST (test_dmabuf)
{
  g_autoptr (GstAllocator) allocator = gst_dmabuf_allocator_new ();
  g_autoptr (TestHarness) read = memory_harness ("", "memory:DMABuf");
  g_autoptr (TestHarness) pass =
      memory_harness ("inference-region=roi-list", "memory:DMABuf");

  for (guint i = 0; i < 4; i++) {
    TestHarness *h = i % 2 ? pass : read;
    GstBuffer *frame =
        dmabuf_frame (allocator, i % 2 ? pipe_end () : readable_file ());
    const GstMemory *memory = gst_buffer_peek_memory (frame, 0);
    g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, frame);

    fail_unless (got == frame && gst_buffer_peek_memory (got, 0) == memory);
    fail_unless (gst_is_dmabuf_memory (gst_buffer_peek_memory (got, 0)));
    if (i % 2 == 0)
      fail_unless_equals_float (striped_value (striped_meta (got, 0), 0), 10);
  }
  gst_harness_push (read, dmabuf_frame (allocator, pipe_end ()));
  g_autofree char *error = test_pop_error (read);
  fail_unless (error != NULL
                   && strstr (error, "memory of type dmabuf, which cannot be "
                                     "mapped for reading")
                          != NULL,
      "%s", error);
}
GST_END_TEST

#else

GST_START_TEST (test_dmabuf)
{
  g_printerr ("skipped: there is no gstreamer-allocators-1.0\n");
}
GST_END_TEST

#endif

static Suite *
inferfilter_meta_suite (void)
{
  return test_suite ("inferfilter-meta", NULL, picture_folder_clear,
      test_untouched, test_instance, test_interval, test_letterbox, test_crop,
      test_swap, test_flushed, test_new_caps, test_negotiation, test_memory,
      test_unreadable_memory, test_dmabuf, NULL);
}

GST_CHECK_MAIN (inferfilter_meta)
