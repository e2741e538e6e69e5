/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Started by compare; without this runtime linked in, so that the memory
 * measured is only the peer's. */

#include "bench/compare/child.h"

int
main (int argc, char **argv)
{
  return process_child (argc, argv);
}
