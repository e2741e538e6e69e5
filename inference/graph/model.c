/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/model-private.h"

#include <string.h>

/* A variable of changing shape may make the shape of another change; after this
 * many rounds all are taken as changing. */
#define MAX_ROUNDS 8

static void
variable_clear (gpointer data)
{
  g_free (((InferVariable *) data)->name);
}

InferModel *
infer_model_new (const char *name, const char *path, guint ir_version)
{
  InferModel *model = g_new0 (InferModel, 1);

  g_atomic_ref_count_init (&model->refs);
  model->name = g_strdup (name);
  model->path = g_strdup (path);
  model->ir_version = ir_version;
  model->graph = infer_graph_new ();
  model->variables = g_array_new (FALSE, TRUE, sizeof (InferVariable));
  g_array_set_clear_func (model->variables, variable_clear);
  model->variable_places =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  model->rt_info =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return model;
}

InferModel *
infer_model_copy (const InferModel *model)
{
  InferModel *copy =
      infer_model_new (model->name, model->path, model->ir_version);

  infer_graph_free (copy->graph);
  copy->graph = infer_graph_copy (model->graph);
  g_hash_table_unref (copy->rt_info);
  copy->rt_info = g_hash_table_ref (model->rt_info);
  copy->external_files = g_strdupv (model->external_files);
  return copy;
}

InferModel *
infer_model_ref (InferModel *model)
{
  g_atomic_ref_count_inc (&model->refs);
  return model;
}

void
infer_model_unref (InferModel *model)
{
  if (model == NULL || !g_atomic_ref_count_dec (&model->refs))
    return;
  infer_graph_free (model->graph);
  g_array_unref (model->variables);
  g_hash_table_unref (model->variable_places);
  g_hash_table_unref (model->rt_info);
  g_strfreev (model->external_files);
  g_free (model->name);
  g_free (model->path);
  g_free (model);
}

gboolean
infer_model_settle (InferModel *model, GError **error)
{
  guint round = 0;

  if (!infer_graph_sort (model->graph, error))
    return FALSE;
  do {
    if (!infer_graph_infer (model->graph, error))
      return FALSE;
  } while (infer_model_find_growing (model, ++round >= MAX_ROUNDS));
  return infer_model_collect_variables (model, error);
}

gboolean
infer_model_settle_inferred (InferModel *model, GError **error)
{
  if (!infer_graph_is_whole (model->graph))
    return infer_model_settle (model, error);
  return infer_graph_sort (model->graph, error)
         && infer_model_collect_variables (model, error);
}

const char *
infer_model_get_name (const InferModel *model)
{
  return model->name;
}

const char *
infer_model_get_path (const InferModel *model)
{
  return model->path;
}

const char *const *
infer_model_get_external_files (const InferModel *model)
{
  return (const char *const *) model->external_files;
}

char *
infer_model_label (const InferModel *model)
{
  static const char *const generic[] = { "model.xml", "openvino_model.xml",
    "model.onnx", NULL };
  static const char *const endings[] = { ".xml", ".onnx" };
  g_autofree char *file = g_path_get_basename (model->path);
  g_autofree char *folder = g_path_get_dirname (model->path);

  if (g_strv_contains (generic, file) && strcmp (folder, ".") != 0)
    return g_path_get_basename (folder);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (file, endings[i])) {
      file[strlen (file) - strlen (endings[i])] = '\0';
      break;
    }
  return g_steal_pointer (&file);
}

guint
infer_model_get_ir_version (const InferModel *model)
{
  return model->ir_version;
}

const InferGraph *
infer_model_get_graph (const InferModel *model)
{
  return model->graph;
}

/* --- inputs and outputs --- */

guint
infer_model_n_inputs (const InferModel *model)
{
  return model->graph->parameters->len;
}

guint
infer_model_n_outputs (const InferModel *model)
{
  return model->graph->results->len;
}

static const InferOperation *
port_op (const GPtrArray *ports, guint index)
{
  g_return_val_if_fail (index < ports->len, NULL);
  return ports->pdata[index];
}

const InferDesc *
infer_model_input_desc (const InferModel *model, guint index)
{
  const InferOperation *op = port_op (model->graph->parameters, index);

  return op != NULL ? &op->outputs[0].desc : NULL;
}

const InferDesc *
infer_model_output_desc (const InferModel *model, guint index)
{
  const InferOperation *op = port_op (model->graph->results, index);

  return op != NULL ? &op->outputs[0].desc : NULL;
}

static const char *
port_name (const GPtrArray *ports, guint index)
{
  const InferOperation *op = port_op (ports, index);

  if (op == NULL)
    return "";
  return op->outputs[0].names[0] != NULL ? op->outputs[0].names[0] : op->name;
}

const char *
infer_model_input_name (const InferModel *model, guint index)
{
  return port_name (model->graph->parameters, index);
}

const char *
infer_model_output_name (const InferModel *model, guint index)
{
  return port_name (model->graph->results, index);
}

static gboolean
has_tensor_name (const InferOperation *op, const char *name)
{
  return g_strv_contains ((const char *const *) op->outputs[0].names, name);
}

static gboolean
has_name (const InferOperation *op, const char *name)
{
  return strcmp (op->name, name) == 0;
}

/* A Result is also found by its producer: "add" as well as
 * "add/sink_port_0". */
static gboolean
has_source_name (const InferOperation *op, const char *name)
{
  return op->n_inputs > 0 && op->inputs[0].op != NULL
         && (strcmp (op->inputs[0].op->name, name) == 0
             || g_strv_contains ((const char *const *) op->inputs[0]
                                     .op->outputs[op->inputs[0].index]
                                     .names,
                 name));
}

static int
find_where (const GPtrArray *ports, const char *name,
    gboolean (*matches) (const InferOperation *op, const char *name))
{
  for (guint i = 0; i < ports->len; i++)
    if (matches (ports->pdata[i], name))
      return (int) i;
  return -1;
}

static int
find_port (const InferModel *model, const GPtrArray *ports, const char *name,
    const char *what, GError **error)
{
  guint64 index;
  int found = find_where (ports, name, has_tensor_name);

  if (found < 0)
    found = find_where (ports, name, has_name);
  if (found < 0)
    found = find_where (ports, name, has_source_name);
  if (found < 0
      && g_ascii_string_to_unsigned (name, 10, 0, G_MAXINT, &index, NULL)
      && index < ports->len)
    found = (int) index;
  if (found >= 0)
    return found;
  GString *known = g_string_new (NULL);
  for (guint i = 0; i < ports->len && known->len < 1000; i++)
    g_string_append_printf (
        known, "%s'%s'", i > 0 ? ", " : "", port_name (ports, i));
  infer_fail (error, INFER_ERROR_NOT_FOUND, "%s: no %s '%.200s'; there are: %s",
      model->path, what, name, known->len > 0 ? known->str : "none");
  g_string_free (known, TRUE);
  return -1;
}

int
infer_model_find_input (
    const InferModel *model, const char *name, GError **error)
{
  return find_port (model, model->graph->parameters, name, "input", error);
}

int
infer_model_find_output (
    const InferModel *model, const char *name, GError **error)
{
  return find_port (model, model->graph->results, name, "output", error);
}

/* --- variables and information --- */

guint
infer_model_n_variables (const InferModel *model)
{
  return model->variables->len;
}

const InferVariable *
infer_model_variable (const InferModel *model, guint index)
{
  g_return_val_if_fail (index < model->variables->len, NULL);
  return &g_array_index (model->variables, InferVariable, index);
}

int
infer_model_find_variable (const InferModel *model, const char *name)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (model->variable_places, name))
         - 1;
}

void
infer_model_add_variable (InferModel *model, const InferVariable *variable)
{
  InferVariable copy = *variable;

  copy.name = g_strdup (variable->name);
  g_array_append_val (model->variables, copy);
  g_hash_table_replace (model->variable_places, g_strdup (variable->name),
      GUINT_TO_POINTER (model->variables->len));
}

const char *
infer_model_get_rt_info (const InferModel *model, const char *key)
{
  return g_hash_table_lookup (model->rt_info, key);
}

const char *
infer_model_get_info (const InferModel *model, const char *key)
{
  g_autofree char *path = g_strconcat ("model_info/", key, NULL);

  return infer_model_get_rt_info (model, path);
}

char *
infer_operation_describe (const InferOperation *op)
{
  return g_strdup_printf (
      "'%.200s' (%s %s)", op->name, op->klass->type, op->opset);
}
