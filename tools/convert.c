/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "inference/ir/writer.h"
#include "tools/options.h"

typedef struct
{
  ToolModelOptions model;
  char *info;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  g_free (options->info);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

/* @model: (transfer full), nullable; @text: "KEY=value;KEY=value", nullable. */
static InferModel *
add_info (InferModel *model, const char *text, GError **error)
{
  g_autoptr (InferModel) before = model;
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ";", -1);
  g_autoptr (GPtrArray) pairs = g_ptr_array_new ();

  if (before == NULL || text == NULL)
    return g_steal_pointer (&before);
  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strchr (g_strstrip (words[i]), '=');

    if (*words[i] == '\0')
      continue;
    if (equals == NULL || equals == words[i]) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--model-info: '%.100s' is not KEY=VALUE", words[i]);
      return NULL;
    }
    *equals = '\0';
    g_ptr_array_add (pairs, words[i]);
    g_ptr_array_add (pairs, equals + 1);
  }
  g_ptr_array_add (pairs, NULL);
  return infer_model_set_info (
      before, (const char *const *) pairs->pdata, error);
}

static int
convert (const char *from, const char *to, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferModel) model =
      runtime != NULL ? tool_load_model (runtime, from, &options->model, &error)
                      : NULL;

  model = add_info (g_steal_pointer (&model), options->info, &error);
  return model != NULL && infer_ir_write (model, to, &error)
             ? TOOL_DONE
             : tool_fail (error);
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) arguments = NULL;
  const GOptionEntry entries[] = { TOOL_MODEL_OPTIONS (&options.model),
    TOOL_OPTION ("model-info", STRING, &options.info,
        "Added to the model's model_info", "KEY=VALUE;..."),
    G_OPTION_ENTRY_NULL };

  if (!tool_parse (&tool_convert, entries, argc, argv, 2, 2, &arguments))
    return TOOL_USAGE;
  return convert (arguments[0], arguments[1], &options);
}

const ToolCommand tool_convert = {
  .name = "convert",
  .arguments = "MODEL OUT.xml",
  .summary = "writes a model as OpenVINO IR",
  .run = run,
};
