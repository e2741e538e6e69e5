/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What tests of video share: tiny models on pictures, written to a folder of
 * their own, and frames. */

#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* A folder for the test's files, removed by picture_folder_clear with all that
 * is in it.  (transfer none) */
const char *picture_folder (void);
void picture_folder_clear (void);

/* IR files in the folder; gives the path, (transfer full).  @type, @dims:
 * "f32", "1,3,4,6". copy: the output is the input. sum:  the output is the sum
 * of the inputs since the last reset. tile: the output is the input twice along
 * the axes 2 and 3. */
char *picture_model_copy (const char *name, const char *type, const char *dims);
char *picture_model_sum (const char *name, const char *type, const char *dims);
char *picture_model_stack (
    const char *name, const char *type, const char *dims);
char *picture_model_tile (const char *name, const char *type, const char *dims);

/* A frame of RGB bytes as @format, through GstVideoConverter. */
GstBuffer *picture_frame (
    GstVideoFormat format, int width, int height, const guint8 *rgb);
/* The same frame with a GstVideoMeta of wider rows and other offsets, what lies
 * between is 0xee.  (transfer full) */
GstBuffer *picture_pad (
    GstBuffer *frame, GstVideoFormat format, int width, int height);
/* (transfer full) */
char *picture_caps (GstVideoFormat format, int width, int height);

/* An inferfilter with the model at this path and @more properties. */
GstHarness *picture_harness (const char *model, const char *more);
void picture_set_caps (
    GstHarness *h, GstVideoFormat format, int width, int height);
/* The floats that come when @frame (transfer full) is pushed.  (transfer full)
 * (element-type float) */
GArray *picture_push (GstHarness *h, GstBuffer *frame);

/* The floats of @buffer.  (transfer full) (element-type float) */
GArray *picture_floats (GstBuffer *buffer);

G_END_DECLS
