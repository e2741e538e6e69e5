/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/options.h"
#include "tools/progress/progress.h"

#include <string.h>

#include "inference/runtime/config.h"
#include "inference/base/trace.h"

void
tool_model_options_clear (ToolModelOptions *options)
{
  g_free (options->weights);
  g_strfreev (options->extra_outputs);
  g_strfreev (options->fixed);
  g_strfreev (options->ties);
}

void
tool_runtime_options_clear (ToolRuntimeOptions *options)
{
  g_free (options->device);
  g_free (options->config);
  g_free (options->trace);
  g_free (options->dump);
  g_free (options->dump_dir);
}

gboolean
tool_parse_options (const ToolCommand *command, const GOptionEntry *entries,
    const ToolRuntimeOptions *options, int argc, char **argv, guint min,
    guint max, GStrv *arguments)
{
  if (!tool_parse (command, entries, argc, argv, min, max, arguments))
    return FALSE;
  if (options->threads < 1)
    tool_usage (command, "--threads must be at least 1");
  else if ((options->dump == NULL) != (options->dump_dir == NULL))
    tool_usage (command, "%s without %s",
        options->dump != NULL ? "--dump" : "--dump-dir",
        options->dump != NULL ? "--dump-dir" : "--dump");
  else
    return TRUE;
  return FALSE;
}

gboolean
tool_check_pairs (const ToolCommand *command, const char *option,
    const char *form, GStrv values)
{
  for (guint i = 0; values != NULL && values[i] != NULL; i++) {
    g_autofree char *key = NULL;
    const char *value;
    if (tool_split (values[i], &key, &value))
      continue;
    tool_usage (command, "%s '%.100s' is not %s", option, values[i], form);
    return FALSE;
  }
  return TRUE;
}

/* @model: (transfer full) */
static InferModel *
change (InferModel *model, const ToolModelOptions *options, guint step,
    GError **error)
{
  g_autoptr (InferModel) before = model;
  if (before != NULL && step == 0 && options->extra_outputs != NULL)
    return infer_model_add_outputs (
        before, (const char *const *) options->extra_outputs, error);
  if (before != NULL && step == 1 && options->fixed != NULL)
    return infer_model_fix_inputs (
        before, (const char *const *) options->fixed, error);
  if (before != NULL && step == 2 && options->low_latency)
    return infer_model_low_latency (before, error);
  if (before != NULL && step == 3 && options->ties != NULL)
    return infer_model_tie_states (
        before, (const char *const *) options->ties, error);
  return g_steal_pointer (&before);
}

InferModel *
tool_load_model (InferRuntime *runtime, const char *path,
    const ToolModelOptions *options, GError **error)
{
  tool_progress_begin ("loading %s", path);
  InferModel *model =
      infer_runtime_load (runtime, path, options->weights, error);
  for (guint step = 0; step < 4; step++)
    model = change (model, options, step, error);
  tool_progress_end ();
  return model;
}

InferRuntime *
tool_open_runtime (const ToolRuntimeOptions *options, int streams,
    gboolean perf_count, GError **error)
{
  g_autoptr (GString) config = g_string_new (options->config);
  if (strstr (config->str, "NUM_STREAMS") == NULL)
    g_string_append_printf (
        config, "%sNUM_STREAMS=%d", config->len > 0 ? "," : "", streams);
  if (strstr (config->str, "INFERENCE_NUM_THREADS") == NULL)
    g_string_append_printf (
        config, ",INFERENCE_NUM_THREADS=%d", options->threads);
  if (perf_count && strstr (config->str, "PERF_COUNT") == NULL)
    infer_config_append (config, "PERF_COUNT", "YES");
  if (options->dump != NULL) {
    infer_config_append (config, "DUMP", options->dump);
    infer_config_append (config, "DUMP_DIR", options->dump_dir);
  }
  return infer_runtime_new (options->device, config->str, error);
}

InferExecutable *
tool_compile (const char *path, const ToolModelOptions *model_options,
    const ToolRuntimeOptions *options, int streams, gboolean perf_count,
    GError **error)
{
  g_autoptr (InferRuntime) runtime =
      tool_open_runtime (options, streams, perf_count, error);
  g_autoptr (InferModel) model =
      runtime != NULL ? tool_load_model (runtime, path, model_options, error)
                      : NULL;
  if (model == NULL)
    return NULL;
  tool_progress_begin ("compiling %s", path);
  InferExecutable *executable = infer_executable_new (model, runtime, error);
  tool_progress_end ();
  return executable;
}

gboolean
tool_begin_trace (const ToolRuntimeOptions *options, GError **error)
{
  return options->trace == NULL || infer_trace_start (options->trace, error);
}

gboolean
tool_end_trace (const ToolRuntimeOptions *options, GError **error)
{
  return options->trace == NULL || infer_trace_stop (error);
}
