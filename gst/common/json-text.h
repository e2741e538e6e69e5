/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Appends JSON to a line. */

#pragma once

#include <gst/gst.h>

/* Room for @n more characters.  FALSE: there is no memory; GLib's own functions
 * would end the process.  For what is as large as a buffer says. */
gboolean gst_infer_json_reserve (GString *line, gsize n);
/* The most that gst_infer_json_string() makes of @n bytes. */
#define GST_INFER_JSON_LONGEST(n) (6 * (n) + 2)

/* Quoted and escaped; invalid UTF-8 becomes U+FFFD.  NULL: null. */
void gst_infer_json_string (GString *line, const char *text);
/* @format: "%.9g"; NaN and infinities are null. */
void gst_infer_json_real (GString *line, double value, const char *format);
/* Nanoseconds; GST_CLOCK_TIME_NONE: null. */
void gst_infer_json_time (GString *line, GstClockTime time);
/* A comma unless an object or list has just begun, then "@key": */
void gst_infer_json_key (GString *line, const char *key);

#define GST_INFER_JSON_REAL "%.7g" /* precision of results */

/* "@key":value; nothing if the string is NULL. */
void gst_infer_json_add_string (
    GString *line, const char *key, const char *value);
void gst_infer_json_add_int (GString *line, const char *key, gint64 value);
void gst_infer_json_add_real (GString *line, const char *key, double value);
/* "@key": and the bracket that opens the value. */
void gst_infer_json_begin (GString *line, const char *key, char bracket);
/* Opens the next item of a list. */
void gst_infer_json_begin_item (GString *line, char bracket);
