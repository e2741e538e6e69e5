/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much data the caches of one processor hold: loops work on blocks of these
 * sizes. */

#pragma once

#include <glib.h>

typedef struct
{
  gsize first, second; /* bytes */
} CpuCaches;

/* Of the machine's first processor, as Linux tells them, within 16 to 128 KiB
 * and 128 KiB to 2 MiB (more is shared with other processors); 32 KiB and 1 MiB
 * where it does not.  Read once in a process.  Any thread. */
const CpuCaches *cpu_caches (void);

/* @text, such as "48K", in bytes; 0: it is no size. */
gsize cpu_caches_parse (const char *text);
