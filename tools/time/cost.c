/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/time/cost.h"

#include <string.h>

#include "inference/base/clock.h"
#include "inference/graph/op.h"
#include "inference/graph/work.h"
#include "tools/inputs.h"

/* --- what it costs at least --- */

static double
elements (const InferDesc *desc)
{
  return (double) infer_shape_count (&desc->shape);
}

static double
bytes_of (const InferDesc *desc)
{
  return elements (desc) * infer_type_bits (desc->type) / 8;
}

static const InferDesc *
input_desc (const InferOperation *op, guint k)
{
  const InferPort *port = &op->inputs[k];

  return &port->op->outputs[port->index].desc;
}

/* Of constants, also unpacked ones: those in the file; -1: it is computed. */
static double
constant_bytes (const InferOperation *op, guint depth)
{
  static const char *const unpacking[] = { "Convert", "Subtract", "Multiply",
    "Reshape", "Transpose", "Unsqueeze", "FakeConvert", NULL };
  double sum = 0;

  if (op->value != NULL)
    return (double) op->value->size;
  if (depth > 8 || op->n_inputs == 0
      || !g_strv_contains (unpacking, op->klass->type))
    return -1;
  for (guint k = 0; k < op->n_inputs; k++) {
    double bytes = op->inputs[k].op != NULL
                       ? constant_bytes (op->inputs[k].op, depth + 1)
                       : 0;

    if (bytes < 0)
      return -1;
    sum += bytes;
  }
  return sum;
}

/* Operations that read only a part of their first input, as large as the
 * output. */
static gboolean
reads_part (const InferOperation *op)
{
  static const char *const types[] = { "Slice", "StridedSlice", "Gather",
    "GatherElements", "GatherND", "Split", "VariadicSplit", NULL };

  return g_strv_contains (types, op->klass->type);
}

/* Of scores [batch…, L, S] over E elements each, and of as many weights for
 * each of the results [batch…, L, Ev]. */
static double
attention_products (const InferOperation *op)
{
  const InferShape *q = &input_desc (op, 0)->shape;
  const InferShape *v = &input_desc (op, 2)->shape;
  const InferDesc *out = &op->outputs[0].desc;
  const double columns = (double) MAX (v->dims[v->rank - 1], 1);
  const double each = (double) q->dims[q->rank - 1] + columns;

  return elements (out) / columns * (double) v->dims[v->rank - 2] * each;
}

/* Of classes whose `work` is exact, and of attention. */
static double
products_of (const InferOperation *op)
{
  const char *type = op->klass->type;
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);

  if (strcmp (type, "ScaledDotProductAttention") == 0)
    return attention_products (op);
  if (strcmp (type, "MatMul") != 0 && strstr (type, "Convolution") == NULL
      && !g_str_has_suffix (type, "Sequence")
      && !g_str_has_suffix (type, "Cell"))
    return 0;
  for (guint k = 0; k < op->n_outputs; k++)
    out[k] = op->outputs[k].desc;
  return infer_work_in_graph (op, out);
}

static gboolean
is_known (const InferOperation *op)
{
  for (guint k = 0; k < op->n_inputs; k++)
    if (op->inputs[k].op != NULL
        && !infer_shape_is_static (&input_desc (op, k)->shape))
      return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    if (!infer_shape_is_static (&op->outputs[k].desc.shape))
      return FALSE;
  return op->n_outputs > 0;
}

/* The operations of a step. */
typedef struct
{
  const InferOperation *const *ops;
  guint n;
} Members;

static gboolean
is_member (const Members *members, const InferOperation *op)
{
  for (guint i = 0; i < members->n; i++)
    if (members->ops[i] == op)
      return TRUE;
  return FALSE;
}

static gboolean
is_written (const Members *members, const InferOperation *op, guint output)
{
  gboolean used = FALSE;

  for (guint i = 0; i < op->n_uses; i++) {
    const InferUse *use = &op->uses[i];

    if (use->op->inputs[use->input].index != output)
      continue;
    if (!is_member (members, use->op))
      return TRUE;
    used = TRUE;
  }
  return !used;
}

static void
add_cost (const Members *members, const InferOperation *op, ToolCost *cost)
{
  cost->products += products_of (op);
  for (guint k = 0; k < op->n_outputs; k++)
    if (is_written (members, op, k))
      cost->bytes += bytes_of (&op->outputs[k].desc);
  for (guint k = 0; k < op->n_inputs; k++) {
    const InferOperation *from = op->inputs[k].op;
    double constant = from != NULL ? constant_bytes (from, 0) : 0;

    if (from != NULL && is_member (members, from))
      continue;
    cost->bytes += constant >= 0 ? constant : bytes_of (input_desc (op, k));
  }
}

gboolean
tool_cost_of_step (const InferOperation *const *ops, guint n, ToolCost *cost)
{
  const Members members = { ops, n };

  *cost = (ToolCost){ 0, 0 };
  for (guint i = 0; i < n; i++) {
    /* The bodies' operations run in it. */
    if (!is_known (ops[i]) || ops[i]->n_bodies > 0)
      return FALSE;
    add_cost (&members, ops[i], cost);
  }
  if (n == 1 && reads_part (ops[0])) {
    cost->bytes = 0;
    for (guint k = 0; k < ops[0]->n_outputs; k++)
      cost->bytes += 2 * bytes_of (&ops[0]->outputs[k].desc);
  }
  return TRUE;
}

gboolean
tool_cost_of (const InferOperation *op, ToolCost *cost)
{
  return tool_cost_of_step (&op, 1, cost);
}

/* --- how fast the device is --- */

static const gsize sizes[TOOL_N_SIZES] = { 32 << 10, 512 << 10, 4 << 20,
  32 << 20 };

#define PARAMETER(shape)                                                       \
  "<net name=\"rate\" version=\"11\"><layers><layer id=\"0\" name=\"x\" "      \
  "type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\" "          \
  "shape=\"" shape "\"/><output><port id=\"0\"/></output></layer>"
#define RESULT                                                                 \
  "<layer id=\"3\" name=\"y\" type=\"Result\" version=\"opset1\"><input>"      \
  "<port id=\"0\"/></input></layer></layers><edges>"
#define EDGE(from, to, port)                                                   \
  "<edge from-layer=\"" from "\" from-port=\"0\" to-layer=\"" to               \
  "\" to-port=\"" port "\"/>"
#define N 256

static const char product_net[] = PARAMETER (
    "256,256") "<layer id=\"1\" name=\"w\" type=\"Const\" version=\"opset1\"><data "
               "element_type=\"f32\" shape=\"256,256\" offset=\"0\" size=\"262144\"/>"
               "<output><port id=\"0\"/></output></layer><layer id=\"2\" name=\"m\" "
               "type=\"MatMul\" version=\"opset1\"><data transpose_a=\"false\" "
               "transpose_b=\"true\"/><input><port id=\"1\"/><port id=\"2\"/></input>"
               "<output><port id=\"0\"/></output></layer>" RESULT EDGE (
                   "0", "2", "1") EDGE ("1", "2", "2")
                   EDGE ("2", "3", "0") "</edges></net>";
static const char relu_net[] = PARAMETER (
    "?") "<layer id=\"2\" name=\"r\" type=\"ReLU\" version=\"opset1\"><input>"
         "<port id=\"1\"/></input><output><port id=\"0\"/></output></layer>" RESULT
             EDGE ("0", "2", "1") EDGE ("2", "3", "0") "</edges></net>";

/* The least time of the slowest operation, in several runs. */
static gboolean
time_net (InferRuntime *runtime, const char *net, GBytes *weights,
    const InferShape *shape, double *ns, GError **error)
{
  g_autoptr (GBytes) xml = g_bytes_new_static (net, strlen (net));
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, weights, NULL, error);
  g_autoptr (InferExecutable) executable =
      model != NULL ? infer_executable_new (model, runtime, error) : NULL;
  g_autoptr (InferRequest) request =
      executable != NULL ? infer_request_new (executable, error) : NULL;

  if (request == NULL || !tool_fill_inputs (request, model, shape, error))
    return FALSE;
  *ns = 0;
  guint64 begin = infer_clock_ns ();
  for (guint i = 0; i < 5 || infer_clock_ns () - begin < 40000000; i++) {
    guint64 slowest = 0;

    if (!infer_request_infer (request, error))
      return FALSE;
    g_autoptr (GArray) timings = infer_request_get_op_timings (request);
    for (guint k = 0; k < timings->len; k++)
      slowest = MAX (slowest, g_array_index (timings, InferOpTiming, k).ns);
    if (slowest > 0 && (*ns <= 0 || (double) slowest < *ns))
      *ns = (double) slowest;
  }
  return *ns > 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "the device measures no operations");
}

gboolean
tool_measure_rates (InferRuntime *runtime, ToolRates *rates, GError **error)
{
  g_autofree float *values = g_new (float, N *N);
  InferShape shape = infer_shape_make (2, (gint64) N, (gint64) N);
  double ns;

  for (guint i = 0; i < N * N; i++)
    values[i] = (float) (i % 17) / 16;
  g_autoptr (GBytes) weights =
      g_bytes_new_static (values, N * N * sizeof *values);
  if (!time_net (runtime, product_net, weights, &shape, &ns, error))
    return FALSE;
  rates->products_per_ns = (double) N * N * N / ns;
  for (guint i = 0; i < TOOL_N_SIZES; i++) {
    shape = infer_shape_make (1, (gint64) (sizes[i] / 2 / sizeof (float)));
    if (!time_net (runtime, relu_net, NULL, &shape, &ns, error))
      return FALSE;
    rates->bytes_per_ns[i] = (double) sizes[i] / ns;
  }
  return TRUE;
}

/* --- the verdict --- */

/* Less of the time says nothing. */
#define LEAST_PART 0.4

ToolParts
tool_parts_of (const ToolCost *cost, const ToolRates *rates, double ns)
{
  guint size = 0;

  while (size + 1 < TOOL_N_SIZES && cost->bytes > 4 * (double) sizes[size])
    size++;
  return (ToolParts){ cost->products / rates->products_per_ns / ns,
    cost->bytes / rates->bytes_per_ns[size] / ns };
}

char *
tool_verdict (const ToolCost *cost, const ToolRates *rates, double ns)
{
  const ToolParts parts = tool_parts_of (cost, rates, ns);
  const double most = MAX (parts.compute, parts.memory);

  if (most < LEAST_PART)
    return g_strdup ("other");
  return g_strdup_printf ("%s %.0f%%",
      parts.compute > parts.memory ? "compute" : "memory", 100 * most);
}
