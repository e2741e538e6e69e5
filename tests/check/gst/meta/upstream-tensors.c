/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/upstream-tensors.h"

#include <gst/analytics/analytics.h>
#include <string.h>

static InferTensor *
numbered (InferType type, InferShape shape)
{
  InferTensor *tensor = infer_tensor_new (type, &shape, NULL);

  for (gsize i = 0; i < tensor->size; i++)
    ((guint8 *) tensor->data)[i] = (guint8) i;
  return tensor;
}

static void
test_tensors (void)
{
  InferTensor *tensors[] = {
    numbered (INFER_TYPE_F32, infer_shape_make (2, (gint64) 1, (gint64) 4)),
    numbered (INFER_TYPE_I64, infer_shape_make (0)),
    numbered (INFER_TYPE_U8, infer_shape_make (2, (gint64) 0, (gint64) 4)),
  };
  static const char *const names[] = { "boxes", "count", "none" };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  guint8 bytes[16];

  gst_infer_add_upstream_tensors (buffer, 2, tensors, names);
  gst_infer_add_upstream_tensors (buffer, 1, tensors + 2, names + 2);
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    infer_tensor_unref (tensors[i]);

  GstTensorMeta *meta = gst_buffer_get_tensor_meta (buffer);
  g_assert_nonnull (meta);
  g_assert_cmpuint (meta->num_tensors, ==, 3);
  const GstTensor *tensor = gst_tensor_meta_get (meta, 0);
  g_assert_cmpstr (g_quark_to_string (tensor->id), ==, "boxes");
  g_assert_true (tensor->data_type == GST_TENSOR_DATA_TYPE_FLOAT32);
  g_assert_cmpuint (tensor->num_dims, ==, 2);
  g_assert_cmpuint (tensor->dims[0], ==, 1);
  g_assert_cmpuint (tensor->dims[1], ==, 4);
  g_assert_cmpuint (gst_buffer_extract (tensor->data, 0, bytes, 16), ==, 16);
  g_assert_cmpuint (bytes[15], ==, 15);
  tensor = gst_tensor_meta_get (meta, 1);
  g_assert_true (tensor->data_type == GST_TENSOR_DATA_TYPE_INT64);
  g_assert_cmpuint (tensor->num_dims, ==, 1);
  g_assert_cmpuint (tensor->dims[0], ==, 1);
  g_assert_cmpuint (gst_buffer_get_size (tensor->data), ==, 8);
  tensor = gst_tensor_meta_get (meta, 2);
  g_assert_cmpuint (gst_buffer_get_size (tensor->data), ==, 0);
}

static GstTensor *
make_tensor (const char *id, GstTensorDataType type, gsize bytes, gsize n_dims,
    gsize *dims)
{
  GstBuffer *data = gst_buffer_new_memdup ("0123456789abcdef", bytes);
  GstTensor *tensor = gst_tensor_alloc (n_dims);

  tensor->id = g_quark_from_string (id);
  tensor->data_type = type;
  tensor->data = data;
  memcpy (tensor->dims, dims, n_dims * sizeof *dims);
  return tensor;
}

static void
add_one (GstBuffer *buffer, GstTensor *tensor)
{
  GstTensor **all = g_new (GstTensor *, 1);

  all[0] = tensor;
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (buffer), 1, all);
}

/* Tensors from an element that is not ours. */
static void
test_read (void)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstEvent) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) ours =
      numbered (INFER_TYPE_F32, infer_shape_make (1, (gint64) 1));
  static const char *const names[] = { "ours" };
  gsize dims[] = { 1, 2, 2 };
  GstVideoInfo video;

  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_RGB, 64, 48);
  g_assert_null (
      gst_infer_read_upstream_tensors (buffer, &video, &info, &error));
  g_assert_no_error (error);
  add_one (buffer, make_tensor ("Gst.Model.ObjectDetector.Boxes",
                       GST_TENSOR_DATA_TYPE_INT32, 16, 3, dims));
  gst_infer_add_upstream_tensors (buffer, 1, &ours, names);
  GstInferTensorMeta *meta =
      gst_infer_read_upstream_tensors (buffer, &video, &info, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (meta->n, ==, 1);
  g_assert_cmpstr (gst_infer_tensor_meta_name (meta, 0), ==, "detection_boxes");
  g_assert_cmpint (meta->tensors[0]->type, ==, INFER_TYPE_I32);
  g_assert_cmpint (meta->tensors[0]->shape.rank, ==, 3);
  g_assert_cmpint (meta->tensors[0]->shape.dims[2], ==, 2);
  g_assert_cmpmem (meta->tensors[0]->data, 16, "0123456789abcdef", 16);
  g_assert_cmpuint (meta->input_width, ==, 64);
  g_assert_cmpuint (meta->input_height, ==, 48);
  /* The event stays as long as the names do. */
  GstEvent *same = info;
  gst_infer_read_upstream_tensors (buffer, &video, &info, &error);
  g_assert_true (info == same);

  gst_infer_drop_upstream_tensors (buffer, 1, &ours);
  g_assert_cmpuint (gst_buffer_get_tensor_meta (buffer)->num_tensors, ==, 1);
  gst_infer_drop_upstream_tensors (buffer, 0, NULL);
  g_assert_null (gst_buffer_get_tensor_meta (buffer));
}

static void
test_refused (void)
{
  static const struct
  {
    GstTensorDataType type;
    GstTensorDimOrder order;
    gsize bytes, n_dims, dims[3];
    const char *part;
  } cases[] = {
    { GST_TENSOR_DATA_TYPE_FLOAT32, GST_TENSOR_DIM_ORDER_ROW_MAJOR, 15, 2,
        { 2, 2 }, "has 15 bytes; its dimensions need 16" },
    { GST_TENSOR_DATA_TYPE_INT4, GST_TENSOR_DIM_ORDER_ROW_MAJOR, 2, 1, { 4 },
        "of type 0" },
    { GST_TENSOR_DATA_TYPE_UINT8, GST_TENSOR_DIM_ORDER_COL_MAJOR, 4, 2,
        { 2, 2 }, "order 1" },
    { GST_TENSOR_DATA_TYPE_UINT8, GST_TENSOR_DIM_ORDER_ROW_MAJOR, 4, 2,
        { 2, G_MAXSIZE }, "dimension 1 is" },
    { GST_TENSOR_DATA_TYPE_FLOAT64, GST_TENSOR_DIM_ORDER_ROW_MAJOR, 4, 3,
        { G_MAXINT32, G_MAXINT32, G_MAXINT32 }, "" },
  };
  GstVideoInfo video;

  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstBuffer) buffer = gst_buffer_new ();
    g_autoptr (GError) error = NULL;
    GstEvent *info = NULL;
    gsize dims[3];

    memcpy (dims, cases[i].dims, sizeof dims);
    GstTensor *tensor = make_tensor (
        "odd", cases[i].type, cases[i].bytes, cases[i].n_dims, dims);
    tensor->dims_order = cases[i].order;
    add_one (buffer, tensor);
    g_assert_null (
        gst_infer_read_upstream_tensors (buffer, &video, &info, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, cases[i].part));
    g_assert_null (info);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/upstream-tensors/add", test_tensors);
  g_test_add_func ("/upstream-tensors/read", test_read);
  g_test_add_func ("/upstream-tensors/refused", test_refused);
  return g_test_run ();
}
