/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/error.h"
#include "inference/base/tensor.h"

static InferTensor *
make_counted (int rank, const gint64 *dims)
{
  InferShape shape = infer_shape_new (rank, dims);
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_I32, &shape, NULL);
  gint32 *data = tensor->data;
  for (gsize i = 0; i < infer_shape_count (&shape); i++)
    data[i] = (gint32) i;
  return tensor;
}

static void
test_new (void)
{
  InferShape shape = infer_shape_make (2, (gint64) 3, (gint64) 5);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F16, &shape, NULL);
  g_assert_cmpuint (tensor->size, ==, 30);
  g_assert_cmpuint ((gsize) tensor->data % 64, ==, 0);
  g_assert_cmpint (tensor->strides[0], ==, 10);
  g_assert_true (tensor->dense);
  g_autoptr (InferTensor) bits = infer_tensor_new (INFER_TYPE_U1, &shape, NULL);
  g_assert_cmpuint (bits->size, ==, 2);
  g_autoptr (InferTensor) threes =
      infer_tensor_new (INFER_TYPE_U3, &shape, NULL);
  g_assert_cmpuint (threes->size, ==, 6);
}

static void
test_new_refuses (void)
{
  g_autoptr (GError) error = NULL;
  InferShape shape = infer_shape_make (2, (gint64) 3, (gint64) -1);
  g_assert_null (infer_tensor_new (INFER_TYPE_F32, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  shape = infer_shape_make (2, (gint64) 1 << 40, (gint64) 1 << 22);
  g_clear_error (&error);
  g_assert_null (infer_tensor_new (INFER_TYPE_F32, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (infer_tensor_new (INFER_TYPE_U8, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NO_MEMORY);
}

static void
count_free (gpointer counter)
{
  ++*(int *) counter;
}

static void
test_wrapped (void)
{
  int freed = 0;
  float data[6] = { 0 };
  g_autoptr (GError) error = NULL;
  InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 3);
  InferTensor *tensor = infer_tensor_new_wrapped (
      INFER_TYPE_F32, &shape, data, sizeof data, &freed, count_free, NULL);
  g_assert_true (tensor->data == data);
  infer_tensor_unref (infer_tensor_ref (tensor));
  g_assert_cmpint (freed, ==, 0);
  infer_tensor_unref (tensor);
  g_assert_cmpint (freed, ==, 1);
  g_assert_null (infer_tensor_new_wrapped (INFER_TYPE_F32, &shape, data,
      sizeof data - 1, &freed, count_free, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpint (freed, ==, 2);
}

static void
test_roi (void)
{
  static const gint64 dims[] = { 4, 5, 2 }, begin[] = { 1, 2, 0 };
  g_autoptr (InferTensor) base = make_counted (3, dims);
  InferShape shape = infer_shape_make (3, (gint64) 2, (gint64) 3, (gint64) 2);
  g_autoptr (InferTensor) roi =
      infer_tensor_new_roi (base, begin, &shape, NULL);
  g_assert_false (roi->dense);
  g_assert_cmpint (*(gint32 *) roi->data, ==, 14);

  g_autoptr (InferTensor) copy =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_assert_true (infer_tensor_copy (copy, roi, NULL));
  static const float want[] = { 14, 15, 16, 17, 18, 19, 24, 25, 26, 27, 28,
    29 };
  g_assert_cmpmem (copy->data, copy->size, want, sizeof want);

  /* And back into another place of the base. */
  static const gint64 origin[] = { 0, 0, 0 };
  g_autoptr (InferTensor) corner =
      infer_tensor_new_roi (base, origin, &shape, NULL);
  g_assert_true (infer_tensor_copy (corner, copy, NULL));
  g_assert_cmpint (((gint32 *) base->data)[5], ==, 19);
  g_assert_cmpint (((gint32 *) base->data)[6], ==, 6);
  g_assert_cmpint (((gint32 *) base->data)[10], ==, 24);

  /* A view keeps its base alive. */
  infer_tensor_unref (g_steal_pointer (&base));
  g_assert_cmpint (*(gint32 *) roi->data, ==, 28);
}

static void
test_roi_refuses (void)
{
  static const gint64 dims[] = { 4, 5 }, begin[] = { 3, 0 };
  g_autoptr (InferTensor) base = make_counted (2, dims);
  InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 5);
  g_autoptr (GError) error = NULL;
  g_assert_null (infer_tensor_new_roi (base, begin, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  static const gint64 low[] = { -1, 0 };
  g_assert_null (infer_tensor_new_roi (base, low, &shape, &error));
  g_clear_error (&error);
  g_autoptr (InferTensor) bits =
      infer_tensor_new (INFER_TYPE_U4, &base->shape, NULL);
  static const gint64 origin[] = { 0, 0 };
  g_assert_null (infer_tensor_new_roi (bits, origin, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

static void
test_reshape (void)
{
  static const gint64 dims[] = { 4, 5 };
  g_autoptr (InferTensor) tensor = make_counted (2, dims);
  gpointer data = tensor->data;
  InferShape smaller = infer_shape_make (1, (gint64) 7);
  g_assert_true (infer_tensor_reshape (tensor, INFER_TYPE_F32, &smaller, NULL));
  g_assert_true (tensor->data == data);
  g_assert_cmpuint (tensor->size, ==, 28);
  InferShape larger = infer_shape_make (1, (gint64) 700);
  g_assert_true (infer_tensor_reshape (tensor, INFER_TYPE_F32, &larger, NULL));
  g_assert_cmpuint (tensor->size, ==, 2800);

  float own[4];
  g_autoptr (GError) error = NULL;
  InferShape four = infer_shape_make (1, (gint64) 4);
  g_autoptr (InferTensor) wrapped = infer_tensor_new_wrapped (
      INFER_TYPE_F32, &four, own, sizeof own, NULL, NULL, NULL);
  g_assert_false (
      infer_tensor_reshape (wrapped, INFER_TYPE_F32, &larger, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

static void
test_values (void)
{
  guint8 packed[] = { 0x21, 0x0f };
  InferShape three = infer_shape_make (1, (gint64) 3);
  g_autoptr (InferTensor) tensor = infer_tensor_new_wrapped (
      INFER_TYPE_I4, &three, packed, 2, NULL, NULL, NULL);
  g_autoptr (GArray) ints = infer_tensor_to_ints (tensor);
  g_assert_cmpuint (ints->len, ==, 3);
  g_assert_cmpint (g_array_index (ints, gint64, 1), ==, 2);
  g_assert_cmpint (g_array_index (ints, gint64, 2), ==, -1);
  g_autoptr (GArray) doubles = infer_tensor_to_doubles (tensor);
  g_assert_cmpfloat (g_array_index (doubles, double, 2), ==, -1.0);
  InferShape none = infer_shape_make (1, (gint64) 0);
  g_autoptr (InferTensor) empty =
      infer_tensor_new (INFER_TYPE_F32, &none, NULL);
  g_autoptr (GArray) nothing = infer_tensor_to_ints (empty);
  g_assert_cmpuint (nothing->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensor/new", test_new);
  g_test_add_func ("/tensor/new-refuses", test_new_refuses);
  g_test_add_func ("/tensor/wrapped", test_wrapped);
  g_test_add_func ("/tensor/roi", test_roi);
  g_test_add_func ("/tensor/roi-refuses", test_roi_refuses);
  g_test_add_func ("/tensor/reshape", test_reshape);
  g_test_add_func ("/tensor/values", test_values);
  return g_test_run ();
}
