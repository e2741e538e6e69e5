/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The hot loops of the CPU backend: plain C types, no allocation, no failure.
 * A kernel is a function type here, a portable version in kernels/NAME.c, which
 * is its reference, and a version over vector types in kernels/NAME-vec.c that
 * is compiled for each instruction set.  kernel-list.h lists all versions. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/isa.h"
#include "cpu/kernels/config.h"

typedef enum
{
  CPU_REDUCE_SUM,
  CPU_REDUCE_PROD,
  CPU_REDUCE_MAX,
  CPU_REDUCE_MIN,
  CPU_REDUCE_SUM_ABS,
  CPU_REDUCE_SUM_SQUARES,
} CpuReduce;

/* One number of src[0 … n): the order of operations is free.  The neutral
 * element (0, 1, -inf, +inf) for n == 0; NaN where any element is. */
typedef float cpu_reduce_f32_fn (CpuReduce what, const float *src, size_t n);

/* Sum of a[i] * b[i]; 0 for n == 0.  The order of the additions is free. */
typedef float cpu_dot_f32_fn (const float *a, const float *b, size_t n);

/* A table with a member for each kernel. */
typedef struct
{
#define KERNEL_MEMBER_c(name) cpu_##name##_fn *name;
#define KERNEL_MEMBER_base(name)
#define KERNEL_MEMBER_avx2(name)
#define KERNEL_MEMBER_avx512(name)
#define KERNEL(name, suffix, needs) KERNEL_MEMBER_##suffix (name)
#include "cpu/kernel-list.h"
#undef KERNEL
#undef KERNEL_MEMBER_c
#undef KERNEL_MEMBER_base
#undef KERNEL_MEMBER_avx2
#undef KERNEL_MEMBER_avx512
} CpuKernels;

/* Declares every version. */
#define KERNEL(name, suffix, needs) cpu_##name##_fn cpu_##name##_##suffix;
#include "cpu/kernel-list.h"
#undef KERNEL

/* Fills in the fastest version of each kernel that @isa allows. */
void cpu_kernels_init (CpuKernels *kernels, CpuIsa isa);
