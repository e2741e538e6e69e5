/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For tests of the debug log: keeps the lines of one category. */

#pragma once

#include <gst/gst.h>

/* Keeps the lines of @category, up to DEBUG, in place of printing any. */
void test_log_begin (const char *category);
void test_log_end (void);
/* The lines since the last call.  (transfer full) */
char *test_log_take (void);
/* Waits until a line has @part, for at most five seconds; drops all lines.
 * NULL: one has; else the lines that there were instead.  (transfer full) */
char *test_log_await (const char *part);
