/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/output/allocation.h"

#include "infer/error.h"

GST_DEBUG_CATEGORY_EXTERN (gst_infer_filter_debug);
#define GST_CAT_DEFAULT gst_infer_filter_debug

void
gst_infer_allocation_init (GstInferAllocation *a)
{
  g_mutex_init (&a->lock);
  gst_allocation_params_init (&a->params);
}

/* @pool: active, or NULL; (transfer full) */
static void
use_pool (GstInferAllocation *a, GstBufferPool *pool)
{
  g_mutex_lock (&a->lock);
  GstBufferPool *before = a->pool;
  a->pool = pool;
  if (pool != NULL && a->flushing)
    gst_buffer_pool_set_flushing (pool, TRUE);
  g_mutex_unlock (&a->lock);
  if (before != NULL)
    gst_buffer_pool_set_active (before, FALSE);
  gst_clear_object (&before);
}

void
gst_infer_allocation_stop (GstInferAllocation *a)
{
  use_pool (a, NULL);
  gst_clear_object (&a->allocator);
  gst_allocation_params_init (&a->params);
}

void
gst_infer_allocation_clear (GstInferAllocation *a)
{
  gst_infer_allocation_stop (a);
  g_mutex_clear (&a->lock);
}

void
gst_infer_allocation_renew (GstInferAllocation *a)
{
  g_atomic_int_set (&a->stale, TRUE);
}

static GstBufferPool *
ref_pool (GstInferAllocation *a)
{
  g_mutex_lock (&a->lock);
  GstBufferPool *pool = a->pool != NULL ? gst_object_ref (a->pool) : NULL;
  g_mutex_unlock (&a->lock);
  return pool;
}

void
gst_infer_allocation_set_flushing (GstInferAllocation *a, gboolean flushing)
{
  g_mutex_lock (&a->lock);
  a->flushing = flushing;
  g_mutex_unlock (&a->lock);
  g_autoptr (GstBufferPool) pool = ref_pool (a);
  if (pool != NULL)
    gst_buffer_pool_set_flushing (pool, flushing);
}

/* --- what downstream proposes --- */

static gboolean
configure (GstInferAllocation *a, GstBufferPool *pool, GstCaps *caps,
    guint size, guint min, guint max, gboolean video_meta)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  gst_buffer_pool_config_set_allocator (config, a->allocator, &a->params);
  if (video_meta
      && gst_buffer_pool_has_option (pool, GST_BUFFER_POOL_OPTION_VIDEO_META))
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (gst_buffer_pool_set_config (pool, config))
    return TRUE;
  /* The pool has changed it; larger buffers and another number are fine. */
  config = gst_buffer_pool_get_config (pool);
  if (gst_buffer_pool_config_validate_params (config, caps, size, min, max))
    return gst_buffer_pool_set_config (pool, config);
  gst_structure_free (config);
  return FALSE;
}

/* The proposed pool, else one of ours.  (transfer full) (nullable) */
static GstBufferPool *
make_pool (GstInferAllocation *a, GstQuery *query, GstCaps *caps, gsize size)
{
  gboolean video_meta =
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  guint proposed = 0, min = 0, max = 0;
  g_autoptr (GstBufferPool) pool = NULL;

  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (
        query, 0, &pool, &proposed, &min, &max);
  proposed = MAX (proposed, (guint) size);
  if (pool != NULL && configure (a, pool, caps, proposed, min, max, video_meta)
      && gst_buffer_pool_set_active (pool, TRUE))
    return g_steal_pointer (&pool);
  if (pool != NULL)
    GST_INFO ("%" GST_PTR_FORMAT " cannot be used for %" GST_PTR_FORMAT,
        (void *) pool, (void *) caps);
  gst_object_replace ((GstObject **) &pool, NULL);
  pool = gst_video_buffer_pool_new ();
  if (!configure (a, pool, caps, (guint) size, min, 0, FALSE)
      || !gst_buffer_pool_set_active (pool, TRUE))
    return NULL;
  return g_steal_pointer (&pool);
}

static void
decide (GstInferAllocation *a, GstPad *pad, const GstVideoInfo *video)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  gst_infer_allocation_stop (a);
  if (caps == NULL)
    return;
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, video != NULL);
  if (!gst_pad_peer_query (pad, query)) {
    GST_DEBUG_OBJECT (pad, "the next element proposes no buffers");
    if (GST_PAD_IS_FLUSHING (pad)) /* it could not answer */
      gst_infer_allocation_renew (a);
  }
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &a->allocator, &a->params);
  GstBufferPool *pool =
      video != NULL ? make_pool (a, query, caps, GST_VIDEO_INFO_SIZE (video))
                    : NULL;
  use_pool (a, pool);
  GST_INFO_OBJECT (pad,
      "buffers from pool %" GST_PTR_FORMAT ", allocator %" GST_PTR_FORMAT,
      (void *) pool, (void *) a->allocator);
}

/* --- buffers --- */

static GstBuffer *
acquire (GstBufferPool *pool, GError **error)
{
  GstBuffer *buffer = NULL;
  GstFlowReturn flow = gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);

  if (flow == GST_FLOW_FLUSHING)
    infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
  else if (flow != GST_FLOW_OK)
    infer_fail (error, INFER_ERROR_NO_MEMORY, "%s gives no buffer: %s",
        GST_OBJECT_NAME (pool), gst_flow_get_name (flow));
  return flow == GST_FLOW_OK ? buffer : NULL;
}

GstBuffer *
gst_infer_allocation_get (GstInferAllocation *a, GstPad *pad,
    const GstVideoInfo *video, gsize size, GError **error)
{
  if (g_atomic_int_compare_and_exchange (&a->stale, TRUE, FALSE))
    decide (a, pad, video);
  g_autoptr (GstBufferPool) pool = ref_pool (a);
  if (video != NULL && pool != NULL)
    return acquire (pool, error);
  GstBuffer *buffer = gst_buffer_new_allocate (a->allocator, size, &a->params);
  if (buffer == NULL)
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a buffer of %" G_GSIZE_FORMAT " bytes", size);
  return buffer;
}
