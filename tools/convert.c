/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "inference/graph/compress.h"
#include "inference/ir/writer.h"
#include "tools/options.h"
#include "tools/progress/progress.h"

typedef struct
{
  ToolModelOptions model;
  char *info, *compress;
} Options;

static void
clear_options (Options *options)
{
  tool_model_options_clear (&options->model);
  g_free (options->info);
  g_free (options->compress);
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

static const struct
{
  const char *name;
  InferCompression compression;
} compressions[] = {
  { "f16", INFER_COMPRESS_F16 },
  { "int8", INFER_COMPRESS_INT8 },
  { "int4", INFER_COMPRESS_INT4 },
};

/* FALSE: there is none of this name. */
static gboolean
find_compression (const char *name, InferCompression *compression)
{
  for (guint i = 0; i < G_N_ELEMENTS (compressions); i++)
    if (strcmp (compressions[i].name, name) == 0) {
      *compression = compressions[i].compression;
      return TRUE;
    }
  return FALSE;
}

/* @model: (transfer full), nullable. */
static InferModel *
compress (InferModel *model, const char *how, GError **error)
{
  g_autoptr (InferModel) before = model;
  InferCompression compression;

  if (before == NULL || how == NULL || !find_compression (how, &compression))
    return g_steal_pointer (&before);
  return infer_model_compress (before, compression, error);
}

static int
convert (const char *from, const char *to, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferModel) model =
      runtime != NULL ? tool_load_model (runtime, from, &options->model, &error)
                      : NULL;

  tool_progress_begin ("writing %s", to);
  model = add_info (g_steal_pointer (&model), options->info, &error);
  model = compress (g_steal_pointer (&model), options->compress, &error);
  gboolean ok = model != NULL && infer_ir_write (model, to, &error);
  tool_progress_end ();
  return ok ? TOOL_DONE : tool_fail (error);
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) arguments = NULL;
  const GOptionEntry entries[] = { TOOL_MODEL_OPTIONS (&options.model),
    TOOL_OPTION ("compress", STRING, &options.compress, "Weights in fewer bits",
        "f16|int8|int4"),
    TOOL_OPTION ("model-info", STRING, &options.info,
        "Added to the model's model_info", "KEY=VALUE;..."),
    G_OPTION_ENTRY_NULL };

  if (!tool_parse (&tool_convert, entries, argc, argv, 2, 2, &arguments))
    return TOOL_USAGE;
  if (options.compress != NULL
      && !find_compression (options.compress, &(InferCompression){ 0 }))
    return tool_usage (&tool_convert,
        "--compress '%.40s' is not f16, int8 or int4", options.compress);
  return convert (arguments[0], arguments[1], &options);
}

const ToolCommand tool_convert = {
  .name = "convert",
  .arguments = "MODEL OUT.xml",
  .summary = "writes a model as OpenVINO IR",
  .run = run,
};
