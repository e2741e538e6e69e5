/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/mutate.h"

#include <glib.h>

static guint64 state;

void
fuzz_mutate_seed (unsigned int seed)
{
  state = seed * 0x9e3779b97f4a7c15u + 1;
}

unsigned int
fuzz_mutate_below (unsigned int n)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (guint) ((state >> 11) % MAX (n, 1));
}
