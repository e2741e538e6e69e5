/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Computes in f32 what the file computes in f16 or bf16, as OpenVINO does on
 * CPUs: faster without f16 arithmetic, and at least as exact.  Parameters,
 * results, variables and bodies keep their types, with Converts between; a
 * Convert to f16 or bf16 in the file still rounds. */

#include "inference/passes/pass.h"

#include <string.h>

/* An output that was f16 or bf16. */
typedef struct
{
  InferType narrow;       /* f16 or bf16; dynamic: it was neither */
  InferOperation *single; /* Convert to f32; NULL: not made */
  InferOperation *back;   /* Convert from f32 to @narrow; NULL: not made */
} Port;

typedef struct
{
  InferGraph *graph;
  guint n;      /* operations at the beginning */
  Port **ports; /* per operation; NULL: no output of f16 or bf16 */
  gboolean changed;
} Pass;

static gboolean
is_narrow (InferType type)
{
  return type == INFER_TYPE_F16 || type == INFER_TYPE_BF16;
}

static Port *
port_of (const Pass *pass, const InferPort *from)
{
  if (from->op == NULL || from->op->index >= pass->n)
    return NULL;
  Port *ports = pass->ports[from->op->index];
  return ports != NULL && ports[from->index].narrow != INFER_TYPE_DYNAMIC
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

/* Makes input @i of @op read its value as @type. */
static gboolean
read_as (Pass *pass, InferOperation *op, guint i, InferType type)
{
  const InferPort *input = &op->inputs[i];
  Port *port = port_of (pass, input);

  if (input->op->outputs[input->index].desc.type == type)
    return TRUE;
  InferOperation **convert =
      type == INFER_TYPE_F32 ? &port->single : &port->back;
  if (*convert == NULL)
    *convert = add_convert (pass, input, type);
  if (*convert == NULL)
    return FALSE;
  infer_operation_connect (op, i, (InferPort){ *convert, 0 });
  return TRUE;
}

/* The types of the outputs of @op for its present inputs. */
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

/* Makes all f16 and bf16 inputs f32; FALSE, with nothing changed, if the
 * operation does not accept that. */
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

/* Gives inputs that were f16 or bf16 these types again. */
static void
keep_types (Pass *pass, InferOperation *op)
{
  for (guint i = 0; i < op->n_inputs; i++) {
    const Port *port = port_of (pass, &op->inputs[i]);

    if (port != NULL)
      read_as (pass, op, i, port->narrow);
  }
}

static void
note_outputs (Pass *pass, const InferOperation *op)
{
  for (guint k = 0; k < op->n_outputs; k++) {
    if (!is_narrow (op->outputs[k].desc.type))
      continue;
    if (pass->ports[op->index] == NULL)
      pass->ports[op->index] = g_new0 (Port, op->n_outputs);
    pass->ports[op->index][k].narrow = op->outputs[k].desc.type;
  }
}

static gboolean
reads_narrow (const Pass *pass, const InferOperation *op)
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
    if (!reads_narrow (&pass, op))
      continue;
    if ((op->klass->flags & INFER_OP_OWN_TYPES) != 0 || op->n_bodies > 0
        || !widen (&pass, op))
      keep_types (&pass, op);
  }
  for (guint i = 0; i < pass.n; i++)
    g_free (pass.ports[i]);
  g_free (pass.ports);
  return pass.changed;
}

const InferPass infer_pass_single_precision = { "single-precision",
  .run = run };
