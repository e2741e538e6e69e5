/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/rates.h"

#include "inference/base/clock.h"

#define TURNS 12
#define ROUNDS 400

typedef struct
{
  CpuIsa isa;
  CpuRates rates;
} Known;

static CpuRates
measure (const CpuKernels *kernels, CpuIsa isa)
{
  guint64 f32 = G_MAXUINT64, bf16 = G_MAXUINT64;
  gsize f32_products = 0, bf16_products = 0;
  float sums[16];
  CpuRates rates = { 0, 0 };

  for (guint i = 0; i < TURNS; i++) {
    const guint64 start = infer_clock_ns ();

    f32_products = kernels->products_f32 (sums, ROUNDS);
    const guint64 middle = infer_clock_ns ();
    f32 = MIN (f32, middle - start);
    if (!(isa & CPU_ISA_BF16))
      continue;
    bf16_products = kernels->products_bf16 (sums, ROUNDS);
    bf16 = MIN (bf16, infer_clock_ns () - middle);
  }
  rates.f32 = (double) (f32_products * ROUNDS) / (double) MAX (f32, 1);
  if (isa & CPU_ISA_BF16)
    rates.bf16 = (double) (bf16_products * ROUNDS) / (double) MAX (bf16, 1);
  return rates;
}

CpuRates
cpu_rates_measure (const CpuKernels *kernels, CpuIsa isa)
{
  static GMutex lock;
  static GArray *all; /* (element-type Known) never freed */
  CpuRates rates;
  guint i = 0;

  g_mutex_lock (&lock);
  if (all == NULL)
    all = g_array_new (FALSE, FALSE, sizeof (Known));
  while (i < all->len && g_array_index (all, Known, i).isa != isa)
    i++;
  if (i == all->len) {
    const Known known = { isa, measure (kernels, isa) };

    g_array_append_val (all, known);
  }
  rates = g_array_index (all, Known, i).rates;
  g_mutex_unlock (&lock);
  return rates;
}
