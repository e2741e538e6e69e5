/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/error.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/progress/progress.h"
#include "tools/outputs.h"
#include "tools/files/states.h"

typedef struct
{
  ToolModelOptions model;
  ToolRuntimeOptions runtime;
  char *output_dir, *state_in, *state_out;
  GStrv inputs;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  tool_runtime_options_clear (&options->runtime);
  g_free (options->output_dir);
  g_free (options->state_in);
  g_free (options->state_out);
  g_strfreev (options->inputs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

static gboolean
set_input (InferRequest *request, const InferModel *model, const char *text,
    gboolean *given, GError **error)
{
  g_autofree char *name = NULL;
  const char *path;
  int index = tool_split (text, &name, &path)
                  ? infer_model_find_input (model, name, error)
                  : -1;
  if (index < 0)
    return FALSE;
  if (given[index])
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "input '%.100s' is given twice", name);
  const InferDesc *desc = infer_model_input_desc (model, (guint) index);
  g_autoptr (InferTensor) tensor = tool_read_input (path, desc, error);
  if (tensor == NULL
      || !infer_request_set_input (request, (guint) index, tensor, error)) {
    g_prefix_error (
        error, "%s: input '%.100s': ", infer_model_get_path (model), name);
    return FALSE;
  }
  if (desc->type != INFER_TYPE_DYNAMIC && tensor->type != desc->type)
    g_printerr ("infer-model: %s: %s is converted to %s, which input '%.100s' "
                "takes\n",
        path, infer_type_name (tensor->type), infer_type_name (desc->type),
        name);
  given[index] = TRUE;
  return TRUE;
}

static gboolean
set_inputs (InferRequest *request, const InferModel *model, GStrv inputs,
    GError **error)
{
  guint n = infer_model_n_inputs (model);
  g_autofree gboolean *given = g_new0 (gboolean, n + 1);
  for (guint i = 0; inputs != NULL && inputs[i] != NULL; i++)
    if (!set_input (request, model, inputs[i], given, error))
      return FALSE;
  g_autoptr (GString) missing = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    if (!given[i])
      g_string_append_printf (missing, "%s'%s'", missing->len > 0 ? ", " : "",
          infer_model_input_name (model, i));
  if (missing->len > 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: no --input for %s", infer_model_get_path (model), missing->str);
  return TRUE;
}

static gboolean
write_states (const char *path, InferStateSet *states, GError **error)
{
  if (!tool_write_states (path, states, error))
    return FALSE;
  g_print ("%u variable%s -> %s\n", infer_state_set_n_states (states),
      infer_state_set_n_states (states) == 1 ? "" : "s", path);
  return TRUE;
}

static gboolean
run_request (InferRequest *request, GError **error)
{
  tool_progress_begin ("running");
  gboolean ok = infer_request_infer (request, error);
  tool_progress_end ();
  return ok;
}

static gboolean
infer (InferRequest *request, const InferModel *model, const Options *options,
    GError **error)
{
  InferStateSet *states = infer_request_get_states (request);
  return set_inputs (request, model, options->inputs, error)
         && (options->state_in == NULL
             || tool_read_states (options->state_in, model, states, error))
         && run_request (request, error)
         && tool_write_outputs (request, model,
             options->output_dir != NULL ? options->output_dir : ".", error)
         && (options->state_out == NULL
             || write_states (options->state_out, states, error));
}

static gboolean
run_model (const char *path, const Options *options, GError **error)
{
  g_autoptr (InferExecutable) executable =
      tool_compile (path, &options->model, &options->runtime, 1, FALSE, error);
  if (executable == NULL)
    return FALSE;
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  if (request == NULL || !tool_begin_trace (&options->runtime, error))
    return FALSE;
  gboolean ok =
      infer (request, infer_executable_get_model (executable), options, error);
  return tool_end_trace (&options->runtime, ok ? error : NULL) && ok;
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { .runtime.threads = 1 };
  const GOptionEntry entries[] = {
    TOOL_MODEL_OPTIONS (&options.model),
    TOOL_RUNTIME_OPTIONS (&options.runtime),
    { "input", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.inputs,
        "Value of an input, by name or index", "NAME=FILE" },
    { "output-dir", 0, 0, G_OPTION_ARG_FILENAME, &options.output_dir,
        "Where to write out_<k>.npy (default: .)", "DIR" },
    { "state-in", 0, 0, G_OPTION_ARG_FILENAME, &options.state_in,
        "Variables before the run: VARIABLE.npy in a folder, or .npz", "PATH" },
    { "state-out", 0, 0, G_OPTION_ARG_FILENAME, &options.state_out,
        "Where to write the variables after the run", "PATH" },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;
  if (!tool_parse_options (
          &tool_run, entries, &options.runtime, argc, argv, 1, 1, &arguments)
      || !tool_check_pairs (&tool_run, "--input", "NAME=FILE", options.inputs))
    return TOOL_USAGE;
  return run_model (arguments[0], &options, &error) ? TOOL_DONE
                                                    : tool_fail (error);
}

const ToolCommand tool_run = {
  .name = "run",
  .arguments = "MODEL [--input NAME|INDEX=FILE.npy]... "
               "[--state-in PATH] [--state-out PATH] [OPTION]...",
  .summary = "runs a model once and writes its outputs as out_<k>.npy",
  .run = run,
};
