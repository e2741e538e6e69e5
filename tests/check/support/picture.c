/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/picture.h"
#include "tests/check/support/stream.h"

#include <glib/gstdio.h>
#include <string.h>

#include "tests/check/support/ir.h"

static char *folder;

const char *
picture_folder (void)
{
  if (folder == NULL)
    folder = g_dir_make_tmp ("inferfilter-XXXXXX", NULL);
  g_assert_nonnull (folder);
  return folder;
}

void
picture_folder_clear (void)
{
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
  }
  if (folder != NULL)
    g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static char *
write_model (const char *name, const char *type, const char *dims,
    const char *layers, const char *edges)
{
  char *path = g_strdup_printf ("%s/%s.xml", picture_folder (), name);
  g_autofree char *data =
      g_strdup_printf ("element_type=\"%s\" shape=\"%s\"", type, dims);
  g_autofree char *xml = g_strdup_printf (
      "<?xml version=\"1.0\"?><net name=\"%s\" version=\"11\"><layers>"
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data "
      "%s/><output><port id=\"0\" names=\"x\"/></output></layer>%s"
      "</layers><edges>%s</edges></net>",
      name, data, layers, edges);

  g_assert_true (g_file_set_contents (path, xml, -1, NULL));
  return path;
}

char *
picture_model_copy (const char *name, const char *type, const char *dims)
{
  return write_model (
      name, type, dims, IR_RESULT (1, "r"), IR_EDGE (0, 0, 1, 0));
}

char *
picture_model_sum (const char *name, const char *type, const char *dims)
{
  g_autofree char *variable = g_strdup_printf (
      "<data variable_id=\"sum\" variable_type=\"%s\" variable_shape=\"%s\"/>",
      type, dims);
  g_autofree char *layers = g_strdup_printf (
      "<layer id=\"1\" name=\"read\" type=\"ReadValue\" version=\"opset6\">%s"
      "<output><port id=\"0\"/></output></layer>" IR_BINARY (2, "y", "Add")
          IR_LAYER (3, "keep", "Assign", "opset6",
              IR_DATA ("variable_id=\"sum\""), IR_PORT (0), IR_PORT (1))
              IR_RESULT (4, "r"),
      variable);

  return write_model (name, type, dims, layers,
      IR_EDGE (1, 0, 2, 0) IR_EDGE (0, 0, 2, 1) IR_EDGE (2, 2, 3, 0)
          IR_EDGE (2, 2, 4, 0));
}

char *
picture_model_tile (const char *name, const char *type, const char *dims)
{
  return write_model (name, type, dims,
      IR_LAYER (1, "wide", "Concat", "opset1", IR_DATA ("axis=\"3\""),
          IR_PORT (0) IR_PORT (1), IR_PORT (2))
          IR_LAYER (2, "y", "Concat", "opset1", IR_DATA ("axis=\"2\""),
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "r"),
      IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2, 0)
          IR_EDGE (1, 2, 2, 1) IR_EDGE (2, 2, 3, 0));
}

char *
picture_model_stack (const char *name, const char *type, const char *dims)
{
  return write_model (name, type, dims,
      IR_LAYER (1, "y", "Concat", "opset1", IR_DATA ("axis=\"1\""),
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (2, "r"),
      IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2, 0));
}

char *
picture_caps (GstVideoFormat format, int width, int height)
{
  return g_strdup_printf (
      "video/x-raw, format=%s, width=%d, height=%d, framerate=25/1",
      gst_video_format_to_string (format), width, height);
}

static GstBuffer *
new_frame (GstVideoInfo *info, GstVideoFrame *frame)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);

  g_assert_true (gst_video_frame_map (frame, info, buffer,
      GST_MAP_READWRITE | GST_VIDEO_FRAME_MAP_FLAG_NO_REF));
  return buffer;
}

GstBuffer *
picture_frame (GstVideoFormat format, int width, int height, const guint8 *rgb)
{
  GstVideoInfo from, to;
  GstVideoFrame source, target;
  g_autofree char *caps_text = picture_caps (format, width, height);
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);

  gst_video_info_set_format (
      &from, GST_VIDEO_FORMAT_RGB, (guint) width, (guint) height);
  g_assert_true (gst_video_info_from_caps (&to, caps));
  from.fps_n = to.fps_n;
  from.fps_d = to.fps_d;
  g_autoptr (GstBuffer) packed = new_frame (&from, &source);
  for (int y = 0; y < height; y++)
    memcpy ((guint8 *) source.data[0] + y * source.info.stride[0],
        rgb + y * width * 3, (gsize) width * 3);
  GstBuffer *buffer = new_frame (&to, &target);
  GstVideoConverter *converter = gst_video_converter_new (&from, &to, NULL);
  gst_video_converter_frame (converter, &source, &target);
  gst_video_converter_free (converter);
  gst_video_frame_unmap (&source);
  gst_video_frame_unmap (&target);
  return buffer;
}

GstBuffer *
picture_pad (GstBuffer *frame, GstVideoFormat format, int width, int height)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, at = 40;
  int stride[GST_VIDEO_MAX_PLANES] = { 0 };
  GstVideoInfo info;
  GstVideoFrame source, target;

  gst_video_info_set_format (&info, format, (guint) width, (guint) height);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    stride[p] = info.stride[p] + 12 + 4 * (int) p;
    offset[p] = at;
    at += (gsize) (stride[p] * (height + 3));
  }
  GstBuffer *padded = gst_buffer_new_allocate (NULL, at, NULL);
  gst_buffer_memset (padded, 0, 0xee, at);
  gst_buffer_add_video_meta_full (padded, 0, format, (guint) width,
      (guint) height, GST_VIDEO_INFO_N_PLANES (&info), offset, stride);
  g_assert_true (gst_video_frame_map (&source, &info, frame, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&target, &info, padded, GST_MAP_WRITE));
  gst_video_frame_copy (&target, &source);
  gst_video_frame_unmap (&source);
  gst_video_frame_unmap (&target);
  return padded;
}

GArray *
picture_floats (GstBuffer *buffer)
{
  GArray *floats = g_array_new (FALSE, FALSE, sizeof (float));
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_array_append_vals (floats, map.data, (guint) (map.size / sizeof (float)));
  gst_buffer_unmap (buffer, &map);
  return floats;
}

GstHarness *
picture_harness (const char *model, const char *more)
{
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s %s", model, more);

  return test_harness (description);
}

void
picture_set_caps (GstHarness *h, GstVideoFormat format, int width, int height)
{
  g_autofree char *caps = picture_caps (format, width, height);

  gst_harness_set_src_caps_str (h, caps);
}

GArray *
picture_push (GstHarness *h, GstBuffer *frame)
{
  g_assert_cmpint (gst_harness_push (h, frame), ==, GST_FLOW_OK);
  g_autoptr (GstBuffer) result = gst_harness_pull (h);
  g_assert_nonnull (result);
  return picture_floats (result);
}
