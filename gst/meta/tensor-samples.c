/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors of buffers with `other/tensors` caps, without copies. */

#include "gst/common/tensor-caps.h"
#include "gst/infer/bindings.h"
#include "infer/error.h"

/* --- from a buffer --- */

typedef struct
{
  GstMemory *memory;
  GstMapInfo map;
} Mapped;

static void
mapped_free (gpointer data)
{
  Mapped *mapped = data;

  gst_memory_unmap (mapped->memory, &mapped->map);
  gst_memory_unref (mapped->memory);
  g_free (mapped);
}

static GstMemory *
find_memory (GstBuffer *buffer, guint n, guint index, GError **error)
{
  guint found = gst_buffer_n_memory (buffer);

  if (n == 1 && found > 0)
    return gst_buffer_get_all_memory (buffer);
  if (found == n)
    return gst_buffer_get_memory (buffer, index);
  infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "the buffer has %u memories for %u tensors: it must have one for each",
      found, n);
  return NULL;
}

InferTensor *
gst_infer_buffer_get_tensor (
    GstBuffer *buffer, const GstCaps *caps, guint index, GError **error)
{
  GstInferTensors tensors;

  if (!gst_caps_is_fixed (caps)) {
    g_autofree char *text = gst_caps_to_string (caps);
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the caps of tensors must be fixed, not '%s'", text);
    return NULL;
  }
  if (!gst_infer_tensors_from_caps (caps, &tensors, error))
    return NULL;
  if (index >= tensors.n) {
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "the buffer has %u tensors: there is none of index %u", tensors.n,
        index);
    return NULL;
  }
  GstMemory *memory = find_memory (buffer, tensors.n, index, error);
  if (memory == NULL)
    return NULL;
  Mapped *mapped = g_new0 (Mapped, 1);
  mapped->memory = memory;
  if (!gst_memory_map (memory, &mapped->map, GST_MAP_READ)) {
    gst_memory_unref (memory);
    g_free (mapped);
    infer_fail (error, INFER_ERROR_FAILED,
        "the memory of tensor %u cannot be read", index);
    return NULL;
  }
  return infer_tensor_new_wrapped (tensors.descs[index].type,
      &tensors.descs[index].shape, mapped->map.data, mapped->map.size, mapped,
      mapped_free, error);
}

/* --- to a sample --- */

static GstMemory *
wrap (InferTensor *tensor, InferType type, GError **error)
{
  if (type != tensor->type || !tensor->dense)
    return gst_infer_tensor_to_memory (tensor, type, error);
  return gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, tensor->data,
      tensor->size, 0, tensor->size, infer_tensor_ref (tensor),
      (GDestroyNotify) infer_tensor_unref);
}

GstSample *
gst_infer_sample_new_tensors (
    InferTensor *const *tensors, guint n, GError **error)
{
  GstInferTensors list = { .n = n, .fps_d = 1 };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  if (n == 0 || n > GST_INFER_MAX_TENSORS) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a buffer has 1 to %d tensors, not %u", GST_INFER_MAX_TENSORS, n);
    return NULL;
  }
  for (guint i = 0; i < n; i++) {
    InferType type = gst_infer_wire_type (tensors[i]->type);

    if (gst_infer_type_name (type) == NULL) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "tensor %u is of %s, which `other/tensors` has no name for", i,
          infer_type_name (type));
      return NULL;
    }
    GstMemory *memory = wrap (tensors[i], type, error);
    if (memory == NULL)
      return NULL;
    gst_buffer_append_memory (buffer, memory);
    list.descs[i] = (InferDesc){ type, tensors[i]->shape };
  }
  g_autoptr (GstCaps) caps = gst_infer_tensors_to_caps (&list);
  return gst_sample_new (buffer, caps, NULL, NULL);
}
