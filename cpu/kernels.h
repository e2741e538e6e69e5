/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hot loops of the CPU backend; see kernel-list.h. */

#pragma once

#include <stddef.h>

#include "cpu/isa.h"

/* Sum of a[i] * b[i]; 0 for n == 0.  The order of the additions is free. */
typedef float cpu_dot_f32_fn (const float *a, const float *b, size_t n);

typedef struct
{
  cpu_dot_f32_fn *dot_f32;
} CpuKernels;

/* Declares every version. */
#define KERNEL(name, suffix, needs) cpu_##name##_fn cpu_##name##_##suffix;
#include "cpu/kernel-list.h"
#undef KERNEL

/* Fills in the fastest version of each kernel that @isa allows. */
void cpu_kernels_init (CpuKernels *kernels, CpuIsa isa);
