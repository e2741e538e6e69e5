/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions. */

#include "ocl/ops/rows.h"

#include <string.h>

static const struct
{
  const char *type, *macro;
} kinds[] = {
  { "ReduceL1", "L1" },
  { "ReduceL2", "L2" },
  { "ReduceLogicalAnd", "AND" },
  { "ReduceLogicalOr", "OR" },
  { "ReduceMax", "MAX" },
  { "ReduceMean", "MEAN" },
  { "ReduceMin", "MIN" },
  { "ReduceProd", "PROD" },
  { "ReduceSum", "SUM_UP" },
};

static const char *
macro_of (const OclStep *step)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].type, step->op->klass->type) == 0)
      return kinds[i].macro;
  g_assert_not_reached ();
}

/* What no element is beyond. */
static void
add_limits (GString *options, InferType type)
{
  if (infer_type_is_real (type))
    g_string_append (options, " -DLOWEST=(-INFINITY) -DHIGHEST=INFINITY");
  else if (type == INFER_TYPE_U64)
    g_string_append (options, " -DLOWEST=0 -DHIGHEST=ULONG_MAX");
  else
    g_string_append (options, " -DLOWEST=LONG_MIN -DHIGHEST=LONG_MAX");
}

static gboolean
prepare (OclStep *step, GError **error)
{
  const InferType type = step->in[0]->desc.type;
  g_autoptr (GString) options = g_string_new ("-DREDUCE");
  guint32 mask;
  OclRows rows;

  if (!ocl_axes_mask (step, 1, ocl_in_shape (step, 0), &mask, error))
    return FALSE;
  if (step->in[0]->n == step->out[0]->n && mask == 0) {
    ocl_step_view (step, 0, step->in[0], 0);
    return TRUE;
  }
  if (!ocl_rows_init (step, 0, mask, INFER_TYPE_DYNAMIC, &rows, error))
    return FALSE;
  g_string_append_printf (options, " -D%s", macro_of (step));
  add_limits (options, type);
  ocl_rows_launch (
      step, &rows, "reduce", options, step->out[0]->desc.type, NULL);
  return TRUE;
}

/* clang-format off */
#define REDUCE(name, type_)                                                    \
  const OclOp ocl_op_##name = {                                                \
    .type = type_,                                                             \
    .host_inputs = 1 << 1,                                                     \
    .prepare = prepare,                                                        \
  };

REDUCE (reduce_l1, "ReduceL1")
REDUCE (reduce_l2, "ReduceL2")
REDUCE (reduce_logical_and, "ReduceLogicalAnd")
REDUCE (reduce_logical_or, "ReduceLogicalOr")
REDUCE (reduce_max, "ReduceMax")
REDUCE (reduce_mean, "ReduceMean")
REDUCE (reduce_min, "ReduceMin")
REDUCE (reduce_prod, "ReduceProd")
REDUCE (reduce_sum, "ReduceSum")
/* clang-format on */
