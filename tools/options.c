/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/options.h"

#include <string.h>

#include "inference/config.h"
#include "inference/trace.h"

void
tool_model_options_clear (ToolModelOptions *options)
{
  g_free (options->weights);
  g_strfreev (options->extra_outputs);
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

int
tool_check_runtime_options (
    const ToolCommand *command, const ToolRuntimeOptions *options)
{
  if (options->threads < 1)
    return tool_usage (command, "--threads must be at least 1");
  if (!options->dump != !options->dump_dir)
    return tool_usage (command, "%s without %s",
        options->dump ? "--dump" : "--dump-dir",
        options->dump ? "--dump-dir" : "--dump");
  return TOOL_DONE;
}

/* Takes @model. */
static InferModel *
change (InferModel *model, const ToolModelOptions *options, guint step,
    GError **error)
{
  g_autoptr (InferModel) before = model;
  if (before && step == 0 && options->extra_outputs)
    return infer_model_add_outputs (
        before, (const char *const *) options->extra_outputs, error);
  if (before && step == 1 && options->low_latency)
    return infer_model_low_latency (before, error);
  if (before && step == 2 && options->ties)
    return infer_model_tie_states (
        before, (const char *const *) options->ties, error);
  return g_steal_pointer (&before);
}

InferModel *
tool_load_model (
    const char *path, const ToolModelOptions *options, GError **error)
{
  InferModel *model = infer_model_load (path, options->weights, error);
  for (guint step = 0; step < 3; step++)
    model = change (model, options, step, error);
  return model;
}

InferRuntime *
tool_open_runtime (const ToolRuntimeOptions *options, int streams,
    gboolean perf_count, GError **error)
{
  g_autoptr (GString) config = g_string_new (options->config);
  if (!strstr (config->str, "NUM_STREAMS"))
    g_string_append_printf (
        config, "%sNUM_STREAMS=%d", config->len > 0 ? "," : "", streams);
  if (!strstr (config->str, "INFERENCE_NUM_THREADS"))
    g_string_append_printf (
        config, ",INFERENCE_NUM_THREADS=%d", options->threads);
  if (perf_count && !strstr (config->str, "PERF_COUNT"))
    infer_config_append (config, "PERF_COUNT", "YES");
  if (options->dump) {
    infer_config_append (config, "DUMP", options->dump);
    infer_config_append (config, "DUMP_DIR", options->dump_dir);
  }
  return infer_runtime_new (options->device, config->str, error);
}

gboolean
tool_begin_trace (const ToolRuntimeOptions *options, GError **error)
{
  return !options->trace || infer_trace_start (options->trace, error);
}

gboolean
tool_end_trace (const ToolRuntimeOptions *options, GError **error)
{
  return !options->trace || infer_trace_stop (error);
}
