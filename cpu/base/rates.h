/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measured rates of this machine, in operations per nanosecond; choices between
 * implementations that differ in precision compare them. */

#pragma once

#include "cpu/kernels/kernels.h"

/* How many times as fast products of bf16 must be to be chosen for speed: below
 * it, converting inputs costs more than they save. */
#define CPU_RATES_LEAST_BF16 1.4

typedef struct
{
  double f32, bf16; /* products of one thread; bf16: 0 where it has none */
} CpuRates;

/* Measures once in a process for each @isa, which takes about 0.1 ms: all
 * runtimes of a process choose alike, and give equal bits.  Versions are timed
 * in turns and the least times count, so that other load changes both alike:
 * their ratio is near 1 or 2.  Any thread. */
CpuRates cpu_rates_measure (const CpuKernels *kernels, CpuIsa isa);
