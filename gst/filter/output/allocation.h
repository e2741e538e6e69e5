/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media: buffers from the pool or allocator that downstream proposes in
 * the ALLOCATION query.  Source-pad task only, unless stated. */

#pragma once

#include <gst/video/video.h>

typedef struct
{
  GMutex lock;
  GstBufferPool *pool; /* active, of video; guarded by lock */
  gboolean flushing;   /* guarded by lock */
  int stale;           /* atomic */
  GstAllocator *allocator;
  GstAllocationParams params;
} GstInferAllocation;

void gst_infer_allocation_init (GstInferAllocation *allocation);
void gst_infer_allocation_clear (GstInferAllocation *allocation);
/* PAUSED → READY: releases pool and allocator. */
void gst_infer_allocation_stop (GstInferAllocation *allocation);
/* Any thread: downstream is asked again before the next buffer. */
void gst_infer_allocation_renew (GstInferAllocation *allocation);
/* Any thread.  TRUE: whoever waits for a buffer of the pool gets
 * INFER_ERROR_CANCELLED. */
void gst_infer_allocation_set_flushing (
    GstInferAllocation *allocation, gboolean flushing);

/* A buffer for the caps that @pad has sent.  @video: the frame, which the
 * buffer may place otherwise by a GstVideoMeta; NULL: audio of @size bytes.
 * (transfer full) */
GstBuffer *gst_infer_allocation_get (GstInferAllocation *allocation,
    GstPad *pad, const GstVideoInfo *video, gsize size, GError **error);
