/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own tensor meta, for its decoders: there from 1.26 on.  Built
 * from upstream-tensors.c where the library is, else from
 * upstream-tensors-none.c. */

#pragma once

#include <gst/gst.h>

#include "inference/tensor.h"

G_BEGIN_DECLS

/* @tensors [n] (dense, never written again), after those that the GstTensorMeta
 * of @buffer (writable) may have, each under its name of @names; those of a
 * type that GStreamer has no name for are left out. */
void gst_infer_add_upstream_tensors (GstBuffer *buffer, guint n,
    InferTensor *const *tensors, const char *const *names);

G_END_DECLS
