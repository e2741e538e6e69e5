/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/upstream-tensors.h"

#include <gst/analytics/analytics.h>

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
  GstTensorMeta *meta;
  const GstTensor *tensor;
  guint8 bytes[16];

  gst_infer_add_upstream_tensors (buffer, 2, tensors, names);
  gst_infer_add_upstream_tensors (buffer, 1, tensors + 2, names + 2);
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    infer_tensor_unref (tensors[i]);

  meta = gst_buffer_get_tensor_meta (buffer);
  g_assert_nonnull (meta);
  g_assert_cmpuint (meta->num_tensors, ==, 3);
  tensor = gst_tensor_meta_get (meta, 0);
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

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/upstream-tensors", test_tensors);
  return g_test_run ();
}
