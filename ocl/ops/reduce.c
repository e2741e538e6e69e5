/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reductions. */

#include "ocl/ops/rows.h"

static const struct
{
  const InferOpClass *klass;
  const char *macro;
} kinds[] = {
  { &infer_op_reduce_l1, "L1" },
  { &infer_op_reduce_l2, "L2" },
  { &infer_op_reduce_logical_and, "AND" },
  { &infer_op_reduce_logical_or, "OR" },
  { &infer_op_reduce_max, "MAX" },
  { &infer_op_reduce_mean, "MEAN" },
  { &infer_op_reduce_min, "MIN" },
  { &infer_op_reduce_prod, "PROD" },
  { &infer_op_reduce_sum, "SUM_UP" },
};

static const char *
macro_of (const OclStep *step)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (infer_op_is (step->op, kinds[i].klass))
      return kinds[i].macro;
  g_assert_not_reached ();
}

/* The limits of the type: initial values of MIN and MAX. */
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
#define REDUCE(name)                                                    \
  const OclOp ocl_op_##name = {                                                \
    .host_inputs = 1 << 1,                                                     \
    .prepare = prepare,                                                        \
  };

REDUCE (reduce_l1)
REDUCE (reduce_l2)
REDUCE (reduce_logical_and)
REDUCE (reduce_logical_or)
REDUCE (reduce_max)
REDUCE (reduce_mean)
REDUCE (reduce_min)
REDUCE (reduce_prod)
REDUCE (reduce_sum)
/* clang-format on */
