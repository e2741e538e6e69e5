/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* BatchNormInference, Multiply and Add after every kind of convolution. */

#include "inference/passes/pass.h"
#include "tests/check/support/ir.h"

#include <string.h>

#define CHANNELS 4
#define N_FILTERS 8

#define CONVOLUTION                                                            \
  "strides=\"1,1\" dilations=\"1,1\" pads_begin=\"0,0\" pads_end=\"0,0\" "     \
  "auto_pad=\"explicit\""

/* gamma / sqrt (variance + epsilon) is gamma / 2. */
typedef struct
{
  float filters[N_FILTERS], bias[CHANNELS], gamma[CHANNELS], beta[CHANNELS],
      mean[CHANNELS], variance[CHANNELS], factor, more[CHANNELS];
} Weights;

static const Weights weights = {
  .filters = { 1, 2, 3, 4, 5, 6, 7, 8 },
  .bias = { 1, -1, 2, 0 },
  .gamma = { 2, 4, -6, 1 },
  .beta = { 0, 1, 2, 3 },
  .mean = { 1, 1, -2, 4 },
  .variance = { 3, 3, 3, 3 },
  .factor = 2,
  .more = { 1, 0, 5, -1 },
};

typedef struct
{
  const char *type, *input, *filters;
  guint channel_of[N_FILTERS]; /* of each filter */
} Kind;

static const Kind kinds[] = {
  { "Convolution", "1,2,3,3", "4,2,1,1", { 0, 0, 1, 1, 2, 2, 3, 3 } },
  { "GroupConvolution", "1,4,3,3", "2,2,2,1,1", { 0, 0, 1, 1, 2, 2, 3, 3 } },
  { "ConvolutionBackpropData", "1,2,3,3", "2,4,1,1",
      { 0, 1, 2, 3, 0, 1, 2, 3 } },
  { "GroupConvolutionBackpropData", "1,4,3,3", "2,2,2,1,1",
      { 0, 1, 0, 1, 2, 3, 2, 3 } },
};

static void
add_const (
    GString *layers, guint id, const char *shape, gsize offset, gsize size)
{
  g_string_append_printf (layers,
      "<layer id=\"%u\" name=\"c%u\" type=\"Const\" version=\"opset1\">"
      "<data element_type=\"f32\" shape=\"%s\" offset=\"%" G_GSIZE_FORMAT
      "\" size=\"%" G_GSIZE_FORMAT
      "\"/><output><port id=\"9\"/></output></layer>",
      id, id, shape, offset, size);
}

/* An operation of @n_inputs ports from 0 on; the output is port 9. */
static void
add_layer (GString *layers, guint id, const char *name, const char *type,
    guint opset, const char *data, guint n_inputs)
{
  g_string_append_printf (layers,
      "<layer id=\"%u\" name=\"%s\" type=\"%s\" version=\"opset%u\">"
      "<data %s/><input>",
      id, name, type, opset, data);
  for (guint i = 0; i < n_inputs; i++)
    g_string_append_printf (layers, "<port id=\"%u\"/>", i);
  g_string_append (layers, "</input>");
  if (strcmp (type, "Result") != 0)
    g_string_append (layers, "<output><port id=\"9\"/></output>");
  g_string_append (layers, "</layer>");
}

static void
add_edge (GString *edges, guint from, guint to, guint port)
{
  g_string_append_printf (edges,
      "<edge from-layer=\"%u\" from-port=\"9\" to-layer=\"%u\" "
      "to-port=\"%u\"/>",
      from, to, port);
}

/* Convolution 2, bias 4, BatchNormInference 9, Multiply 11, Add 13. */
static InferModel *
run (const Kind *kind, gboolean biased, guint version, gboolean read_twice)
{
  /* Operations of version 1 and 5 read the data in different places. */
  const guint ports[2][5] = { { 2, 0, 1, 3, 4 }, { 0, 1, 2, 3, 4 } };
  const guint *port = ports[version == 5];
  g_autoptr (GString) layers = g_string_new (NULL);
  g_autoptr (GString) edges = g_string_new (NULL);
  g_autofree char *parameter =
      g_strdup_printf ("element_type=\"f32\" shape=\"%s\"", kind->input);

  add_layer (layers, 0, "x", "Parameter", 1, parameter, 0);
  add_const (layers, 1, kind->filters, G_STRUCT_OFFSET (Weights, filters), 32);
  add_layer (layers, 2, "convolution", kind->type, 1, CONVOLUTION, 2);
  add_const (layers, 3, "1,4,1,1", G_STRUCT_OFFSET (Weights, bias), 16);
  add_layer (layers, 4, "biased", "Add", 1, "", 2);
  add_const (layers, 5, "4", G_STRUCT_OFFSET (Weights, gamma), 16);
  add_const (layers, 6, "4", G_STRUCT_OFFSET (Weights, beta), 16);
  add_const (layers, 7, "4", G_STRUCT_OFFSET (Weights, mean), 16);
  add_const (layers, 8, "4", G_STRUCT_OFFSET (Weights, variance), 16);
  add_layer (
      layers, 9, "norm", "BatchNormInference", version, "epsilon=\"1\"", 5);
  add_const (layers, 10, "1", G_STRUCT_OFFSET (Weights, factor), 4);
  add_layer (layers, 11, "scaled", "Multiply", 1, "", 2);
  add_const (layers, 12, "4,1,1", G_STRUCT_OFFSET (Weights, more), 16);
  add_layer (layers, 13, "sum", "Add", 1, "", 2);
  add_layer (layers, 14, "r", "Result", 1, "", 1);
  add_edge (edges, 0, 2, 0);
  add_edge (edges, 1, 2, 1);
  add_edge (edges, 2, 4, 0);
  add_edge (edges, 3, 4, 1);
  add_edge (edges, biased ? 4 : 2, 9, port[0]);
  for (guint i = 0; i < 4; i++)
    add_edge (edges, 5 + i, 9, port[1 + i]);
  add_edge (edges, 10, 11, 0);
  add_edge (edges, 9, 11, 1);
  add_edge (edges, 11, 13, 0);
  add_edge (edges, 12, 13, 1);
  add_edge (edges, 13, 14, 0);
  if (read_twice) {
    add_layer (layers, 15, "s", "Result", 1, "", 1);
    add_edge (edges, 2, 15, 0);
  }
  g_autofree char *xml = g_strdup_printf (
      "<?xml version=\"1.0\"?><net name=\"test\" version=\"11\"><layers>%s"
      "</layers><edges>%s</edges></net>",
      layers->str, edges->str);
  g_autoptr (InferModel) model = ir_load_good (xml, &weights, sizeof weights);
  g_autoptr (GError) error = NULL;
  InferModel *smaller = infer_passes_run (model, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (infer_graph_check_uses (infer_model_get_graph (smaller)));
  return smaller;
}

static const InferOperation *
first_result (const InferModel *model)
{
  const InferOperation *result =
      infer_model_get_graph (model)->results->pdata[0];

  return result->inputs[0].op;
}

static void
check_folded (const Kind *kind, gboolean biased, guint version)
{
  g_autoptr (InferModel) model = run (kind, biased, version, FALSE);
  const InferOperation *add = first_result (model), *convolution;

  g_assert_cmpstr (add->klass->type, ==, "Add");
  g_assert_cmpstr (add->name, ==, "sum");
  convolution = add->inputs[0].op;
  g_assert_cmpstr (convolution->klass->type, ==, kind->type);
  g_assert_cmpstr (convolution->name, ==, "convolution");
  const float *filters = convolution->inputs[1].op->value->data;
  for (guint i = 0; i < N_FILTERS; i++)
    g_assert_cmpfloat (filters[i], ==,
        weights.filters[i] * weights.gamma[kind->channel_of[i]] / 2
            * weights.factor);
  const float *shift = add->inputs[1].op->value->data;
  for (guint c = 0; c < CHANNELS; c++)
    g_assert_cmpfloat (shift[c], ==,
        weights.factor
                * (weights.beta[c]
                    + weights.gamma[c] / 2
                          * ((biased ? weights.bias[c] : 0) - weights.mean[c]))
            + weights.more[c]);
}

static void
test_folds (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint v = 1; v <= 5; v += 4) {
      check_folded (&kinds[k], FALSE, v);
      check_folded (&kinds[k], TRUE, v);
    }
}

static guint
count (const InferModel *model, const InferOpClass *klass)
{
  const InferGraph *graph = infer_model_get_graph (model);
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++)
    n += infer_op_is (graph->operations->pdata[i], klass);
  return n;
}

/* Another operation reads the convolution: its filters stay. */
static void
test_stays (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
    g_autoptr (InferModel) model = run (&kinds[k], TRUE, 5, TRUE);

    g_assert_cmpuint (count (model, &infer_op_batch_norm_inference), ==, 1);
    g_assert_cmpuint (count (model, &infer_op_multiply), ==, 1);
    g_assert_cmpuint (count (model, &infer_op_add), ==, 2);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/convolution-affine/folds", test_folds);
  g_test_add_func ("/passes/convolution-affine/stays", test_stays);
  return g_test_run ();
}
