/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs of small launches as one. */

#pragma once

#include "ocl/plan/plan.h"

G_BEGIN_DECLS

/* After values have their places and before kernels are built.  Not where
 * operations are to be seen one by one (PERF_COUNT, dumps). */
void ocl_plan_chain (OclPlan *plan);

G_END_DECLS
