/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdio.h>

#include "inference/op.h"
#include "tools/inputs.h"
#include "tools/options.h"

/* An operation of the model or of one of its bodies, and what would run it. */
typedef struct
{
  const InferOperation *op;
  char *name; /* "Loop_3/Add_1" inside of a body */
  const char *kernel;
} Row;

typedef struct
{
  InferModel *model;
  const char *device;
  GArray *rows; /* (element-type Row) */
  GStrv unsupported;
} Info;

static void
clear_row (gpointer data)
{
  g_free (((Row *) data)->name);
}

/* Inputs, outputs and constants are no work. */
static gboolean
is_work (const InferOperation *op)
{
  return op->n_inputs > 0
         && g_ascii_strcasecmp (op->klass->type, "Result") != 0;
}

/* Bodies in bodies: the reader limits their depth. */
static void
collect (GArray *rows, const InferGraph *graph, const char *prefix)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];
    if (!is_work (op) && op->n_bodies == 0)
      continue;
    Row row = { op, g_strconcat (prefix, op->name, NULL), NULL };
    g_array_append_val (rows, row);
    for (guint b = 0; b < op->n_bodies; b++) {
      g_autofree char *inner = g_strconcat (prefix, op->name, "/", NULL);
      collect (rows, op->bodies[b].graph, inner);
    }
  }
}

/* Kernels are chosen for shapes: one run on zeros shows which.  Where that is
 * not possible, nothing is said of them. */
static InferRequest *
try_run (InferExecutable *executable)
{
  InferModel *model = infer_executable_get_model (executable);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  for (guint i = 0; request && i < infer_model_n_inputs (model); i++) {
    InferShape shape;
    if (!tool_default_shape (model, i, &shape, NULL)
        || !infer_request_set_input_shape (request, i, &shape, NULL))
      return NULL;
  }
  if (!request || !infer_request_infer (request, NULL))
    return NULL;
  return g_steal_pointer (&request);
}

static void
find_kernels (Info *info, InferRequest *request)
{
  g_autoptr (GHashTable) kernels =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  for (guint i = 0; i < timings->len; i++) {
    InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);
    g_hash_table_insert (kernels, g_strdup (timing->name), timing);
  }
  for (guint i = 0; i < info->rows->len; i++) {
    Row *row = &g_array_index (info->rows, Row, i);
    const InferOpTiming *timing = g_str_equal (row->name, row->op->name)
                                      ? g_hash_table_lookup (kernels, row->name)
                                      : NULL;
    row->kernel = timing ? timing->kernel : NULL;
  }
}

/* --- for people --------------------------------------------------------------
 */

static void
print_port (guint index, const char *name, const InferDesc *desc)
{
  g_autofree char *shape = infer_shape_to_string (&desc->shape);
  g_print ("  %-3u %-8s %-16s %s\n", index, infer_type_name (desc->type), shape,
      name);
}

static void
print_ports (const InferModel *model)
{
  g_print ("inputs\n");
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    print_port (i, infer_model_input_name (model, i),
        infer_model_input_desc (model, i));
  g_print ("outputs\n");
  for (guint i = 0; i < infer_model_n_outputs (model); i++)
    print_port (i, infer_model_output_name (model, i),
        infer_model_output_desc (model, i));
  if (infer_model_n_variables (model) > 0)
    g_print ("variables\n");
  for (guint i = 0; i < infer_model_n_variables (model); i++) {
    const InferVariable *variable = infer_model_variable (model, i);
    print_port (i, variable->name, &variable->desc);
  }
}

static void
print_text (const Info *info)
{
  g_print ("model    %s (%s, IR version %u)\n",
      infer_model_get_name (info->model), infer_model_get_path (info->model),
      infer_model_get_ir_version (info->model));
  g_print ("device   %s\n", info->device);
  print_ports (info->model);
  g_print ("operations (%u)\n", info->rows->len);
  for (guint i = 0; i < info->rows->len; i++) {
    const Row *row = &g_array_index (info->rows, Row, i);
    g_print ("  %-24s %-9s %-16s %s\n", row->op->klass->type, row->op->opset,
        row->kernel ? row->kernel : "-", row->name);
  }
  if (info->unsupported[0])
    g_print ("unsupported by %s\n", info->device);
  for (guint i = 0; info->unsupported[i]; i++)
    g_print ("  %s\n", info->unsupported[i]);
}

/* --- as JSON -----------------------------------------------------------------
 */

static void
json_member (GString *json, const char *key, const char *text)
{
  tool_json_string (json, key);
  g_string_append (json, ": ");
  tool_json_string (json, text);
}

static void
json_desc (GString *json, const char *name, const InferDesc *desc)
{
  json_member (json, "name", name);
  g_string_append (json, ", ");
  json_member (json, "type", infer_type_name (desc->type));
  if (desc->shape.rank < 0) {
    g_string_append (json, ", \"shape\": null");
    return;
  }
  g_string_append (json, ", \"shape\": [");
  for (int i = 0; i < desc->shape.rank; i++)
    g_string_append_printf (
        json, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", desc->shape.dims[i]);
  g_string_append (json, "]");
}

static void
json_begin_item (GString *json, gboolean first)
{
  g_string_append (json, first ? "\n    { " : " },\n    { ");
}

static void
json_end_list (GString *json, gboolean empty)
{
  g_string_append (json, empty ? "]" : " }\n  ]");
}

static void
json_ports (GString *json, const InferModel *model)
{
  guint n = infer_model_n_inputs (model);
  g_string_append (json, ",\n  \"inputs\": [");
  for (guint i = 0; i < n; i++) {
    json_begin_item (json, i == 0);
    json_desc (json, infer_model_input_name (model, i),
        infer_model_input_desc (model, i));
  }
  json_end_list (json, n == 0);
  n = infer_model_n_outputs (model);
  g_string_append (json, ",\n  \"outputs\": [");
  for (guint i = 0; i < n; i++) {
    json_begin_item (json, i == 0);
    json_desc (json, infer_model_output_name (model, i),
        infer_model_output_desc (model, i));
  }
  json_end_list (json, n == 0);
  n = infer_model_n_variables (model);
  g_string_append (json, ",\n  \"variables\": [");
  for (guint i = 0; i < n; i++) {
    const InferVariable *variable = infer_model_variable (model, i);
    json_begin_item (json, i == 0);
    json_desc (json, variable->name, &variable->desc);
  }
  json_end_list (json, n == 0);
}

static void
json_operations (GString *json, const GArray *rows)
{
  g_string_append (json, ",\n  \"operations\": [");
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);
    json_begin_item (json, i == 0);
    json_member (json, "name", row->name);
    g_string_append (json, ", ");
    json_member (json, "type", row->op->klass->type);
    g_string_append (json, ", ");
    json_member (json, "opset", row->op->opset);
    g_string_append (json, ", ");
    if (row->kernel)
      json_member (json, "kernel", row->kernel);
    else
      g_string_append (json, "\"kernel\": null");
  }
  json_end_list (json, rows->len == 0);
}

static void
print_json (const Info *info)
{
  g_autoptr (GString) json = g_string_new ("{\n  ");
  json_member (json, "name", infer_model_get_name (info->model));
  g_string_append (json, ",\n  ");
  json_member (json, "path", infer_model_get_path (info->model));
  g_string_append_printf (json, ",\n  \"ir_version\": %u,\n  ",
      infer_model_get_ir_version (info->model));
  json_member (json, "device", info->device);
  json_ports (json, info->model);
  json_operations (json, info->rows);
  g_string_append (json, ",\n  \"unsupported\": [");
  for (guint i = 0; info->unsupported[i]; i++) {
    g_string_append (json, i > 0 ? ", " : "");
    tool_json_string (json, info->unsupported[i]);
  }
  g_string_append (json, "]\n}\n");
  /* Not g_print, which converts to the locale's charset. */
  fputs (json->str, stdout);
}

/* --- the command -------------------------------------------------------------
 */

typedef struct
{
  ToolModelOptions model;
  ToolRuntimeOptions runtime;
  gboolean json;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  tool_runtime_options_clear (&options->runtime);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

static int
show (InferModel *model, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (rows, clear_row);
  g_autoptr (InferRuntime) runtime =
      tool_open_runtime (&options->runtime, 1, TRUE, &error);
  if (!runtime)
    return tool_fail (error);
  const char *device = infer_runtime_get_device (runtime);
  g_auto (GStrv) unsupported = infer_runtime_query (device, model, &error);
  if (!unsupported)
    return tool_fail (error);
  Info info = { model, device, rows, unsupported };
  collect (rows, infer_model_get_graph (model), "");
  /* A refused model is shown too, and then what was wrong with it. */
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_autoptr (InferRequest) request = executable ? try_run (executable) : NULL;
  if (request)
    find_kernels (&info, request);
  if (options->json)
    print_json (&info);
  else
    print_text (&info);
  return executable ? TOOL_DONE : tool_fail (error);
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { .runtime.threads = 1 };
  const GOptionEntry entries[] = {
    TOOL_MODEL_OPTIONS (&options.model),
    { "device", 0, 0, G_OPTION_ARG_STRING, &options.runtime.device,
        "Where it would run (default: CPU)", "DEVICE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;
  if (!tool_parse (&tool_info, entries, argc, argv, 1, 1, &arguments))
    return TOOL_USAGE;
  g_autoptr (InferModel) model =
      tool_load_model (arguments[0], &options.model, &error);
  return model ? show (model, &options) : tool_fail (error);
}

const ToolCommand tool_info = {
  .name = "info",
  .arguments = "MODEL.xml [--device D] [--json] [OPTION]...",
  .summary = "inputs, outputs, variables, operations and kernels of a model",
  .run = run,
};
