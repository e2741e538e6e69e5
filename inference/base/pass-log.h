/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A log of the changes that passes make, for `infer-model info --passes`.  One
 * for the process; any thread. */

#pragma once

#include <glib.h>

/* From now on; before models are compiled. */
void infer_pass_log_start (void);
/* FALSE: nothing needs to be counted or compared. */
gboolean infer_pass_log_wanted (void);
/* Appends @text. */
void infer_pass_log_add (const char *text);
/* Ends the log: all of it.  (transfer full) */
char *infer_pass_log_end (void);
