/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/inputs.h"
#include "tools/options.h"

#include "inference/runtime/config.h"

#define KIND "cpu-choice-"

static guint
count_choices (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    n += g_str_has_prefix (name, KIND) && g_str_has_suffix (name, ".cache");
  return n;
}

static gboolean
tune (const char *path, const ToolModelOptions *model_options,
    const ToolRuntimeOptions *options, GError **error)
{
  g_autoptr (InferExecutable) executable =
      tool_compile (path, model_options, options, 1, FALSE, error);
  if (executable == NULL)
    return FALSE;
  InferModel *model = infer_executable_get_model (executable);
  g_autoptr (InferRequest) request = infer_request_new (executable, error);
  g_autofree InferShape *shapes =
      request != NULL ? tool_find_shapes (model, NULL, error) : NULL;
  return shapes != NULL && tool_fill_inputs (request, model, shapes, error)
         && infer_request_infer (request, error);
}

static int
run (int argc, char **argv)
{
  g_auto (ToolModelOptions) model = { 0 };
  g_auto (ToolRuntimeOptions) options = { .threads = 1 };
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    TOOL_MODEL_OPTIONS (&model),
    TOOL_RUNTIME_OPTIONS (&options),
    { "cache-dir", 0, 0, G_OPTION_ARG_FILENAME, &folder,
        "Where choices are kept: the CACHE_DIR to run with later", "DIR" },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;
  if (!tool_parse_options (
          &tool_tune, entries, &options, argc, argv, 1, 1, &arguments))
    return TOOL_USAGE;
  if (folder == NULL)
    return tool_usage (&tool_tune, "--cache-dir is missing");
  GString *config = g_string_new (options.config);
  infer_config_append (config, "CACHE_DIR", folder);
  infer_config_append (config, "TUNE", "YES");
  g_free (options.config);
  options.config = g_string_free (config, FALSE);
  if (!tune (arguments[0], &model, &options, &error))
    return tool_fail (error);
  g_print ("%u choices in %s\n", count_choices (folder), folder);
  return TOOL_DONE;
}

const ToolCommand tool_tune = {
  .name = "tune",
  .arguments = "MODEL.xml --cache-dir DIR [--threads N] [OPTION]...",
  .summary = "measures how each operation is computed fastest, and keeps it",
  .run = run,
};
