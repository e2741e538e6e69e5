/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/tally.h"

guint64 fuzz_tally[FUZZ_TALLY_N];
