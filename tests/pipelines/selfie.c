/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A real model from video to video: the mask of a person, as a grey frame,
 * equals the reference's; from other frame formats approximately.
 *
 * usage: test-selfie MODELS; exit status 77 if the model is missing. */

#include <math.h>
#include <stdio.h>

#include "inference/base/npy.h"
#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#define SIZE 256

static char *models;

static char *
path_of (const char *file)
{
  return g_build_filename (models, "mp_selfie_segmentation", file, NULL);
}

/* 0 … 1 converted to bytes. */
static guint8 *
load_bytes (const char *file, gsize *n)
{
  g_autofree char *path = path_of (file);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor = infer_npy_read (path, &error);

  g_assert_no_error (error);
  g_assert_true (tensor->type == INFER_TYPE_F32);
  const float *values = tensor->data;
  *n = tensor->size / sizeof (float);
  guint8 *bytes = g_malloc (*n);
  for (gsize i = 0; i < *n; i++)
    bytes[i] = (guint8) lroundf (values[i] * 255);
  return bytes;
}

static void
test_mask (gconstpointer data)
{
  GstVideoFormat format = (GstVideoFormat) GPOINTER_TO_INT (data);
  g_autofree char *model = path_of ("model.xml");
  g_autofree char *description = g_strdup_printf (
      "inferfilter output=media model-info=scale_values=255 model=%s", model);
  g_autofree char *caps = picture_caps (format, SIZE, SIZE);
  int tolerance = format == GST_VIDEO_FORMAT_RGB ? 1 : 40;

  for (int i = 0; i < 2; i++) {
    g_autofree char *in = g_strdup_printf ("inputs/input_1_%d.npy", i);
    g_autofree char *out = g_strdup_printf ("outputs/activation_10_%d.npy", i);
    gsize n, n_mask, differ = 0;
    g_autofree guint8 *rgb = load_bytes (in, &n);
    g_autofree guint8 *mask = load_bytes (out, &n_mask);
    g_autoptr (TestHarness) h = test_harness (description);
    GstMapInfo map;

    g_assert_cmpuint (n, ==, 3 * SIZE * SIZE);
    gst_harness_set_src_caps_str (h, caps);
    GstBuffer *frame = picture_frame (format, SIZE, SIZE, rgb);
    GstBuffer *padded = picture_pad (frame, format, SIZE, SIZE);
    gst_harness_push (h, frame);
    g_autoptr (GstBuffer) got = gst_harness_push_and_pull (h, padded);
    g_autoptr (GstBuffer) again = gst_harness_pull (h);
    gst_buffer_map (got, &map, GST_MAP_READ);
    g_assert_cmpuint (map.size, ==, n_mask);
    g_assert_cmpint (gst_buffer_memcmp (again, 0, map.data, map.size), ==, 0);
    for (gsize k = 0; k < n_mask; k++) {
      if (ABS (map.data[k] - mask[k]) > tolerance)
        differ++;
    }
    g_assert_cmpuint (differ, <=, tolerance == 1 ? 0 : n_mask / 100);
    gst_buffer_unmap (got, &map);
  }
}

int
main (int argc, char **argv)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2 };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  models = argv[1];
  g_autofree char *model = path_of ("model.xml");
  if (!g_file_test (model, G_FILE_TEST_EXISTS)) {
    printf ("skipped: %s is not there\n", model);
    return 77;
  }
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *name =
        g_strconcat ("/selfie/", gst_video_format_to_string (formats[i]), NULL);
    g_test_add_data_func (name, GINT_TO_POINTER (formats[i]), test_mask);
  }
  return g_test_run ();
}
