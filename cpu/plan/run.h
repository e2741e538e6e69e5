/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/graph/plan.h"

/* @outputs: tensors that the results are written to, reshaped as needed. */
gboolean cpu_plan_run (CpuPlan *plan, const CpuInput *inputs,
    InferTensor **outputs, GError **error);
