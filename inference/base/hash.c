/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/hash.h"

#include <string.h>

#define N_LANES 8
/* Hardware prefetch stops at the end of a page.  Prefetching beyond the last
 * byte reads nothing. */
#define AHEAD 4096

/* Odd random numbers: multiplication by them is reversible. */
static const guint64 factors[N_LANES] = {
  G_GUINT64_CONSTANT (0x9e3779b97f4a7c15),
  G_GUINT64_CONSTANT (0xc2b2ae3d27d4eb4f),
  G_GUINT64_CONSTANT (0x165667b19e3779f9),
  G_GUINT64_CONSTANT (0xd6e8feb86659fd93),
  G_GUINT64_CONSTANT (0xa0761d6478bd642f),
  G_GUINT64_CONSTANT (0xe7037ed1a0b428db),
  G_GUINT64_CONSTANT (0x8ebc6af09c88c6e3),
  G_GUINT64_CONSTANT (0x589965cc75374cc3),
};

static inline guint64
rotate (guint64 word, guint bits)
{
  return word << bits | word >> (64 - bits);
}

/* A bijection of @lane for each @word and of @word for each @lane: a change of
 * one word always changes the hash.  The rotations spread the upper bits of a
 * product, such as a sign. */
static inline guint64
mix (guint64 lane, guint64 word, guint64 factor)
{
  guint64 product = (lane ^ word) * factor;

  return product ^ rotate (product, 29) ^ rotate (product, 47);
}

static guint64
finish (guint64 word)
{
  word = (word ^ word >> 32) * factors[1];
  word = (word ^ word >> 29) * factors[3];
  return word ^ word >> 32;
}

/* Unrolled, lanes stay in registers. */
static inline void
mix_block (guint64 *lanes, const guint8 *bytes)
{
#pragma GCC unroll 8
  for (guint i = 0; i < N_LANES; i++) {
    guint64 word;

    memcpy (&word, bytes + i * sizeof word, sizeof word);
    lanes[i] = mix (lanes[i], GUINT64_FROM_LE (word), factors[i]);
  }
}

InferHash
infer_hash (gconstpointer data, gsize size, const InferHash *seed)
{
  const guint8 *bytes = data;
  const gsize block = N_LANES * sizeof (guint64);
  const gsize whole = size / block * block;
  guint64 lanes[N_LANES];
  guint8 rest[N_LANES * sizeof (guint64)] = { 0 };
  InferHash hash;

#pragma GCC unroll 8
  for (guint i = 0; i < N_LANES; i++)
    lanes[i] =
        factors[N_LANES - 1 - i] ^ (seed != NULL ? seed->words[i % 2] : 0);
  for (gsize at = 0; at < whole; at += block) {
    __builtin_prefetch (bytes + at + AHEAD);
    mix_block (lanes, bytes + at);
  }
  if (size > whole)
    memcpy (rest, bytes + whole, size - whole);
  mix_block (lanes, rest);
  hash.words[0] = finish (lanes[0] + size);
  hash.words[1] = finish (lanes[N_LANES - 1] ^ size);
#pragma GCC unroll 8
  for (guint i = 0; i < N_LANES; i++) {
    hash.words[0] = mix (hash.words[0], finish (lanes[i]), factors[1]);
    hash.words[1] =
        mix (hash.words[1], finish (lanes[N_LANES - 1 - i]), factors[2]);
  }
  hash.words[0] = finish (hash.words[0]);
  hash.words[1] = finish (hash.words[1]);
  return hash;
}

guint64
infer_hash_key (gconstpointer data, gsize size)
{
  static gsize once;
  static InferHash seed;

  if (g_once_init_enter (&once)) {
    for (guint i = 0; i < G_N_ELEMENTS (seed.words); i++)
      seed.words[i] = (guint64) g_random_int () << 32 | g_random_int ();
    g_once_init_leave (&once, 1);
  }
  return infer_hash (data, size, &seed).words[0];
}

void
infer_hash_to_string (const InferHash *hash, char text[33])
{
  g_snprintf (text, 33, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
      hash->words[0], hash->words[1]);
}
