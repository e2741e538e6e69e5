/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

const CpuIsaInfo cpu_isa_infos[] = {
  { "c", CPU_ISA_C },
  { "base", CPU_ISA_BASE },
  { "avx2", CPU_ISA_AVX2 },
  { "avx512", CPU_ISA_AVX512 },
  { "vnni", CPU_ISA_VNNI },
  { "fp16", CPU_ISA_FP16 },
  { NULL, CPU_ISA_C },
};

#if defined(__x86_64__) || defined(__i386__)
/* Not all compilers that know the instructions can detect them. */
static int
has_fp16 (void)
{
  unsigned a, b, c, d;

  return __get_cpuid_count (7, 0, &a, &b, &c, &d) && (d >> 23 & 1);
}
#endif

static CpuIsa
isa_probe (void)
{
  CpuIsa isa = CPU_ISA_BASE;

#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init ();
  /* Every processor with AVX2 and FMA has F16C, which gcc 10 cannot detect. */
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    isa |= CPU_ISA_AVX2;
  if ((isa & CPU_ISA_AVX2) && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    isa |= CPU_ISA_AVX512;
  if ((isa & CPU_ISA_AVX512) && __builtin_cpu_supports ("avx512vnni"))
    isa |= CPU_ISA_VNNI;
  if ((isa & CPU_ISA_VNNI) && has_fp16 ())
    isa |= CPU_ISA_FP16;
#endif

  return isa;
}

static void
isa_warn (const char *name)
{
  fprintf (
      stderr, "INFER_CPU_ISA=%s is not known and ignored; known are", name);
  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++)
    fprintf (stderr, " %s", info->name);
  fprintf (stderr, "\n");
}

CpuIsa
cpu_isa_detect (void)
{
  const char *limit = getenv ("INFER_CPU_ISA");
  CpuIsa isa = isa_probe ();
  CpuIsa allowed = CPU_ISA_C;

  if (limit == NULL || *limit == '\0')
    return isa;

  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++) {
    allowed |= info->flag;
    if (strcmp (info->name, limit) == 0)
      return isa & allowed;
  }
  isa_warn (limit);
  return isa;
}

const char *
cpu_isa_name (CpuIsa isa)
{
  const char *name = cpu_isa_infos[0].name;

  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++)
    if ((info->flag & ~isa) == 0)
      name = info->name;
  return name;
}
