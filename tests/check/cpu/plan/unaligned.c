/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants at unaligned offsets of the weights, and inputs and outputs at odd
 * addresses, give the results of aligned ones. */

#include <string.h>

#include "infer/bindings.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

/* %d: offset of the constants. */
#define CONST(id, name, shape, size)                                           \
  IR_CONST (id, name, "f32", shape, "%d", #size)

static const char net[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,16,8,16") IR_PARAMETER (
        1, "i", "i64", "5") CONST (2, "filters", "32,16,3,3", 18432) CONST (3,
        "channels", "16,1,1,9,9", 5184) CONST (4, "matrix", "16,128", 8192)
        CONST (5, "vectors", "80,16", 5120) CONST (6, "sum", "1,16,8,16",
            8192) IR_LAYER (10, "c", "Convolution", "opset1",
            IR_DATA ("strides=\"1,1\" dilations=\"1,1\" pads_begin=\"1,1\" "
                     "pads_end=\"1,1\" auto_pad=\"explicit\""),
            IR_PORT (0) IR_PORT (1),
            IR_PORT (2)) IR_LAYER (11, "d", "GroupConvolution", "opset1",
            IR_DATA ("strides=\"1,1\" dilations=\"1,1\" pads_begin=\"4,4\" "
                     "pads_end=\"4,4\" auto_pad=\"explicit\""),
            IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_LAYER (12, "m", "MatMul",
            "opset1", IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),
            IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_CONST (7, "axis", "i64",
            "", "0", "8") IR_LAYER (13, "g", "Gather", "opset8",
            IR_DATA ("batch_dims=\"0\""), IR_PORT (0) IR_PORT (1) IR_PORT (2),
            IR_PORT (3)) IR_BINARY (14, "a", "Add") IR_BINARY (15, "b", "Add")
            IR_RESULT (20, "c0") IR_RESULT (21, "d0") IR_RESULT (22, "m0")
                IR_RESULT (23, "g0") IR_RESULT (24, "b0") IR_RESULT (25, "s0"),
    IR_EDGE (0, 0, 10, 0) IR_EDGE (2, 0, 10, 1) IR_EDGE (0, 0, 11, 0)
        IR_EDGE (3, 0, 11, 1) IR_EDGE (0, 0, 12, 0) IR_EDGE (4, 0, 12, 1)
            IR_EDGE (5, 0, 13, 0) IR_EDGE (1, 0, 13, 1) IR_EDGE (7, 0, 13, 2)
                IR_EDGE (0, 0, 14, 0) IR_EDGE (6, 0, 14, 1)
                    IR_EDGE (14, 2, 15, 0) IR_EDGE (11, 2, 15, 1)
                        IR_EDGE (10, 2, 20, 0) IR_EDGE (11, 2, 21, 0)
                            IR_EDGE (12, 2, 22, 0) IR_EDGE (13, 3, 23, 0)
                                IR_EDGE (15, 2, 24, 0) IR_EDGE (6, 0, 25, 0),
    "");

#define N_RESULTS 6
#define N_FLOATS 5000
#define MORE 12

static InferRequest *
run (int offset)
{
  g_autofree char *xml =
      g_strdup_printf (net, offset, offset, offset, offset, offset);
  g_autofree guint8 *weights = g_malloc0 (MORE + sizeof (float) * N_FLOATS);
  g_autoptr (GError) error = NULL;

  /* The axis is in the first eight bytes. */
  for (guint i = 0; i < N_FLOATS; i++) {
    const float value = (float) (i * 37 % 1009) / 1009 - 0.5f;
    memcpy (weights + offset + i * sizeof value, &value, sizeof value);
  }
  g_autoptr (InferModel) model =
      ir_load_good (xml, weights, MORE + sizeof (float) * N_FLOATS);
  InferRequest *request = test_request (model, "CPU", NULL);
  InferTensor *x = infer_request_get_input (request, 0, NULL);
  InferTensor *i = infer_request_get_input (request, 1, NULL);
  for (gsize k = 0; k < x->size / sizeof (float); k++)
    ((float *) x->data)[k] = (float) (k % 13) - 6;
  for (gsize k = 0; k < 5; k++)
    ((gint64 *) i->data)[k] = (gint64) (k * 17);
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return request;
}

static void
test_same (void)
{
  /* 8: aligned; the others are unaligned for all types. */
  g_autoptr (InferRequest) aligned = run (8);
  for (int offset = 9; offset < MORE; offset++) {
    g_autoptr (InferRequest) unaligned = run (offset);
    for (guint k = 0; k < N_RESULTS; k++) {
      const InferTensor *a = infer_request_get_output (aligned, k, NULL);
      const InferTensor *b = infer_request_get_output (unaligned, k, NULL);

      g_assert_cmpuint (a->size, >, 0);
      g_assert_cmpmem (a->data, a->size, b->data, b->size);
    }
  }
  const float *sum = infer_request_get_output (aligned, 5, NULL)->data;
  g_assert_cmpfloat (sum[1], ==, 37.0f / 1009 - 0.5f);
}

/* The values of @like at an address that no type allows. */
static InferTensor *
misplace (const InferTensor *like, guint offset, guint8 **bytes)
{
  g_autoptr (GError) error = NULL;

  *bytes = g_malloc (like->size + offset);
  memcpy (*bytes + offset, like->data, like->size);
  InferTensor *tensor = infer_tensor_new_wrapped (like->type, &like->shape,
      *bytes + offset, like->size, *bytes, g_free, &error);
  g_assert_no_error (error);
  return tensor;
}

static void
test_users (void)
{
  g_autoptr (InferRequest) request = run (8);
  InferTensor *inputs[2], *wanted[N_RESULTS], *got[N_RESULTS];
  g_autoptr (GError) error = NULL;
  guint8 *bytes;

  for (guint k = 0; k < N_RESULTS; k++) {
    wanted[k] = infer_request_take_output (request, k, NULL);
    got[k] = misplace (wanted[k], 1, &bytes);
    memset (got[k]->data, 0, got[k]->size);
    g_assert_true (infer_request_set_output (request, k, got[k], NULL));
  }
  for (guint i = 0; i < 2; i++) {
    inputs[i] = misplace (
        infer_request_get_input (request, i, NULL), 1 + 2 * i, &bytes);
    g_assert_true (infer_request_set_input (request, i, inputs[i], NULL));
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < N_RESULTS; k++) {
    g_assert_cmpmem (
        got[k]->data, got[k]->size, wanted[k]->data, wanted[k]->size);
    infer_tensor_unref (got[k]);
    infer_tensor_unref (wanted[k]);
  }
  for (guint i = 0; i < 2; i++)
    infer_tensor_unref (inputs[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/unaligned/same", test_same);
  g_test_add_func ("/cpu/unaligned/users", test_users);
  return g_test_run ();
}
