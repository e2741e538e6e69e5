/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state of a process as lines of text. */

#pragma once

#include "tools/top/source.h"

/* Appends lines of at most @width columns, each with a newline and without
 * characters that do not print.  Rates need two samples. */
void top_view_append (GString *text, const TopSource *source, guint width);

/* Appends @string, at most @width columns. */
void top_view_append_line (GString *text, const char *string, guint width);
