/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

/*
 * Liveness-planned memory: one block for values with different lifetimes, the
 * activations of a plan, on a host or on a device.
 */

/**
 * InferArenaSpan:
 * @bytes: its size; 0 is legal
 * @first: step that writes it first
 * @last: step that reads it last, not before @first
 * @offset: (out): where it lies in the block, in bytes
 */
typedef struct
{
  gsize bytes;
  guint first, last;
  gsize offset;
} InferArenaSpan;

/**
 * infer_arena_place:
 * @spans: (array length=n) (inout): values to place
 * @n: their number
 * @align: of the offsets: a power of two
 * @size: (out): size of the whole block, in bytes
 * @error: INFER_ERROR_NO_MEMORY if a size overflows
 *
 * Spans that are live at the same time do not overlap.  Greedy by size: the
 * largest first, each into the lowest gap free during its lifetime (Pisarchyk
 * and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020).
 *
 * Returns: %FALSE on error
 */
gboolean infer_arena_place (
    InferArenaSpan *spans, guint n, gsize align, gsize *size, GError **error);
