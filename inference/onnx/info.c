/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The metadata of an ONNX file: metadata_props and the names of dims. */

#include "inference/onnx/info.h"

#include <string.h>

#include "inference/graph/model-private.h"
#include "inference/onnx/proto.h"

/* Of the names of all dims of a port. */
#define MAX_LENGTH 2000

gboolean
onnx_read_metadata (InferModel *model, OnnxSpan message, GError **error)
{
  OnnxReader r = onnx_reader (message);
  g_autofree char *key = NULL, *value = NULL;
  OnnxField f;

  while (onnx_next (&r, &f)) {
    char **to = f.number == ONNX_ENTRY_KEY     ? &key
                : f.number == ONNX_ENTRY_VALUE ? &value
                                               : NULL;

    if (to == NULL || f.wire != ONNX_WIRE_BYTES)
      continue;
    g_free (*to);
    *to = onnx_string (f.bytes);
  }
  if (key != NULL && value != NULL)
    g_hash_table_replace (
        model->rt_info, g_strconcat ("metadata/", key, NULL), g_strdup (value));
  return onnx_done (&r, "an entry of metadata_props", error);
}

/* --- names of dims --- */

/* The first field @number of @message that is a message or a string. */
static OnnxSpan
find (OnnxSpan message, guint number)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f))
    if (f.number == number && f.wire == ONNX_WIRE_BYTES)
      return f.bytes;
  return (OnnxSpan){ NULL, NULL };
}

static void
add_dim (GString *list, OnnxSpan dim, gboolean *any)
{
  OnnxSpan bytes = find (dim, ONNX_DIM_PARAM);
  g_autofree char *name = bytes.at != NULL ? onnx_string (bytes) : NULL;
  const gboolean good =
      name != NULL && *name != '\0' && strchr (name, ',') == NULL;

  if (list->len > 0)
    g_string_append_c (list, ',');
  g_string_append (list, good ? name : "?");
  *any = *any || good;
}

static void
read_names (InferModel *model, OnnxSpan value, const char *kind)
{
  OnnxSpan name = find (value, ONNX_VALUE_NAME);
  OnnxSpan type = find (value, ONNX_VALUE_TYPE);
  OnnxSpan shape = find (find (type, ONNX_TYPE_TENSOR), ONNX_TENSOR_TYPE_SHAPE);
  g_autofree char *port = name.at != NULL ? onnx_string (name) : NULL;
  g_autoptr (GString) list = g_string_new (NULL);
  OnnxReader r = onnx_reader (shape);
  gboolean any = FALSE;
  OnnxField f;

  while (onnx_next (&r, &f) && list->len < MAX_LENGTH)
    if (f.number == ONNX_SHAPE_DIM && f.wire == ONNX_WIRE_BYTES)
      add_dim (list, f.bytes, &any);
  if (port != NULL && any && list->len < MAX_LENGTH)
    g_hash_table_replace (model->rt_info, g_strconcat (kind, "/", port, NULL),
        g_strdup (list->str));
}

void
onnx_read_dim_names (InferModel *model, OnnxSpan graph)
{
  OnnxReader r = onnx_reader (graph);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    const char *kind = f.number == ONNX_GRAPH_INPUT    ? INFER_INFO_INPUT_DIMS
                       : f.number == ONNX_GRAPH_OUTPUT ? INFER_INFO_OUTPUT_DIMS
                                                       : NULL;

    if (kind != NULL && f.wire == ONNX_WIRE_BYTES)
      read_names (model, f.bytes, kind);
  }
}
