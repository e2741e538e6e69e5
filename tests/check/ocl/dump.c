/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DUMP and DUMP_DIR on OpenCL: each value is dumped as computed, although its
 * memory is reused; views as well. */

#include "inference/base/npy.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static char *folder;

/* x -> tanh -> squeeze -> sum of both ends of a split -> exp, and a variable.
 */
#define NET                                                                    \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,4") IR_UNARY (1, "tanh", "Tanh")         \
          IR_CONST (2, "axis", "i64", "", "0", "8") IR_LAYER (3, "split",      \
              "Split", "opset1", IR_DATA ("num_splits=\"2\""),                 \
              IR_PORT (0) IR_PORT (1), IR_PORT (2) IR_PORT (3)) IR_BINARY (4,  \
              "sum", "Add") IR_LAYER (5, "flat", "Squeeze", "opset1", "",      \
              IR_PORT (0), IR_PORT (1)) IR_UNARY (6, "exp", "Exp")             \
              IR_LAYER (7, "read", "ReadValue", "opset6",                      \
                  IR_DATA ("variable_id=\"s\" variable_shape=\"2\" "           \
                           "variable_type=\"f32\""),                           \
                  "", IR_PORT (0)) IR_BINARY (8, "state", "Add") IR_LAYER (9,  \
                  "save", "Assign", "opset6", IR_DATA ("variable_id=\"s\""),   \
                  IR_PORT (0), "") IR_RESULT (10, "y"),                        \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 3, 0) IR_EDGE (2, 0, 3, 1)           \
          IR_EDGE (3, 2, 4, 0) IR_EDGE (3, 3, 4, 1) IR_EDGE (4, 2, 5, 0)       \
              IR_EDGE (5, 1, 6, 0) IR_EDGE (6, 1, 8, 0) IR_EDGE (7, 0, 8, 1)   \
                  IR_EDGE (8, 2, 9, 0) IR_EDGE (8, 2, 10, 0),                  \
      "")

static InferTensor *
read_dump (const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);

  return infer_npy_read (path, NULL);
}

/* All dumped values are right; *@n counts them. */
static void
assert_dump (const char *file, guint *n, float a, float b)
{
  g_autoptr (InferTensor) tensor = read_dump (file);
  const float want[2] = { a, b };

  if (tensor == NULL)
    return;
  (*n)++;
  g_assert_cmpuint (infer_shape_count (&tensor->shape), ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpfloat_with_epsilon (
        ((float *) tensor->data)[i], want[i], 1e-4f);
}

static void
remove_dumps (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_remove (path);
  }
  g_rmdir (folder);
}

static void
check (InferRuntime *runtime, InferModel *model)
{
  static const float x[] = { 1, -0.5f, 0.25f, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  float sum[2] = { tanhf (1) + tanhf (0.25f), tanhf (-0.5f) + tanhf (2) };
  guint n = 0;

  for (guint run = 1; run <= 2; run++) {
    memcpy (infer_request_get_input (request, 0, NULL)->data, x, sizeof x);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
    const float *y = infer_request_get_output (request, 0, NULL)->data;
    for (guint i = 0; i < 2; i++)
      g_assert_cmpfloat_with_epsilon (y[i], (float) run * expf (sum[i]), 1e-3f);
  }
  g_autoptr (InferTensor) in = read_dump ("000000_tanh_in0.npy");
  g_assert_cmpmem (in->data, in->size, x, sizeof x);
  assert_dump ("000001_split_out0.npy", &n, tanhf (1), tanhf (-0.5f));
  assert_dump ("000001_split_out1.npy", &n, tanhf (0.25f), tanhf (2));
  g_assert_cmpuint (n, ==, 2); /* views, not run */
  assert_dump ("000000_sum_out0.npy", &n, sum[0], sum[1]);
  assert_dump ("000000_flat_out0.npy", &n, sum[0], sum[1]);
  assert_dump ("000000_exp_out0.npy", &n, expf (sum[0]), expf (sum[1]));
  assert_dump (
      "000001_state_out0.npy", &n, 2 * expf (sum[0]), 2 * expf (sum[1]));
  assert_dump ("000001_y_in0.npy", &n, 2 * expf (sum[0]), 2 * expf (sum[1]));
  g_assert_cmpuint (n, >=, 4); /* some are post-ops */
}

int
main (int argc, char **argv)
{
  static const gint64 axis = 1;
  g_autoptr (GError) error = NULL;

  folder = g_dir_make_tmp ("infer-dump-XXXXXX", NULL);
  g_autofree char *config = g_strdup_printf ("DUMP=.,DUMP_DIR=%s", folder);
  InferRuntime *runtime = infer_runtime_new ("OPENCL", config, &error);
  if (runtime == NULL) {
    g_rmdir (folder);
    printf ("skipped: %s\n", error->message);
    return 77;
  }
  g_autoptr (InferModel) model = ir_load_good (NET, &axis, sizeof axis);
  check (runtime, model);
  infer_runtime_unref (runtime);
  remove_dumps ();
  g_free (folder);
  return 0;
}
