/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/undecoded.h"

#include <gst/video/video.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "gst/infer/results.h"
#include "gst/infer/tensor-meta.h"

#define ENOUGH 30
#define WARNED G_MAXUINT

typedef struct
{
  gboolean undecoded, upstream, results;
} Found;

static gboolean
is_result (GType api)
{
  return api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE
         || api == GST_INFER_MASK_META_API_TYPE
         || api == GST_INFER_KEYPOINTS_META_API_TYPE
         || g_strcmp0 (g_type_name (api), "GstAnalyticsRelationMetaAPI") == 0;
}

static gboolean
look (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  GType api = (*meta)->info->api;
  Found *found = data;

  if (api == GST_INFER_TENSOR_META_API_TYPE)
    found->undecoded |= !((const GstInferTensorMeta *) *meta)->decoded;
  else if (g_strcmp0 (g_type_name (api), "GstTensorMetaAPI") == 0)
    found->upstream = TRUE;
  else
    found->results |= is_result (api);
  return TRUE;
}

void
gst_infer_warn_of_undecoded (gpointer element, GstBuffer *buffer, guint *state)
{
  Found found = { FALSE, FALSE, FALSE };

  if (*state == WARNED || gst_buffer_get_infer_tensor_meta (buffer) == NULL)
    return;
  gst_buffer_foreach_meta (buffer, look, &found);
  if (!found.undecoded || found.results
      || gst_buffer_get_custom_meta (buffer, GST_INFER_LABEL_META) != NULL) {
    *state = 0;
    return;
  }
  if (++*state < ENOUGH && found.upstream)
    return;
  *state = WARNED;
  GST_ELEMENT_WARNING (element, STREAM, DECODE,
      ("The frames carry a model's tensors, and no results: put inferdecoder "
       "between inferfilter and this element"),
      (NULL));
}
