/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/isa.h"

#include <stdlib.h>
#include <string.h>

const CpuIsaInfo cpu_isa_infos[] = {
  { "c", CPU_ISA_C },
  { "base", CPU_ISA_BASE },
  { "avx2", CPU_ISA_AVX2 },
  { "avx512", CPU_ISA_AVX512 },
  { NULL, 0 },
};

static CpuIsa
isa_probe (void)
{
  CpuIsa isa = CPU_ISA_BASE;

#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("f16c"))
    isa |= CPU_ISA_AVX2;
  if ((isa & CPU_ISA_AVX2) && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    isa |= CPU_ISA_AVX512;
#endif

  return isa;
}

CpuIsa
cpu_isa_detect (void)
{
  const char *limit = getenv ("INFER_CPU_ISA");
  CpuIsa isa = isa_probe ();
  CpuIsa allowed = CPU_ISA_C;

  if (limit == NULL)
    return isa;

  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++) {
    allowed |= info->flag;
    if (strcmp (info->name, limit) == 0)
      break;
  }
  return isa & allowed;
}
