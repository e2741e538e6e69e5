/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/track/looks.h"

#include "gst/infer/tensor-meta.h"
#include "inference/media/track/gallery.h"

#define MOST 16384 /* numbers of a look */

/* How many numbers a look has: one float tensor with one dimension above 1.  0:
 * it is none. */
static guint
size_of (const GstInferTensorMeta *meta)
{
  const InferTensor *tensor = meta->tensors[0];
  gint64 size = 1;

  if (meta->n != 1 || tensor->type != INFER_TYPE_F32 || !tensor->dense)
    return 0;
  for (int i = 0; i < tensor->shape.rank; i++) {
    if (tensor->shape.dims[i] != 1 && size != 1)
      return 0;
    size *= tensor->shape.dims[i];
  }
  return size > 1 && size <= MOST ? (guint) size : 0;
}

static int
find_region (const GPtrArray *regions, int id)
{
  for (guint i = 0; i < regions->len; i++) {
    const GstVideoRegionOfInterestMeta *roi = g_ptr_array_index (regions, i);

    if (roi->id == id)
      return (int) i;
  }
  return -1;
}

GPtrArray *
gst_infer_read_looks (GstBuffer *buffer, const GPtrArray *regions, guint *n)
{
  GPtrArray *looks = g_ptr_array_new_with_free_func (g_free);
  gpointer state = NULL;
  GstMeta *meta;

  *n = 0;
  g_ptr_array_set_size (looks, (int) regions->len);
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_TENSOR_META_API_TYPE))) {
    GstInferTensorMeta *result = (GstInferTensorMeta *) (gpointer) meta;
    const guint size = result->n > 0 && result->roi_id >= 0 && !result->decoded
                           ? size_of (result)
                           : 0;
    const int at = size > 0 ? find_region (regions, result->roi_id) : -1;

    if (at < 0 || looks->pdata[at] != NULL || (*n != 0 && *n != size))
      continue;
    float *look = g_memdup2 (result->tensors[0]->data, size * sizeof (float));
    result->decoded = TRUE;
    if (!infer_look_normalize (look, size)) {
      g_free (look);
      continue;
    }
    looks->pdata[at] = look;
    *n = size;
  }
  return looks;
}
