/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two generators of RandomUniform and Multinomial. */

#pragma once

#include <glib.h>

#define CPU_TWISTER_N 624

typedef struct
{
  gboolean twister; /* Mersenne Twister; otherwise Philox */
  guint64 key, counter,
      block; /* Philox: @block counts groups of four numbers */
  guint32 numbers[4];
  guint used; /* of numbers or state */
  guint32 state[CPU_TWISTER_N];
} CpuRandom;

/* Philox 4x32-10 with key and counter (J. Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", 2011). */
void cpu_random_init_philox (
    CpuRandom *random, guint64 key, guint64 counter, guint64 first_block);
/* MT19937 (M. Matsumoto, T. Nishimura, 1998). */
void cpu_random_init_twister (CpuRandom *random, guint32 seed);
guint32 cpu_random_next (CpuRandom *random);
/* In [0, 1), with 52 (Philox) or 53 random bits. */
double cpu_random_next_double (CpuRandom *random);
