/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes and multiplications an operation needs at least, and how fast a
 * device does each, for a verdict on its time. */

#pragma once

#include "infer/request.h"
#include "inference/graph/operation.h"

/* FALSE: its shapes are not all known. */
typedef struct
{
  double bytes;    /* inputs and weights read once, outputs written once */
  double products; /* multiplications with an addition each; 0: not its kind */
} ToolCost;

gboolean tool_cost_of (const InferOperation *op, ToolCost *cost);

/* The same for a step that computes all @n of @ops: what they pass to each
 * other is neither read nor written. */
gboolean tool_cost_of_step (
    const InferOperation *const *ops, guint n, ToolCost *cost);

#define TOOL_N_SIZES 4

typedef struct
{
  double products_per_ns;            /* of a large matrix product */
  double bytes_per_ns[TOOL_N_SIZES]; /* of a ReLU, by its bytes */
} ToolRates;

/* Measured on @runtime, which has PERF_COUNT; takes about a third of a second.
 */
gboolean tool_measure_rates (
    InferRuntime *runtime, ToolRates *rates, GError **error);

/* The parts of the @ns that multiplying and moving alone would take. */
typedef struct
{
  double compute, memory;
} ToolParts;

ToolParts tool_parts_of (
    const ToolCost *cost, const ToolRates *rates, double ns);

/* "compute 80%", "memory 65%": the part of the @ns that multiplying or moving
 * alone would take at these rates; "other" where neither takes much. (transfer
 * full) */
char *tool_verdict (const ToolCost *cost, const ToolRates *rates, double ns);
