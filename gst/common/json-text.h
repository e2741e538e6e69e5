/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pieces of JSON, appended to a line. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* In quotes, with what needs it escaped; bytes that are no UTF-8 become U+FFFD.
 * NULL: null. */
void gst_infer_json_string (GString *line, const char *text);
/* @format: "%.9g"; NaN and infinities are null. */
void gst_infer_json_real (GString *line, double value, const char *format);
/* null where it is not known. */
void gst_infer_json_time (GString *line, GstClockTime time);
/* {@line}: a comma unless something just began; then "@key": */
void gst_infer_json_key (GString *line, const char *key);

G_END_DECLS
