/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for weights and activations, aligned to 64 bytes.  Any thread. */

#pragma once

#include <glib.h>

/* NULL if short. */
gpointer cpu_alloc (gsize bytes);
/* The same for what lives as long as a model: several share a huge page. */
gpointer cpu_alloc_pack (gsize bytes);
/* About so many bytes of packs are about to be allocated: they are in huge
 * pages from the first on. */
void cpu_alloc_expect (gsize bytes);
void cpu_free (gpointer memory); /* NULL is fine */

/* Memory for the time in which one constant is packed.  Between keep and drop,
 * which may nest, returned memory serves the next constant: taking pages from
 * the system costs more than writing to them.  NULL if short. */
gpointer cpu_borrow (gsize bytes);
void cpu_return (gpointer memory); /* NULL is fine */
void cpu_borrowed_keep (void);
void cpu_borrowed_drop (void);

typedef float CpuBorrowedFloats;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CpuBorrowedFloats, cpu_return)

/* Gives whole pages of [@memory, @memory + @bytes), of cpu_alloc, back to the
 * system; contents are lost, and the next write takes pages again. */
void cpu_discard (gpointer memory, gsize bytes);
