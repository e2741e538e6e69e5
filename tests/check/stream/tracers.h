/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own tracers in a test, from its core's plugin alone. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean test_tracers_exist (void);

/* In place of gst_init: @tracers as GST_TRACERS has them; besides their plugin
 * only what GST_PLUGIN_PATH_1_0 says is found.  @line (nullable): is called
 * with what they log, on any thread. */
void test_tracers_begin (const char *tracers, void (*line) (const char *text));

/* Ends GStreamer.  How many objects are left, as the tracer "leaks" says; they
 * are printed. */
guint test_tracers_end (void);

G_END_DECLS
