/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The assignment problem. */

#pragma once

#include <glib.h>

/* Assigns rows to columns with the greatest sum of @gains [rows, columns];
 * pairs of gain ≤ 0 are not assigned.  @column_of [rows]: the column, or -1.
 * Kuhn's Hungarian method in the form with potentials: O (n³). */
void infer_assign (
    const float *gains, guint rows, guint columns, int *column_of);
