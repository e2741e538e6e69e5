/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

void
cpu_kernels_init (CpuKernels *kernels, CpuIsa isa)
{
#define KERNEL(name, suffix, needs)                                            \
  if (((needs) & ~isa) == 0)                                                   \
    kernels->name = cpu_##name##_##suffix;
#include "cpu/kernels/kernel-list.h"
#undef KERNEL
}
