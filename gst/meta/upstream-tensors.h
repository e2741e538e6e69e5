/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own tensor meta (1.26), for its decoders.  Built from
 * upstream-tensors.c if the library is there, otherwise from
 * upstream-tensors-none.c. */

#pragma once

#include <gst/video/video.h>

#include "gst/infer/tensor-meta.h"

/* Appends @tensors [n] (dense, never written again), named @names [n], to the
 * GstTensorMeta of @buffer (writable), which it adds if there is none.  Omits
 * tensors of a type that GStreamer does not have.  Names of TensorFlow's
 * detectors become those that GStreamer's decoders look for, as in
 * onnxinference. */
void gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names);

/* Removes from @buffer (writable) what was added for @tensors [n]; n = 0: the
 * tensors of other elements. */
void gst_infer_drop_upstream_tensors (
    GstBuffer *buffer, guint n, InferTensor *const *tensors);

/* Adds the tensors that another element (onnxinference) added to a frame of
 * @video as a GstInferTensorMeta of the whole frame.  @info (in, out): the
 * event with their names, at first NULL, replaced when they change.  Returns
 * NULL without @error if there are none.  (transfer none) */
GstInferTensorMeta *gst_infer_read_upstream_tensors (GstBuffer *buffer,
    const GstVideoInfo *video, GstEvent **info, GError **error);
