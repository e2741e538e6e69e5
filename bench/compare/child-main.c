/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Started by compare, without this runtime linked in: a peer's memory is then
 * only its own. */

#include "bench/compare/process.h"

int
main (int argc, char **argv)
{
  return process_child (argc, argv);
}
