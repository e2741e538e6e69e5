/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/upstream-tensors.h"

#include <gst/analytics/analytics.h>

#include "gst/common/library.h"
#include "gst/common/model-info.h"
#include "infer/error.h"

/* The library is loaded, not linked: its package depends on GL, hence on
 * drivers and LLVM.  Whoever reads its metas has it. */
#define CALLS(CALL)                                                            \
  CALL (gst_buffer_add_tensor_meta)                                            \
  CALL (gst_buffer_get_tensor_meta)                                            \
  CALL (gst_tensor_copy)                                                       \
  CALL (gst_tensor_meta_get)                                                   \
  CALL (gst_tensor_meta_set)                                                   \
  CALL (gst_tensor_new_simple)

static struct
{
  CALLS (GST_INFER_CALL)
} lib;

static gboolean
find_library (void)
{
  static const char *const names[] = { CALLS (GST_INFER_CALL_NAME) };
  static GstInferLibrary library = { .file = "libgstanalytics-1.0.so.0",
    .package = "GStreamer's analytics library",
    .names = names,
    .n = G_N_ELEMENTS (names),
    .functions = &lib };

  return gst_infer_library_find (&library);
}

static const struct
{
  InferType type;
  GstTensorDataType name;
} types[] = {
  { INFER_TYPE_F64, GST_TENSOR_DATA_TYPE_FLOAT64 },
  { INFER_TYPE_F32, GST_TENSOR_DATA_TYPE_FLOAT32 },
  { INFER_TYPE_F16, GST_TENSOR_DATA_TYPE_FLOAT16 },
  { INFER_TYPE_BF16, GST_TENSOR_DATA_TYPE_BFLOAT16 },
  { INFER_TYPE_I64, GST_TENSOR_DATA_TYPE_INT64 },
  { INFER_TYPE_I32, GST_TENSOR_DATA_TYPE_INT32 },
  { INFER_TYPE_I16, GST_TENSOR_DATA_TYPE_INT16 },
  { INFER_TYPE_I8, GST_TENSOR_DATA_TYPE_INT8 },
  { INFER_TYPE_U64, GST_TENSOR_DATA_TYPE_UINT64 },
  { INFER_TYPE_U32, GST_TENSOR_DATA_TYPE_UINT32 },
  { INFER_TYPE_U16, GST_TENSOR_DATA_TYPE_UINT16 },
  { INFER_TYPE_U8, GST_TENSOR_DATA_TYPE_UINT8 },
  { INFER_TYPE_BOOLEAN, GST_TENSOR_DATA_TYPE_UINT8 },
};

/* Ids that GStreamer's tensor decoders look for, and names in models. */
static const struct
{
  const char *id, *name;
} ids[] = {
  { "Gst.Model.ObjectDetector.Boxes", "detection_boxes" },
  { "Gst.Model.ObjectDetector.Scores", "detection_scores" },
  { "Gst.Model.ObjectDetector.Classes", "detection_classes" },
  { "Gst.Model.ObjectDetector.NumDetections", "num_detections" },
};

static const char *
id_of (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (g_str_has_prefix (name, ids[i].name))
      return ids[i].id;
  return name;
}

static const char *
name_of (const GstTensor *tensor)
{
  const char *id = g_quark_to_string (tensor->id);

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (g_strcmp0 (ids[i].id, id) == 0)
      return ids[i].name;
  return id != NULL ? id : "";
}

/* --- ours --- */

/* Key of the InferTensor in the data of a GstTensor. */
static GQuark
origin (void)
{
  return g_quark_from_static_string ("inferfilter-tensor");
}

static void
release (gpointer tensor)
{
  infer_tensor_unref (tensor);
}

static GstBuffer *
wrap (InferTensor *tensor)
{
  GstBuffer *data = tensor->size == 0
                        ? gst_buffer_new ()
                        : gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
                            tensor->data, tensor->size, 0, tensor->size,
                            infer_tensor_ref (tensor), release);

  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (data), origin (),
      infer_tensor_ref (tensor), release);
  return data;
}

static gconstpointer
origin_of (const GstTensor *tensor)
{
  return gst_mini_object_get_qdata (
      GST_MINI_OBJECT_CAST (tensor->data), origin ());
}

/* Returns NULL if GStreamer does not have the type. */
static GstTensor *
convert (InferTensor *tensor, const char *name)
{
  const InferShape *shape = &tensor->shape;
  gsize dims[INFER_MAX_RANK] = { 1 };

  for (int i = 0; i < shape->rank; i++)
    dims[i] = (gsize) shape->dims[i];
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].type == tensor->type)
      return lib.gst_tensor_new_simple (g_quark_from_string (id_of (name)),
          types[i].name, wrap (tensor), GST_TENSOR_DIM_ORDER_ROW_MAJOR,
          (gsize) MAX (shape->rank, 1), dims);
  return NULL;
}

void
gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names)
{
  if (!find_library ())
    return;
  GstTensorMeta *meta = lib.gst_buffer_get_tensor_meta (buffer);
  gsize before = meta != NULL ? meta->num_tensors : 0;
  GstTensor **all = g_new (GstTensor *, before + n);
  guint count = 0;

  for (gsize i = 0; i < before; i++)
    all[count++] = lib.gst_tensor_copy (lib.gst_tensor_meta_get (meta, i));
  for (guint i = 0; i < n; i++) {
    GstTensor *tensor = convert (tensors[i], names[i]);

    if (tensor != NULL)
      all[count++] = tensor;
  }
  if (meta == NULL)
    meta = lib.gst_buffer_add_tensor_meta (buffer);
  lib.gst_tensor_meta_set (meta, count, all);
}

static gboolean
is_of (const GstTensor *tensor, guint n, InferTensor *const *tensors)
{
  gconstpointer made_of = origin_of (tensor);

  if (n == 0)
    return made_of == NULL;
  for (guint i = 0; i < n; i++)
    if (made_of == tensors[i])
      return TRUE;
  return FALSE;
}

void
gst_infer_drop_upstream_tensors (
    GstBuffer *buffer, guint n, InferTensor *const *tensors)
{
  GstTensorMeta *meta =
      find_library () ? lib.gst_buffer_get_tensor_meta (buffer) : NULL;
  guint count = 0;

  if (meta == NULL)
    return;
  GstTensor **rest = g_new (GstTensor *, meta->num_tensors);
  for (gsize i = 0; i < meta->num_tensors; i++) {
    const GstTensor *tensor = lib.gst_tensor_meta_get (meta, i);

    if (!is_of (tensor, n, tensors))
      rest[count++] = lib.gst_tensor_copy (tensor);
  }
  lib.gst_tensor_meta_set (meta, count, rest);
  if (count == 0)
    gst_buffer_remove_meta (buffer, &meta->meta);
}

/* --- others' --- */

static gboolean
describe (
    const GstTensor *tensor, InferType *type, InferShape *shape, GError **error)
{
  const char *name = name_of (tensor);
  guint known = 0;

  while (known < G_N_ELEMENTS (types) && types[known].name != tensor->data_type)
    known++;
  if (known == G_N_ELEMENTS (types) || tensor->num_dims > INFER_MAX_RANK
      || (tensor->num_dims > 1
          && tensor->dims_order != GST_TENSOR_DIM_ORDER_ROW_MAJOR))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "Tensor '%s' of another element, of type %d, %" G_GSIZE_FORMAT
        " dimensions in order %d, cannot be read",
        name, (int) tensor->data_type, tensor->num_dims,
        (int) tensor->dims_order);
  *type = types[known].type;
  *shape = (InferShape){ .rank = (int) tensor->num_dims };
  for (gsize i = 0; i < tensor->num_dims; i++) {
    if (tensor->dims[i] > G_MAXINT32)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "Tensor '%s' of another element: dimension %" G_GSIZE_FORMAT
          " is %" G_GSIZE_FORMAT,
          name, i, tensor->dims[i]);
    shape->dims[i] = (gint64) tensor->dims[i];
  }
  return TRUE;
}

static InferTensor *
copy_of (const GstTensor *tensor, GError **error)
{
  gsize size = gst_buffer_get_size (tensor->data);
  InferShape shape;
  InferType type = INFER_TYPE_DYNAMIC;

  if (!describe (tensor, &type, &shape, error))
    return NULL;
  g_autoptr (InferTensor) copy = infer_tensor_new (type, &shape, error);
  if (copy == NULL)
    return NULL;
  if (copy->size != size) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "Tensor '%s' of another element has %" G_GSIZE_FORMAT
        " bytes; its dimensions need %" G_GSIZE_FORMAT,
        name_of (tensor), size, copy->size);
    return NULL;
  }
  if (size > 0)
    gst_buffer_extract (tensor->data, 0, copy->data, size);
  return g_steal_pointer (&copy);
}

static void
name_them (GstEvent **info, GStrvBuilder *builder)
{
  g_auto (GStrv) names = g_strv_builder_end (builder);
  GStrv known = NULL;

  if (*info != NULL)
    gst_structure_get (
        gst_event_get_structure (*info), "outputs", G_TYPE_STRV, &known, NULL);
  if (known == NULL
      || !g_strv_equal (
          (const char *const *) known, (const char *const *) names)) {
    g_clear_pointer (info, gst_event_unref);
    *info = gst_infer_model_info_of_outputs (names);
  }
  g_strfreev (known);
}

GstInferTensorMeta *
gst_infer_read_upstream_tensors (GstBuffer *buffer, const GstVideoInfo *video,
    GstEvent **info, GError **error)
{
  GstTensorMeta *theirs =
      find_library () ? lib.gst_buffer_get_tensor_meta (buffer) : NULL;
  gsize n = theirs != NULL ? theirs->num_tensors : 0;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (release);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (gsize i = 0; i < n; i++) {
    const GstTensor *tensor = lib.gst_tensor_meta_get (theirs, i);

    if (origin_of (tensor) != NULL)
      continue;
    InferTensor *copy = copy_of (tensor, error);
    if (copy == NULL)
      return NULL;
    g_ptr_array_add (tensors, copy);
    g_strv_builder_add (names, name_of (tensor));
  }
  if (tensors->len == 0)
    return NULL;
  name_them (info, names);
  GstInferTensorMeta *meta = gst_buffer_add_infer_tensor_meta (
      buffer, tensors->len, (InferTensor **) tensors->pdata, *info);
  meta->input_width = (guint) GST_VIDEO_INFO_WIDTH (video);
  meta->input_height = (guint) GST_VIDEO_INFO_HEIGHT (video);
  return meta;
}
