/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For tests of video: tiny models on pictures, written to a temporary folder,
 * and frames. */

#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* A folder for the test's files; picture_folder_clear removes it with its
 * contents.  (transfer none) */
const char *picture_folder (void);
void picture_folder_clear (void);

/* Write IR files to the folder and return their path (transfer full).  @type,
 * @dims: "f32", "1,3,4,6".  copy: output = input; sum: output = sum of the
 * inputs since the last reset; tile: the input twice along axes 2 and 3. */
char *picture_model_copy (const char *name, const char *type, const char *dims);
char *picture_model_sum (const char *name, const char *type, const char *dims);
char *picture_model_stack (
    const char *name, const char *type, const char *dims);
char *picture_model_tile (const char *name, const char *type, const char *dims);

/* The RGB bytes converted to @format by GstVideoConverter. */
GstBuffer *picture_frame (
    GstVideoFormat format, int width, int height, const guint8 *rgb);
/* The same frame with a GstVideoMeta of wider rows and other offsets; the gaps
 * are 0xee.  (transfer full) */
GstBuffer *picture_pad (
    GstBuffer *frame, GstVideoFormat format, int width, int height);
/* (transfer full) */
char *picture_caps (GstVideoFormat format, int width, int height);

/* An inferfilter with the model at this path and the properties @more. */
GstHarness *picture_harness (const char *model, const char *more);
void picture_set_caps (
    GstHarness *h, GstVideoFormat format, int width, int height);
/* Pushes @frame (transfer full); returns the output floats.  (transfer full)
 * (element-type float) */
GArray *picture_push (GstHarness *h, GstBuffer *frame);

/* The floats of @buffer.  (transfer full) (element-type float) */
GArray *picture_floats (GstBuffer *buffer);
