/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/fusions.h"
#include "inference/runtime/devices/hetero.h"

#include "inference/base/cancel.h"
#include "inference/base/clock.h"
#include "infer/error.h"
#include "inference/graph/model-private.h"
#include "inference/runtime/state-private.h"
#include "inference/base/trace.h"

typedef struct
{
  InferSplitModel *split;
  InferPlace places[INFER_MAX_PLACES]; /* names are interned */
  InferDump *dump;                     /* nullable */
  gpointer *codes;                     /* per part, owned by its backend */
  const char **labels, **spans;        /* per part, interned, for the trace */
  gint next_context;
} Executable;

typedef struct
{
  gpointer context;
  InferTensor **inputs, **outputs;
  InferState **states; /* this part's variables, NULL-terminated; nullable */
} PartContext;

typedef struct
{
  Executable *executable;
  guint id;
  guint n_parts;
  PartContext *parts;
  InferTensor **between;
} Context;

static const InferPart *
part_of (const Executable *executable, guint index)
{
  return executable->split->parts->pdata[index];
}

static const InferBackend *
backend_of (const Executable *executable, guint index)
{
  return executable->places[part_of (executable, index)->place].backend;
}

/* --- executable --- */

static void
executable_free (gpointer data)
{
  Executable *executable = data;

  for (guint i = 0;
       executable->codes != NULL && i < executable->split->parts->len; i++)
    if (executable->codes[i] != NULL)
      backend_of (executable, i)->executable_free (executable->codes[i]);
  infer_split_model_free (executable->split);
  g_free (executable->codes);
  g_free (executable->labels);
  g_free (executable->spans);
  g_free (executable);
}

static gboolean
compile_part (Executable *executable, guint index, GError **error)
{
  const InferPart *part = part_of (executable, index);
  const InferPlace *place = &executable->places[part->place];
  g_autofree char *name = infer_model_label (part->model);
  g_autofree char *label = g_strdup_printf ("%s_%s", place->name, name);
  g_autofree char *span = g_strdup_printf ("Part%u", index);

  executable->labels[index] = g_intern_string (label);
  executable->spans[index] = g_intern_string (span);
  executable->codes[index] =
      place->backend->compile (place->scope, part->model, error);
  if (executable->codes[index] == NULL)
    g_prefix_error (error, "part %u, on %s: ", index, place->name);
  return executable->codes[index] != NULL;
}

gpointer
infer_hetero_compile (const InferModel *model, const InferPlace *places,
    guint n_places, InferDump *dump, GError **error)
{
  g_autoptr (InferSplitModel) split =
      infer_split_model_new (model, places, n_places, error);

  if (split == NULL)
    return NULL;
  guint n = split->parts->len;
  Executable *executable = g_new0 (Executable, 1);
  executable->split = g_steal_pointer (&split);
  executable->dump = dump;
  for (guint p = 0; p < n_places; p++) {
    executable->places[p] = places[p];
    executable->places[p].name = g_intern_string (places[p].name);
  }
  executable->codes = g_new0 (gpointer, n + 1);
  executable->labels = g_new0 (const char *, n + 1);
  executable->spans = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    if (!compile_part (executable, i, error)) {
      executable_free (executable);
      return NULL;
    }
  return executable;
}

const InferSplitModel *
infer_hetero_get_split (gpointer executable)
{
  return ((Executable *) executable)->split;
}

const char *
infer_hetero_place_name (gpointer data, guint part)
{
  const Executable *executable = data;

  return executable->places[part_of (executable, part)->place].name;
}

/* --- one request --- */

static void
context_free (gpointer data)
{
  Context *self = data;

  for (guint i = 0; i < self->n_parts; i++) {
    PartContext *part = &self->parts[i];

    if (part->context != NULL)
      backend_of (self->executable, i)->context_free (part->context);
    g_free (part->states);
    g_free (part->inputs);
    g_free (part->outputs);
  }
  for (guint k = 0; k < self->executable->split->between->len; k++)
    infer_tensor_unref (self->between[k]);
  g_free (self->between);
  g_free (self->parts);
  g_free (self);
}

/* Allocated by the first part's backend with memory of its own; the CPU can
 * read that, too. */
static InferTensor *
tensor_new (
    gpointer data, InferType type, const InferShape *shape, GError **error)
{
  const Context *self = data;

  for (guint i = 0; i < self->n_parts; i++) {
    const InferBackend *backend = backend_of (self->executable, i);

    if (backend->tensor_new != NULL)
      return backend->tensor_new (self->parts[i].context, type, shape, error);
  }
  return infer_tensor_new (type, shape, error);
}

/* Empty if the shape is not known: backends resize it. */
static InferTensor *
tensor_between (Context *self, const InferDesc *desc, GError **error)
{
  InferShape shape =
      desc->shape.rank < 0 ? infer_shape_of_rank (1) : desc->shape;

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = MAX (shape.dims[d], 0);
  return tensor_new (self,
      desc->type == INFER_TYPE_DYNAMIC ? INFER_TYPE_F32 : desc->type, &shape,
      error);
}

static gboolean
init_part (Context *self, guint index, GError **error)
{
  const InferPart *part = part_of (self->executable, index);
  PartContext *mine = &self->parts[index];
  GError *cause = NULL;

  mine->inputs = g_new0 (InferTensor *, part->inputs->len + 1);
  mine->outputs = g_new0 (InferTensor *, part->outputs->len + 1);
  if (part->variables->len > 0)
    mine->states = g_new0 (InferState *, part->variables->len + 1);
  mine->context = backend_of (self->executable, index)
                      ->context_new (self->executable->codes[index], &cause);
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "part %u, on %s: ", index,
        infer_hetero_place_name (self->executable, index));
  return cause == NULL;
}

static gpointer
context_new (gpointer executable, GError **error)
{
  Context *self = g_new0 (Context, 1);
  const InferSplitModel *split = ((Executable *) executable)->split;
  gboolean ok = TRUE;

  self->executable = executable;
  self->id = (guint) g_atomic_int_add (&self->executable->next_context, 1);
  self->n_parts = split->parts->len;
  self->parts = g_new0 (PartContext, self->n_parts + 1);
  self->between = g_new0 (InferTensor *, split->between->len + 1);
  for (guint i = 0; ok && i < self->n_parts; i++)
    ok = init_part (self, i, error);
  for (guint k = 0; ok && k < split->between->len; k++) {
    self->between[k] = tensor_between (
        self, &g_array_index (split->between, InferDesc, k), error);
    ok = self->between[k] != NULL;
  }
  if (ok)
    return self;
  context_free (self);
  return NULL;
}

/* --- running --- */

static void
bind_part (Context *self, guint index, InferTensor *const *inputs,
    InferTensor **outputs, InferState *const *states)
{
  const InferPart *part = part_of (self->executable, index);
  PartContext *mine = &self->parts[index];

  for (guint k = 0; k < part->inputs->len; k++) {
    const InferPartPort *port = &g_array_index (part->inputs, InferPartPort, k);

    mine->inputs[k] =
        port->outer ? inputs[port->index] : self->between[port->index];
  }
  for (guint k = 0; k < part->outputs->len; k++) {
    const InferPartPort *port =
        &g_array_index (part->outputs, InferPartPort, k);

    mine->outputs[k] =
        port->outer ? outputs[port->index] : self->between[port->index];
  }
  for (guint v = 0; v < part->variables->len; v++)
    mine->states[v] = states[g_array_index (part->variables, guint, v)];
}

static gboolean
run_stages (const InferBackend *backend, PartContext *part, GError **error)
{
  if (part->states != NULL && !backend->strided_states
      && !infer_states_make_dense (part->states, error))
    return FALSE;
  if (backend->upload != NULL
      && !backend->upload (part->context, part->inputs, error))
    return FALSE;
  if (!backend->start (
          part->context, part->inputs, part->outputs, part->states, error))
    return FALSE;
  return (backend->wait == NULL || backend->wait (part->context, error))
         && (backend->download == NULL
             || backend->download (part->context, part->outputs, error));
}

static gboolean
run_part (Context *self, guint index, GError **error)
{
  const Executable *executable = self->executable;
  guint64 begin = infer_clock_ns ();
  gboolean ok =
      run_stages (backend_of (executable, index), &self->parts[index], error);

  infer_trace_span (executable->labels[index], self->id,
      executable->spans[index], begin, infer_clock_ns ());
  if (!ok)
    g_prefix_error (error, "part %u, on %s: ", index,
        infer_hetero_place_name (self->executable, index));
  return ok;
}

static gboolean
is_any_reset (InferState *const *states)
{
  for (guint i = 0; states != NULL && states[i] != NULL; i++)
    if (infer_state_peek (states[i]) == NULL)
      return TRUE;
  return FALSE;
}

/* Either all parts change the variables or none. */
static gboolean
start (gpointer data, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  Context *self = data;
  g_autoptr (InferDumpRun) dump = NULL;
  gboolean reset = is_any_reset (states);
  gboolean ok = TRUE;

  if (G_UNLIKELY (self->executable->dump != NULL)) {
    dump = infer_dump_begin (self->executable->dump);
    infer_dump_enter (dump);
  }
  if (states != NULL)
    infer_states_hold (states);
  for (guint i = 0; ok && i < self->n_parts; i++) {
    if (part_of (self->executable, i)->initial && !reset)
      continue;
    bind_part (self, i, inputs, outputs, states);
    ok = infer_cancel_check (infer_cancel_flag (), error)
         && run_part (self, i, error);
  }
  if (states != NULL)
    infer_states_settle (states, ok);
  return ok;
}

static GArray *
op_timings (gpointer data)
{
  Context *self = data;
  GArray *all = g_array_new (FALSE, FALSE, sizeof (InferOpTiming));

  for (guint i = 0; i < self->n_parts; i++) {
    const InferBackend *backend = backend_of (self->executable, i);
    g_autoptr (GArray) some =
        backend->op_timings != NULL
            ? backend->op_timings (self->parts[i].context)
            : g_array_new (FALSE, FALSE, sizeof (InferOpTiming));

    for (guint k = 0; k < some->len; k++)
      g_array_index (some, InferOpTiming, k).device =
          infer_hetero_place_name (self->executable, i);
    g_array_append_vals (all, some->data, some->len);
  }
  return all;
}

static GArray *
get_fusions (gpointer data)
{
  Context *self = data;
  GArray *all = g_array_new (FALSE, FALSE, sizeof (InferFusion));

  for (guint i = 0; i < self->n_parts; i++) {
    const InferBackend *backend = backend_of (self->executable, i);

    if (backend->fusions == NULL)
      continue;
    g_autoptr (GArray) some = backend->fusions (self->parts[i].context);

    g_array_append_vals (all, some->data, some->len);
  }
  return all;
}

const InferBackend infer_hetero_backend = {
  .name = "HETERO",
  .executable_free = executable_free,
  .context_new = context_new,
  .context_free = context_free,
  .tensor_new = tensor_new,
  .start = start,
  .strided_states = TRUE, /* run_stages makes them dense where needed */
  .op_timings = op_timings,
  .fusions = get_fusions,
};
