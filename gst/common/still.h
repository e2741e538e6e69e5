/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames on which nothing has changed since the last one that was not so:
 * infermotion marks them, and inferfilter infers nothing on them.  A custom
 * meta without content, which survives copies.  Any thread. */

#pragma once

#include <gst/gst.h>

#define GST_INFER_STILL_META "GstInferStillMeta"

/* @buffer is writable. */
void gst_infer_mark_still (GstBuffer *buffer);
gboolean gst_infer_is_still (GstBuffer *buffer);
