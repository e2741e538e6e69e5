/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention in every form that models use, compared with sums in double: it is
 * one step and reads heads in place. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define BATCH 2
#define HEADS 3
#define MAX_ROWS 500

typedef enum
{
  NO_MASK,
  ADD_MATRIX,     /* [1, 1, L, S] */
  ADD_NUMBER,     /* scalar */
  ADD_HEADS,      /* [HEADS, 1, S] */
  DROP_WHERE,     /* Select (mask > 0, -100, scores) */
  DROP_WHERE_NOT, /* Select (mask > 0, scores, -infinity) */
  DROP_COLUMNS,   /* the same with a mask of [1, 1, 1, S] */
} Mask;

typedef struct
{
  const char *label;
  gint64 l, s, e, ev;
  gboolean operation;       /* ScaledDotProductAttention, else MatMuls */
  gboolean heads_inside;    /* operands are [BATCH, L, HEADS, E], transposed */
  gboolean keys_transposed; /* k is transposed, without transpose_b */
  gboolean divide, causal, dynamic;
  gboolean steep; /* values grow along the keys */
  gboolean far;   /* the scores of two keys exceed the others by about 200 */
  Mask mask;
} Form;

static const Form forms[] = {
  { "plain", 5, 7, 8, 16, .keys_transposed = TRUE },
  { "heads", 9, 33, 8, 20, .heads_inside = TRUE },
  { "heads, keys transposed", 9, 33, 8, 20, .heads_inside = TRUE,
      .keys_transposed = TRUE, .divide = TRUE },
  { "rows of two tiles", 60, 50, 24, 17, .heads_inside = TRUE,
      .mask = ADD_MATRIX },
  { "mask of a number", 5, 18, 8, 8, .heads_inside = TRUE, .mask = ADD_NUMBER },
  { "mask of heads", 6, 18, 8, 8, .keys_transposed = TRUE, .mask = ADD_HEADS },
  { "dropped", 6, 18, 8, 8, .heads_inside = TRUE, .mask = DROP_WHERE },
  { "dropped where not", 6, 40, 8, 8, .heads_inside = TRUE,
      .mask = DROP_WHERE_NOT },
  { "one row", 1, 19, 16, 16, .heads_inside = TRUE, .mask = ADD_HEADS },
  { "one row, keys transposed", 1, 19, 16, 16, .keys_transposed = TRUE },
  { "dynamic", 12, 19, 16, 16, .heads_inside = TRUE, .dynamic = TRUE,
      .mask = DROP_COLUMNS },
  { "tiles of keys", 57, 500, 8, 20, .heads_inside = TRUE },
  { "tiles of keys, dropped", 49, 400, 8, 16, .mask = DROP_COLUMNS },
  { "tiles of keys, large scores", 9, 450, 32, 16, .steep = TRUE,
      .mask = ADD_HEADS },
  { "operation", 12, 19, 16, 16, .operation = TRUE, .heads_inside = TRUE },
  { "operation, one row", 1, 30, 16, 18, .operation = TRUE,
      .heads_inside = TRUE },
  { "operation, mask", 12, 19, 16, 16, .operation = TRUE, .heads_inside = TRUE,
      .mask = ADD_MATRIX },
  { "operation, causal", 53, 53, 16, 16, .operation = TRUE,
      .heads_inside = TRUE, .causal = TRUE },
  { "operation, causal, dense", 50, 55, 16, 16, .operation = TRUE,
      .causal = TRUE },
  { "operation, large", 70, 131, 40, 48, .operation = TRUE,
      .heads_inside = TRUE },
  { "operation, two keys far", 70, 131, 40, 48, .operation = TRUE,
      .heads_inside = TRUE, .far = TRUE },
  { "operation, large, mask", 67, 97, 33, 31, .operation = TRUE,
      .heads_inside = TRUE, .mask = ADD_MATRIX },
  { "operation, large, causal", 130, 130, 32, 65, .operation = TRUE,
      .causal = TRUE },
};

/* --- the model --- */

/* q, k or v: a parameter of [BATCH, rows, HEADS, columns], transposed, or
 * directly of [BATCH, HEADS, rows, columns]. */
static char *
add_operand (InferModel *net, const Form *form, const char *name, gint64 rows,
    gint64 columns, gboolean transposed)
{
  const gint64 heads[] = { 0, 2, 1, 3 }, heads_transposed[] = { 0, 2, 3, 1 };
  const gint64 last[] = { 0, 1, 3, 2 };
  g_autofree char *shape = NULL, *inputs = NULL, *order = NULL;
  gint64 a = form->heads_inside ? rows : HEADS;
  gint64 b = form->heads_inside ? HEADS : rows;

  if (form->dynamic)
    shape = g_strdup_printf ("?,?,%d,%d", (int) b, (int) columns);
  else
    shape =
        g_strdup_printf ("%d,%d,%d,%d", BATCH, (int) a, (int) b, (int) columns);
  net_parameter (net, name, shape);
  if (!form->heads_inside && !transposed)
    return g_strdup (name);
  order = g_strconcat (name, "_order", NULL);
  inputs = g_strconcat (name, " ", order, NULL);
  char *out = g_strconcat (name, "_transposed", NULL);
  net_const_i64 (net, order, 4,
      !form->heads_inside ? last
      : transposed        ? heads_transposed
                          : heads);
  net_add (net, "Transpose", out, inputs, 1, NULL);
  return out;
}

static const char *
add_scores (InferModel *net, const Form *form, const char *q, const char *k)
{
  const float factor = form->divide ? 1 / 0.3f : 0.3f;
  g_autofree char *inputs = g_strconcat (q, " ", k, NULL);

  net_add (net, "MatMul", "product", inputs, 1, "transpose_a", "false",
      "transpose_b", form->keys_transposed ? "false" : "true", NULL);
  net_const_f32 (net, "factor", 1, &factor);
  net_add (net, form->divide ? "Divide" : "Multiply", "scaled",
      "product factor", 1, NULL);
  return "scaled";
}

static char *
mask_shape (const Form *form)
{
  if (form->mask == ADD_NUMBER)
    return g_strdup ("1");
  if (form->mask == ADD_HEADS)
    return g_strdup_printf ("%d,1,%d", HEADS, (int) form->s);
  if (form->mask == DROP_COLUMNS)
    return form->dynamic ? g_strdup ("?,1,1,?")
                         : g_strdup_printf ("1,1,1,%d", (int) form->s);
  return g_strdup_printf ("1,1,%d,%d", (int) form->l, (int) form->s);
}

static const char *
add_mask (InferModel *net, const Form *form, const char *scores)
{
  const float zero = 0, fill = form->mask == DROP_WHERE ? -100 : -INFINITY;
  g_autofree char *shape = mask_shape (form);

  if (form->mask == NO_MASK)
    return scores;
  net_parameter (net, "mask", shape);
  if (form->mask < DROP_WHERE) {
    net_add (net, "Add", "masked", "scaled mask", 1, NULL);
    return "masked";
  }
  net_const_f32 (net, "zero", 1, &zero);
  net_const_f32 (net, "fill", 1, &fill);
  net_add (net, "Greater", "where", "mask zero", 1, NULL);
  net_add (net, "Select", "masked",
      form->mask == DROP_WHERE ? "where fill scaled" : "where scaled fill", 1,
      NULL);
  return "masked";
}

static InferModel *
make_model (const Form *form)
{
  InferModel *net = net_new ();
  const gint64 order[] = { 0, 2, 1, 3 };
  g_autofree char *q = add_operand (net, form, "q", form->l, form->e, FALSE);
  g_autofree char *k =
      add_operand (net, form, "k", form->s, form->e, form->keys_transposed);
  g_autofree char *v = add_operand (net, form, "v", form->s, form->ev, FALSE);
  g_autofree char *inputs = NULL;

  if (form->operation) {
    g_autofree char *shape = mask_shape (form);

    if (form->mask != NO_MASK)
      net_parameter (net, "mask", shape);
    inputs = g_strconcat (
        q, " ", k, " ", v, form->mask != NO_MASK ? " mask" : NULL, NULL);
    net_add (net, "ScaledDotProductAttention", "attention", inputs, 1, "causal",
        form->causal ? "true" : "false", NULL);
  } else {
    net_add (net, "SoftMax", "weights",
        add_mask (net, form, add_scores (net, form, q, k)), 1, "axis", "-1",
        NULL);
    inputs = g_strconcat ("weights ", v, NULL);
    net_add (net, "MatMul", "attention", inputs, 1, "transpose_a", "false",
        "transpose_b", "false", NULL);
  }
  if (form->heads_inside) {
    net_const_i64 (net, "order", 4, order);
    net_add (net, "Transpose", "joined", "attention order", 1, NULL);
  }
  net_result (net, "result", form->heads_inside ? "joined" : "attention");
  net_settle (net);
  return net;
}

/* --- reference --- */

static gsize
place (const Form *form, gsize b, gsize h, gsize row, gint64 rows)
{
  return form->heads_inside ? (b * (gsize) rows + row) * HEADS + h
                            : (b * HEADS + h) * (gsize) rows + row;
}

static double
score (const Form *form, const float *q, const float *k, const float *mask,
    gsize h, gsize i, gsize j)
{
  double x = 0, scale = form->operation ? 1 / sqrt ((double) form->e) : 0.3;

  for (gint64 c = 0; c < form->e; c++)
    x += (double) q[c] * (double) k[c];
  x *= scale;
  if (form->causal && j > i)
    return -(double) INFINITY;
  switch (form->mask) {
    case ADD_MATRIX:
      return x + (double) mask[i * (gsize) form->s + j];
    case ADD_HEADS:
      return x + (double) mask[h * (gsize) form->s + j];
    case DROP_WHERE:
      return mask[i * (gsize) form->s + j] > 0 ? -100 : x;
    case DROP_WHERE_NOT:
      return mask[i * (gsize) form->s + j] > 0 ? x : -(double) INFINITY;
    case DROP_COLUMNS:
      return mask[j] > 0 ? x : -(double) INFINITY;
    default:
      return x;
  }
}

static void
check_row (const Form *form, float *const *in, const float *got, gsize b,
    gsize h, gsize i, double error)
{
  double weights[MAX_ROWS], most = -(double) INFINITY, sum = 0;
  const float *q = in[0] + place (form, b, h, i, form->l) * (gsize) form->e;
  const float *out = got + place (form, b, h, i, form->l) * (gsize) form->ev;

  for (gsize j = 0; j < (gsize) form->s; j++) {
    const float *k = in[1] + place (form, b, h, j, form->s) * (gsize) form->e;

    weights[j] = score (form, q, k, in[3], h, i, j);
    most = MAX (most, weights[j]);
  }
  for (gsize j = 0; j < (gsize) form->s; j++)
    sum += weights[j] = exp (weights[j] - most);
  for (gsize c = 0; c < (gsize) form->ev; c++) {
    double want = 0;

    for (gsize j = 0; j < (gsize) form->s; j++)
      want += weights[j] / sum
              * (double)
                  in[2][place (form, b, h, j, form->s) * (gsize) form->ev + c];
    g_assert_cmpfloat_with_epsilon ((double) out[c], want, error);
  }
}

/* It is listed but has not run. */
static gboolean
is_optimized_out (InferRequest *request, const char *name)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->name, name) == 0
        && strcmp (timing->kernel, "optimized out") == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
has_step (InferRequest *request, const char *type)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->type, type) == 0
        && strcmp (timing->kernel, "optimized out") != 0)
      return TRUE;
  }
  return FALSE;
}

static void
fill_input (InferRequest *request, const Form *form, guint i, GRand *rand)
{
  g_autoptr (GError) error = NULL;
  const gint64 rows = i == 0 ? form->l : form->s;
  InferShape shape = { .rank = 4,
    .dims = { BATCH, rows, HEADS, i == 2 ? form->ev : form->e } };

  if (i == 3)
    shape = (InferShape){ .rank = 4, .dims = { 1, 1, 1, form->s } };
  if (form->dynamic)
    infer_request_set_input_shape (request, i, &shape, &error);
  g_assert_no_error (error);
  InferTensor *input = infer_request_get_input (request, i, &error);
  g_assert_no_error (error);
  for (gsize n = 0; n < input->size / sizeof (float); n++)
    ((float *) input->data)[n] = (float) g_rand_double_range (rand, -2, 2);
  for (gsize n = 0; form->steep && i == 1 && n < input->size / sizeof (float);
       n++)
    ((float *) input->data)[n] *=
        (float) (n / (gsize) form->e % (gsize) form->s) / 130;
  for (gsize n = 0; form->far && i < 2 && n < input->size / sizeof (float);
       n++) {
    float *at = (float *) input->data + n;
    const gsize key = n / (gsize) form->e / HEADS % (gsize) form->s;

    if (i == 0)
      *at = fabsf (*at);
    else if (key == 77 || key == 78)
      *at = key == 77 ? 30 : 28;
  }
  /* At least one key of each row is not masked. */
  for (gsize n = 0; i == 3 && n < input->size / sizeof (float);
       n += (gsize) form->s)
    ((float *) input->data)[n] = form->mask == DROP_WHERE ? -1 : 1;
}

static gboolean
runs_kernel (InferRequest *request, const char *kernel)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  for (guint i = 0; i < timings->len; i++)
    if (strcmp (g_array_index (timings, InferOpTiming, i).kernel, kernel) == 0)
      return TRUE;
  return FALSE;
}

/* @is_bf16: operands may be rounded to bf16. */
static void
check_form (const Form *form, gboolean is_bf16, const char *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (InferModel) model = make_model (form);
  g_autoptr (InferRequest) request = test_request (model, "CPU", config);
  float *in[4] = { NULL };

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    fill_input (request, form, i, rand);
    in[i] = infer_request_get_input (request, i, NULL)->data;
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  g_assert_false (has_step (request, "SoftMax"));
  g_assert_false (has_step (request, "MatMul"));
  g_assert_false (has_step (request, "Select"));
  g_assert_false (has_step (request, "Transpose"));
  g_assert_true (has_step (request, "ScaledDotProductAttention"));
  if (!form->operation)
    g_assert_true (is_optimized_out (request, "weights"));
  if (form->heads_inside)
    g_assert_true (is_optimized_out (request, "joined"));
  /* Columns that are not adjacent are left to f32. */
  const gboolean could =
      is_bf16 && MIN (form->l, form->s) >= 16 && MIN (form->e, form->ev) >= 16
      && !form->keys_transposed && (cpu_isa_detect () & CPU_ISA_BF16) != 0;
  const gboolean tiles = runs_kernel (request, "tiles_bf16");
  /* Without a hint, vectors of bf16 are used only where they are faster. */
  if (!could || (cpu_isa_detect () & CPU_ISA_AMX)
      || strstr (config, "HINT=bf16") != NULL)
    g_assert_cmpint (tiles, ==, could);
  /* Scores reach 20, and values 2: of those in bf16, relative to 2^-8. */
  for (gsize b = 0; b < BATCH; b++)
    for (gsize h = 0; h < HEADS; h++)
      for (gsize i = 0; i < (gsize) form->l; i++)
        check_row (form, in, infer_request_get_output (request, 0, NULL)->data,
            b, h, i, tiles ? 4e-2 : 3e-6);
}

static void
test_form (gconstpointer data)
{
  check_form (data, FALSE, "PERF_COUNT=YES");
}

static void
test_bf16 (gconstpointer data)
{
  check_form (data, TRUE, "PERF_COUNT=YES,EXECUTION_MODE_HINT=PERFORMANCE");
  check_form (data, TRUE,
      "PERF_COUNT=YES,INFERENCE_PRECISION_HINT=bf16,INFERENCE_NUM_THREADS=2");
}

/* The weights can be fetched as outputs. */
static void
test_weights_wanted (void)
{
  const char *const ports[] = { "weights", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) net = make_model (&forms[0]);
  g_autoptr (InferModel) model = infer_model_add_outputs (net, ports, &error);
  g_autoptr (InferRequest) request = test_request (model, "CPU", NULL);

  for (guint i = 0; i < 3; i++) {
    InferTensor *input = infer_request_get_input (request, i, &error);

    memset (input->data, 0, input->size);
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  g_assert_true (has_step (request, "SoftMax"));
  const InferTensor *weights = infer_request_get_output (request, 1, NULL);
  g_assert_cmpuint (weights->size, ==, BATCH * HEADS * 5 * 7 * sizeof (float));
  for (gsize i = 0; i < BATCH * HEADS * 5 * 7; i++)
    g_assert_cmpfloat_with_epsilon (
        ((const float *) weights->data)[i], 1.0f / 7, 1e-6f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autofree char *path =
        g_strconcat ("/cpu/attention/", forms[i].label, NULL);

    g_test_add_data_func (path, &forms[i], test_form);
    g_autofree char *bf16 = g_strconcat (path, "/bf16", NULL);
    g_test_add_data_func (bf16, &forms[i], test_bf16);
  }
  g_test_add_func ("/cpu/attention/weights-wanted", test_weights_wanted);
  return g_test_run ();
}
