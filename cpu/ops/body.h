/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a body of If, Loop or TensorIterator from its step. */

#pragma once

#include "cpu/base/runner.h"

typedef struct
{
  const InferBody *body;
  CpuRunner *runner;
  guint n_params, n_results;
  CpuInput *params;      /* to set before each run */
  InferTensor **results; /* results of the last run */
  InferTensor **spare;   /* the results of the run before */
} CpuBody;

gboolean cpu_body_init (
    CpuBody *body, CpuStep *step, guint index, GError **error);
void cpu_body_clear (CpuBody *body);

/* Swaps results and spare, then runs: parameters may point at the results of
 * the previous run. */
gboolean cpu_body_run (CpuBody *body, GError **error);

/* Gives out[@index] of @step the desc of a result, and memory where it has none
 * yet. */
gboolean cpu_body_shape_output (
    CpuStep *step, guint index, const InferDesc *desc, GError **error);
/* out[@index] of @step becomes a copy of @data of the given desc. */
gboolean cpu_body_give (CpuStep *step, guint index, const InferDesc *desc,
    gconstpointer data, GError **error);
