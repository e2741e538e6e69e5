/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantised networks computed with int8 kernels and with f32 kernels: equal,
 * except values halfway between two quantised ones. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <string.h>

typedef struct
{
  GString *layers, *edges;
  GByteArray *weights;
  GRand *rand;
  guint n;
} Net;

static guint
add_layer (
    Net *net, const char *type, const char *data, guint n_in, const guint *in)
{
  guint id = net->n++;

  g_string_append_printf (net->layers,
      "<layer id=\"%u\" name=\"%s%u\" type=\"%s\" version=\"opset1\"><data "
      "%s/><input>",
      id, type, id, type, data);
  for (guint i = 0; i < n_in; i++) {
    g_string_append_printf (net->layers, "<port id=\"%u\"/>", i);
    g_string_append_printf (net->edges,
        "<edge from-layer=\"%u\" from-port=\"9\" to-layer=\"%u\" "
        "to-port=\"%u\"/>",
        in[i], id, i);
  }
  g_string_append (net->layers, "</input><output>");
  if (strcmp (type, "Result") != 0)
    g_string_append (net->layers, "<port id=\"9\"/>");
  g_string_append (net->layers, "</output></layer>");
  return id;
}

static guint
add_const (Net *net, const char *shape, const float *values, gsize n)
{
  g_autofree char *data = g_strdup_printf ("element_type=\"f32\" shape=\"%s\" "
                                           "offset=\"%u\" size=\"%zu\"",
      shape, net->weights->len, n * sizeof *values);

  g_byte_array_append (
      net->weights, (const guint8 *) values, (guint) (n * sizeof *values));
  return add_layer (net, "Const", data, 0, NULL);
}

static guint
add_quantize (Net *net, guint in, float low, float high)
{
  guint lo = add_const (net, "1", &low, 1), hi = add_const (net, "1", &high, 1);

  return add_layer (net, "FakeQuantize", "levels=\"256\"", 5,
      (guint[]){ in, lo, hi, lo, hi });
}

typedef struct
{
  guint h, w, stride, dilation;
} Window;

/* Integer weights from @low to @high, and a bias. */
static guint
add_windows (Net *net, guint in, guint groups, guint oc, guint ic, Window k,
    int low, int high)
{
  gsize each = (gsize) ic * k.h * k.w, n = groups * oc * each;
  g_autofree float *filters = g_new (float, n);
  g_autofree float *bias = g_new (float, groups *oc);
  g_autofree char *shape =
      groups > 1 ? g_strdup_printf ("%u,%u,%u,%u,%u", groups, oc, ic, k.h, k.w)
                 : g_strdup_printf ("%u,%u,%u,%u", oc, ic, k.h, k.w);
  g_autofree char *bias_shape = g_strdup_printf ("1,%u,1,1", groups * oc);
  guint y = k.h / 2 * k.dilation, x = k.w / 2 * k.dilation;
  g_autofree char *data = g_strdup_printf (
      "strides=\"%u,%u\" dilations=\"%u,%u\" pads_begin=\"%u,%u\" "
      "pads_end=\"%u,%u\"",
      k.stride, k.stride, k.dilation, k.dilation, y, x, y, x);
  float scale = 0;

  for (gsize i = 0; i < n; i++) {
    if (i % each == 0)
      scale = (float) g_rand_double_range (net->rand, 0.001, 0.01);
    filters[i] = (float) g_rand_int_range (net->rand, low, high + 1) * scale;
  }
  for (guint c = 0; c < groups * oc; c++)
    bias[c] = (float) g_rand_double_range (net->rand, -1, 1);
  in = add_layer (net, groups > 1 ? "GroupConvolution" : "Convolution", data, 2,
      (guint[]){ in, add_const (net, shape, filters, n) });
  return add_layer (net, "Add", "auto_broadcast=\"numpy\"", 2,
      (guint[]){ in, add_const (net, bias_shape, bias, groups * oc) });
}

static guint
add_convolution (Net *net, guint in, guint groups, guint oc, guint ic, guint k,
    guint stride, int low, int high)
{
  return add_windows (
      net, in, groups, oc, ic, (Window){ k, k, stride, 1 }, low, high);
}

/* Two results: @floats and @quantised. */
static InferModel *
end_net (Net *net, guint floats, guint quantised)
{
  add_layer (net, "Result", "", 1, &floats);
  add_layer (net, "Result", "", 1, &quantised);
  g_autofree char *xml = g_strdup_printf (
      "<net name=\"quantised\" version=\"11\"><layers>%s</layers><edges>%s</edges>"
      "</net>",
      net->layers->str, net->edges->str);
  InferModel *model = ir_load_good (xml, net->weights->data, net->weights->len);
  g_string_free (net->layers, TRUE);
  g_string_free (net->edges, TRUE);
  g_byte_array_unref (net->weights);
  return model;
}

/* Windows of any shape and of one column, depthwise convolutions, whose
 * integers need one, two or three bytes, a product, and all together. */
static InferModel *
make_windows (GRand *rand, guint batch, int most_rows, int most_columns)
{
  static const int ranges[][2] = { { -127, 127 }, { -255, 0 }, { 0, 255 } };
  static const char *const acts[] = { "ReLU", "Clamp", "Sigmoid" };
  Net net = { g_string_new (NULL), g_string_new (NULL), g_byte_array_new (),
    rand, 0 };
  guint channels = (guint) g_rand_int_range (rand, 2, 70);
  guint h = (guint) g_rand_int_range (rand, 1, 30);
  guint w = g_rand_boolean (rand) ? 1 : (guint) g_rand_int_range (rand, 1, 30);
  const int *range = ranges[g_rand_int_range (rand, 0, 3)];
  const char *act = acts[g_rand_int_range (rand, 0, 3)];
  g_autofree char *data = g_strdup_printf (
      "element_type=\"f32\" shape=\"%u,%u,%u,%u\"", batch, channels, h, w);
  Window window = { (guint) g_rand_int_range (rand, 1, most_rows + 1),
    w == 1 ? 1 : (guint) g_rand_int_range (rand, 1, most_columns + 1),
    (guint) g_rand_int_range (rand, 1, 3),
    (guint) g_rand_int_range (rand, 1, 3) };

  if (g_rand_boolean (rand))
    window.h = 1;
  guint a = add_layer (&net, "Parameter", data, 0, NULL);
  a = add_quantize (&net, a, -1, 1.54f);
  a = add_windows (&net, a, channels, 1, 1, window, range[0], range[1]);
  a = add_layer (&net, act, "min=\"-0.5\" max=\"2.1\"", 1, &a);
  a = add_quantize (&net, a, -1, 6);
  a = add_convolution (&net, a, 1, 33, channels, 1, 1, -127, 127);
  a = add_layer (&net, "Clamp", "min=\"0.5\" max=\"5\"", 1, &a);
  a = add_quantize (&net, a, 0, 4);
  return end_net (
      &net, add_windows (&net, a, 1, 5, 33, window, range[0], range[1]), a);
}

static InferModel *
make_window_net (GRand *rand, guint batch)
{
  return make_windows (rand, batch, 7, 11);
}

/* Small enough for conv_windows_u8, mostly. */
static InferModel *
make_small_window_net (GRand *rand, guint batch)
{
  return make_windows (rand, batch, 4, 3);
}

/* Convolutions of every kind, a sum of quantised values, and quantised values
 * as an f32 output. */
static InferModel *
make_net (GRand *rand, guint batch)
{
  Net net = { g_string_new (NULL), g_string_new (NULL), g_byte_array_new (),
    rand, 0 };
  guint groups = (guint) g_rand_int_range (rand, 1, 3);
  guint ic = (guint) g_rand_int_range (rand, 1, 20);
  guint oc = (guint) g_rand_int_range (rand, 1, 50);
  guint h = (guint) g_rand_int_range (rand, 1, 20);
  guint w = (guint) g_rand_int_range (rand, 1, 40);
  gboolean wide = g_rand_boolean (rand);
  g_autofree char *data = g_strdup_printf (
      "element_type=\"f32\" shape=\"%u,%u,%u,%u\"", batch, groups * ic, h, w);

  guint a = add_layer (&net, "Parameter", data, 0, NULL);
  a = add_quantize (&net, a, -1, 1.54f);
  a = add_convolution (&net, a, groups, oc, ic,
      (guint) g_rand_int_range (rand, 0, 2) * 2 + 1,
      (guint) g_rand_int_range (rand, 1, 3), wide ? -200 : -127,
      wide ? 55 : 127);
  a = add_layer (&net, "ReLU", "", 1, &a);
  a = add_quantize (&net, a, 0, 6);
  guint b = add_convolution (&net, a, groups * oc, 1, 1, 3, 1, -200, 55);
  if (groups * oc > 1)
    b = add_quantize (&net, b, -4, 4.03f);
  b = add_layer (&net, "Add", "auto_broadcast=\"numpy\"", 2, (guint[]){ a, b });
  b = add_quantize (&net, b, -3, 7.2f);
  b = add_convolution (&net, b, 1, 5, groups * oc, 1, 1, -127, 127);
  return end_net (&net, b, a);
}

/* Quantised values that pass a MaxPool and a Concat before a convolution. */
static InferModel *
make_moving_net (GRand *rand, guint batch)
{
  Net net = { g_string_new (NULL), g_string_new (NULL), g_byte_array_new (),
    rand, 0 };
  guint ic = (guint) g_rand_int_range (rand, 1, 20);
  guint oc = (guint) g_rand_int_range (rand, 1, 50);
  guint h = (guint) g_rand_int_range (rand, 1, 20);
  guint w = (guint) g_rand_int_range (rand, 2, 40);
  g_autofree char *data = g_strdup_printf (
      "element_type=\"f32\" shape=\"%u,%u,%u,%u\"", batch, ic, h, w);

  guint a = add_layer (&net, "Parameter", data, 0, NULL);
  a = add_quantize (&net, a, -1, 1.54f);
  a = add_convolution (&net, a, 1, oc, ic, 1, 1, -127, 127);
  a = add_layer (&net, "ReLU", "", 1, &a);
  a = add_quantize (&net, a, 0, 6);
  guint b = add_layer (&net, "MaxPool",
      "kernel=\"3,3\" strides=\"1,1\" pads_begin=\"1,1\" pads_end=\"1,1\" "
      "rounding_type=\"floor\" auto_pad=\"explicit\"",
      1, &a);
  b = add_convolution (&net, b, 1, 7, oc, 3, 1, -127, 127);
  b = add_layer (&net, "ReLU", "", 1, &b);
  b = add_quantize (&net, b, 0, 6);
  guint c = add_layer (&net, "Concat", "axis=\"1\"", 3, (guint[]){ a, b, a });
  return end_net (
      &net, add_convolution (&net, c, 1, 5, 2 * oc + 7, 3, 1, -127, 127), c);
}

/* SiLU as quantisers write it, with every step quantised, and its result as an
 * f32 output; it is read by a convolution and by a Clamp. */
static InferModel *
make_table_net (GRand *rand, guint batch)
{
  Net net = { g_string_new (NULL), g_string_new (NULL), g_byte_array_new (),
    rand, 0 };
  guint oc = (guint) g_rand_int_range (rand, 1, 50);
  gboolean swapped = g_rand_boolean (rand);
  g_autofree char *data = g_strdup_printf (
      "element_type=\"f32\" shape=\"%u,3,%u,17\"", batch, 1 + oc % 9);

  guint a = add_layer (&net, "Parameter", data, 0, NULL);
  a = add_quantize (&net, a, -1, 1.54f);
  a = add_convolution (&net, a, 1, oc, 3, 3, 1, -127, 127);
  a = add_quantize (&net, a, -5, 6);
  guint b = add_layer (&net, "Sigmoid", "", 1, &a);
  b = add_quantize (&net, b, 0, 1);
  a = add_layer (&net, "Multiply", "auto_broadcast=\"numpy\"", 2,
      swapped ? (guint[]){ b, a } : (guint[]){ a, b });
  a = add_quantize (&net, a, -0.3f, 6);
  b = add_layer (&net, "Clamp", "min=\"0.5\" max=\"5\"", 1, &a);
  b = add_quantize (&net, b, 0, 4);
  b = add_layer (&net, "Concat", "axis=\"1\"", 2, (guint[]){ a, b });
  return end_net (
      &net, add_convolution (&net, b, 1, 5, 2 * oc, 1, 1, -127, 127), a);
}

static guint
count_kernels (InferRequest *request, const char *suffix)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  guint n = 0;

  for (guint i = 0; i < timings->len; i++)
    n += g_str_has_suffix (
        g_array_index (timings, InferOpTiming, i).kernel, suffix);
  return n;
}

static void
run (InferModel *model, const char *isa, const char *threads, guint32 seed,
    InferTensor **outputs, guint *n_u8)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  test_session_open (&session, model, isa, "CPU", threads);
  InferTensor *input = test_session_input (&session, 0);
  for (gsize i = 0; i < input->size / sizeof (float); i++)
    ((float *) input->data)[i] = (float) g_rand_double_range (rand, -1.2, 1.7);
  test_session_infer (&session);
  *n_u8 = count_kernels (session.request, "u8");
  for (guint k = 0; k < 2; k++)
    outputs[k] = test_session_output (&session, k);
}

/* Results on a quantised scale differ by at most one step, and rarely. */
static void
check_quantised (const InferTensor *got, const InferTensor *want, float step)
{
  gsize n = want->size / sizeof (float), other = 0;

  g_assert_cmpuint (got->size, ==, want->size);
  for (gsize i = 0; i < n; i++) {
    float distance = ABS (((float *) got->data)[i] - ((float *) want->data)[i]);

    g_assert_cmpfloat (distance, <, 1.01f * step);
    other += distance > 0.5f * step;
  }
  g_assert_cmpuint (other, <=, 1 + n / 200);
}

/* @step: quantisation step of the second result; @least: minimum number of int8
 * steps. */
static void
check_nets (InferModel *(*make) (GRand *, guint), float step, guint least)
{
  gboolean can = cpu_isa_has_int8 (cpu_isa_detect ());

  for (guint32 seed = 0; seed < 60; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (InferModel) model = make (rand, 1 + seed % 2);
    InferTensor *want[2], *got[2], *threads[2];
    guint n_u8 = 0;

    run (model, "c", "PERF_COUNT=YES", seed, want, &n_u8);
    g_assert_cmpuint (n_u8, ==, 0);
    run (model, NULL, "PERF_COUNT=YES", seed, got, &n_u8);
    if (can)
      g_assert_cmpuint (n_u8, >=, least);
    run (model, NULL, "INFERENCE_NUM_THREADS=2,PERF_COUNT=YES", seed, threads,
        &n_u8);
    check_quantised (got[1], want[1], step);
    for (gsize i = 0; i < want[0]->size / sizeof (float); i++)
      g_assert_cmpfloat_with_epsilon (
          ((float *) got[0]->data)[i], ((float *) want[0]->data)[i], 0.2f);
    for (guint k = 0; k < 2; k++) {
      g_assert_cmpmem (
          got[k]->data, got[k]->size, threads[k]->data, threads[k]->size);
      infer_tensor_unref (want[k]);
      infer_tensor_unref (got[k]);
      infer_tensor_unref (threads[k]);
    }
  }
}

static void
test_random (void)
{
  check_nets (make_net, 6 / 255.0f, 3);
}

static void
test_moves (void)
{
  check_nets (make_moving_net, 6 / 255.0f, 7);
}

static void
test_windows (void)
{
  check_nets (make_window_net, 4 / 255.0f, 3);
  check_nets (make_small_window_net, 4 / 255.0f, 3);
}

static void
test_tables (void)
{
  check_nets (make_table_net, 6.3f / 255.0f, 3);
}

static void
check_level (
    InferModel *model, const char *isa, gboolean int8, InferTensor **want)
{
  InferTensor *got[2];
  guint n_u8 = 0;

  run (model, isa, "PERF_COUNT=YES", 1, got, &n_u8);
  g_assert_cmpint (n_u8 > 0, ==, int8);
  for (guint k = 0; k < 2; k++) {
    if (int8 && want[k] == NULL)
      want[k] = infer_tensor_ref (got[k]);
    if (int8)
      g_assert_cmpmem (
          got[k]->data, got[k]->size, want[k]->data, want[k]->size);
    infer_tensor_unref (got[k]);
  }
}

/* All levels with instructions for bytes use them, and give the same bits. */
static void
test_levels (void)
{
  static const struct
  {
    const char *name;
    CpuIsa isa;
    gboolean int8;
  } levels[] = {
    { "avx2", CPU_ISA_AVX2, FALSE },
    { "avxvnni", CPU_ISA_AVXVNNI, TRUE },
    { "avx512", CPU_ISA_AVX512, FALSE },
    { "vnni", CPU_ISA_VNNI, TRUE },
    { "amx", CPU_ISA_AMX, TRUE },
  };
  const CpuIsa have = cpu_isa_detect ();

  if (g_getenv ("INFER_CPU_ISA") != NULL || !(have & CPU_ISA_AVX2)) {
    g_test_skip ("one level of instructions only");
    return;
  }
  for (guint32 seed = 0; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (InferModel) model = seed % 3 == 0 ? make_net (rand, 1)
                                   : seed % 3 == 1
                                       ? make_moving_net (rand, 1)
                                       : make_small_window_net (rand, 1);
    InferTensor *want[2] = { NULL, NULL };

    for (gsize i = 0; i < G_N_ELEMENTS (levels); i++)
      if (have & levels[i].isa)
        check_level (model, levels[i].name, levels[i].int8, want);
    g_clear_pointer (&want[0], infer_tensor_unref);
    g_clear_pointer (&want[1], infer_tensor_unref);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/quantised/levels", test_levels);
  g_test_add_func ("/cpu/quantised/moves", test_moves);
  g_test_add_func ("/cpu/quantised/random", test_random);
  g_test_add_func ("/cpu/quantised/tables", test_tables);
  g_test_add_func ("/cpu/quantised/windows", test_windows);
  return g_test_run ();
}
