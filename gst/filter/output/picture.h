/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=media of video: how the model's output becomes a frame.  Immutable
 * once negotiated; jobs hold references.  Any thread. */

#pragma once

#include <gst/video/video.h>

#include "infer/image.h"

typedef struct
{
  InferShape shape; /* of the output */
  gboolean planar;
  gint64 channels;
  InferBox content;     /* the part that leaves, in pixels of the output */
  float factor, offset; /* from the output's range to 0 … 255 */
  GstVideoInfo info;
  GstVideoInfo input; /* the frame that it is made of */
  gboolean whole;     /* it shows all of that */
} GstInferPicture;

static inline GstInferPicture *
gst_infer_picture_ref (GstInferPicture *picture)
{
  return g_atomic_rc_box_acquire (picture);
}

static inline void
gst_infer_picture_unref (GstInferPicture *picture)
{
  g_atomic_rc_box_release (picture);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferPicture, gst_infer_picture_unref)
