/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/random-numbers.h"

#include <string.h>

void
cpu_random_init_philox (
    CpuRandom *random, guint64 key, guint64 counter, guint64 first_block)
{
  random->twister = FALSE;
  random->key = key;
  random->counter = counter;
  random->block = first_block;
  random->used = 4;
}

static void
philox_block (CpuRandom *random)
{
  guint32 c[4] = { (guint32) random->block, (guint32) (random->block >> 32),
    (guint32) random->counter, (guint32) (random->counter >> 32) };
  guint32 k0 = (guint32) random->key, k1 = (guint32) (random->key >> 32);

  for (int round = 0; round < 10; round++) {
    guint64 a = (guint64) 0xD2511F53u * c[0];
    guint64 b = (guint64) 0xCD9E8D57u * c[2];

    c[0] = (guint32) (b >> 32) ^ c[1] ^ k0;
    c[1] = (guint32) b;
    c[2] = (guint32) (a >> 32) ^ c[3] ^ k1;
    c[3] = (guint32) a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  memcpy (random->numbers, c, sizeof c);
  random->block++;
  random->used = 0;
}

void
cpu_random_init_twister (CpuRandom *random, guint32 seed)
{
  random->twister = TRUE;
  random->state[0] = seed;
  for (guint32 i = 1; i < CPU_TWISTER_N; i++) {
    guint32 last = random->state[i - 1];

    random->state[i] = 1812433253u * (last ^ (last >> 30)) + i;
  }
  random->used = CPU_TWISTER_N;
}

static void
twist (CpuRandom *random)
{
  guint32 *s = random->state;

  for (guint i = 0; i < CPU_TWISTER_N; i++) {
    guint32 next = s[(i + 1) % CPU_TWISTER_N];
    guint32 mixed = ((s[i] & 0x80000000u) | (next & 0x7fffffffu)) >> 1;

    s[i] = s[(i + 397) % CPU_TWISTER_N] ^ mixed
           ^ ((next & 1) != 0 ? 0x9908b0dfu : 0);
  }
  random->used = 0;
}

guint32
cpu_random_next (CpuRandom *random)
{
  if (!random->twister) {
    if (random->used == 4)
      philox_block (random);
    return random->numbers[random->used++];
  }
  if (random->used == CPU_TWISTER_N)
    twist (random);
  guint32 y = random->state[random->used++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ y >> 18;
}

double
cpu_random_next_double (CpuRandom *random)
{
  guint64 high = cpu_random_next (random), low = cpu_random_next (random);

  if (random->twister)
    return (double) ((high << 32 | low) & ((G_GUINT64_CONSTANT (1) << 53) - 1))
           * 0x1p-53;
  return (double) ((high & 0xfffff) << 32 | low) * 0x1p-52;
}
