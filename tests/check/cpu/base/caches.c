/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sizes of caches: as Linux writes them, and of this machine. */

#include "cpu/base/caches.h"

static void
test_parse (void)
{
  g_assert_cmpuint (cpu_caches_parse ("32K\n"), ==, 32768);
  g_assert_cmpuint (cpu_caches_parse ("1280K\n"), ==, 1310720);
  g_assert_cmpuint (cpu_caches_parse ("2M"), ==, 2097152);
  g_assert_cmpuint (cpu_caches_parse ("4096"), ==, 4096);
  g_assert_cmpuint (cpu_caches_parse (""), ==, 0);
  g_assert_cmpuint (cpu_caches_parse ("K"), ==, 0);
  g_assert_cmpuint (cpu_caches_parse ("99999999999999999999K"), ==, 0);
}

static void
test_machine (void)
{
  const CpuCaches *caches = cpu_caches ();

  g_assert_true (caches == cpu_caches ());
  g_assert_cmpuint (caches->first, >=, 16 << 10);
  g_assert_cmpuint (caches->first, <=, 128 << 10);
  g_assert_cmpuint (caches->second, >=, 128 << 10);
  g_assert_cmpuint (caches->second, <=, 2 << 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/caches/parse", test_parse);
  g_test_add_func ("/cpu/caches/machine", test_machine);
  return g_test_run ();
}
