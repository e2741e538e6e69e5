/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products in f16 and bf16: used on request if faster on the machine, near f32
 * for values of any magnitude, and the same for any number of threads. */

#include "infer/request.h"
#include "cpu/base/rates.h"
#include "tests/check/support/recurrent-ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define OP_TAIL(inputs)                                                        \
  "<input>" inputs "</input><output><port id=\"20\" names=\"y\"/></output>"    \
  "</layer>"
#define XW IR_PORT (0) IR_PORT (1)
#define CONVOLUTION(type, strides, dilations, begin, end)                      \
  "<layer id=\"9\" name=\"op\" type=\"" type "\" version=\"opset1\">"          \
  "<data strides=\"" strides "\" dilations=\"" dilations                       \
  "\" pads_begin=\"" begin "\" pads_end=\"" end "\"/>" OP_TAIL (XW)
#define MATMUL(transpose_a, transpose_b)                                       \
  "<layer id=\"9\" name=\"op\" type=\"MatMul\" version=\"opset1\">"            \
  "<data transpose_a=\"" transpose_a "\" transpose_b=\"" transpose_b           \
  "\"/>" OP_TAIL (XW)

typedef struct
{
  const char *name, *x, *w, *layer, *kernel;
  gsize n_x, n_w;
} Form;

static const Form forms[] = {
  { "pointwise", "1,64,9,21", "48,64,1,1",
      CONVOLUTION ("Convolution", "1,1", "1,1", "0,0", "0,0"), "pointwise_half",
      64 * 9 * 21, 48 * 64 },
  { "direct", "2,37,11,13", "35,37,3,3",
      CONVOLUTION ("Convolution", "1,1", "1,1", "1,1", "1,1"), "direct_half",
      2 * 37 * 11 * 13, 35 * 37 * 9 },
  { "strides", "1,19,12,13", "90,19,3,2",
      CONVOLUTION ("Convolution", "2,1", "1,2", "1,0", "0,2"), "direct_half",
      19 * 12 * 13, 90 * 19 * 6 },
  { "line", "1,40,17", "64,40,3",
      CONVOLUTION ("Convolution", "1", "1", "2", "0"), "direct_half", 40 * 17,
      64 * 40 * 3 },
  { "groups", "1,64,7,8", "2,32,32,3,3",
      CONVOLUTION ("GroupConvolution", "1,1", "1,1", "1,1", "1,1"),
      "direct_half", 64 * 7 * 8, 2 * 32 * 32 * 9 },
  { "transposed", "1,48,6,7", "48,24,4,4",
      CONVOLUTION ("ConvolutionBackpropData", "2,2", "1,1", "1,1", "1,1"),
      "transposed_half", 48 * 6 * 7, 48 * 24 * 16 },
  { "row", "1,320", "320,100", MATMUL ("false", "false"), "gemm_half_packed",
      320, 320 * 100 },
  { "rows", "3,50,129", "72,129", MATMUL ("false", "true"), "gemm_half_packed",
      3 * 50 * 129, 72 * 129 },
  { "columns", "3,129,50", "72,129", MATMUL ("true", "true"),
      "gemm_half_packed", 3 * 129 * 50, 72 * 129 },
};

/* @as_f16: the stored type of the weights, converted to f32. */
static char *
make_xml (const Form *form, gboolean as_f16)
{
  return g_strdup_printf (
      "<?xml version=\"1.0\"?><net name=\"test\" version=\"11\"><layers>"
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data "
      "element_type=\"f32\" shape=\"%s\"/><output><port id=\"0\"/></output>"
      "</layer><layer id=\"1\" name=\"w\" type=\"Const\" version=\"opset1\">"
      "<data element_type=\"%s\" shape=\"%s\" offset=\"0\" size=\"%" G_GSIZE_FORMAT
      "\"/><output><port id=\"0\"/></output></layer>%s%s%s</layers><edges>"
      "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"9\" to-port=\"0\"/>"
      "%s%s</edges></net>",
      form->x, as_f16 ? "f16" : "f32", form->w, form->n_w * (as_f16 ? 2 : 4),
      as_f16 ? IR_LAYER (2, "floats", "Convert", "opset1",
          IR_DATA ("destination_type=\"f32\""), IR_PORT (0), IR_PORT (1))
             : "",
      form->layer, IR_RESULT (10, "out"),
      as_f16 ? IR_EDGE (1, 0, 2, 0) IR_EDGE (2, 1, 9, 1) : IR_EDGE (1, 0, 9, 1),
      IR_EDGE (9, 20, 10, 0));
}

typedef struct
{
  float *x, *w;
  guint16 *f16; /* weights; w has exactly these values */
} Data;

static void
data_clear (Data *data)
{
  g_free (data->x);
  g_free (data->w);
  g_free (data->f16);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Data, data_clear)

static void
data_init (Data *data, const Form *form)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  data->x = g_new (float, form->n_x);
  data->w = g_new (float, form->n_w);
  data->f16 = g_new (guint16, form->n_w);
  for (gsize i = 0; i < form->n_x; i++)
    data->x[i] = (float) g_rand_double_range (rand, -1, 1);
  for (gsize i = 0; i < form->n_w; i++) {
    data->f16[i] =
        infer_f32_to_f16 ((float) g_rand_double_range (rand, -0.3, 0.3));
    data->w[i] = infer_f16_to_f32 (data->f16[i]);
  }
}

/* Types of products, and the machines that have them: bf16 in tiles and in
 * vectors. */
static const struct
{
  const char *name, *config, *isa, *kernel;
  CpuIsa needs;
  /* Errors beside those of f16: inputs and weights are rounded to 2^-9, which
   * makes 2.2e-3 of the sums' mean square on average. */
  double coarser;
} types[] = {
  { "f16", ",INFERENCE_PRECISION_HINT=f16", NULL, "half", CPU_ISA_FP16, 1 },
  { "bf16", ",INFERENCE_PRECISION_HINT=bf16", NULL, "bf16", CPU_ISA_BF16, 2.4 },
  { "bf16-vectors", ",INFERENCE_PRECISION_HINT=bf16", "fp16", "bf16",
      CPU_ISA_BF16, 2.4 },
  { "bf16-alone", ",EXECUTION_MODE_HINT=PERFORMANCE", "bf16", "bf16",
      CPU_ISA_BF16, 2.4 },
};

/* Without a hint for bf16, rates decide; those of emulators are low. */
static gboolean
can (guint type)
{
  const CpuIsa isa = cpu_isa_detect ();
  CpuKernels kernels = { 0 };

  if ((isa & types[type].needs) == 0)
    return FALSE;
  if (strstr (types[type].config, "HINT=PERFORMANCE") == NULL)
    return TRUE;
  cpu_kernels_init (&kernels, isa);
  const CpuRates rates = cpu_rates_measure (&kernels, isa);
  return rates.bf16 >= CPU_RATES_LEAST_BF16 * rates.f32;
}

typedef struct
{
  const Form *form;
  guint type;
} Case;

/* The form's kernel for products of @type. */
static char *
kernel_of (const Form *form, guint type)
{
  g_auto (GStrv) parts = g_strsplit (form->kernel, "half", 2);

  return g_strjoinv (types[type].kernel, parts);
}

/* Returns the result; *@kernel is the kernel that computed it. */
static InferTensor *
compute (TestSession *session, const char **kernel)
{
  test_session_infer (session);
  g_autofree char *name = test_session_kernel (session, "op");
  if (name != NULL)
    *kernel = g_intern_string (name);
  return test_session_output (session, 0);
}

static InferTensor *
run_on (const char *isa, const Form *form, const Data *data, gboolean as_f16,
    const char *more, const char **kernel)
{
  g_autofree char *xml = make_xml (form, as_f16);
  g_autofree char *config = g_strconcat ("PERF_COUNT=YES", more, NULL);
  g_autoptr (InferModel) model =
      as_f16 ? ir_load_good (xml, data->f16, form->n_w * 2)
             : ir_load_good (xml, data->w, form->n_w * 4);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, isa, "CPU", config);
  memcpy (test_session_input (&session, 0)->data, data->x,
      form->n_x * sizeof (float));
  return compute (&session, kernel);
}

static InferTensor *
run (const Form *form, const Data *data, gboolean as_f16, const char *more,
    const char **kernel)
{
  return run_on (NULL, form, data, as_f16, more, kernel);
}

#define F32 ",INFERENCE_PRECISION_HINT=f32"
#define F16 ",INFERENCE_PRECISION_HINT=f16"

/* Each of at most 32 products in an f16 sum is rounded to 2^-11 of it; errors
 * are half of those from rounding inputs and weights to bf16. */
static void
check_near (const InferTensor *got, const InferTensor *want, double coarser)
{
  const float *a = got->data, *b = want->data;
  const gsize n = want->size / sizeof *b;
  double largest = 0, squares = 0, errors = 0;

  g_assert_cmpuint (got->size, ==, want->size);
  for (gsize i = 0; i < n; i++) {
    largest = MAX (largest, fabs ((double) b[i]));
    squares += (double) b[i] * (double) b[i] / 1e40;
    errors += ((double) a[i] - (double) b[i]) * ((double) a[i] - (double) b[i])
              / 1e40;
  }
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (
        fabs ((double) a[i] - (double) b[i]), <=, coarser * 4e-3 * largest);
  g_assert_cmpfloat (errors, <=, coarser * coarser * 1.2e-3 * 1.2e-3 * squares);
}

static void
test_form (gconstpointer user_data)
{
  const Case *c = user_data;
  const Form *form = c->form;
  const char *isa = types[c->type].isa, *config = types[c->type].config;
  const char *kernel = "";
  g_autofree char *two_threads =
      g_strconcat (config, ",INFERENCE_NUM_THREADS=2", NULL);
  g_autofree char *expected = kernel_of (form, c->type);
  g_auto (Data) data = { NULL, NULL, NULL };

  data_init (&data, form);
  g_autoptr (InferTensor) want = run (form, &data, FALSE, F32, &kernel);
  g_assert_null (strstr (kernel, types[c->type].kernel));
  g_autoptr (InferTensor) got =
      run_on (isa, form, &data, FALSE, config, &kernel);
  /* Rates decide; those of sanitized kernels say nothing. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (can (c->type))
    g_assert_cmpstr (kernel, ==, expected);
#endif
  check_near (got, want, types[c->type].coarser);
  g_autoptr (InferTensor) two =
      run_on (isa, form, &data, FALSE, two_threads, &kernel);
  g_assert_cmpmem (two->data, two->size, got->data, got->size);
  g_autoptr (InferTensor) stored =
      run_on (isa, form, &data, TRUE, config, &kernel);
  g_assert_cmpmem (stored->data, stored->size, got->data, got->size);
}

/* f32 by default; OpenVINO's key enables lower precision: bf16 where there are
 * tiles of it and several rows, f16 else. */
static void
test_default (gconstpointer user_data)
{
  const Form *form = ((const Case *) user_data)->form;
  const char *kernel = "";
  g_auto (Data) data = { NULL, NULL, NULL };

  data_init (&data, form);
  g_autoptr (InferTensor) want = run (form, &data, FALSE, F32, &kernel);
  g_autoptr (InferTensor) got = run (form, &data, FALSE, "", &kernel);
  g_assert_cmpmem (got->data, got->size, want->data, want->size);
  g_clear_pointer (&want, infer_tensor_unref);
  g_clear_pointer (&got, infer_tensor_unref);
  got = run (form, &data, TRUE, ",EXECUTION_MODE_HINT=PERFORMANCE", &kernel);
  const gboolean tiles = (cpu_isa_detect () & CPU_ISA_AMX) != 0;
  const gboolean is_bf16 = strstr (kernel, "bf16") != NULL;
  if (can (0) && !tiles)
    g_assert_false (is_bf16);
  if (tiles)
    g_assert_cmpint (is_bf16, ==, strcmp (form->name, "row") != 0);
  want = run (form, &data, TRUE, is_bf16 ? types[1].config : F16, &kernel);
  g_assert_cmpmem (got->data, got->size, want->data, want->size);
}

/* Values far beyond the f16 range, in both directions. */
static void
test_sizes (gconstpointer user_data)
{
  static const float sizes[] = { 1e-30f, 1e-6f, 1e6f, 1e30f };
  const Case *c = user_data;
  const Form *form = c->form;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const char *kernel = "";
    g_auto (Data) data = { NULL, NULL, NULL };

    data_init (&data, form);
    for (gsize k = 0; k < form->n_x; k++)
      data.x[k] *= sizes[i];
    for (gsize k = 0; k < form->n_w; k++)
      data.w[k] *= i % 2 == 0 ? 1e5f : 1e-5f;
    g_autoptr (InferTensor) want = run (form, &data, FALSE, F32, &kernel);
    g_autoptr (InferTensor) got = run_on (
        types[c->type].isa, form, &data, FALSE, types[c->type].config, &kernel);
    check_near (got, want, types[c->type].coarser);
  }
}

/* NaN and infinities reach the same outputs as in f32. */
static void
test_no_numbers (gconstpointer user_data)
{
  const Case *c = user_data;
  const Form *form = c->form;
  const char *kernel = "";
  g_auto (Data) data = { NULL, NULL, NULL };

  data_init (&data, form);
  data.x[form->n_x / 3] = NAN;
  data.x[form->n_x - 1] = INFINITY;
  data.x[0] = 1e30f;
  g_autoptr (InferTensor) want = run (form, &data, FALSE, F32, &kernel);
  g_autoptr (InferTensor) got = run_on (
      types[c->type].isa, form, &data, FALSE, types[c->type].config, &kernel);
  const float *a = got->data;
  const float *b = want->data;
  for (gsize i = 0; i < want->size / sizeof *b; i++)
    g_assert_cmpint (isfinite (a[i]), ==, isfinite (b[i]));
}

/* --- recurrent cells --- */

#define INPUT 33
#define HIDDEN 72
#define TIME 5
#define GATES 4
#define N_W ((gsize) GATES * HIDDEN * INPUT)
#define N_R ((gsize) GATES * HIDDEN * HIDDEN)

static const char lstm_xml[] = IR_LSTM (
    "5", "33", "72", "288", "38016", "38080", "82944", "121024", "1152");

#define GRU(...)                                                               \
  IR_GRU ("5", "33", "72", "216", "28512", "38080", "62208", "121024",         \
      __VA_ARGS__)

static const struct
{
  const char *name, *xml, *kernel;
} cells[] = {
  { "lstm", lstm_xml, "lstm_half" },
  { "gru", GRU ("false", "1,216", "864"), "gru_half" },
  { "gru-linear", GRU ("true", "1,288", "1152"), "gru_half" },
};

static void
fill (float *data, gsize n, double size, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (rand, -size, size);
}

static InferTensor *
run_cell (const char *xml, const char *config, const char **kernel)
{
  static float weights[16 + N_W + N_R + GATES * HIDDEN];
  g_auto (TestSession) session = { 0 };
  const gint64 lengths[] = { TIME, TIME };

  fill (weights, G_N_ELEMENTS (weights), 0.2, 1);
  memcpy (weights, lengths, sizeof lengths);
  g_autoptr (InferModel) model = ir_load_good (xml, weights, sizeof weights);
  test_session_open (&session, model, NULL, "CPU", config);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (&session, i);

    fill (input->data, input->size / sizeof (float), 1, 2 + i);
  }
  return compute (&session, kernel);
}

static void
test_cells (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++) {
    const char *kernel = "";

    g_test_message ("%s", cells[i].name);
    g_autoptr (InferTensor) want =
        run_cell (cells[i].xml, "PERF_COUNT=YES", &kernel);
    g_assert_cmpstr (kernel, !=, cells[i].kernel);
    g_autoptr (InferTensor) got =
        run_cell (cells[i].xml, "PERF_COUNT=YES" F16, &kernel);
    if (can (0))
      g_assert_cmpstr (kernel, ==, cells[i].kernel);
    check_near (got, want, 1);
    g_autoptr (InferTensor) two = run_cell (
        cells[i].xml, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2" F16, &kernel);
    g_assert_cmpmem (two->data, two->size, got->data, got->size);
  }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    GTestDataFunc func;
  } tests[] = { { "values", test_form }, { "sizes", test_sizes },
    { "no-numbers", test_no_numbers }, { "default", test_default } };
  static Case cases[G_N_ELEMENTS (types)][G_N_ELEMENTS (forms)];

  g_test_init (&argc, &argv, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (types); k++)
    for (guint i = 0; i < G_N_ELEMENTS (forms); i++) {
      cases[k][i] = (Case){ &forms[i], k };
      for (guint t = 0; t < G_N_ELEMENTS (tests) - (k > 0); t++) {
        g_autofree char *path = g_strdup_printf (
            "/cpu/f16/%s/%s/%s", types[k].name, tests[t].name, forms[i].name);

        g_test_add_data_func (path, &cases[k][i], tests[t].func);
      }
    }
  g_test_add_func ("/cpu/f16/cells", test_cells);
  return g_test_run ();
}
