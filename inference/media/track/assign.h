/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The assignment problem, sparse: only pairs that may be assigned are given.
 *
 * Jonker and Volgenant's method ("A shortest augmenting path algorithm for
 * dense and sparse linear assignment problems", 1987): each row takes its best
 * column, and a row whose best column is taken searches a shortest augmenting
 * path.  A search visits only what is connected with its row, so that groups
 * of pairs that have nothing in common cost nothing to each other.  Memory is
 * kept between calls.  One thread at a time. */

#pragma once

#include <glib.h>

typedef struct _InferAssignment InferAssignment;

InferAssignment *infer_assignment_new (void);
void infer_assignment_free (InferAssignment *a); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferAssignment, infer_assignment_free)

/* Begins a new problem. */
void infer_assignment_begin (InferAssignment *a, guint rows, guint columns);

/* @row may be assigned to @column with @gain > 0.  Rows ascend from call to
 * call; a pair is given once. */
void infer_assignment_add (
    InferAssignment *a, guint row, guint column, float gain);

/* Finds the assignment with the greatest sum of gains.  Returns the column of
 * each row, or -1: of [rows]; valid until the next call.  (transfer none) */
const int *infer_assignment_solve (InferAssignment *a);
