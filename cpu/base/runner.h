/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs one graph of a request, the model's or a body: plans it for each new set
 * of input shapes.  Used by the thread that runs the request. */

#pragma once

#include "cpu/base/step.h"

typedef struct _CpuRunner CpuRunner;
typedef struct _CpuContext CpuContext;

typedef struct
{
  InferDesc desc;
  gpointer data;
} CpuInput;

/* For body @index of the operation of @step, in the request of the step. */
CpuRunner *cpu_step_runner_new (CpuStep *step, guint index);
void cpu_runner_free (CpuRunner *runner);

/* @outputs: tensors that the results are written to, reshaped as needed. */
gboolean cpu_runner_run (CpuRunner *runner, const CpuInput *inputs,
    InferTensor **outputs, GError **error);
