/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/pipeline/search.h"
#include "tools/progress/progress.h"

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
  tool_progress_begin ("measuring the operations of %s", path);
  gboolean ok = shapes != NULL
                && tool_fill_inputs (request, model, shapes, error)
                && infer_request_infer (request, error);
  tool_progress_end ();
  return ok;
}

/* --- a model: its operations --- */

static int
tune_model (const char *path, const ToolModelOptions *model,
    ToolRuntimeOptions *options, const char *folder)
{
  g_autoptr (GError) error = NULL;

  if (folder == NULL)
    return tool_usage (&tool_tune, "--cache-dir is missing");
  GString *config = g_string_new (options->config);
  infer_config_append (config, "CACHE_DIR", folder);
  infer_config_append (config, "TUNE", "YES");
  g_free (options->config);
  options->config = g_string_free (config, FALSE);
  if (!tune (path, model, options, &error))
    return tool_fail (error);
  g_print ("%u choices in %s\n", count_choices (folder), folder);
  return TOOL_DONE;
}

/* --- a pipeline: the settings of its elements --- */

static int
tune_pipeline (ToolSearch *search, const char *goal)
{
  g_autoptr (GError) error = NULL;

  if (goal != NULL && !tool_goal_parse (goal, &search->goal))
    return tool_usage (&tool_tune,
        "--goal '%.100s' is not latency, throughput, streams or power", goal);
  if (!(search->seconds >= 1 && search->seconds <= 86400))
    return tool_usage (&tool_tune, "--seconds must be from 1 to 86400");
  if (search->rate < 0)
    return tool_usage (&tool_tune, "--rate must be above 0");
  return tool_search_run (search, &error) ? TOOL_DONE : tool_fail (error);
}

static void
clear_search (ToolSearch *search)
{
  g_free (search->pipeline);
  g_free (search->element);
  g_strfreev (search->devices);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolSearch, clear_search)

static int
run (int argc, char **argv)
{
  g_auto (ToolModelOptions) model = { 0 };
  g_auto (ToolRuntimeOptions) options = { .threads = 1 };
  g_auto (ToolSearch) search = { .goal = TOOL_GOAL_THROUGHPUT, .seconds = 60 };
  g_autofree char *folder = NULL, *goal = NULL;
  const GOptionEntry entries[] = {
    TOOL_MODEL_OPTIONS (&model),
    TOOL_RUNTIME_OPTIONS (&options),
    { "cache-dir", 0, 0, G_OPTION_ARG_FILENAME, &folder,
        "Where choices are kept: the CACHE_DIR to run with later", "DIR" },
    { "pipeline", 0, 0, G_OPTION_ARG_STRING, &search.pipeline,
        "Instead of a model: find nireq, streams, threads and batch of its "
        "inferfilter elements, and print the line to use",
        "'ELEMENT ! ...'" },
    { "goal", 0, 0, G_OPTION_ARG_STRING, &goal,
        "What to find for --pipeline: latency, throughput (default), streams or "
        "power",
        "GOAL" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &search.rate,
        "With --goal streams: inferences that a stream needs per second", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &search.seconds,
        "How long to measure for --pipeline, all together, starting pipelines "
        "not counted (default: 60)",
        "S" },
    { "element", 0, 0, G_OPTION_ARG_STRING, &search.element,
        "Change only the inferfilter with this name", "NAME" },
    { "try-device", 0, 0, G_OPTION_ARG_STRING_ARRAY, &search.devices,
        "Try this device for --pipeline; may be repeated (default: only the "
        "pipeline's)",
        "DEVICE" },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) arguments = NULL;

  if (!tool_parse_options (
          &tool_tune, entries, &options, argc, argv, 0, 1, &arguments))
    return TOOL_USAGE;
  if ((search.pipeline != NULL) == (arguments[0] != NULL))
    return tool_usage (&tool_tune, "give a model, or --pipeline");
  return search.pipeline != NULL
             ? tune_pipeline (&search, goal)
             : tune_model (arguments[0], &model, &options, folder);
}

const ToolCommand tool_tune = {
  .name = "tune",
  .arguments = "MODEL --cache-dir DIR | --pipeline 'ELEMENT ! ...' "
               "[--goal GOAL] [OPTION]...",
  .summary = "measures how each operation of a model is computed fastest, or "
             "with what settings a pipeline does best",
  .run = run,
};
