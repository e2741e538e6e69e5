/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A text with its time, as files have it: plain, SubRip, WebVTT, lines of JSON.
 */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_INFER_CUE_PLAIN,
  GST_INFER_CUE_SRT,
  GST_INFER_CUE_VTT,
  GST_INFER_CUE_JSON,
} GstInferCueFormat;

/* All of them, the plain one first. */
#define GST_INFER_CUE_CAPS                                                     \
  "text/x-raw, format = (string) utf8; application/x-subtitle; "               \
  "application/x-subtitle-vtt; application/json"

/* The first of @allowed's that there is; plain where @allowed is NULL. */
GstInferCueFormat gst_infer_cue_choose (const GstCaps *allowed);
/* (transfer full) */
GstCaps *gst_infer_cue_caps (GstInferCueFormat format);

/* Number @index (from 0) of a file, not plain: @text from @begin to @end.
 * (transfer full) */
char *gst_infer_cue_write (GstInferCueFormat format, guint64 index,
    GstClockTime begin, GstClockTime end, const char *text);
