/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants of a plan that the file stores in another form than kernels read:
 * in fewer bits, or not aligned for their type (cpu/base/unpack.h). */

#pragma once

#include "cpu/graph/value.h"

/* Gives a constant that the file stores in fewer bits its floats, or one that
 * is not aligned aligned memory.  Fine for all values, NULL too. */
gboolean cpu_plan_unpack (CpuPlan *plan, CpuPlanValue *value, GError **error);
/* The latter alone; @value is not NULL. */
gboolean cpu_plan_align (CpuPlan *plan, CpuPlanValue *value, GError **error);
