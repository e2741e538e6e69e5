/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations, and chains of them, each as one generated kernel. */

#include "ocl/plan/expr.h"
#include "ocl/plan/post.h"
#include "ocl/plan/walk.h"

/* 1 kB of kernel arguments is guaranteed. */
#define MAX_OPERANDS (OCL_WALK_MAX_TENSORS - 1)

typedef struct
{
  OclValue *value;
  InferShape aligned;
} Operand;

typedef struct
{
  const OclStep *step;
  guint n;
  Operand operands[MAX_OPERANDS];
  GString *body;
  InferType type; /* of the last result */
} Chain;

/* The variable of an operand, which is loaded once. */
static guint
find_operand (Chain *chain, OclValue *value, const InferShape *aligned)
{
  guint i = 0;

  while (i < chain->n
         && (chain->operands[i].value != value
             || !infer_shape_equal (&chain->operands[i].aligned, aligned)))
    i++;
  if (i == chain->n)
    chain->operands[chain->n++] = (Operand){ value, *aligned };
  return i;
}

/* Operation @index of the chain; the step's own is 0.  @from: the input that is
 * the previous result; -1: none. */
static void
append_operation (Chain *chain, const InferOperation *op, int from,
    OclValue *const *others, guint index, InferType out)
{
  const InferShape *shape = ocl_out_shape (chain->step, 0);
  const InferShape *in[OCL_MAX_OTHERS + 1];
  InferShape aligned[OCL_MAX_OTHERS + 1];
  char names[OCL_MAX_OTHERS + 1][16], result[16];
  const char *operands[OCL_MAX_OTHERS + 1];
  InferType types[OCL_MAX_OTHERS + 1];
  guint n = 0;

  for (guint i = 0; i < op->n_inputs; i++)
    in[i] = (int) i == from ? shape : &others[n++]->desc.shape;
  ocl_expr_align (op, in, shape, aligned);
  n = 0;
  for (guint i = 0; i < op->n_inputs; i++) {
    operands[i] = names[i];
    if ((int) i == from) {
      g_snprintf (names[i], sizeof names[i], "r%u", index - 1);
      types[i] = chain->type;
      continue;
    }
    types[i] = others[n]->desc.type;
    g_snprintf (names[i], sizeof names[i], "a%u",
        find_operand (chain, others[n], &aligned[i]));
    n++;
  }
  g_snprintf (result, sizeof result, "r%u", index);
  ocl_expr_append (chain->body, op, operands, types, out, result, FALSE);
  chain->type = out;
}

/* Operands of the step and of its post-ops; one may be counted twice. */
static guint
count_operands (const OclStep *step)
{
  guint n = step->n_in;

  for (guint p = 0; p < step->n_posts; p++)
    n += step->posts[p].n_others;
  return n;
}

static gboolean
absorb (const OclStep *step, const OclPost *post)
{
  InferType type =
      post->from == 0 ? step->out[0]->desc.type : post->others[0]->desc.type;

  return ocl_expr_exists (post->op, type)
         && count_operands (step) + post->n_others <= MAX_OPERANDS;
}

static void
append_load (GString *text, const Chain *chain, guint i, gint64 x_stride)
{
  const char *type = infer_type_name (chain->operands[i].value->desc.type);

  g_string_append_printf (
      text, "  COMPUTE (%s) a%u = LOAD (%s, b%u, ", type, i, type, i);
  if (infer_shape_count (&chain->operands[i].aligned) == 1)
    g_string_append (text, "0);\n");
  else if (x_stride == 0)
    g_string_append_printf (text, "OUTER_INDEX (b%u));\n", i);
  else if (x_stride == 1)
    g_string_append_printf (text, "x0 + OUTER_INDEX (b%u));\n", i);
  else
    g_string_append_printf (text, "INDEX (b%u));\n", i);
}

static char *
make_text (const Chain *chain, const OclWalk *walk)
{
  g_autoptr (GString) text = g_string_new ("__kernel void\nelementwise ("
                                           "BUFFER (out)");
  const char *type = infer_type_name (chain->type);

  for (guint i = 0; i < chain->n; i++)
    g_string_append_printf (text, ", BUFFER (b%u)", i);
  g_string_append (text, ", WALK, STRIDES (out)");
  for (guint i = 0; i < chain->n; i++)
    g_string_append_printf (text, ", STRIDES (b%u)", i);
  g_string_append (text, ")\n{\n  BEGIN_WALK;\n  BIND (out);\n");
  for (guint i = 0; i < chain->n; i++)
    g_string_append_printf (text, "  BIND (b%u);\n", i);
  g_string_append (text, "  FOR_WALK {\n");
  for (guint i = 0; i < chain->n; i++)
    append_load (text, chain, i, walk->strides[i + 1][0]);
  g_string_append (text, chain->body->str);
  g_string_append_printf (text, "  STORE (%s, out, %s, r%u);\n  }\n}\n", type,
      walk->strides[0][0] == 1 ? "x0 + OUTER_INDEX (out)" : "INDEX (out)",
      chain->step->n_posts);
  return g_strdup (text->str);
}

static gboolean
prepare (OclStep *step, GError **error)
{
  g_autoptr (GString) body = g_string_new (NULL);
  Chain chain = { .step = step, .body = body };
  InferShape shapes[MAX_OPERANDS];
  OclWalk walk;

  append_operation (&chain, step->op, -1, step->in, 0, step->type);
  for (guint p = 0; p < step->n_posts; p++) {
    const OclPost *post = &step->posts[p];

    append_operation (
        &chain, post->op, (int) post->from, post->others, p + 1, post->type);
  }
  for (guint i = 0; i < chain.n; i++)
    shapes[i] = chain.operands[i].aligned;
  if (!ocl_walk_broadcast (
          &walk, ocl_out_shape (step, 0), chain.n, shapes, error))
    return FALSE;
  g_autofree char *text = make_text (&chain, &walk);
  OclLaunch *launch =
      ocl_step_launch (step, "elementwise", "elementwise", NULL, text);
  ocl_launch_value (launch, step->out[0]);
  for (guint i = 0; i < chain.n; i++)
    ocl_launch_value (launch, chain.operands[i].value);
  ocl_walk_arguments (&walk, launch);
  ocl_walk_launch (&walk, launch);
  step->kernel = step->n_posts > 0 ? "elementwise_chain" : "elementwise";
  return TRUE;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  InferType type = op->inputs[0].op->outputs[op->inputs[0].index].desc.type;

  return ocl_expr_exists (op, type)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (type));
}

/* clang-format off */
#define EXPR(name, rows, real, integer, boolean)                               \
  const OclOp ocl_op_##name = {                                                \
    .supports = supports,                                                      \
    .absorb = absorb,                                                          \
    .prepare = prepare,                                                        \
  };
#include "ocl/plan/expr-list.h"
/* clang-format on */
