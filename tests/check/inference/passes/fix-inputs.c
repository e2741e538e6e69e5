/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer_model_fix_inputs: inputs become constants. */

#include <string.h>

#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/net.h"

/* y = x + s, of whole numbers @shape of @type. */
static InferModel *
sum_net (const char *type, const char *shape)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "?,2");
  net_add (
      net, "Parameter", "s", "", 1, "element_type", type, "shape", shape, NULL);
  net_build (net, "c = Convert s destination_type=f32; sum = Add x c");
  net_result (net, "y", "sum");
  net_settle (net);
  return net;
}

/* With @value for s, x = { 1, 2 } must give { @first, @second }. */
static void
assert_sum (const char *type, const char *shape, const char *value, float first,
    float second)
{
  const char *const values[] = { value, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) net = sum_net (type, shape);
  g_autoptr (InferModel) fixed = infer_model_fix_inputs (net, values, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (infer_model_n_inputs (net), ==, 2);
  g_assert_cmpuint (infer_model_n_inputs (fixed), ==, 1);
  g_assert_cmpstr (infer_model_input_name (fixed, 0), ==, "x");
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (fixed, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  const InferShape one = infer_shape_make (2, (gint64) 1, (gint64) 2);
  g_assert_true (infer_request_set_input_shape (request, 0, &one, &error));
  InferTensor *in = infer_request_get_input (request, 0, &error);
  g_assert_no_error (error);
  memcpy (in->data, (float[]){ 1, 2 }, 2 * sizeof (float));
  g_assert_true (infer_request_infer (request, &error));
  g_assert_no_error (error);
  InferTensor *out = infer_request_get_output (request, 0, &error);
  const float *sum = out->data;
  g_assert_cmpfloat (sum[0], ==, first);
  g_assert_cmpfloat (sum[1], ==, second);
}

static void
test_values (void)
{
  assert_sum ("i64", "?,2", "s=640:480", 641, 482);
  assert_sum ("i32", "1,2", "s= -3 : 7 ", -2, 9);
  assert_sum ("i64", "", "s=16000", 16001, 16002);
  assert_sum ("i64", "2", "s=5", 6, 7); /* one value for all */
  assert_sum ("boolean", "2", "s=true:false", 2, 2);
  assert_sum ("f16", "2", "s=0.5:-1e1", 1.5f, -8);
  assert_sum ("i64", "...", "s=4:5", 5, 7);
}

/* The input's type and the file's may differ, the shapes may not. */
static void
test_file (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("fix-inputs-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "s.npy", NULL);
  g_autofree char *text = g_strconcat ("s=", path, NULL);
  const char *const values[] = { text, NULL };
  const InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 2);
  g_autoptr (InferTensor) array =
      infer_tensor_new (INFER_TYPE_I32, &shape, &error);

  memcpy (array->data, (gint32[]){ 30, -4 }, 2 * sizeof (gint32));
  g_assert_true (infer_npy_write (path, array, &error));
  assert_sum ("i64", "?,2", text, 31, -2);
  g_autoptr (InferModel) net = sum_net ("i64", "2");
  g_assert_null (infer_model_fix_inputs (net, values, &error));
  g_assert_nonnull (
      strstr (error->message, "has the shape [1,2], the input [2]"));
  test_remove_folder (folder);
  g_clear_error (&error);
  g_assert_null (infer_model_fix_inputs (net, values, &error));
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_refused (void)
{
  static const struct
  {
    const char *type, *shape, *values[3], *why;
  } cases[] = {
    { "i64", "2", { "s" }, "not INPUT=VALUE" },
    { "i64", "2", { "nobody=1" }, "nobody" },
    { "i64", "2", { "s=1:2:3" }, "3 values do not fill a shape of [2]" },
    { "i64", "?,2", { "s=1:2:3" }, "3 values" },
    { "i64", "2", { "s=" }, "0 values" },
    { "i64", "2", { "s=1.5" }, "'1.5' is not a whole number" },
    { "f32", "2", { "s=1:x" }, "'x' is not a number" },
    { "i64", "2", { "s=1", "s=2" }, "already has a value" },
    { "i64", "3", { "s=1" }, "" }, /* x + s do not fit */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) net = net_new ();

    net_parameter (net, "x", i == 8 ? "?,2" : "...");
    net_add (net, "Parameter", "s", "", 1, "element_type", cases[i].type,
        "shape", cases[i].shape, NULL);
    net_build (net, "c = Convert s destination_type=f32; sum = Add x c");
    net_result (net, "y", "sum");
    if (i != 8)
      net_settle (net);
    g_assert_null (infer_model_fix_inputs (
        net, (const char *const *) cases[i].values, &error));
    g_assert_nonnull (error);
    if (strstr (error->message, cases[i].why) == NULL)
      g_error ("case %u: %s", i, error->message);
    /* The model is named, once. */
    const char *path = infer_model_get_path (net);
    g_assert_cmpstr (path, !=, "");
    g_assert_true (g_str_has_prefix (error->message, path));
    if (strstr (error->message + 1, path) != NULL)
      g_error ("case %u: %s", i, error->message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fix-inputs/values", test_values);
  g_test_add_func ("/fix-inputs/file", test_file);
  g_test_add_func ("/fix-inputs/refused", test_refused);
  return g_test_run ();
}
