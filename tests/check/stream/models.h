/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* IR files of "y = x + sum; sum = y", or of "y = x", written when asked for. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @shape: "1,10", "1,?"; @rate 0: does not say that it takes audio.
 * (transfer full) path */
char *test_model_path (
    const char *shape, gboolean stateful, guint rate, guint multiple);
/* Removes them. */
void test_models_remove (void);

G_END_DECLS
