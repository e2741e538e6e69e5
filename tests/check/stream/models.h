/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* IR files of "y = x + sum; sum = y" or "y = x", written on demand. */

#pragma once

#include <glib.h>

/* @shape: "1,10", "1,?"; @rate 0: without audio information; @latency: the
 * samples by which the output is said to be later.  Returns the path. (transfer
 * full) */
char *test_model_path (const char *shape, gboolean stateful, guint rate,
    guint multiple, guint latency);
/* Creates their folder, which is otherwise done when the first is asked for. */
void test_models_begin (void);
/* Removes the files. */
void test_models_remove (void);
