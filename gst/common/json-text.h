/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Appends JSON to a line. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Quoted and escaped; invalid UTF-8 becomes U+FFFD.  NULL: null. */
void gst_infer_json_string (GString *line, const char *text);
/* @format: "%.9g"; NaN and infinities are null. */
void gst_infer_json_real (GString *line, double value, const char *format);
/* Nanoseconds; GST_CLOCK_TIME_NONE: null. */
void gst_infer_json_time (GString *line, GstClockTime time);
/* A comma unless an object or list has just begun, then "@key": */
void gst_infer_json_key (GString *line, const char *key);

G_END_DECLS
