/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Between which steps the memory of a value is in use. */

#pragma once

#include "cpu/graph/plan.h"

/* Sets first and last of all roots: numbers of steps in their order. */
void cpu_liveness_find (CpuPlan *plan);
