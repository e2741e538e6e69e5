/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Appearances of the objects on a frame: results of a further model for each of
 * them (inferfilter inference-region=roi-list), which nobody has decoded. */

#pragma once

#include <gst/video/gstvideometa.h>

/* The look of each of @regions, of length 1, or NULL; *@n numbers each.  Marks
 * the tensors as decoded.  (transfer full) (element-type float) */
GPtrArray *gst_infer_read_looks (
    GstBuffer *buffer, const GPtrArray *regions, guint *n);
