/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compressed weights give the results of decompressed ones, and are not
 * decompressed. */

#include <string.h>

#include "cpu/base/scope.h"
#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define ROWS 192
#define COLUMNS 128
#define N (ROWS * COLUMNS)

/* Codes at 0, a number per row at 49152, another at 49920, one per column at
 * 50688, {192, 128} at 51200. */
#define CONVERT                                                                \
  IR_LAYER (10, "float", "Convert", "opset1",                                  \
      IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))
#define CODES(type, shape, size) IR_CONST (1, "codes", type, shape, "0", size)
#define BY_ROW(id, offset) IR_CONST (id, "row", "f32", "192,1", offset, "768")

typedef struct
{
  const char *name, *layers, *edges;
  guint end, port; /* output of the weights */
} Form;

static const Form forms[] = {
  { "f16", CODES ("f16", "192,128", "49152") CONVERT, IR_EDGE (1, 0, 10, 0), 10,
      1 },
  { "i8-times",
      CODES ("i8", "192,128", "24576") CONVERT BY_ROW (2, "49152")
          IR_BINARY (11, "times", "Multiply"),
      IR_EDGE (1, 0, 10, 0) IR_EDGE (10, 1, 11, 0) IR_EDGE (2, 0, 11, 1), 11,
      2 },
  { "u8-less-times",
      CODES ("u8", "192,128", "24576") CONVERT BY_ROW (2, "49152")
          BY_ROW (3, "49920") IR_BINARY (11, "less", "Subtract")
              IR_BINARY (12, "times", "Multiply"),
      IR_EDGE (1, 0, 10, 0) IR_EDGE (10, 1, 11, 0) IR_EDGE (3, 0, 11, 1)
          IR_EDGE (11, 2, 12, 0) IR_EDGE (2, 0, 12, 1),
      12, 2 },
  { "i8-times-plus",
      CODES ("i8", "192,128", "24576") CONVERT BY_ROW (2, "49152")
          IR_CONST (3, "column", "f32", "128", "50688", "512")
              IR_BINARY (11, "times", "Multiply") IR_BINARY (12, "plus", "Add"),
      IR_EDGE (1, 0, 10, 0) IR_EDGE (10, 1, 11, 1) IR_EDGE (2, 0, 11, 0)
          IR_EDGE (11, 2, 12, 0) IR_EDGE (3, 0, 12, 1),
      12, 2 },
  { "u4-groups",
      CODES ("u4", "192,8,16", "12288") CONVERT IR_CONST (2, "group", "f32",
          "192,1,1", "49152", "768") IR_BINARY (11, "times", "Multiply")
          IR_CONST (3, "shape", "i64", "2", "51200", "16")
              IR_LAYER (12, "reshape", "Reshape", "opset1",
                  IR_DATA ("special_zero=\"false\""), IR_PORT (0) IR_PORT (1),
                  IR_PORT (2)),
      IR_EDGE (1, 0, 10, 0) IR_EDGE (10, 1, 11, 0) IR_EDGE (2, 0, 11, 1)
          IR_EDGE (11, 2, 12, 0) IR_EDGE (3, 0, 12, 1),
      12, 2 },
};

typedef struct
{
  const char *name, *type, *data, *input, *shape;
  guint weights; /* input that gets the weights */
} Reader;

static const Reader readers[] = {
  { "rows", "MatMul", "<data transpose_a=\"false\" transpose_b=\"true\"/>",
      "f32", "3,128", 1 },
  { "columns", "MatMul", "<data transpose_a=\"false\" transpose_b=\"false\"/>",
      "f32", "3,192", 1 },
  { "transposed", "MatMul", "<data transpose_a=\"true\" transpose_b=\"true\"/>",
      "f32", "128,3", 1 },
  { "table", "Gather", "<data batch_dims=\"0\"/>", "i32", "5", 0 },
};

/* A result that is the weights makes the compiler decompress them. */
static char *
make_net (const Form *form, const Reader *reader, gboolean unpacked)
{
  gboolean is_gather = reader->weights == 0;
  g_autofree char *layer = g_strdup_printf (
      "<layer id=\"20\" name=\"y\" type=\"%s\" version=\"%s\">%s<input>"
      "<port id=\"0\"/><port id=\"1\"/>%s</input><output><port id=\"3\"/>"
      "</output></layer>",
      reader->type, is_gather ? "opset8" : "opset1", reader->data,
      is_gather ? "<port id=\"2\"/>" : "");
  g_autofree char *input = g_strdup_printf (
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data "
      "element_type=\"%s\" shape=\"%s\"/><output><port id=\"0\" names=\"x\"/>"
      "</output></layer>",
      reader->input, reader->shape);
  g_autofree char *edges = g_strdup_printf (
      "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"20\" "
      "to-port=\"%u\"/><edge from-layer=\"%u\" from-port=\"%u\" "
      "to-layer=\"20\" to-port=\"%u\"/>",
      1 - reader->weights, form->end, form->port, reader->weights);
  g_autofree char *more = g_strdup_printf (
      "<edge from-layer=\"%u\" from-port=\"%u\" to-layer=\"22\" "
      "to-port=\"0\"/>",
      form->end, form->port);

  return g_strconcat (
      "<?xml version=\"1.0\"?><net name=\"test\" version=\"11\"><layers>",
      input, form->layers, layer, IR_RESULT (21, "out"),
      unpacked ? IR_RESULT (22, "weights") : "",
      is_gather ? IR_CONST (30, "axis", "i64", "1", "51216", "8") : "",
      "</layers><edges>", form->edges, edges, IR_EDGE (20, 3, 21, 0),
      unpacked ? more : "", is_gather ? IR_EDGE (30, 0, 20, 2) : "",
      "</edges></net>", NULL);
}

static void
fill_weights (guint8 *weights, const char *name)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  float *numbers = (float *) (gpointer) (weights + 49152);
  gint64 *shape = (gint64 *) (gpointer) (weights + 51200);

  for (guint i = 0; i < 49152; i++)
    weights[i] = (guint8) g_rand_int_range (rand, 0, 256);
  for (guint i = 0; i < N && strcmp (name, "f16") == 0; i++)
    ((guint16 *) (gpointer) weights)[i] =
        infer_f32_to_f16 ((float) g_rand_double_range (rand, -1, 1));
  for (guint i = 0; i < ROWS; i++) {
    numbers[i] = (float) g_rand_double_range (rand, 0.01, 0.02);
    numbers[ROWS + i] = (float) g_rand_int_range (rand, 100, 150);
  }
  for (guint i = 0; i < COLUMNS; i++)
    numbers[2 * ROWS + i] = (float) g_rand_double_range (rand, -1, 1);
  shape[0] = ROWS;
  shape[1] = COLUMNS;
  shape[2] = 0;
}

static void
fill_input (InferTensor *x)
{
  gsize n = infer_shape_count (&x->shape);

  for (gsize i = 0; i < n; i++)
    if (x->type == INFER_TYPE_I32)
      ((gint32 *) x->data)[i] = (gint32) (i * 37 % ROWS) - (i == 2 ? ROWS : 0);
    else
      ((float *) x->data)[i] = (float) (i * 7 % 19) / 4 - 2;
}

/* Output 0 as f32; @bytes: size of the packed weights. */
static GArray *
run (const Form *form, const Reader *reader, gboolean unpacked, gsize *bytes)
{
  g_autofree guint8 *weights = g_malloc0 (51224);
  g_autofree char *net = make_net (form, reader, unpacked);
  g_autoptr (GError) error = NULL;

  fill_weights (weights, form->name);
  g_autoptr (InferModel) model = ir_load_good (net, weights, 51224);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  fill_input (infer_request_get_input (request, 0, NULL));
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const InferTensor *y = infer_request_get_output (request, 0, NULL);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (float));
  g_array_append_vals (out, y->data, (guint) (y->size / sizeof (float)));
  *bytes = cpu_scope_packed_bytes (runtime->scope);
  return out;
}

static void
check (const Form *form, const Reader *reader)
{
  gsize packed, unpacked;
  g_autoptr (GArray) have = run (form, reader, FALSE, &packed);
  g_autoptr (GArray) want = run (form, reader, TRUE, &unpacked);

  g_test_message ("%s %s: %" G_GSIZE_FORMAT " bytes packed, %" G_GSIZE_FORMAT
                  " of what was unpacked",
      form->name, reader->name, packed, unpacked);
  g_assert_cmpuint (have->len, ==, want->len);
  for (guint i = 0; i < have->len; i++) {
    float a = g_array_index (have, float, i),
          b = g_array_index (want, float, i);

    if (reader->weights == 0) /* element-wise: bit for bit */
      g_assert_true (a == b);
    else
      g_assert_cmpfloat_with_epsilon (a, b, 1e-4f * (1 + ABS (b)));
  }
  if (reader->weights == 0)
    g_assert_cmpuint (packed, ==, 0);
}

static void
test_same (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    for (guint r = 0; r < G_N_ELEMENTS (readers); r++)
      check (&forms[f], &readers[r]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-compressed/same", test_same);
  return g_test_run ();
}
