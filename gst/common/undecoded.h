/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For elements that read results: tells once that nobody makes any of the
 * tensors that the frames carry. */

#pragma once

#include <gst/gst.h>

/* Warns where @buffer carries tensors that no inferdecoder has read, and no
 * results; only after 30 such frames in a row where GStreamer's own decoders
 * could have read them, which may not find anything.  @state: 0 at the start of
 * a stream.  Streaming thread. */
void gst_infer_warn_of_undecoded (
    gpointer element, GstBuffer *buffer, guint *state);
