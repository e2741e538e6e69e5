/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a file computes in f16 or bf16 is computed in f32, as OpenVINO does on
 * processors: faster where there is no half-precision arithmetic, and at least
 * as exact.  Parameters, results, variables and bodies keep their types, with a
 * Convert between; a Convert to half precision that the file has still rounds.
 */

#include "inference/passes/pass.h"

#include <string.h>

/* Of one output that was of half precision. */
typedef struct
{
  InferType half;
  InferOperation *single; /* Convert to f32; NULL: not made */
  InferOperation *back;   /* Convert from f32 to @half; NULL: not made */
} Port;

typedef struct
{
  InferGraph *graph;
  guint n;      /* operations at the beginning */
  Port **ports; /* per operation; NULL: nothing of half precision */
  gboolean changed;
} Pass;

static gboolean
is_half (InferType type)
{
  return type == INFER_TYPE_F16 || type == INFER_TYPE_BF16;
}

static Port *
port_of (const Pass *pass, const InferPort *from)
{
  Port *ports;

  if (from->op == NULL || from->op->index >= pass->n)
    return NULL;
  ports = pass->ports[from->op->index];
  return ports != NULL && ports[from->index].half != INFER_TYPE_DYNAMIC
             ? &ports[from->index]
             : NULL;
}

static InferOperation *
add_convert (Pass *pass, const InferPort *from, InferType type)
{
  g_autofree char *name =
      g_strdup_printf ("%s/%s", from->op->name, infer_type_name (type));
  InferOperation *op = infer_operation_make ("Convert", name, 1, 1, NULL,
      "destination_type", infer_type_name (type), NULL);

  if (op == NULL)
    return NULL;
  infer_operation_connect (op, 0, *from);
  op->outputs[0].desc = from->op->outputs[from->index].desc;
  op->outputs[0].desc.type = type;
  infer_graph_add (pass->graph, op);
  pass->changed = TRUE;
  return op;
}

/* Input @i of @op comes to read its value as @type. */
static gboolean
read_as (Pass *pass, InferOperation *op, guint i, InferType type)
{
  const InferPort *input = &op->inputs[i];
  Port *port = port_of (pass, input);
  InferOperation **convert;

  if (input->op->outputs[input->index].desc.type == type)
    return TRUE;
  convert = type == INFER_TYPE_F32 ? &port->single : &port->back;
  if (*convert == NULL)
    *convert = add_convert (pass, input, type);
  if (*convert == NULL)
    return FALSE;
  infer_operation_connect (op, i, (InferPort){ *convert, 0 });
  return TRUE;
}

/* Types of the outputs that @op has with its inputs as they are now. */
static gboolean
infer_types (const InferOperation *op, InferDesc *outputs)
{
  g_autofree InferDesc *inputs = g_new0 (InferDesc, op->n_inputs + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, op->n_inputs + 1);
  InferShapeContext context = { .op = op,
    .n_inputs = op->n_inputs,
    .inputs = inputs,
    .values = values,
    .n_outputs = op->n_outputs,
    .outputs = outputs };

  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *from = &op->inputs[i];

    inputs[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    if (from->op == NULL)
      continue;
    inputs[i] = from->op->outputs[from->index].desc;
    values[i] = from->op->value;
  }
  for (guint k = 0; k < op->n_outputs; k++)
    outputs[k] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  return op->klass->infer_shapes (&context, NULL);
}

/* All inputs of half precision as f32; FALSE, and nothing changed, where the
 * operation does not take that. */
static gboolean
widen (Pass *pass, InferOperation *op)
{
  g_autofree InferPort *before =
      g_memdup2 (op->inputs, op->n_inputs * sizeof *op->inputs);
  g_autofree InferDesc *outputs = g_new0 (InferDesc, op->n_outputs + 1);
  gboolean ok = TRUE;

  for (guint i = 0; i < op->n_inputs; i++)
    if (port_of (pass, &op->inputs[i]) != NULL)
      ok = ok && read_as (pass, op, i, INFER_TYPE_F32);
  if (!ok || !infer_types (op, outputs)) {
    for (guint i = 0; i < op->n_inputs; i++)
      infer_operation_connect (op, i, before[i]);
    return FALSE;
  }
  for (guint k = 0; k < op->n_outputs; k++)
    op->outputs[k].desc.type = outputs[k].type;
  return TRUE;
}

/* Inputs of half precision in the types that they had. */
static void
keep (Pass *pass, InferOperation *op)
{
  for (guint i = 0; i < op->n_inputs; i++) {
    const Port *port = port_of (pass, &op->inputs[i]);

    if (port != NULL)
      read_as (pass, op, i, port->half);
  }
}

static void
note_outputs (Pass *pass, const InferOperation *op)
{
  for (guint k = 0; k < op->n_outputs; k++) {
    if (!is_half (op->outputs[k].desc.type))
      continue;
    if (pass->ports[op->index] == NULL)
      pass->ports[op->index] = g_new0 (Port, op->n_outputs);
    pass->ports[op->index][k].half = op->outputs[k].desc.type;
  }
}

static gboolean
reads_half (const Pass *pass, const InferOperation *op)
{
  for (guint i = 0; i < op->n_inputs; i++)
    if (port_of (pass, &op->inputs[i]) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
run (InferGraph *graph, InferCache *cache)
{
  Pass pass = { .graph = graph, .n = graph->operations->len };

  pass.ports = g_new0 (Port *, pass.n + 1);
  for (guint i = 0; i < pass.n; i++) {
    InferOperation *op = graph->operations->pdata[i];

    note_outputs (&pass, op);
    if (!reads_half (&pass, op))
      continue;
    if ((op->klass->flags & INFER_OP_OWN_TYPES) != 0 || op->n_bodies > 0
        || !widen (&pass, op))
      keep (&pass, op);
  }
  for (guint i = 0; i < pass.n; i++)
    g_free (pass.ports[i]);
  g_free (pass.ports);
  return pass.changed;
}

const InferPass infer_pass_single_precision = { "single-precision", run };
