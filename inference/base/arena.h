/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * One block of memory for values of which not all live at the same time: the
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
 * @spans: (array length=n) (inout): what is to be placed
 * @n: their number
 * @align: of the offsets: a power of two
 * @size: (out): size of the whole block, in bytes
 * @error: INFER_ERROR_NO_MEMORY when sizes are beyond what can be addressed
 *
 * Gives every span a place of its own while it lives. By size, the largest
 * first, each in the lowest gap that is free in its time (Pisarchyk and Lee,
 * "Efficient Memory Management for Deep Neural Net Inference", 2020).
 *
 * Returns: %FALSE on error
 */
gboolean infer_arena_place (
    InferArenaSpan *spans, guint n, gsize align, gsize *size, GError **error);

G_END_DECLS
