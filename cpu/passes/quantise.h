/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Quantised values: u8 elements that stand for the floats of a FakeQuantize.
 * Floats and their u8 form are two values; a conversion step lies between them
 * where somebody reads the other one. */

#pragma once

#include "cpu/graph/plan.h"

/* The range of a FakeQuantize that u8 elements can hold; FALSE: @step is not
 * such a one. */
gboolean cpu_quantise_range (const CpuPlanStep *step, CpuQuant *quant);

/* How many inputs of @op it moves about, whatever their type; 0: it computes.
 */
guint cpu_quantise_n_moved (const InferOperation *op);

/* A convolution that may read u8. */
static inline gboolean
cpu_quantise_is_convolution (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_convolution)
         || infer_op_is (op, &infer_op_group_convolution);
}

/* The same grid with @quant for finding the elements of its floats again. */
CpuQuant cpu_quantise_grid (const CpuQuant *quant);

/* The u8 form of @floats, all of which are on floats->grid; there is one before
 * @step from now on. */
CpuPlanValue *cpu_quantise_value (
    CpuPlan *plan, CpuPlanValue *floats, CpuPlanStep *step);
/* Whether @floats has a u8 form already. */
gboolean cpu_quantise_has_value (const CpuPlanValue *floats);

/* Output 0 of @step, of which @floats were made so far, is the u8 form of
 * @floats from now on. */
void cpu_quantise_output (CpuPlan *plan, CpuPlanStep *step,
    CpuPlanValue *floats, const CpuQuant *quant);

/* The steps: floats to u8, and the sum of two u8 values. */
extern const CpuOp cpu_quantise_op;
extern const CpuOp cpu_quantise_add_op;
