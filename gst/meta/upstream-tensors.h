/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own tensor meta, for its decoders: there from 1.26 on.  Built
 * from upstream-tensors.c where the library is, else from
 * upstream-tensors-none.c. */

#pragma once

#include <gst/video/video.h>

#include "gst/infer/tensor-meta.h"

G_BEGIN_DECLS

/* @tensors [n] (dense, never written again), after those that the GstTensorMeta
 * of @buffer (writable) may have, each under its name of @names; those of a
 * type that GStreamer has no name for are left out.  Names of TensorFlow's
 * detectors become those that GStreamer's decoders look for, as onnxinference
 * does it. */
void gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names);

/* Takes off @buffer (writable) what was added of @tensors [n]; n = 0: what is
 * other elements'. */
void gst_infer_drop_upstream_tensors (
    GstBuffer *buffer, guint n, InferTensor *const *tensors);

/* What another element (onnxinference) has put on a frame of @video, as a
 * GstInferTensorMeta of the whole frame.  @info (in, out): the event that tells
 * their names, NULL at first, the same as long as they are.  NULL without an
 * @error: there is nothing.  (transfer none) */
GstInferTensorMeta *gst_infer_read_upstream_tensors (GstBuffer *buffer,
    const GstVideoInfo *video, GstEvent **info, GError **error);

G_END_DECLS
