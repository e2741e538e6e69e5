/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/partition.h"

#include <string.h>

#include "infer/error.h"
#include "inference/graph/ops/state.h"

/* Element count up to which a computed shape is copied to each part. */
#define MAX_COPIED 64
/* Rounds of moving assignments after the reads of their variable. */
#define MAX_ROUNDS 16

/* --- unsupported operations --- */

typedef struct
{
  const InferPlace *places;
  guint n_places;
  GPtrArray *lines;
  guint n;
} Query;

static void
add_line (Query *query, const InferOperation *op, const char *reason)
{
  g_autofree char *line =
      g_strdup_printf ("%s %s (%s)", op->klass->type, op->opset, reason);

  query->n++;
  if (!g_ptr_array_find_with_equal_func (query->lines, line, g_str_equal, NULL))
    g_ptr_array_add (query->lines, g_steal_pointer (&line));
}

/* The backend that an internal operation was made for, such as a model on a
 * server; NULL: none. */
static const InferBackend *
find_owner (const InferOperation *op)
{
  if ((op->klass->flags & INFER_OP_INTERNAL) == 0)
    return NULL;
  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    if ((*b)->supports (op, NULL))
      return *b;
  return NULL;
}

static void
query_operation (Query *query, const InferOperation *op)
{
  g_autoptr (GString) reasons = g_string_new (NULL);

  for (guint p = 0; p < query->n_places; p++) {
    g_autoptr (GError) why = NULL;

    if (query->places[p].backend->supports (op, &why))
      return;
    if (p > 0)
      g_string_append (reasons, "; ");
    if (query->n_places > 1)
      g_string_append_printf (reasons, "%s: ", query->places[p].name);
    g_string_append (reasons, why != NULL ? why->message : "not implemented");
  }
  const InferBackend *owner = find_owner (op);
  if (owner != NULL)
    g_string_append_printf (reasons, "; device %s runs it", owner->name);
  add_line (query, op, reasons->str);
}

/* Recursion is limited by the reader's limit on nested bodies. */
static void
query_graph (Query *query, const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = g_ptr_array_index (graph->operations, i);

    query_operation (query, op);
    for (guint k = 0; k < op->n_bodies; k++)
      query_graph (query, op->bodies[k].graph);
  }
}

GPtrArray *
infer_graph_unsupported (
    const InferGraph *graph, const InferPlace *places, guint n_places, guint *n)
{
  Query query = { .places = places,
    .n_places = n_places,
    .lines = g_ptr_array_new_with_free_func (g_free) };

  query_graph (&query, graph);
  if (n != NULL)
    *n = query.n;
  return query.lines;
}

/* --- supported places --- */

static gboolean
supports_whole (const InferBackend *backend, const InferOperation *op)
{
  if (!backend->supports (op, NULL))
    return FALSE;
  for (guint b = 0; b < op->n_bodies; b++) {
    const InferGraph *body = op->bodies[b].graph;

    for (guint i = 0; i < body->operations->len; i++)
      if (!supports_whole (backend, body->operations->pdata[i]))
        return FALSE;
  }
  return TRUE;
}

static gboolean
fail_unsupported (Query *query, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint p = 0; p < query->n_places; p++)
    g_string_append_printf (
        names, "%s%s", p > 0 ? ", " : "", query->places[p].name);
  g_ptr_array_add (query->lines, NULL);
  g_autofree char *all = g_strjoinv (", ", (GStrv) query->lines->pdata);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%u operation%s cannot run on %s: %s", query->n, query->n == 1 ? "" : "s",
      names->str, all);
}

gboolean
infer_partition_query (const InferGraph *graph, const InferPlace *places,
    guint n_places, InferPlacing *placings, GError **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Query query = { places, n_places, lines, 0 };

  g_return_val_if_fail (n_places <= INFER_MAX_PLACES, FALSE);
  query_graph (&query, graph);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    placings[i].allowed = 0;
    for (guint p = 0; p < n_places; p++)
      if (supports_whole (places[p].backend, op))
        placings[i].allowed |= 1u << p;
    if (placings[i].allowed == 0 && query.n == 0)
      add_line (&query, op, "no device runs all operations of its body");
  }
  return query.n == 0 || fail_unsupported (&query, error);
}

/* --- variables --- */

typedef struct
{
  GArray *reads, *writes; /* (element-type guint) indices of operations */
} Variable;

static void
variable_free (gpointer data)
{
  Variable *variable = data;

  g_array_unref (variable->reads);
  g_array_unref (variable->writes);
  g_free (variable);
}

static void
note_access (GHashTable *variables, const InferOperation *op, guint owner)
{
  gboolean reads = infer_op_is (op, &infer_op_read_value);

  for (guint b = 0; b < op->n_bodies; b++)
    for (guint i = 0; i < op->bodies[b].graph->operations->len; i++)
      note_access (variables, op->bodies[b].graph->operations->pdata[i], owner);
  if (!reads && !infer_op_is (op, &infer_op_assign))
    return;
  Variable *variable =
      g_hash_table_lookup (variables, infer_op_variable_id (op));
  if (variable == NULL) {
    variable = g_new0 (Variable, 1);
    variable->reads = g_array_new (FALSE, FALSE, sizeof (guint));
    variable->writes = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (
        variables, (gpointer) (gsize) infer_op_variable_id (op), variable);
  }
  g_array_append_val (reads ? variable->reads : variable->writes, owner);
}

static GHashTable *
find_variables (const InferGraph *graph)
{
  GHashTable *variables =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, variable_free);

  for (guint i = 0; i < graph->operations->len; i++)
    note_access (variables, graph->operations->pdata[i], i);
  return variables;
}

/* --- levels --- */

typedef struct
{
  const InferGraph *graph;
  guint n_ops, n_places;
  InferPlacing *placings;
  GHashTable *variables;
  gboolean *touches; /* whether the operation uses a variable */
  guint *floors;     /* per operation: lower bound of its level */
  /* n_ops × n_places: the least level of a part on that place that reads the
   * operation, and the greatest level of such a part. */
  guint *least, *most;
} Work;

static void
keep_together (Work *work, const Variable *variable)
{
  InferPlacing *placings = work->placings;
  const GArray *lists[] = { variable->reads, variable->writes };
  guint32 common = ~0u;

  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint k = 0; k < lists[l]->len; k++)
      common &= placings[g_array_index (lists[l], guint, k)].allowed;
  for (guint l = 0; common != 0 && l < G_N_ELEMENTS (lists); l++)
    for (guint k = 0; k < lists[l]->len; k++)
      placings[g_array_index (lists[l], guint, k)].allowed = common;
}

static gboolean
is_shape (const InferDesc *desc)
{
  return (desc->type == INFER_TYPE_I64 || desc->type == INFER_TYPE_I32)
         && desc->shape.rank >= 0 && desc->shape.rank <= 1
         && (desc->shape.rank == 0 || desc->shape.dims[0] <= MAX_COPIED);
}

/* Its inputs are already placed. */
static gboolean
is_copied (const Work *work, const InferOperation *op)
{
  if (op->value != NULL || infer_op_is (op, &infer_op_parameter))
    return TRUE;
  if (op->n_inputs == 0 || op->n_bodies > 0
      || infer_op_is (op, &infer_op_result)
      || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
      || work->placings[op->index].allowed != (1u << work->n_places) - 1)
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    if (!is_shape (&op->outputs[k].desc))
      return FALSE;
  for (guint k = 0; k < op->n_inputs; k++) {
    const InferOperation *source = op->inputs[k].op;

    if (source != NULL && (op->klass->flags & INFER_OP_SHAPE_ONLY) == 0
        && (infer_op_is (source, &infer_op_parameter)
            || work->placings[source->index].place != INFER_PLACE_COPIED))
      return FALSE;
  }
  return TRUE;
}

static int
choose_place (const Work *work, const InferOperation *op)
{
  const InferPlacing *placing = &work->placings[op->index];

  if (is_copied (work, op))
    return INFER_PLACE_COPIED;
  if (!infer_op_is (op, &infer_op_result))
    return __builtin_ctz (placing->allowed);
  if (op->inputs[0].op != NULL
      && work->placings[op->inputs[0].op->index].place != INFER_PLACE_COPIED)
    return INFER_PLACE_FOLLOWS;
  /* Needs no device: the last place is the host. */
  return (int) work->n_places - 1;
}

static void
choose_places (Work *work)
{
  for (guint i = 0; i < work->n_ops; i++)
    work->placings[i].place =
        choose_place (work, work->graph->operations->pdata[i]);
}

static guint
least_after (const Work *work, const InferOperation *source, guint place)
{
  const InferPlacing *placing = &work->placings[source->index];

  if (placing->place == INFER_PLACE_COPIED)
    return work->least[source->index * work->n_places + place];
  return placing->level + (placing->place != (int) place);
}

static void
raise_levels (Work *work)
{
  for (guint i = 0; i < work->n_ops; i++) {
    const InferOperation *op = work->graph->operations->pdata[i];
    InferPlacing *placing = &work->placings[i];
    guint *least = &work->least[i * work->n_places];

    for (guint p = 0; p < work->n_places; p++) {
      least[p] = 0;
      for (guint k = 0; k < op->n_inputs; k++)
        if (op->inputs[k].op != NULL)
          least[p] = MAX (least[p], least_after (work, op->inputs[k].op, p));
    }
    if (placing->place >= 0)
      placing->level = MAX (least[placing->place], work->floors[i]);
  }
}

/* A variable's assignment must be in the same part as its reads or a later one.
 * FALSE: a level was raised. */
static gboolean
order_variable (Work *work, const Variable *variable)
{
  gboolean ordered = TRUE;

  for (guint w = 0; w < variable->writes->len; w++) {
    const guint write = g_array_index (variable->writes, guint, w);
    const InferPlacing *placing = &work->placings[write];

    for (guint r = 0; r < variable->reads->len; r++) {
      const InferPlacing *read =
          &work->placings[g_array_index (variable->reads, guint, r)];
      guint floor = read->level + (read->place != placing->place);

      if (read == placing || placing->level >= floor)
        continue;
      work->floors[write] = MAX (work->floors[write], floor);
      ordered = FALSE;
    }
  }
  return ordered;
}

static gboolean
find_levels (Work *work, GError **error)
{
  for (guint round = 0; round < MAX_ROUNDS; round++) {
    gboolean ordered = TRUE;
    GHashTableIter iter;
    gpointer variable;

    raise_levels (work);
    g_hash_table_iter_init (&iter, work->variables);
    while (g_hash_table_iter_next (&iter, NULL, &variable))
      ordered &= order_variable (work, variable);
    if (ordered)
      return TRUE;
  }
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "a variable is read after it was assigned, on another device");
}

/* Lowers, per place, the greatest level that the inputs may have. */
static void
lower_most (Work *work, const InferOperation *op)
{
  const InferPlacing *placing = &work->placings[op->index];
  const guint *own = &work->most[op->index * work->n_places];

  for (guint k = 0; k < op->n_inputs; k++) {
    const InferOperation *source = op->inputs[k].op;
    guint *most =
        source != NULL ? &work->most[source->index * work->n_places] : NULL;

    for (guint p = 0; source != NULL && p < work->n_places; p++) {
      if (placing->place == INFER_PLACE_COPIED)
        most[p] = MIN (most[p], own[p]);
      else if (placing->place == (int) p)
        most[p] = MIN (most[p], placing->level);
    }
  }
}

/* Moves an operation that only a later part of the same place reads into that
 * part: no tensor is handed over, and there may be one part less. */
static void
sink (Work *work)
{
  memset (
      work->most, 0xff, work->n_ops * work->n_places * sizeof work->most[0]);
  for (guint i = work->n_ops; i-- > 0;) {
    InferPlacing *placing = &work->placings[i];
    const guint *most = &work->most[i * work->n_places];
    gboolean elsewhere = work->touches[i];

    for (guint p = 0; p < work->n_places; p++)
      elsewhere |= (int) p != placing->place && most[p] != G_MAXUINT;
    if (placing->place >= 0 && !elsewhere && most[placing->place] != G_MAXUINT)
      placing->level = most[placing->place];
    lower_most (work, work->graph->operations->pdata[i]);
  }
}

static void
mark_touching (Work *work, const Variable *variable)
{
  for (guint k = 0; k < variable->reads->len; k++)
    work->touches[g_array_index (variable->reads, guint, k)] = TRUE;
  for (guint k = 0; k < variable->writes->len; k++)
    work->touches[g_array_index (variable->writes, guint, k)] = TRUE;
}

/* The last level of @place whose part runs before @reader or is its part. */
static guint
last_before (const InferPlacing *reader, int place)
{
  return reader->place == place ? reader->level : reader->level - 1;
}

/* Moves a ReadValue as late as its readers allow, at most to the level of the
 * first assignment. */
static void
join_write (Work *work, guint read, const Variable *variable)
{
  InferPlacing *placing = &work->placings[read];
  guint level = G_MAXUINT;

  for (guint w = 0; w < variable->writes->len; w++) {
    const guint write = g_array_index (variable->writes, guint, w);

    if (write == read)
      return;
    level = MIN (level, last_before (&work->placings[write], placing->place));
  }
  for (guint p = 0; p < work->n_places; p++) {
    const guint most = work->most[read * work->n_places + p];

    if (most != G_MAXUINT)
      level = MIN (level, (int) p == placing->place ? most : most - 1);
  }
  if (level != G_MAXUINT)
    placing->level = MAX (placing->level, level);
}

static void
join_variable (Work *work, const Variable *variable)
{
  for (guint r = 0; r < variable->reads->len; r++) {
    const guint read = g_array_index (variable->reads, guint, r);

    if (infer_op_is (
            work->graph->operations->pdata[read], &infer_op_read_value))
      join_write (work, read, variable);
  }
}

/* Results of copied values join an existing part. */
static void
join_results (Work *work)
{
  const GPtrArray *results = work->graph->results;
  guint last = 0;

  for (guint i = 0; i < work->n_ops; i++)
    if (work->placings[i].place == (int) work->n_places - 1)
      last = MAX (last, work->placings[i].level);
  for (guint i = 0; i < results->len; i++) {
    InferPlacing *placing =
        &work->placings[((const InferOperation *) results->pdata[i])->index];

    if (placing->place >= 0)
      placing->level = last;
  }
}

static void
for_each_variable (
    Work *work, void (*visit) (Work *work, const Variable *variable))
{
  GHashTableIter iter;
  gpointer variable;

  g_hash_table_iter_init (&iter, work->variables);
  while (g_hash_table_iter_next (&iter, NULL, &variable))
    visit (work, variable);
}

gboolean
infer_partition (const InferGraph *graph, guint n_places,
    InferPlacing *placings, GError **error)
{
  const guint n = graph->operations->len;
  g_autoptr (GHashTable) variables = find_variables (graph);
  g_autofree gboolean *touches = g_new0 (gboolean, n + 1);
  g_autofree guint *floors = g_new0 (guint, n + 1);
  g_autofree guint *least = g_new0 (guint, (gsize) n * n_places + 1);
  g_autofree guint *most = g_new0 (guint, (gsize) n * n_places + 1);
  Work work = { graph, n, n_places, placings, variables, touches, floors, least,
    most };

  for_each_variable (&work, keep_together);
  for_each_variable (&work, mark_touching);
  choose_places (&work);
  if (!find_levels (&work, error))
    return FALSE;
  sink (&work);
  for_each_variable (&work, join_variable);
  sink (&work); /* initialisers sink after their ReadValue */
  join_results (&work);
  return TRUE;
}
