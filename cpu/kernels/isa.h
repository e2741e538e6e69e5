/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which instruction sets may be used.  A value of CpuIsa is always passed as an
 * argument, never kept in a global, so that one process can run the same kernel
 * at every level. */

#pragma once

#include <stdbool.h>

typedef enum
{
  CPU_ISA_C = 0,
  CPU_ISA_BASE = 1 << 0, /* vectors of what the compiler targets: SSE2, NEON */
  CPU_ISA_AVX2 = 1 << 1, /* AVX2, FMA and F16C */
  CPU_ISA_AVXVNNI = 1 << 2, /* and dot products of bytes, of 256 bits */
  CPU_ISA_AVX512 = 1 << 3,  /* AVX2 and AVX-512 F, BW, DQ, VL */
  CPU_ISA_VNNI = 1 << 4,    /* and AVX512-VNNI; AVXVNNI too */
  CPU_ISA_BF16 = 1 << 5, /* and AVX512-BF16: dot products of bf16; FEAT_BF16 */
  CPU_ISA_FP16 = 1 << 6, /* f16 arithmetic: VNNI and AVX512-FP16; FEAT_FP16 */
  CPU_ISA_AMX = 1 << 7,  /* BF16 and AMX: tiles of bf16 and of integers */
  /* No level: what AVXVNNI adds must be encoded as a part of AVX-512, since the
   * machine has AVX512-VNNI, but not AVX-VNNI. */
  CPU_ISA_EVEX = 1 << 8,
  /* aarch64: */
  CPU_ISA_DOTPROD = 1 << 9, /* NEON and FEAT_DotProd: of bytes of equal sign */
  CPU_ISA_I8MM = 1 << 10,   /* and FEAT_I8MM: of bytes of any sign */
} CpuIsa;

typedef struct
{
  const char *name; /* as in $INFER_CPU_ISA and in kernelcheck's output */
  CpuIsa flag;
} CpuIsaInfo;

/* Ordered from the slowest to the fastest, ends with a NULL name. */
extern const CpuIsaInfo cpu_isa_infos[];

/* The instruction sets of this machine, capped by $INFER_CPU_ISA (a name of
 * cpu_isa_infos) if that is set; any other value is ignored with a warning on
 * stderr.  AMX needs a permission of Linux, which is asked for here, for the
 * whole process, unless the cap excludes AMX. */
CpuIsa cpu_isa_detect (void);

/* The name of the highest level in @isa. */
const char *cpu_isa_name (CpuIsa isa);

/* Whether @isa has an instruction for dot products of bytes, thus kernels that
 * compute in int8 faster than others do in f32. */
bool cpu_isa_has_int8 (CpuIsa isa);
