/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each step of a model that computes convolutions or matrix products, beside
 * oneDNN's primitives for them: one thread, in turns.  INFER_CPU_ISA caps both
 * sides. */

#include <stdlib.h>
#include <string.h>

#include "bench/steps/dnn.h"
#include "inference/base/clock.h"
#include "inference/graph/op.h"
#include "tools/time/fused.h"
#include "tools/inputs.h"
#include "tools/options.h"

typedef struct
{
  char *weights;
  GStrv shapes;
  double seconds;
  gboolean bf16;
} Options;

/* A step, with what it took at least. */
typedef struct
{
  const BenchStep *step;
  const char *kernel;
  guint n;
  BenchDnn **dnn; /* by product */
  guint64 ours, *theirs;
  double products;
} Row;

typedef struct
{
  InferRequest *request;
  GPtrArray *inputs;  /* (element-type GBytes) what they are */
  InferModel *model;  /* with static shapes */
  GArray *steps;      /* (element-type BenchStep) */
  GArray *rows;       /* (element-type Row) those that oneDNN computes too */
  GHashTable *by_key; /* index + 1 in rows */
  guint64 whole;      /* the least time of all operations */
  gpointer memory[2], pattern;
} Bench;

/* --- oneDNN's side --- */

static void
clear_row (gpointer data)
{
  Row *row = data;

  for (guint i = 0; i < row->n; i++)
    bench_dnn_free (row->dnn[i]);
  g_free (row->dnn);
  g_free (row->theirs);
}

static gboolean
make_row (Row *row, const BenchStep *step, gboolean bf16)
{
  *row = (Row){ .step = step, .n = step->products->len, .ours = G_MAXUINT64 };
  row->dnn = g_new0 (BenchDnn *, row->n);
  row->theirs = g_new (guint64, row->n);
  for (guint i = 0; i < row->n; i++) {
    const BenchProduct *product =
        &g_array_index (step->products, BenchProduct, i);

    row->theirs[i] = G_MAXUINT64;
    row->products += product->products;
    row->dnn[i] = bench_dnn_new (product, bf16);
    if (row->dnn[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

static void
make_rows (Bench *bench, gboolean bf16)
{
  for (guint i = 0; i < bench->steps->len; i++) {
    const BenchStep *step = &g_array_index (bench->steps, BenchStep, i);
    Row row;

    if (!make_row (&row, step, bf16)) {
      g_printerr ("steps: oneDNN has nothing for %s %s\n",
          step->op->klass->type, step->op->name);
      clear_row (&row);
      continue;
    }
    g_array_append_val (bench->rows, row);
    g_hash_table_insert (bench->by_key,
        tool_step_key (step->op->klass->type, step->op->name),
        GUINT_TO_POINTER (bench->rows->len));
  }
}

/* Results lie where the next product has its input, as in a network. */
static gboolean
bind_rows (Bench *bench, gboolean bf16)
{
  gsize most = 64;
  guint turn = 0;

  for (guint i = 0; i < bench->rows->len; i++) {
    const Row *row = &g_array_index (bench->rows, Row, i);

    for (guint k = 0; k < row->n; k++)
      most = MAX (most, MAX (bench_dnn_data_bytes (row->dnn[k]),
                            bench_dnn_out_bytes (row->dnn[k])));
  }
  most = (most + 63) / 64 * 64;
  bench->pattern = g_malloc (most);
  for (gsize i = 0; i < most / sizeof (float); i++)
    ((float *) bench->pattern)[i] = ((float) (i * 13 % 31) - 15) / 16;
  for (gsize i = 0; i < most / sizeof (guint16) && bf16; i++)
    ((guint16 *) bench->pattern)[i] =
        (guint16) (0x3f00 | (i * 13 % 31) | (i % 2) << 15);
  for (guint i = 0; i < 2; i++) {
    bench->memory[i] = g_aligned_alloc (1, most, 64);
    memcpy (bench->memory[i], bench->pattern, most);
  }
  for (guint i = 0; i < bench->rows->len; i++) {
    const Row *row = &g_array_index (bench->rows, Row, i);

    for (guint k = 0; k < row->n; k++, turn ^= 1)
      if (!bench_dnn_bind (
              row->dnn[k], bench->memory[turn], bench->memory[turn ^ 1]))
        return FALSE;
  }
  return TRUE;
}

/* All products in order; the input of each was written just before. */
static gboolean
run_theirs (Bench *bench)
{
  guint turn = 0;

  for (guint i = 0; i < bench->rows->len; i++) {
    const Row *row = &g_array_index (bench->rows, Row, i);

    for (guint k = 0; k < row->n; k++, turn ^= 1) {
      memcpy (bench->memory[turn], bench->pattern,
          bench_dnn_data_bytes (row->dnn[k]));
      const guint64 begin = infer_clock_ns ();
      if (!bench_dnn_run (row->dnn[k]))
        return FALSE;
      row->theirs[k] = MIN (row->theirs[k], infer_clock_ns () - begin);
    }
  }
  return TRUE;
}

/* --- ours --- */

static gboolean
keep_inputs (Bench *bench, GError **error)
{
  bench->inputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < infer_model_n_inputs (bench->model); i++) {
    const InferTensor *input =
        infer_request_get_input (bench->request, i, error);

    if (input == NULL)
      return FALSE;
    g_ptr_array_add (bench->inputs, g_bytes_new (input->data, input->size));
  }
  return TRUE;
}

/* As an application writes them just before. */
static gboolean
write_inputs (Bench *bench, GError **error)
{
  for (guint i = 0; i < bench->inputs->len; i++) {
    GBytes *bytes = g_ptr_array_index (bench->inputs, i);
    InferTensor *input = infer_request_get_input (bench->request, i, error);

    if (input == NULL)
      return FALSE;
    memcpy (input->data, g_bytes_get_data (bytes, NULL), input->size);
  }
  return TRUE;
}

static gboolean
run_ours (Bench *bench, GError **error)
{
  guint64 sum = 0;

  if (!write_inputs (bench, error)
      || !infer_request_infer (bench->request, error))
    return FALSE;
  g_autoptr (GArray) timings = infer_request_get_op_timings (bench->request);
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);
    g_autofree char *key = tool_step_key (timing->type, timing->name);
    const guint index =
        GPOINTER_TO_UINT (g_hash_table_lookup (bench->by_key, key));

    sum += timing->ns;
    if (index == 0 || timing->ns == 0)
      continue;
    Row *row = &g_array_index (bench->rows, Row, index - 1);
    row->ours = MIN (row->ours, timing->ns);
    row->kernel = timing->kernel;
  }
  bench->whole = MIN (bench->whole, sum);
  return TRUE;
}

static gboolean
measure (Bench *bench, double seconds, GError **error)
{
  const guint64 begin = infer_clock_ns ();

  for (guint i = 0;
       i < 5 || (double) (infer_clock_ns () - begin) < seconds * 1e9; i++)
    if (!run_theirs (bench))
      return infer_fail (error, INFER_ERROR_FAILED, "oneDNN failed to run");
    else if (!run_ours (bench, error))
      return FALSE;
  return TRUE;
}

/* --- report --- */

/* Of all steps of a model, in nanoseconds. */
typedef struct
{
  guint64 ours, theirs;
  guint n, slower; /* steps; those in which oneDNN is faster */
} Sum;

static guint64
theirs_of (const Row *row)
{
  guint64 sum = 0;

  for (guint i = 0; i < row->n; i++)
    sum += row->theirs[i];
  return sum;
}

static void
print_row (const Bench *bench, const Row *row, Sum *sum)
{
  const guint64 theirs = theirs_of (row);
  g_autoptr (GString) kernels = g_string_new (NULL);

  for (guint i = 0; i < row->n; i++)
    g_string_append_printf (
        kernels, "%s%s", i > 0 ? "+" : "", bench_dnn_kernel (row->dnn[i]));
  g_print ("%10.2f %10.2f %6.2f %6.2f %8.1f  %-24s %-24s %s %s\n",
      (double) row->ours / 1e3, (double) theirs / 1e3,
      (double) theirs / (double) row->ours,
      100 * (double) row->ours / (double) bench->whole,
      2 * row->products / (double) row->ours, row->kernel, kernels->str,
      row->step->op->klass->type, row->step->op->name);
  sum->ours += row->ours;
  sum->theirs += theirs;
  sum->n++;
  if (theirs < row->ours)
    sum->slower++;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const guint64 left = ((const Row *) a)->ours, right = ((const Row *) b)->ours;

  return left < right ? 1 : left > right ? -1 : 0;
}

static void
print_all (Bench *bench, const char *path)
{
  Sum sum = { 0 };

  g_print ("%s\n%10s %10s %6s %6s %8s  %-24s %-24s %s\n", path, "us", "oneDNN",
      "ratio", "%", "GFLOP/s", "kernel", "oneDNN's", "step");
  g_array_sort (bench->rows, compare_rows);
  for (guint i = 0; i < bench->rows->len; i++) {
    const Row *row = &g_array_index (bench->rows, Row, i);

    if (row->ours != G_MAXUINT64)
      print_row (bench, row, &sum);
  }
  if (sum.n > 0)
    g_print ("%10.2f %10.2f %6.2f %6.2f  sum of %u steps, %u of them slower "
             "than oneDNN's\n",
        (double) sum.ours / 1e3, (double) sum.theirs / 1e3,
        (double) sum.theirs / (double) sum.ours,
        100 * (double) sum.ours / (double) bench->whole, sum.n, sum.slower);
}

/* --- a model --- */

static void
clear_bench (Bench *bench)
{
  g_clear_pointer (&bench->rows, g_array_unref);
  g_clear_pointer (&bench->steps, g_array_unref);
  g_clear_pointer (&bench->by_key, g_hash_table_unref);
  g_clear_pointer (&bench->model, infer_model_unref);
  g_clear_pointer (&bench->request, infer_request_free);
  g_clear_pointer (&bench->inputs, g_ptr_array_unref);
  g_clear_pointer (&bench->pattern, g_free);
  g_clear_pointer (&bench->memory[0], g_aligned_free);
  g_clear_pointer (&bench->memory[1], g_aligned_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, clear_bench)

static gboolean
open_bench (Bench *bench, InferExecutable *executable, const Options *options,
    GError **error)
{
  InferModel *model = infer_executable_get_model (executable);
  g_autofree InferShape *shapes =
      tool_find_shapes (model, options->shapes, error);
  g_autofree guint *inputs = g_new (guint, infer_model_n_inputs (model) + 1);

  if (shapes == NULL)
    return FALSE;
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    inputs[i] = i;
  bench->whole = G_MAXUINT64;
  bench->model = infer_model_reshape (
      model, infer_model_n_inputs (model), inputs, shapes, error);
  bench->request =
      bench->model != NULL ? infer_request_new (executable, error) : NULL;
  if (bench->request == NULL
      || !tool_fill_inputs (bench->request, model, shapes, error)
      || !keep_inputs (bench, error)
      || !infer_request_infer (bench->request, error))
    return FALSE;
  bench->steps = bench_find_steps (bench->request, bench->model);
  bench->rows = g_array_new (FALSE, TRUE, sizeof (Row));
  g_array_set_clear_func (bench->rows, clear_row);
  bench->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  make_rows (bench, options->bf16);
  return bind_rows (bench, options->bf16)
         || infer_fail (error, INFER_ERROR_FAILED, "oneDNN takes no memory");
}

static gboolean
run_model (const char *path, const Options *options, GError **error)
{
  const ToolModelOptions of_model = { .weights = options->weights };
  const ToolRuntimeOptions of_runtime = { .threads = 1,
    .config =
        (char *) (gsize) (options->bf16 ? "EXECUTION_MODE_HINT=PERFORMANCE"
                                        : NULL) };
  g_autoptr (InferExecutable) executable =
      tool_compile (path, &of_model, &of_runtime, 1, TRUE, error);
  g_auto (Bench) bench = { 0 };

  if (executable == NULL || !open_bench (&bench, executable, options, error)
      || !measure (&bench, options->seconds, error))
    return FALSE;
  print_all (&bench, path);
  return TRUE;
}

static void
clear_options (Options *options)
{
  g_free (options->weights);
  g_strfreev (options->shapes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

int
main (int argc, char **argv)
{
  g_auto (Options) options = { .seconds = 1 };
  const GOptionEntry entries[] = {
    { "weights", 0, 0, G_OPTION_ARG_FILENAME, &options.weights,
        "Weights (default: the model's name with .bin)", "FILE" },
    { "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.shapes,
        "Shape of an input, by name or index", "NAME=1,80" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds,
        "How long to measure each model (default: 1)", "S" },
    { "bf16", 0, 0, G_OPTION_ARG_NONE, &options.bf16,
        "EXECUTION_MODE_HINT=PERFORMANCE, beside oneDNN in bf16", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("MODEL...");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc < 2) {
    g_printerr ("steps: %s\n", error != NULL ? error->message : "no model");
    return 2;
  }
  bench_dnn_begin ();
  for (int i = 1; i < argc; i++)
    if (!run_model (argv[i], &options, &error)) {
      g_printerr ("steps: %s: %s\n", argv[i], error->message);
      return 1;
    }
  return 0;
}
