/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Activations are worth nothing between runs, so runs of all requests of a
 * runtime take turns with their memory: there is as much of it as runs at a
 * time, at most as requests, and what one has used is still in the caches for
 * the next. */

#pragma once

#include <glib.h>

/* Both 64-byte aligned, or NULL of size 0. */
typedef struct
{
  gpointer arena, scratch;
  gsize arena_size, scratch_size;
} CpuArena;

void cpu_arena_clear (CpuArena *arena);

/* Any thread. */
typedef struct
{
  GMutex lock;
  GArray *idle;       /* (element-type CpuArena) */
  guint users, taken; /* requests; those that run */
} CpuArenas;

void cpu_arenas_init (CpuArenas *arenas);
/* All are given back, and nobody uses them. */
void cpu_arenas_clear (CpuArenas *arenas);

/* A user takes one at a time. */
void cpu_arenas_join (CpuArenas *arenas);
/* There is no more memory than for the users that are left.  @last: as below.
 */
void cpu_arenas_leave (CpuArenas *arenas, gconstpointer last);

/* An idle one that is about as large, which may be too small, or any where
 * there is one for each user; else an empty one.  @last: the memory that the
 * user had before, which it gets again if it can.  (transfer full) */
CpuArena cpu_arenas_take (
    CpuArenas *arenas, gsize arena, gsize scratch, gconstpointer last);
/* @arena: (transfer full); empty afterwards.  It may be empty. */
void cpu_arenas_give (CpuArenas *arenas, CpuArena *arena);
/* If the one whose memory is @last is idle, the system gets its pages. */
void cpu_arenas_rest (CpuArenas *arenas, gconstpointer last);
