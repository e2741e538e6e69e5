/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's tracers, loaded from its core's plugin only. */

#pragma once

#include <gst/gst.h>

gboolean test_tracers_exist (void);

/* In place of gst_init.  @tracers: as in GST_TRACERS; apart from their plugin,
 * only GST_PLUGIN_PATH_1_0 is searched.  @line (nullable) is called with each
 * log line, on any thread. */
void test_tracers_begin (const char *tracers, void (*line) (const char *text));

/* Ends GStreamer; prints the objects that the tracer "leaks" reports, and
 * returns their number. */
guint test_tracers_end (void);
