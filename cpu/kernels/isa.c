/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/isa.h"

#include "cpu/kernels/config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

const CpuIsaInfo cpu_isa_infos[] = {
  { "c", CPU_ISA_C },
  { "base", CPU_ISA_BASE },
  { "avx2", CPU_ISA_AVX2 },
  { "avxvnni", CPU_ISA_AVXVNNI },
  { "avx512", CPU_ISA_AVX512 },
  { "vnni", CPU_ISA_VNNI },
  { "dotprod", CPU_ISA_DOTPROD },
  { "i8mm", CPU_ISA_I8MM },
  { "bf16", CPU_ISA_BF16 },
  { "fp16", CPU_ISA_FP16 },
  { "amx", CPU_ISA_AMX },
  { NULL, CPU_ISA_C },
};

#if defined(__x86_64__) || defined(__i386__)
/* Tiles, their products of bf16 and of bytes (@features: edx of leaf 7); and
 * that the system saves both parts of their state. */
static int
has_amx (unsigned features)
{
  const unsigned wanted = 1u << 22 | 1u << 24 | 1u << 25;
  const unsigned saved = 1u << 17 | 1u << 18;
  unsigned a, b, c, d, low, high;

  if ((features & wanted) != wanted || !__get_cpuid (1, &a, &b, &c, &d)
      || !(c >> 27 & 1))
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & saved) == saved;
}

/* Detects the instruction sets that some compilers can use, but not detect, of
 * a machine with AVX2 and what else is in @isa.  On virtual machines each
 * `cpuid` takes some ten microseconds, so that few are asked: a processor with
 * AVX2 has leaf 7, whose eax is the last of its parts. */
static CpuIsa
probe_after_avx2 (CpuIsa isa)
{
  unsigned last, a = 0, b, c, d, features;

  __cpuid_count (7, 0, last, b, c, features);
  if (last >= 1)
    __cpuid_count (7, 1, a, b, c, d);
  if (a >> 4 & 1)
    isa |= CPU_ISA_AVXVNNI;
  if (!(isa & CPU_ISA_VNNI))
    return isa;
  if (!(isa & CPU_ISA_AVXVNNI))
    isa |= CPU_ISA_AVXVNNI | CPU_ISA_EVEX;
  if (features >> 23 & 1)
    isa |= CPU_ISA_FP16;
  if (a >> 5 & 1)
    isa |= has_amx (features) ? CPU_ISA_BF16 | CPU_ISA_AMX : CPU_ISA_BF16;
  return isa;
}
#endif

#if defined(__aarch64__) && defined(__linux__)
/* Bits that old headers of C libraries do not name. */
static CpuIsa
probe_neon (void)
{
  const unsigned long half = 1ul << 10, dotprod = 1ul << 20;
  const unsigned long i8mm = 1ul << 13, bf16 = 1ul << 14;
  const unsigned long first = getauxval (AT_HWCAP),
                      second = getauxval (AT_HWCAP2);
  CpuIsa isa = CPU_ISA_C;

  if (first & dotprod)
    isa |= CPU_ISA_DOTPROD;
  if ((isa & CPU_ISA_DOTPROD) && (second & i8mm))
    isa |= CPU_ISA_I8MM;
  if (first & half)
    isa |= CPU_ISA_FP16;
  if ((isa & CPU_ISA_FP16) && (second & bf16))
    isa |= CPU_ISA_BF16;
  return isa;
}
#endif

/* Linux gives the state of the tiles only to processes that ask for it
 * (arch_prctl (2)); it refuses where a thread's signal stack is too small. */
static int
amx_is_permitted (void)
{
#if defined(__x86_64__) && defined(__linux__)
  const int request_permission = 0x1023, tile_data = 18;

  return syscall (SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return 0;
#endif
}

/* AVXVNNI is of no use without kernels, which old assemblers do not know, and
 * no processor has it and AVX-512, but not VNNI. */
static CpuIsa
without_lone_avxvnni (CpuIsa isa)
{
  if ((isa & CPU_ISA_VNNI) || (CPU_HAVE_AVXVNNI && !(isa & CPU_ISA_AVX512)))
    return isa;
  return isa & ~(CPU_ISA_AVXVNNI | CPU_ISA_EVEX);
}

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
  if (isa & CPU_ISA_AVX2)
    isa = without_lone_avxvnni (probe_after_avx2 (isa));
#elif defined(__aarch64__) && defined(__linux__)
  isa |= probe_neon ();
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

/* Removes from @isa the instruction sets above $INFER_CPU_ISA. */
static CpuIsa
isa_cap (CpuIsa isa)
{
  const char *limit = getenv ("INFER_CPU_ISA");
  CpuIsa allowed = CPU_ISA_EVEX;

  if (limit == NULL || *limit == '\0')
    return isa;

  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++) {
    allowed |= info->flag;
    if (strcmp (info->name, limit) == 0)
      return without_lone_avxvnni (isa & allowed);
  }
  isa_warn (limit);
  return isa;
}

static CpuIsa probed;

static void
probe_once (void)
{
  probed = isa_probe ();
}

CpuIsa
cpu_isa_detect (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, probe_once);
  const CpuIsa isa = isa_cap (probed);

  return (isa & CPU_ISA_AMX) && !amx_is_permitted () ? isa & ~CPU_ISA_AMX : isa;
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

bool
cpu_isa_has_int8 (CpuIsa isa)
{
  return (isa & (CPU_ISA_AVXVNNI | CPU_ISA_DOTPROD)) != 0;
}
