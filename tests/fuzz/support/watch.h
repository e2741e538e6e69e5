/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A limit of processor time per execution: then steps on this thread are
 * cancelled, as an element does that is stopped. */

#pragma once

#include <glib.h>

/* At the beginning of each execution. */
void fuzz_watch (void);
/* The limit is exceeded. */
gboolean fuzz_watch_ended (void);
