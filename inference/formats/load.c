/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loads models of any format. */

#include "inference/graph/model-private.h"

#include "inference/base/file.h"
#include "inference/base/memory/pages.h"
#include "inference/formats/sniff.h"
#include "inference/formats/source.h"
#include "inference/ir/ir.h"
#include "inference/onnx/onnx.h"

static InferModel *
read_onnx (const char *path, const char *weights_path, const InferFile *file,
    GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (weights_path != NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: an ONNX model has its weights in the file, or names the files "
        "that have them: 'weights' is for OpenVINO IR",
        path);
    return NULL;
  }
  /* Weights that are put into another order, and packed later. */
  infer_pages_expect (g_bytes_get_size (file->bytes) / 2 * 3);
  g_autoptr (InferModel) model =
      onnx_model_read (file->bytes, file->mapped, folder, path, error);
  return infer_file_confirm (file, error) ? g_steal_pointer (&model) : NULL;
}

InferModel *
infer_model_load_with (const char *path, const char *weights_path,
    InferCache *cache, gboolean map, GError **error)
{
  g_auto (InferFile) file = { 0 };
  InferFormat format;
  gsize n;

  if (infer_source_is_url (path))
    return infer_source_load (path, error);
  if (!infer_file_open (&file, path, map, error))
    return NULL;
  const guint8 *bytes = g_bytes_get_data (file.bytes, &n);
  if (!infer_sniff (bytes, MIN (n, INFER_SNIFF_BYTES), &format, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  if (format == INFER_FORMAT_ONNX)
    return read_onnx (path, weights_path, &file, error);
  infer_file_clear (&file);
  return infer_ir_load (path, weights_path, cache, map, error);
}

InferModel *
infer_model_load (const char *path, const char *weights_path, GError **error)
{
  return infer_model_load_with (path, weights_path, NULL, TRUE, error);
}

InferModel *
infer_model_load_bytes (
    GBytes *model, GBytes *weights, const char *name, GError **error)
{
  const char *path = name != NULL ? name : "model in memory";
  InferFormat format;
  gsize n;
  const guint8 *bytes = g_bytes_get_data (model, &n);

  if (!infer_sniff (bytes, MIN (n, INFER_SNIFF_BYTES), &format, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  return format == INFER_FORMAT_ONNX
             ? onnx_model_read_bytes (model, weights, path, error)
             : infer_ir_load_bytes (model, weights, name, error);
}
