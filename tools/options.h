/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options of several subcommands: changes of a model before it runs, and where
 * and how it runs. */

#pragma once

#include "tools/tool.h"

typedef struct
{
  char *weights;
  GStrv extra_outputs, fixed, ties;
  gboolean low_latency;
} ToolModelOptions;

typedef struct
{
  char *device, *config, *trace, *dump, *dump_dir;
  int threads;
} ToolRuntimeOptions;

/* clang-format off: it takes braces of initialisers in macros for blocks. */
#define TOOL_OPTION(name, kind, place, what, value)                            \
  {                                                                            \
    name, 0, 0, G_OPTION_ARG_##kind, place, what, value                        \
  }

#define TOOL_MODEL_OPTIONS(o)                                                  \
  TOOL_OPTION ("weights", FILENAME, &(o)->weights,                             \
      "Weights (default: the model's name with .bin)", "FILE"),                \
      TOOL_OPTION ("extra-output", STRING_ARRAY, &(o)->extra_outputs,          \
          "A port as a further output", "OPERATION[:PORT]"),                   \
      TOOL_OPTION ("fix-input", STRING_ARRAY, &(o)->fixed,                     \
          "Make a constant of an input", "INPUT=VALUE[:VALUE...]|FILE.npy"),   \
      TOOL_OPTION ("low-latency", NONE, &(o)->low_latency,                     \
          "Keep what loops and recurrent operations carry round in variables", \
          NULL),                                                               \
      TOOL_OPTION ("tie", STRING_ARRAY, &(o)->ties,                            \
          "Make a variable of an input and the output that feeds it next; "    \
          "auto: of all that have names of states",                            \
          "INPUT=OUTPUT|auto")

#define TOOL_RUNTIME_OPTIONS(o)                                                \
  TOOL_OPTION ("device", STRING, &(o)->device, "Where to run (default: CPU)",  \
      "DEVICE"),                                                               \
      TOOL_OPTION ("threads", INT, &(o)->threads,                              \
          "Threads of each inference (default: 1)", "N"),                      \
      TOOL_OPTION ("config", STRING, &(o)->config,                             \
          "Properties of the device, e.g. CACHE_DIR=folder", "KEY=VALUE,..."), \
      TOOL_OPTION ("trace", FILENAME, &(o)->trace,                             \
          "Write the stages of each inference, for chrome://tracing", "FILE"), \
      TOOL_OPTION ("dump", STRING, &(o)->dump,                                 \
          "Write what operations of matching names read and write", "REGEX"),  \
      TOOL_OPTION (                                                            \
          "dump-dir", FILENAME, &(o)->dump_dir, "Where --dump writes", "DIR")
/* clang-format on */

void tool_model_options_clear (ToolModelOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolModelOptions, tool_model_options_clear)
void tool_runtime_options_clear (ToolRuntimeOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    ToolRuntimeOptions, tool_runtime_options_clear)

/* tool_parse(), then checks that the @options agree. */
gboolean tool_parse_options (const ToolCommand *command,
    const GOptionEntry *entries, const ToolRuntimeOptions *options, int argc,
    char **argv, guint min, guint max, GStrv *arguments);
/* Whether each of @values (nullable) of @option has a '=', as in @form.  FALSE:
 * the first that has none was reported on stderr. */
gboolean tool_check_pairs (const ToolCommand *command, const char *option,
    const char *form, GStrv values);

/* Applies extra outputs, then low latency, then state pairs. */
InferModel *tool_load_model (InferRuntime *runtime, const char *path,
    const ToolModelOptions *options, GError **error);

/* @streams: the default of NUM_STREAMS. */
InferRuntime *tool_open_runtime (const ToolRuntimeOptions *options, int streams,
    gboolean perf_count, GError **error);

/* A runtime, and the model at @path, loaded and edited by the options. */
InferExecutable *tool_compile (const char *path,
    const ToolModelOptions *model_options, const ToolRuntimeOptions *options,
    int streams, gboolean perf_count, GError **error);

/* Writes the trace if --trace was given. */
gboolean tool_begin_trace (const ToolRuntimeOptions *options, GError **error);
gboolean tool_end_trace (const ToolRuntimeOptions *options, GError **error);
