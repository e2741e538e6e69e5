/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers of 32 bits where a file has them: files align nothing. */

#pragma once

#include <stdint.h>

typedef float CpuLooseFloat __attribute__ ((aligned (1)));
typedef uint32_t CpuLooseWord __attribute__ ((aligned (1)));
