/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uses the results on a frame, of any kind. */

#pragma once

#include <gst/video/video.h>

/* JSON, which must be valid; copies, scaled and cropped; drawing. */
void fuzz_use_results (GstBuffer *buffer, const GstVideoInfo *video);
/* A frame of zeros.  (transfer full) */
GstBuffer *fuzz_new_frame (const GstVideoInfo *video);
