/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans of several requests on one executable, run operation by operation, so
 * that what an operation reads of its constants is read once for all of them
 * (CpuOp.run_joint).  Each gives the bits that it gives alone. */

#pragma once

#include "cpu/graph/plan.h"

typedef struct
{
  CpuPlan *plan; /* of a context of its own */
  const CpuInput *inputs;
  InferTensor **outputs;
  CpuPlanStep *at; /* the next step; while running */
  GError *error;   /* out: NULL: it has run */
} CpuJointRun;

/* @n ≤ INFER_MOST_JOINT.  Each run ends by itself: an error or a cancelled run
 * is none of the others'. */
void cpu_joint_run (CpuJointRun *runs, guint n);
