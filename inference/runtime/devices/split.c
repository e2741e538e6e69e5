/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/split.h"

#include <string.h>

#include "infer/error.h"
#include "inference/graph/model-private.h"
#include "inference/graph/ops/parameter.h"
#include "inference/graph/ops/state.h"

/* An operation may become unsupported when separated from its inputs; it is
 * then placed elsewhere and the model is split again. */
#define MAX_ROUNDS 64

typedef struct
{
  const InferModel *model;
  const InferGraph *graph;
  guint n_places;
  InferPlacing *placings;
  InferSplitModel *split;
  gboolean *initial; /* per operation: see find_initial */
  int *parts; /* per operation: its part; -1: none, or copied to several */
  GHashTable *cuts; /* port → index in `between` + 1 */
  guint *first; /* per operation: number of its output 0 among all outputs */
  InferOperation **copies; /* per operation: its copy in its own part */
  /* For the part being built; `in` holds its number + 1 for its operations. */
  int *in;
  InferOperation **here; /* per operation in the part */
} Build;

static void
part_free (gpointer data)
{
  InferPart *part = data;

  infer_model_unref (part->model);
  g_array_unref (part->inputs);
  g_array_unref (part->outputs);
  g_array_unref (part->variables);
  g_free (part);
}

static InferSplitModel *
split_new (void)
{
  InferSplitModel *split = g_new0 (InferSplitModel, 1);

  split->parts = g_ptr_array_new_with_free_func (part_free);
  split->between = g_array_new (FALSE, FALSE, sizeof (InferDesc));
  return split;
}

void
infer_split_model_free (InferSplitModel *split)
{
  if (split == NULL)
    return;
  g_ptr_array_unref (split->parts);
  g_array_unref (split->between);
  g_free (split);
}

/* --- parts --- */

typedef enum
{
  READ_BY_NONE = 0,
  READ_BY_INITIAL = 1 << 0,
  READ_BY_OTHERS = 1 << 1, /* by others than ReadValue and its initialisers */
  READ_IN_PART = 1 << 2,   /* by an initialiser in the same part */
} Readers;

static gboolean
is_read_value (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_read_value);
}

static void
note_reader (Build *build, guint8 *readers, const InferOperation *op)
{
  const InferPlacing *placing = &build->placings[op->index];
  gboolean serves =
      placing->place != INFER_PLACE_COPIED
      && (is_read_value (op)
          || (readers[op->index] & ~READ_IN_PART) == READ_BY_INITIAL);

  for (guint k = 0; k < op->n_inputs; k++) {
    const InferOperation *source = op->inputs[k].op;
    const InferPlacing *other =
        source != NULL ? &build->placings[source->index] : NULL;

    if (other == NULL)
      continue;
    readers[source->index] |= serves ? READ_BY_INITIAL : READ_BY_OTHERS;
    if (serves && !build->initial[op->index] && placing->place == other->place
        && placing->level == other->level)
      readers[source->index] |= READ_IN_PART;
  }
}

/* Operations that only initial values need, and not in the part of the
 * ReadValue (whose backend skips them itself), get parts of their own, which
 * most runs skip. */
static void
find_initial (Build *build)
{
  const guint n = build->graph->operations->len;
  g_autofree guint8 *readers = g_new0 (guint8, n + 1);

  for (guint i = n; i-- > 0;) {
    build->initial[i] =
        build->placings[i].place >= 0 && readers[i] == READ_BY_INITIAL;
    note_reader (build, readers, build->graph->operations->pdata[i]);
  }
}

static InferPart *
part_new (const InferModel *model, guint place)
{
  InferPart *part = g_new0 (InferPart, 1);

  part->place = place;
  part->model = infer_model_new (infer_model_get_name (model),
      infer_model_get_path (model), infer_model_get_ir_version (model));
  part->inputs = g_array_new (FALSE, FALSE, sizeof (InferPartPort));
  part->outputs = g_array_new (FALSE, FALSE, sizeof (InferPartPort));
  part->variables = g_array_new (FALSE, FALSE, sizeof (guint));
  return part;
}

/* By level, so that parts come after those they read. */
static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

static guint64
part_id (const Build *build, guint op)
{
  const InferPlacing *placing = &build->placings[op];

  return ((guint64) placing->level * build->n_places + (guint64) placing->place)
             * 2
         + (build->initial[op] ? 1 : 0);
}

static void
find_parts (Build *build)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GHashTable) places =
      g_hash_table_new (g_int64_hash, g_int64_equal);
  const guint n = build->graph->operations->len;

  for (guint i = 0; i < n; i++)
    if (build->placings[i].place >= 0) {
      guint64 id = part_id (build, i);

      g_array_append_val (ids, id);
    }
  g_array_sort (ids, compare_ids);
  for (guint k = 0; k < ids->len; k++) {
    guint64 *id = &g_array_index (ids, guint64, k);

    if (k > 0 && id[-1] == id[0])
      continue;
    g_hash_table_insert (
        places, id, GUINT_TO_POINTER (build->split->parts->len));
    g_ptr_array_add (build->split->parts,
        part_new (build->model, (guint) (*id / 2 % build->n_places)));
  }
  for (guint i = 0; i < n; i++) {
    const InferPlacing *placing = &build->placings[i];
    const InferOperation *op = build->graph->operations->pdata[i];

    build->parts[i] = -1;
    if (placing->place == INFER_PLACE_FOLLOWS)
      build->parts[i] = build->parts[op->inputs[0].op->index];
    if (placing->place < 0)
      continue;
    guint64 id = part_id (build, i);
    build->parts[i] = GPOINTER_TO_INT (g_hash_table_lookup (places, &id));
    ((InferPart *) build->split->parts->pdata[build->parts[i]])->initial =
        build->initial[i];
  }
}

/* --- one part --- */

typedef struct
{
  Build *build;
  InferPart *part;
  int index;
  GArray *list;      /* (element-type guint) operations in it, in order */
  GHashTable *ports; /* output of another part → the Parameter for it */
} PartBuild;

static gpointer
port_key (const Build *build, const InferPort *port)
{
  return GUINT_TO_POINTER (build->first[port->op->index] + port->index + 1);
}

static gboolean
is_parameter (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_parameter);
}

static gboolean
is_result (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_result);
}

static gboolean
is_in (const PartBuild *pb, const InferOperation *op)
{
  return pb->build->in[op->index] == pb->index + 1;
}

static void
mark (PartBuild *pb, guint op)
{
  if (pb->build->in[op] == pb->index + 1)
    return;
  pb->build->in[op] = pb->index + 1;
  g_array_append_val (pb->list, op);
}

static gint
compare_guints (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

/* The part's own operations and the copied ones that they read. */
static void
mark_operations (PartBuild *pb, const GArray *own)
{
  const Build *build = pb->build;

  for (guint i = 0; i < own->len; i++)
    mark (pb, g_array_index (own, guint, i));
  for (guint i = 0; i < pb->list->len; i++) {
    const InferOperation *op =
        build->graph->operations->pdata[g_array_index (pb->list, guint, i)];

    for (guint k = 0; k < op->n_inputs; k++) {
      const InferOperation *source = op->inputs[k].op;

      if (source != NULL && !is_parameter (source)
          && build->placings[source->index].place == INFER_PLACE_COPIED)
        mark (pb, source->index);
    }
  }
  g_array_sort (pb->list, compare_guints);
}

static guint
index_in (const GPtrArray *list, gconstpointer element)
{
  guint index = 0;

  while (index < list->len && list->pdata[index] != element)
    index++;
  return index;
}

/* Without a name, since users do not see it. */
static InferOperation *
make_input (const InferPort *port)
{
  const InferDesc *desc = &port->op->outputs[port->index].desc;
  InferOperation *op =
      infer_operation_new (&infer_op_parameter, 1, "opset1", "", 0, 1);
  InferParameterAttrs *attrs = op->attrs;

  op->outputs[0].desc = attrs->desc = *desc;
  attrs->lower = attrs->upper = desc->shape;
  for (int d = 0; d < desc->shape.rank; d++)
    if (desc->shape.dims[d] < 0) {
      attrs->lower.dims[d] = 0;
      attrs->upper.dims[d] = G_MAXINT64;
    }
  return op;
}

static guint
cut_at (Build *build, const InferPort *port)
{
  const InferDesc *desc = &port->op->outputs[port->index].desc;
  gpointer key = port_key (build, port);
  gpointer cut = g_hash_table_lookup (build->cuts, key);

  if (cut == NULL) {
    g_array_append_vals (build->split->between, desc, 1);
    cut = GUINT_TO_POINTER (build->split->between->len);
    g_hash_table_insert (build->cuts, key, cut);
  }
  return GPOINTER_TO_UINT (cut) - 1;
}

/* A tensor from another part, or the model's input. */
static void
add_input (PartBuild *pb, const InferPort *port)
{
  Build *build = pb->build;
  gpointer key = port_key (build, port);
  InferPartPort where = { is_parameter (port->op), 0 };
  InferOperation *op;

  if (g_hash_table_contains (pb->ports, key))
    return;
  if (where.outer) {
    where.index = index_in (build->graph->parameters, port->op);
    op = infer_operation_copy (port->op);
  } else {
    where.index = cut_at (build, port);
    op = make_input (port);
  }
  g_hash_table_insert (pb->ports, key, op);
  g_array_append_val (pb->part->inputs, where);
  infer_graph_add (pb->part->model->graph, op);
}

static void
add_inputs (PartBuild *pb, const InferOperation *op)
{
  for (guint k = 0; k < op->n_inputs; k++)
    if (op->inputs[k].op != NULL && !is_in (pb, op->inputs[k].op))
      add_input (pb, &op->inputs[k]);
}

static void
add_operation (PartBuild *pb, const InferOperation *op)
{
  Build *build = pb->build;
  InferOperation *copy = infer_operation_copy (op);

  build->here[op->index] = copy;
  if (build->parts[op->index] == pb->index)
    build->copies[op->index] = copy;
  for (guint k = 0; k < op->n_inputs; k++) {
    InferPort port = op->inputs[k];

    if (port.op == NULL)
      continue;
    if (is_in (pb, port.op))
      port.op = build->here[port.op->index];
    else
      port =
          (InferPort){ g_hash_table_lookup (pb->ports, port_key (build, &port)),
            0 };
    infer_operation_connect (copy, k, port);
  }
  infer_graph_add (pb->part->model->graph, copy);
  if (is_result (op)) {
    InferPartPort where = { TRUE, index_in (build->graph->results, op) };

    g_array_append_val (pb->part->outputs, where);
  }
}

/* The reader limits the depth of bodies. */
static void
add_variables (PartBuild *pb, const InferGraph *graph)
{
  const InferModel *whole = pb->build->model;
  InferModel *model = pb->part->model;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint b = 0; b < op->n_bodies; b++)
      add_variables (pb, op->bodies[b].graph);
    if (!infer_op_is (op, &infer_op_read_value)
        && !infer_op_is (op, &infer_op_assign))
      continue;
    const char *id = infer_op_variable_id (op);
    int index = infer_model_find_variable (whole, id);
    if (index < 0 || infer_model_find_variable (model, id) >= 0)
      continue;
    infer_model_add_variable (
        model, infer_model_variable (whole, (guint) index));
    g_array_append_vals (pb->part->variables, &(guint){ (guint) index }, 1);
  }
}

static void
build_part (Build *build, int index, const GArray *own)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) ports = g_hash_table_new (NULL, NULL);
  PartBuild pb = { build, build->split->parts->pdata[index], index, list,
    ports };
  const GPtrArray *operations = build->graph->operations;

  mark_operations (&pb, own);
  for (guint i = 0; i < list->len; i++)
    add_inputs (&pb, operations->pdata[g_array_index (list, guint, i)]);
  for (guint i = 0; i < list->len; i++)
    add_operation (&pb, operations->pdata[g_array_index (list, guint, i)]);
  add_variables (&pb, pb.part->model->graph);
}

static void
build_parts (Build *build)
{
  g_autoptr (GPtrArray) own =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint p = 0; p < build->split->parts->len; p++)
    g_ptr_array_add (own, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0; i < build->graph->operations->len; i++)
    if (build->parts[i] >= 0)
      g_array_append_val (own->pdata[build->parts[i]], i);
  for (guint p = 0; p < build->split->parts->len; p++)
    build_part (build, (int) p, own->pdata[p]);
}

/* Adds a Result for each output that a later part reads. */
static void
add_results (Build *build)
{
  for (guint i = 0; i < build->graph->operations->len; i++) {
    const InferOperation *op = build->graph->operations->pdata[i];
    InferOperation *copy = build->copies[i];

    for (guint k = 0; copy != NULL && k < op->n_outputs; k++) {
      InferPart *part = build->split->parts->pdata[build->parts[i]];
      const InferPort port = { (InferOperation *) (gsize) op, k };
      gpointer cut = g_hash_table_lookup (build->cuts, port_key (build, &port));
      InferPartPort where = { FALSE, GPOINTER_TO_UINT (cut) - 1 };

      if (cut == NULL)
        continue;
      InferOperation *result =
          infer_operation_new (&infer_op_result, 1, "opset1", "", 1, 1);
      result->outputs[0].desc = op->outputs[k].desc;
      infer_operation_connect (result, 0, (InferPort){ copy, k });
      g_array_append_val (part->outputs, where);
      infer_graph_add (part->model->graph, result);
    }
  }
}

/* --- the split --- */

/* FALSE: an operation cannot run where it was placed; removes that place. */
static gboolean
check_parts (Build *build, const InferPlace *places)
{
  gboolean fine = TRUE;

  for (guint i = 0; i < build->graph->operations->len; i++) {
    if (build->copies[i] == NULL)
      continue;
    const InferPart *part = build->split->parts->pdata[build->parts[i]];
    if (places[part->place].backend->supports (build->copies[i], NULL))
      continue;
    build->placings[i].allowed &= ~(1u << part->place);
    fine = FALSE;
  }
  return fine;
}

static gboolean
check_allowed (const Build *build, GError **error)
{
  for (guint i = 0; i < build->graph->operations->len; i++) {
    if (build->placings[i].allowed != 0)
      continue;
    g_autofree char *name =
        infer_operation_describe (build->graph->operations->pdata[i]);
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "operation %s: no device can run it separately from its inputs", name);
  }
  return TRUE;
}

/* One attempt.  NULL without @error: try again. */
static InferSplitModel *
build_split (Build *build, const InferPlace *places, GError **error)
{
  const guint n = build->graph->operations->len;
  g_autoptr (InferSplitModel) split = build->split = split_new ();
  g_autoptr (GHashTable) cuts G_GNUC_UNUSED = build->cuts =
      g_hash_table_new (NULL, NULL);

  memset (build->copies, 0, n * sizeof build->copies[0]);
  memset (build->in, 0, n * sizeof build->in[0]);
  if (!infer_partition (build->graph, build->n_places, build->placings, error))
    return NULL;
  find_initial (build);
  find_parts (build);
  build_parts (build);
  if (!check_parts (build, places)) {
    check_allowed (build, error);
    return NULL;
  }
  add_results (build);
  return g_steal_pointer (&split);
}

InferSplitModel *
infer_split_model_new (const InferModel *model, const InferPlace *places,
    guint n_places, GError **error)
{
  const InferGraph *graph = infer_model_get_graph (model);
  const guint n = graph->operations->len;
  g_autofree InferPlacing *placings = g_new0 (InferPlacing, n + 1);
  g_autofree int *parts = g_new0 (int, n + 1);
  g_autofree gboolean *initial = g_new0 (gboolean, n + 1);
  g_autofree int *in = g_new0 (int, n + 1);
  g_autofree guint *first = g_new0 (guint, n + 1);
  g_autofree InferOperation **copies = g_new0 (InferOperation *, n + 1);
  g_autofree InferOperation **here = g_new0 (InferOperation *, n + 1);
  Build build = { .model = model,
    .graph = graph,
    .n_places = n_places,
    .placings = placings,
    .initial = initial,
    .parts = parts,
    .first = first,
    .copies = copies,
    .in = in,
    .here = here };

  if (!infer_partition_query (graph, places, n_places, placings, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    first[i + 1] =
        first[i]
        + ((const InferOperation *) graph->operations->pdata[i])->n_outputs;
  for (guint round = 0; round < MAX_ROUNDS; round++) {
    GError *cause = NULL;
    InferSplitModel *split = build_split (&build, places, &cause);

    if (cause != NULL)
      g_propagate_error (error, cause);
    if (split != NULL || cause != NULL)
      return split;
  }
  infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "the model could not be split in %d attempts", MAX_ROUNDS);
  return NULL;
}
