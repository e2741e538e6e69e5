/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The terminal of a live view: one for the process, main thread only. */

#pragma once

#include <glib.h>

typedef enum
{
  TOP_TIME_OUT,
  TOP_REDRAW, /* the size has changed, or the program was stopped */
  TOP_QUIT,   /* q, Ctrl-C, SIGTERM, or the terminal is gone */
} TopEvent;

/* Takes signals, which end the waits; @screen: and the terminal's other
 * screen, which the program's end gives back. */
void top_terminal_open (gboolean screen);
void top_terminal_close (void);

void top_terminal_size (guint *width, guint *height);
/* The first lines of @text that fit, in place of the screen. */
void top_terminal_show (const char *text);
/* Waits until @deadline, of g_get_monotonic_time (). */
TopEvent top_terminal_wait (gint64 deadline);
