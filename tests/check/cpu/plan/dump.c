/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DUMP and DUMP_DIR: which files are written, and their contents. */

#include "inference/base/npy.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("infer-dump-XXXXXX", NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Sorted and joined names of the files, which are removed. */
static char *
take_names (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (const char *name;
       dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_assert_cmpint (g_remove (path), ==, 0);
    g_assert_true (g_str_has_suffix (name, ".npy"));
    g_ptr_array_add (names, g_strndup (name, strlen (name) - 4));
  }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (GStrv) names->pdata);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_free (take_names (fixture->folder));
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
}

static void
assert_values (const Fixture *fixture, const char *file, const char *shape,
    const float *want, gsize n)
{
  g_autofree char *path = g_build_filename (fixture->folder, file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor = infer_npy_read (path, &error);

  g_assert_no_error (error);
  g_autofree char *got = infer_shape_to_string (&tensor->shape);
  g_assert_cmpstr (got, ==, shape);
  g_assert_cmpmem (tensor->data, tensor->size, want, n * sizeof *want);
}

#define ASSERT_VALUES(file, shape, ...)                                        \
  assert_values (fixture, file, shape, (const float[]){ __VA_ARGS__ },         \
      sizeof ((const float[]){ __VA_ARGS__ }) / sizeof (float))

static InferRequest *
open_request (const Fixture *fixture, InferModel *model, const char *pattern)
{
  g_autoptr (GString) config = g_string_new ("PERF_COUNT=YES,");

  /* A comma in the pattern would need a backslash. */
  g_string_append_printf (
      config, "DUMP=%s,DUMP_DIR=%s", pattern, fixture->folder);
  return test_request (model, "CPU", config->str);
}

static void
set_values (InferRequest *request, guint index, const float *values)
{
  InferTensor *tensor = infer_request_get_input (request, index, NULL);

  memcpy (tensor->data, values, tensor->size);
}

static void
infer (InferRequest *request)
{
  g_autoptr (GError) error = NULL;

  infer_request_infer (request, &error);
  g_assert_no_error (error);
}

static const char *
kernel_of (GArray *timings, const char *name)
{
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->name, name) == 0)
      return timing->kernel;
  }
  return NULL;
}

/* in -> a/exp (Tanh) -> view (Squeeze) -> b (Sign, in place?) -> out.  The view
 * is dumped before its memory may be reused. */
#define VIEW_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "in", "f32", "1,3") IR_UNARY (1, "a/tanh", "Tanh")      \
          IR_LAYER (2, "view", "Squeeze", "opset1", "", IR_PORT (0),           \
              IR_PORT (1)) IR_UNARY (3, "sign", "Sign") IR_RESULT (4, "out"),  \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0) IR_EDGE (2, 1, 3, 0)           \
          IR_EDGE (3, 1, 4, 0),                                                \
      "")

static void
test_view (Fixture *fixture, gconstpointer unused)
{
  static const float in[] = { -100, 0, 100 };
  g_autoptr (InferModel) model = ir_load_good (VIEW_NET, NULL, 0);
  g_autoptr (InferRequest) request =
      open_request (fixture, model, "^(a/t|view$|in|out)");

  set_values (request, 0, in);
  infer (request);
  infer (request);
  ASSERT_VALUES ("000000_in_out0.npy", "[1,3]", -100, 0, 100);
  ASSERT_VALUES ("000000_a_tanh_in0.npy", "[1,3]", -100, 0, 100);
  ASSERT_VALUES ("000000_a_tanh_out0.npy", "[1,3]", -1, 0, 1);
  ASSERT_VALUES ("000000_view_in0.npy", "[1,3]", -1, 0, 1);
  ASSERT_VALUES ("000001_view_out0.npy", "[3]", -1, 0, 1);
  ASSERT_VALUES ("000001_out_in0.npy", "[3]", -1, 0, 1);
  g_autofree char *names = take_names (fixture->folder);
  g_assert_cmpstr (names, ==,
      "000000_a_tanh_in0 000000_a_tanh_out0 000000_in_out0 000000_out_in0 "
      "000000_view_in0 000000_view_out0 "
      "000001_a_tanh_in0 000001_a_tanh_out0 000001_in_out0 000001_out_in0 "
      "000001_view_in0 000001_view_out0");
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  g_assert_cmpstr (kernel_of (timings, "view"), ==, "optimized out");
}

/* A convolution of eight equal channels, fused with its ReLU, in channels-last
 * layout. */
#define CONV_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,2,1,2") IR_CONST (1, "w", "f32",         \
          "8,2,1,1", "0", "64") IR_LAYER (2, "conv", "Convolution", "opset1",  \
          IR_DATA ("strides=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" "      \
                   "dilations=\"1,1\" auto_pad=\"explicit\""),                 \
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_UNARY (3, "relu", "ReLU")   \
          IR_LAYER (4, "conv2", "Convolution", "opset1",                       \
              IR_DATA ("strides=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" "  \
                       "dilations=\"1,1\" auto_pad=\"explicit\""),             \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_CONST (5, "w2", "f32",  \
              "1,8,1,1", "64", "32") IR_RESULT (6, "y"),                       \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)           \
          IR_EDGE (3, 1, 4, 0) IR_EDGE (5, 0, 4, 1) IR_EDGE (4, 2, 6, 0),      \
      "")

static void
test_fused (Fixture *fixture, gconstpointer unused)
{
  static const float x[] = { 1, 2, 3, 4 };
  float weights[24];

  for (guint c = 0; c < 8; c++) {
    weights[2 * c] = c % 2 ? -1 : 1;
    weights[2 * c + 1] = c % 2 ? -1 : 1;
    weights[16 + c] = (float) c;
  }
  g_autoptr (InferModel) model =
      ir_load_good (CONV_NET, weights, sizeof weights);
  g_autoptr (InferRequest) request =
      open_request (fixture, model, "^conv$|relu");
  set_values (request, 0, x);
  infer (request);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  ASSERT_VALUES ("000000_conv_in0.npy", "[1,2,1,2]", 1, 2, 3, 4);
  /* [1,8,1,2], whatever the layout in memory. */
  ASSERT_VALUES ("000000_relu_out0.npy", "[1,8,1,2]", 4, 6, 0, 0, 4, 6, 0, 0, 4,
      6, 0, 0, 4, 6, 0, 0);
  g_autofree char *names = take_names (fixture->folder);
  if (g_strcmp0 (kernel_of (timings, "relu"), "optimized out") == 0)
    g_assert_cmpstr (
        names, ==, "000000_conv_in0 000000_conv_in1 000000_relu_out0");
  else
    g_assert_cmpstr (names, ==,
        "000000_conv_in0 000000_conv_in1 000000_conv_out0 000000_relu_in0 "
        "000000_relu_out0");
}

/* h[t] = h[t - 1] + x[t]: the body's sum runs three times; and two operations
 * of one name. */
#define LOOP_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "3,1") IR_PARAMETER (1, "h0", "f32",        \
          "1,1") "<layer id=\"2\" name=\"ti\" type=\"TensorIterator\" "        \
                 "version=\"opset1\"><port_map>" IR_MAP (                      \
                     "input", 0, 0, "axis=\"0\"") IR_MAP ("input", 1, 1,       \
                     "") IR_MAP ("output", 2, 3,                               \
                     "") "</port_map><back_edges><edge from-layer=\"3\" "      \
                         "to-layer=\"1\"/></back_edges><input>" IR_PORT (0)    \
                             IR_PORT (1) "</input><output>" IR_PORT (          \
                                 2) "</output><body><layers>" IR_PARAMETER (0, \
                                 "xt", "f32", "1,1") IR_PARAMETER (1, "h",     \
                                 "f32", "1,1") IR_BINARY (2, "sum",            \
                                 "Add") IR_RESULT (3,                          \
                                 "hn") "</layers><edges>" IR_EDGE (0, 0, 2, 0) \
                                 IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3,        \
                                     0) "</edges></body></layer>" IR_UNARY (3, \
                                     "sum", "Tanh") IR_RESULT (4, "last"),     \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)           \
          IR_EDGE (3, 1, 4, 0),                                                \
      "")

static void
test_body (Fixture *fixture, gconstpointer unused)
{
  static const float x[] = { 1, 10, 100 }, h0[] = { 1000 };
  g_autoptr (InferModel) model = ir_load_good (LOOP_NET, NULL, 0);
  g_autoptr (InferRequest) request = open_request (fixture, model, "^sum$");

  set_values (request, 0, x);
  set_values (request, 1, h0);
  infer (request);
  ASSERT_VALUES ("000000_sum_out0.npy", "[1,1]", 1001);
  ASSERT_VALUES ("000000_sum.1_out0.npy", "[1,1]", 1011);
  ASSERT_VALUES ("000000_sum.2_out0.npy", "[1,1]", 1111);
  ASSERT_VALUES ("000000_sum.3_in0.npy", "[1,1]", 1111);
  ASSERT_VALUES ("000000_sum.3_out0.npy", "[1,1]", 1);
}

/* Data-dependent shapes: the nonzero elements, gathered. */
#define LAZY_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "4") IR_LAYER (1, "where", "NonZero",       \
          "opset3", IR_DATA ("output_type=\"i64\""), IR_PORT (0), IR_PORT (1)) \
          IR_LAYER (2, "float", "Convert", "opset1",                           \
              IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))  \
              IR_RESULT (3, "y"),                                              \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0) IR_EDGE (2, 1, 3, 0), "")

static void
test_lazy (Fixture *fixture, gconstpointer unused)
{
  static const float a[] = { 0, 5, 0, 5 }, b[] = { 5, 5, 5, 0 };
  g_autoptr (InferModel) model = ir_load_good (LAZY_NET, NULL, 0);
  g_autoptr (InferRequest) request = open_request (fixture, model, "float");

  set_values (request, 0, a);
  infer (request);
  set_values (request, 0, b);
  infer (request);
  ASSERT_VALUES ("000000_float_out0.npy", "[1,2]", 1, 3);
  ASSERT_VALUES ("000001_float_out0.npy", "[1,3]", 0, 1, 2);
}

/* A file in place of the folder: the inference fails with a clear error, and
 * the request works again when the file is gone. */
static void
test_unwritable (Fixture *fixture, gconstpointer unused)
{
  static const float in[] = { 1, 2, 3 };
  g_autoptr (InferModel) model = ir_load_good (VIEW_NET, NULL, 0);
  g_autoptr (InferRequest) request = open_request (fixture, model, "tanh");
  g_autoptr (GError) error = NULL;

  set_values (request, 0, in);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_assert_true (g_file_set_contents (fixture->folder, "", 0, NULL));
  g_assert_false (infer_request_infer (request, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, fixture->folder));
  g_assert_cmpint (g_remove (fixture->folder), ==, 0);
  infer (request);
}

/* Without DUMP, or with a pattern that matches nothing: the same results and no
 * files. */
static void
test_nothing (Fixture *fixture, gconstpointer unused)
{
  static const float in[] = { -100, 0, 100 };
  g_autoptr (InferModel) model = ir_load_good (VIEW_NET, NULL, 0);
  g_autoptr (InferRequest) request = open_request (fixture, model, "nobody");

  set_values (request, 0, in);
  infer (request);
  g_autofree char *names = take_names (fixture->folder);
  g_assert_cmpstr (names, ==, "");
  g_assert_cmpfloat (
      ((float *) infer_request_get_output (request, 0, NULL)->data)[2], ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, func)                                                       \
  g_test_add ("/dump/" path, Fixture, NULL, set_up, func, tear_down)
  TEST ("view", test_view);
  TEST ("fused", test_fused);
  TEST ("body", test_body);
  TEST ("lazy", test_lazy);
  TEST ("unwritable", test_unwritable);
  TEST ("nothing", test_nothing);
  return g_test_run ();
}
