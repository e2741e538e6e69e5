/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/time/per-op.h"

#include <string.h>

#include "inference/graph/op.h"
#include "tools/time/cost.h"
#include "tools/time/fused.h"

typedef struct
{
  const char *name, *type, *kernel, *device;
  guint64 ns, least;
} Total;

struct _ToolPerOp
{
  GHashTable *totals; /* "device type name" → Total */
  guint runs;
  guint64 ns; /* of all runs as a whole */
};

ToolPerOp *
tool_per_op_new (void)
{
  ToolPerOp *self = g_new0 (ToolPerOp, 1);

  self->totals =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

void
tool_per_op_free (ToolPerOp *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->totals);
  g_free (self);
}

void
tool_per_op_add (ToolPerOp *self, InferRequest *request, guint64 ns)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  self->runs++;
  self->ns += ns;
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);
    g_autofree char *key =
        g_strjoin (" ", timing->device, timing->type, timing->name, NULL);
    Total *total = g_hash_table_lookup (self->totals, key);
    if (total == NULL) {
      total = g_new0 (Total, 1);
      *total = (Total){ timing->name, timing->type, timing->kernel,
        timing->device, 0, G_MAXUINT64 };
      g_hash_table_insert (self->totals, g_steal_pointer (&key), total);
    }
    total->ns += timing->ns;
    total->least = MIN (total->least, timing->ns);
  }
}

static int
compare_totals (gconstpointer a, gconstpointer b)
{
  const Total *left = *(const Total *const *) a;
  const Total *right = *(const Total *const *) b;

  return left->ns == right->ns  ? strcmp (left->name, right->name)
         : left->ns > right->ns ? -1
                                : 1;
}

/* --- verdicts --- */

typedef struct
{
  InferModel *model; /* with the shapes of the run */
  /* By the "type name" of a step's operation: a GPtrArray of all that the step
   * computes (element-type InferOperation), of @model. */
  GHashTable *steps;
  ToolRates rates;
} Judge;

static void
clear_judge (Judge *judge)
{
  g_clear_pointer (&judge->model, infer_model_unref);
  g_clear_pointer (&judge->steps, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Judge, clear_judge)

static void
find_steps (Judge *judge, InferRequest *request)
{
  const InferGraph *graph = infer_model_get_graph (judge->model);
  g_autoptr (GHashTable) fused = tool_find_fused (request);

  judge->steps = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];
    g_autofree char *key = tool_step_key (op->klass->type, op->name);
    const char *step = tool_step_of (fused, key);
    GPtrArray *ops = g_hash_table_lookup (judge->steps, step);

    if (ops == NULL) {
      ops = g_ptr_array_new ();
      g_hash_table_insert (judge->steps, g_strdup (step), ops);
    }
    g_ptr_array_add (ops, op);
  }
}

/* FALSE: no verdicts, for the reason @error. */
static gboolean
make_judge (Judge *judge, InferRequest *request, const InferShape *shapes,
    GError **error)
{
  InferExecutable *executable = infer_request_get_executable (request);
  const InferModel *model = infer_executable_get_model (executable);
  g_autofree guint *inputs = g_new (guint, infer_model_n_inputs (model) + 1);

  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    inputs[i] = i;
  judge->model = infer_model_reshape (
      model, infer_model_n_inputs (model), inputs, shapes, error);
  if (judge->model == NULL
      || !tool_measure_rates (
          infer_executable_get_runtime (executable), &judge->rates, error))
    return FALSE;
  find_steps (judge, request);
  return TRUE;
}

/* FALSE: not known. */
static gboolean
find_cost (const Judge *judge, const Total *total, ToolCost *cost)
{
  if (judge->steps == NULL || total->least == 0)
    return FALSE;
  g_autofree char *key = tool_step_key (total->type, total->name);
  const GPtrArray *ops = g_hash_table_lookup (judge->steps, key);
  return ops != NULL
         && tool_cost_of_step (
             (const InferOperation *const *) ops->pdata, ops->len, cost);
}

static char *
judge_step (const Judge *judge, const Total *total)
{
  ToolCost cost;

  return find_cost (judge, total, &cost)
             ? tool_verdict (&cost, &judge->rates, (double) total->least)
             : g_strdup ("-");
}

/* --- roofline --- */

/* Steps that take a larger part of the model and reach less of the roofline
 * are listed. */
#define LISTED_PART 0.03
#define LISTED_ROOF 0.5

/* The columns of one step. */
static char *
roofline_columns (const Judge *judge, const Total *total)
{
  const double ns = (double) total->least;
  ToolCost cost;

  if (!find_cost (judge, total, &cost))
    return g_strdup_printf ("%9s %9s %9s  ", "-", "-", "-");
  const ToolParts parts = tool_parts_of (&cost, &judge->rates, ns);
  return g_strdup_printf ("%9.1f %9.1f %8.0f%%  ", 2 * cost.products / ns,
      cost.bytes / ns, 100 * MAX (parts.compute, parts.memory));
}

static void
print_below (const Judge *judge, const GPtrArray *totals, double sum)
{
  guint n = 0;

  for (guint i = 0; i < totals->len; i++) {
    const Total *total = totals->pdata[i];
    const double part = (double) total->ns / sum;
    ToolCost cost;

    if (part <= LISTED_PART || !find_cost (judge, total, &cost))
      continue;
    const ToolParts parts =
        tool_parts_of (&cost, &judge->rates, (double) total->least);
    if (MAX (parts.compute, parts.memory) >= LISTED_ROOF)
      continue;
    if (n++ == 0)
      g_print ("below %.0f%% of the roofline, with more than %.0f%% of the "
               "time:\n",
          100 * LISTED_ROOF, 100 * LISTED_PART);
    g_print ("  %5.1f%% of the time, compute %.0f%%, memory %.0f%%: %s %s %s\n",
        100 * part, 100 * parts.compute, 100 * parts.memory, total->type,
        total->kernel != NULL ? total->kernel : "-", total->name);
  }
  if (n == 0)
    g_print ("nothing that takes more than %.0f%% of the time and is known is "
             "below %.0f%% of the roofline\n",
        100 * LISTED_PART, 100 * LISTED_ROOF);
}

/* How much of the time of all products they would take at the roofline; each
 * counts for at most its own time. */
static void
print_sum (const Judge *judge, const GPtrArray *totals)
{
  double time = 0, least = 0;

  for (guint i = 0; i < totals->len; i++) {
    const Total *total = totals->pdata[i];
    ToolCost cost;

    if (!find_cost (judge, total, &cost) || cost.products <= 0)
      continue;
    const ToolParts parts =
        tool_parts_of (&cost, &judge->rates, (double) total->least);
    time += (double) total->least;
    least += (double) total->least * MIN (MAX (parts.compute, parts.memory), 1);
  }
  if (time > 0)
    g_print ("%10.2f us in steps with products, %.0f%% of the roofline\n",
        time / 1e3, 100 * least / time);
}

static void
print_device (InferExecutable *executable)
{
  g_autofree char *text = infer_runtime_describe_device (
      infer_runtime_get_device (infer_executable_get_runtime (executable)),
      NULL);

  g_print ("device      %s\n", text != NULL ? text : "not known");
}

static void
explain (const Judge *judge, const GError *error)
{
  if (error != NULL) {
    g_print ("no verdicts: %s\n", error->message);
    return;
  }
  g_print (
      "compute: the part of the least time that its multiplications alone take "
      "at the rate of a\n  %.1f GFLOP/s product of 256x256 matrices; memory: "
      "that its inputs, weights and outputs\n  take at the rate of ReLU over as "
      "many bytes (%.1f GB/s of 32 KiB to %.1f GB/s of 32 MiB);\n  over 100%%: "
      "it is faster than those; other: neither is 40%%; -: not known (fused\n"
      "  at compilation, or of unknown shape)\n",
      2 * judge->rates.products_per_ns, judge->rates.bytes_per_ns[0],
      judge->rates.bytes_per_ns[TOOL_N_SIZES - 1]);
}

void
tool_per_op_print (const ToolPerOp *self, InferRequest *request,
    const InferShape *shapes, gboolean roofline)
{
  g_auto (Judge) judge = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) totals = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value;
  double sum = 0;

  make_judge (&judge, request, shapes, &error);
  g_hash_table_iter_init (&iter, self->totals);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    g_ptr_array_add (totals, value);
    sum += (double) ((Total *) value)->ns;
  }
  g_ptr_array_sort (totals, compare_totals);
  if (roofline)
    print_device (infer_request_get_executable (request));
  g_print ("%10s %10s %6s  %s%-12s %-20s %-16s %-10s %s\n", "us", "least", "%",
      roofline ? "  GFLOP/s      GB/s  roofline  " : "", "verdict", "type",
      "kernel", "device", "name");
  for (guint i = 0; i < totals->len; i++) {
    const Total *total = totals->pdata[i];
    g_autofree char *verdict = judge_step (&judge, total);
    g_autofree char *columns =
        roofline ? roofline_columns (&judge, total) : g_strdup ("");

    g_print ("%10.2f %10.2f %6.2f  %s%-12s %-20s %-16s %-10s %s\n",
        (double) total->ns / 1e3 / self->runs, (double) total->least / 1e3,
        sum > 0 ? 100 * (double) total->ns / sum : 0, columns, verdict,
        total->type, total->kernel != NULL ? total->kernel : "-", total->device,
        total->name);
  }
  g_print ("%10.2f us in operations, of %.2f us for an inference\n",
      sum / 1e3 / self->runs, (double) self->ns / 1e3 / self->runs);
  if (roofline && error == NULL && sum > 0) {
    print_sum (&judge, totals);
    print_below (&judge, totals, sum);
  }
  explain (&judge, error);
}
