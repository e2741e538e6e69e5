/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How far executions get.  Most changed models are refused when they are read;
 * a campaign is worth as much as what it compiles and runs. */

#pragma once

#include <glib.h>

typedef enum
{
  FUZZ_TALLY_EXECUTED,
  FUZZ_TALLY_READ,
  FUZZ_TALLY_COMPILED,
  FUZZ_TALLY_RUN, /* at least one inference gave its outputs */
  FUZZ_TALLY_N
} FuzzTally;

extern guint64 fuzz_tally[FUZZ_TALLY_N];
