/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GUARD 128
#define GUARD_BYTE 0xa5
#define MAX_BUFFERS 16
#define MAX_SEEN 1024
#define BUFFER_SIZE ((2 * GUARD + KC_BYTES + 64 + 63) / 64 * 64)

typedef void (*KcFunc) (void);

static const struct
{
  const char *kernel;
  size_t member; /* offset in CpuKernels */
  void (*check) (const CpuKernels *ref, const CpuKernels *opt);
} checks[] = {
#define CHECK(name, file) { #name, offsetof (CpuKernels, name), check_##name },
#include "tests/kernels/check-list.h"
#undef CHECK
};

const size_t kc_lengths[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63,
  64, 65, 127, 129, 255, 1000, KC_MAX, 0 };

const float kc_specials[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f,
  -1e-40f, 1.4e-45f, FLT_MIN, -FLT_MIN, FLT_MAX, -FLT_MAX, 1.0f, -1.0f, 0.5f,
  -0.5f, 2.5f, -2.5f, 88.8f, -88.8f, -103.0f, -104.5f, 8388608.5f, 0.49999997f,
  -0.49999997f };
const size_t kc_n_specials = sizeof kc_specials / sizeof *kc_specials;

static struct
{
  bool bench;
  const char *filter, *isa, *kernel, *label;
  bool failed;
  int n_failed, n_checked;
  KcFunc seen[MAX_SEEN];
  int n_seen;
  unsigned char *buffers[MAX_BUFFERS];
  size_t starts[MAX_BUFFERS];
  int n_buffers;
  uint32_t rng;
} kc;

static void
fail (const char *what, size_t i, double got, double want)
{
  if (!kc.failed)
    fprintf (stderr, "FAIL %s_%s %s: %s at %zu: got %.9g, want %.9g\n",
        kc.kernel, kc.isa, kc.label, what, i, got, want);
  kc.failed = true;
}

/* TRUE if the kernel in @opt has not been checked in this run.  The reference
 * is only timed. */
static bool
begin (size_t k, const CpuKernels *refs, const CpuKernels *opts)
{
  KcFunc ref, opt;

  memcpy (&ref, (const char *) refs + checks[k].member, sizeof ref);
  memcpy (&opt, (const char *) opts + checks[k].member, sizeof opt);
  for (int i = 0; i < kc.n_seen; i++)
    if (kc.seen[i] == opt)
      return false;
  if (kc.n_seen == MAX_SEEN)
    abort ();
  kc.seen[kc.n_seen++] = opt;
  kc.kernel = checks[k].kernel;
  kc.label = "";
  kc.failed = false;
  kc.n_checked += ref != opt;
  return true;
}

void
kc_label (const char *label)
{
  kc.label = label;
}

static void
end (void)
{
  for (int b = 0; b < kc.n_buffers; b++) {
    unsigned char *mem = kc.buffers[b];
    size_t start = kc.starts[b], stop = start + KC_BYTES;

    for (size_t i = 0; i < start; i++)
      if (mem[i] != GUARD_BYTE)
        fail ("write before the buffer", start - i, mem[i], GUARD_BYTE);
    for (size_t i = stop; i < BUFFER_SIZE; i++)
      if (mem[i] != GUARD_BYTE)
        fail ("write after the buffer", i - stop, mem[i], GUARD_BYTE);
    free (mem);
  }
  kc.n_buffers = 0;
  kc.n_failed += kc.failed;
}

void *
kc_buffer (size_t offset)
{
  unsigned char *mem = aligned_alloc (64, BUFFER_SIZE);
  size_t start = GUARD + offset;

  if (mem == NULL || kc.n_buffers == MAX_BUFFERS)
    abort ();
  memset (mem, GUARD_BYTE, BUFFER_SIZE);
  kc.buffers[kc.n_buffers] = mem;
  kc.starts[kc.n_buffers++] = start;
  return mem + start;
}

float *
kc_floats (size_t offset, float lo, float hi)
{
  float *buf = kc_buffer (offset);

  kc_fill (buf, KC_MAX, lo, hi);
  return buf;
}

/* xorshift (G. Marsaglia, 2003) */
uint32_t
kc_random (void)
{
  kc.rng ^= kc.rng << 13;
  kc.rng ^= kc.rng >> 17;
  return kc.rng ^= kc.rng << 5;
}

void
kc_fill (float *buf, size_t n, float lo, float hi)
{
  for (size_t i = 0; i < n; i++)
    buf[i] = lo + (hi - lo) * (float) (kc_random () >> 8) / (float) (1 << 24);
}

void
kc_sprinkle (float *buf)
{
  for (size_t i = 0; i < 8 * kc_n_specials; i++)
    buf[kc_random () % KC_MAX] = kc_specials[i % kc_n_specials];
}

void
kc_check_f32 (
    const float *got, const float *want, size_t n, float rel, float abs)
{
  for (size_t i = 0; i < n; i++) {
    bool same = got[i] == want[i] || (isnan (got[i]) && isnan (want[i]));

    if (!same && !(fabsf (got[i] - want[i]) <= abs + rel * fabsf (want[i]))
        && !(isinf (want[i]) && fabsf (got[i]) >= FLT_MAX * (1 - rel)
             && got[i] * want[i] > 0))
      fail ("value", i, (double) got[i], (double) want[i]);
  }
}

void
kc_check_bytes (const void *got, const void *want, size_t n)
{
  const unsigned char *a = got, *b = want;

  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i])
      fail ("byte", i, a[i], b[i]);
}

void
kc_poison (void *buf)
{
  memset (buf, GUARD_BYTE, KC_BYTES);
}

void
kc_check_beyond (const void *buf, size_t bytes)
{
  const unsigned char *p = buf;

  for (size_t i = bytes; i < KC_BYTES; i++)
    if (p[i] != GUARD_BYTE)
      fail ("write beyond n, byte", i - bytes, p[i], GUARD_BYTE);
}

bool
kc_timing (void)
{
  return kc.bench && !kc.failed;
}

double
kc_now (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (double) ts.tv_sec + 1e-9 * (double) ts.tv_nsec;
}

void
kc_report (double seconds)
{
  printf ("%-18s %-8s %-16s %10.1f ns\n", kc.kernel, kc.isa, kc.label,
      1e9 * seconds);
}

static void
check_kernel (size_t k, CpuIsa have, uint32_t seed)
{
  CpuKernels ref = { 0 }, opt = { 0 };
  CpuIsa isa = have & CPU_ISA_EVEX;

  cpu_kernels_init (&ref, CPU_ISA_C);
  for (const CpuIsaInfo *info = cpu_isa_infos; info->name != NULL; info++) {
    if ((info->flag & ~have) != 0)
      continue;
    isa |= info->flag;
    kc.isa = info->name;
    kc.rng = seed | 1;
    cpu_kernels_init (&opt, isa);
    if (begin (k, &ref, &opt)) {
      checks[k].check (&ref, &opt);
      end ();
    }
  }
}

int
main (int argc, char **argv)
{
  uint32_t seed = (uint32_t) time (NULL);

  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--bench") == 0)
      kc.bench = true;
    else if (strncmp (argv[i], "--kernel=", 9) == 0)
      kc.filter = argv[i] + 9;
    else
      seed = (uint32_t) strtoul (argv[i], NULL, 10);
  }
  fprintf (stderr, "kernelcheck: seed %u\n", seed);
  for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
    if (kc.filter == NULL || strcmp (kc.filter, checks[k].kernel) == 0)
      check_kernel (k, cpu_isa_detect (), seed);
  fprintf (stderr, "kernelcheck: %d of %d failed\n", kc.n_failed, kc.n_checked);
  if (kc.n_checked == 0 && kc.filter != NULL)
    fprintf (stderr, "kernelcheck: nothing to check for %s\n", kc.filter);
  return kc.n_failed != 0;
}
