/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which instruction sets may be used.  A value of CpuIsa is always passed as an
 * argument, never kept in a global, so that one process can run the same kernel
 * at every level. */

#pragma once

#include <stdint.h>

typedef enum
{
  CPU_ISA_C = 0,
  CPU_ISA_BASE = 1 << 0,   /* vectors of what every machine of the kind has */
  CPU_ISA_AVX2 = 1 << 1,   /* AVX2, FMA and F16C */
  CPU_ISA_AVX512 = 1 << 2, /* AVX-512 F, BW, DQ, VL */
} CpuIsa;

typedef struct
{
  const char *name; /* as in $INFER_CPU_ISA and in kernel-check's output */
  CpuIsa flag;
} CpuIsaInfo;

/* Ordered from the slowest to the fastest, ends with a NULL name. */
extern const CpuIsaInfo cpu_isa_infos[];

/* What this machine has, lowered to $INFER_CPU_ISA where that is set. */
CpuIsa cpu_isa_detect (void);
