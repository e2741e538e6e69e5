/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line on stderr that says what is being done, for what takes more than a
 * second.  Nothing where stderr is no terminal, or with --quiet.  Main thread.
 */

#pragma once

#include <glib.h>

/* --quiet: from now on nothing is shown. */
void tool_progress_silence (void);

/* Shows the text, and how long it takes, from the second second on until
 * tool_progress_end, which takes the line away.  Again in between: another
 * text, and its own time. */
void tool_progress_begin (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Changes the text. */
void tool_progress_update (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Takes the line away before something is printed; it comes back below. */
void tool_progress_hide (void);
/* Without a tool_progress_begin: does nothing. */
void tool_progress_end (void);
