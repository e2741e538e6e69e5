/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdio.h>

#include "inference/base/pass-log.h"
#include "inference/graph/op.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/picture/picture.h"
#include "tools/progress/progress.h"

/* For the run that shows kernels. */
#define MOST_SECONDS 10

/* An operation of the model or of a body, its device and kernel. */
typedef struct
{
  const InferOperation *op;
  const char *top; /* itself, or the outermost operation whose body holds it */
  char *name;      /* in a body: "Loop_3/Add_1" */
  const char *kernel;
  const char *device; /* NULL: removed by the passes */
} Row;

typedef struct
{
  InferModel *model;
  const char *device;
  GArray *rows; /* (element-type Row) */
  GStrv unsupported;
  GPtrArray *parts;    /* (element-type utf8) "CPU: 3 operations" */
  GHashTable *devices; /* operation → device */
  GError *no_kernels;  /* why kernels are not known; nullable */
} Info;

static void
clear_row (gpointer data)
{
  g_free (((Row *) data)->name);
}

/* Inputs, outputs and constants are not listed. */
static gboolean
is_work (const InferOperation *op)
{
  return op->n_inputs > 0 && !infer_op_is (op, &infer_op_result);
}

/* The reader limits the depth of nested bodies. */
static void
collect (
    GArray *rows, const InferGraph *graph, const char *prefix, const char *top)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];
    if (!is_work (op) && op->n_bodies == 0)
      continue;
    Row row = { op, top != NULL ? top : op->name,
      g_strconcat (prefix, op->name, NULL), NULL, NULL };
    g_array_append_val (rows, row);
    for (guint b = 0; b < op->n_bodies; b++) {
      g_autofree char *inner = g_strconcat (prefix, op->name, "/", NULL);
      collect (rows, op->bodies[b].graph, inner, row.top);
    }
  }
}

static gboolean
run_on_zeros (InferAsyncRequest *async, GError **error)
{
  InferRequest *request = infer_async_request_get_request (async);
  InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));
  g_autofree InferShape *shapes = tool_find_shapes (model, NULL, error);
  if (shapes == NULL)
    return FALSE;
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (infer_request_set_input_shape (request, i, &shapes[i], error) == NULL)
      return FALSE;
  if (!infer_async_request_start (async, INFER_START_DEFAULT, error))
    return FALSE;
  GError *failure = NULL;
  if (infer_async_request_wait (async, MOST_SECONDS * G_USEC_PER_SEC, &failure))
    return TRUE;
  if (failure == NULL)
    return infer_fail (error, INFER_ERROR_CANCELLED,
        "one inference takes longer than %d s", MOST_SECONDS);
  g_propagate_error (error, failure);
  return FALSE;
}

/* Kernels depend on shapes: one run on zeros shows them.  If that is not
 * possible, kernels are not shown. */
static InferAsyncRequest *
try_run (InferExecutable *executable, GError **error)
{
  g_autoptr (InferAsyncRequest) async =
      infer_async_request_new (executable, NULL, error);
  return async != NULL && run_on_zeros (async, error) ? g_steal_pointer (&async)
                                                      : NULL;
}

/* An ONNX node gives its name to several operations. */
static char *
kernel_key (const char *type, const char *name)
{
  return g_strconcat (type, " ", name, NULL);
}

static void
find_kernels (Info *info, InferRequest *request)
{
  g_autoptr (GHashTable) kernels =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  for (guint i = 0; i < timings->len; i++) {
    InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);
    g_hash_table_insert (
        kernels, kernel_key (timing->type, timing->name), timing);
  }
  for (guint i = 0; i < info->rows->len; i++) {
    Row *row = &g_array_index (info->rows, Row, i);
    g_autofree char *key = kernel_key (row->op->klass->type, row->name);
    const InferOpTiming *timing = g_str_equal (row->name, row->op->name)
                                      ? g_hash_table_lookup (kernels, key)
                                      : NULL;
    row->kernel = timing != NULL ? timing->kernel : NULL;
  }
}

static void
add_part (Info *info, const InferPlacedOperation *placed, guint n)
{
  g_ptr_array_add (info->parts, g_strdup_printf ("%s: %u operation%s",
                                    placed->device, n, n == 1 ? "" : "s"));
}

/* With MULTI an operation runs on several devices. */
static void
add_device (Info *info, const InferPlacedOperation *placed)
{
  const char *before = g_hash_table_lookup (info->devices, placed->name);
  g_auto (GStrv) devices = g_strsplit (before != NULL ? before : "", ",", -1);
  if (!g_strv_contains ((const char *const *) devices, placed->device))
    g_hash_table_insert (info->devices, g_strdup (placed->name),
        g_strconcat (before != NULL ? before : "", before != NULL ? "," : "",
            placed->device, NULL));
}

static void
find_devices (Info *info, InferExecutable *executable)
{
  g_autoptr (GArray) list = infer_executable_get_operations (executable);
  guint begin = 0;
  for (guint i = 0; i < list->len; i++) {
    const InferPlacedOperation *placed =
        &g_array_index (list, InferPlacedOperation, i);
    gboolean last = i + 1 == list->len || placed[1].part != placed->part
                    || !g_str_equal (placed[1].device, placed->device);
    add_device (info, placed);
    if (!last)
      continue;
    add_part (info, placed, i + 1 - begin);
    begin = i + 1;
  }
  for (guint i = 0; i < info->rows->len; i++) {
    Row *row = &g_array_index (info->rows, Row, i);
    row->device = g_hash_table_lookup (info->devices, row->top);
  }
}

/* --- text --- */

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
  const char *pairs = infer_model_get_rt_info (model, "state_pairs");
  if (pairs != NULL)
    g_print ("tied     %s\n", pairs);
}

static void
print_text (const Info *info)
{
  g_print ("model    %s (%s, IR version %u)\n",
      infer_model_get_name (info->model), infer_model_get_path (info->model),
      infer_model_get_ir_version (info->model));
  g_print ("device   %s\n", info->device);
  print_ports (info->model);
  if (info->parts->len > 1)
    g_print ("parts\n");
  for (guint i = 0; info->parts->len > 1 && i < info->parts->len; i++)
    g_print ("  %-3u %s\n", i, (const char *) info->parts->pdata[i]);
  g_print ("operations (%u)\n", info->rows->len);
  for (guint i = 0; i < info->rows->len; i++) {
    const Row *row = &g_array_index (info->rows, Row, i);
    g_print ("  %-24s %-9s %-10s %-16s %s\n", row->op->klass->type,
        row->op->opset, row->device != NULL ? row->device : "-",
        row->kernel != NULL ? row->kernel : "-", row->name);
  }
  if (info->unsupported[0] != NULL)
    g_print ("unsupported by %s\n", info->device);
  for (guint i = 0; info->unsupported[i] != NULL; i++)
    g_print ("  %s\n", info->unsupported[i]);
  if (info->no_kernels != NULL)
    g_print ("kernels are not shown: %s\n", info->no_kernels->message);
}

/* --- JSON --- */

static void
json_member (GString *json, const char *key, const char *text)
{
  tool_json_string (json, key);
  g_string_append (json, ": ");
  tool_json_string (json, text);
}

static void
json_nullable (GString *json, const char *key, const char *text)
{
  if (text != NULL)
    json_member (json, key, text);
  else
    g_string_append_printf (json, "\"%s\": null", key);
}

static void
json_strings (GString *json, const char *key, char *const *texts, guint n)
{
  g_string_append_printf (json, ",\n  \"%s\": [", key);
  for (guint i = 0; i < n; i++) {
    g_string_append (json, i > 0 ? ", " : "");
    tool_json_string (json, texts[i]);
  }
  g_string_append (json, "]");
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
  const char *pairs = infer_model_get_rt_info (model, "state_pairs");
  g_auto (GStrv) list = g_strsplit (pairs != NULL ? pairs : "", ",", -1);
  json_strings (json, "tied", list, g_strv_length (list));
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
    json_nullable (json, "device", row->device);
    g_string_append (json, ", ");
    json_nullable (json, "kernel", row->kernel);
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
  json_strings (json, "parts", (GStrv) info->parts->pdata, info->parts->len);
  json_strings (json, "unsupported", info->unsupported,
      g_strv_length (info->unsupported));
  g_string_append (json, "\n}\n");
  /* Not g_print, which converts to the locale's charset. */
  fputs (json->str, stdout);
}

/* --- the command --- */

typedef struct
{
  ToolModelOptions model;
  ToolRuntimeOptions runtime;
  gboolean json, passes, dot, steps;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  tool_runtime_options_clear (&options->runtime);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

static void
print_passes (void)
{
  g_autofree char *text = infer_pass_log_end ();

  fputs (text, stdout);
}

/* @request: nullable, of a run that shows steps. */
static void
print_dot (const InferModel *model, GStrv unsupported, InferRequest *request)
{
  g_auto (ToolPicture) picture = { .unsupported = unsupported };

  if (request != NULL)
    tool_picture_find_steps (&picture, request);
  g_autofree char *dot = tool_picture_draw (model, &picture);
  fputs (dot, stdout);
}

static void
print (const Info *info, const Options *options, InferAsyncRequest *async)
{
  if (options->dot)
    print_dot (info->model, info->unsupported,
        async != NULL ? infer_async_request_get_request (async) : NULL);
  else if (options->passes)
    print_passes ();
  else if (options->json)
    print_json (info);
  else
    print_text (info);
}

static int
show (const char *path, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (rows, clear_row);
  if (options->passes)
    infer_pass_log_start ();
  g_autoptr (InferRuntime) runtime =
      tool_open_runtime (&options->runtime, 1, TRUE, &error);
  g_autoptr (InferModel) model =
      runtime != NULL ? tool_load_model (runtime, path, &options->model, &error)
                      : NULL;
  if (model == NULL)
    return tool_fail (error);
  const char *device = infer_runtime_get_device (runtime);
  g_auto (GStrv) unsupported = infer_runtime_query (device, model, &error);
  if (unsupported == NULL)
    return tool_fail (error);
  if (options->dot && !options->steps) {
    print_dot (model, unsupported, NULL);
    return TOOL_DONE;
  }
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) devices =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) no_kernels = NULL;
  Info info = { model, device, rows, unsupported, parts, devices, NULL };
  collect (rows, infer_model_get_graph (model), "", NULL);
  tool_progress_begin ("compiling %s", path);
  /* A refused model is shown as well, then the error. */
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  if (executable != NULL) {
    infer_executable_settle (executable);
    find_devices (&info, executable);
  }
  g_autoptr (InferAsyncRequest) async =
      executable != NULL ? try_run (executable, &no_kernels) : NULL;
  tool_progress_end ();
  info.no_kernels = no_kernels;
  if (async != NULL)
    find_kernels (&info, infer_async_request_get_request (async));
  print (&info, options, async);
  if (executable != NULL && options->dot && no_kernels != NULL)
    return tool_fail (no_kernels);
  return executable != NULL ? TOOL_DONE : tool_fail (error);
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
    { "passes", 0, 0, G_OPTION_ARG_NONE, &options.passes,
        "Print what each pass changed, instead", NULL },
    { "dot", 0, 0, G_OPTION_ARG_NONE, &options.dot,
        "Print the graph as a picture for Graphviz", NULL },
    { "steps", 0, 0, G_OPTION_ARG_NONE, &options.steps,
        "With --dot: show kernels, and what is computed in one step", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  if (!tool_parse (&tool_info, entries, argc, argv, 1, 1, &arguments))
    return TOOL_USAGE;
  if (options.dot + options.json + options.passes > 1)
    return tool_usage (
        &tool_info, "only one of --dot, --json and --passes can be given");
  if (options.steps && !options.dot)
    return tool_usage (&tool_info, "--steps without --dot");
  return show (arguments[0], &options);
}

const ToolCommand tool_info = {
  .name = "info",
  .arguments = "MODEL [--device D] "
               "[--json | --passes | --dot [--steps]] [OPTION]...",
  .summary = "inputs, outputs, variables, operations and kernels of a model",
  .run = run,
};
