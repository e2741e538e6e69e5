/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations, and chains of them, each as one generated kernel. */

#include "ocl/plan/expr.h"
#include "ocl/plan/post.h"
#include "ocl/plan/walk.h"

#include <string.h>

/* A kernel's arguments are limited: 1 kB of them is sure. */
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

/* Operation @index of the chain: the step's own is 0.  @from: the input that
 * is the result before, -1 for none. */
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

/* Operands of the step and of its posts so far; may count one twice. */
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
  const OclOp *other = ocl_op_find (post->op->klass->type);

  return other != NULL && other->absorb == absorb
         && ocl_expr_find (post->op, type) != NULL
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
  OclLaunch *launch;
  g_autofree char *text = NULL;

  append_operation (
      &chain, step->op, -1, step->in, 0, ocl_post_first_type (step));
  for (guint p = 0; p < step->n_posts; p++) {
    const OclPost *post = &step->posts[p];

    append_operation (&chain, post->op, (int) post->from, post->others, p + 1,
        ocl_post_type (step, p));
  }
  for (guint i = 0; i < chain.n; i++)
    shapes[i] = chain.operands[i].aligned;
  if (!ocl_walk_broadcast (
          &walk, ocl_out_shape (step, 0), chain.n, shapes, error))
    return FALSE;
  text = make_text (&chain, &walk);
  launch = ocl_step_launch (step, "elementwise", "elementwise", NULL, text);
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

  return ocl_expr_find (op, type) != NULL
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no OpenCL kernel for elements of type %s",
             infer_type_name (type));
}

#define ELEMENTWISE(name, type_)                                               \
  const OclOp ocl_op_##name = {                                                \
    .type = type_,                                                             \
    .supports = supports,                                                      \
    .absorb = absorb,                                                          \
    .prepare = prepare,                                                        \
  };

/* clang-format off */
ELEMENTWISE (abs, "Abs")
ELEMENTWISE (acos, "Acos")
ELEMENTWISE (acosh, "Acosh")
ELEMENTWISE (add, "Add")
ELEMENTWISE (asin, "Asin")
ELEMENTWISE (asinh, "Asinh")
ELEMENTWISE (atan, "Atan")
ELEMENTWISE (atanh, "Atanh")
ELEMENTWISE (batch_norm_inference, "BatchNormInference")
ELEMENTWISE (bitwise_and, "BitwiseAnd")
ELEMENTWISE (bitwise_left_shift, "BitwiseLeftShift")
ELEMENTWISE (bitwise_not, "BitwiseNot")
ELEMENTWISE (bitwise_or, "BitwiseOr")
ELEMENTWISE (bitwise_right_shift, "BitwiseRightShift")
ELEMENTWISE (bitwise_xor, "BitwiseXor")
ELEMENTWISE (ceiling, "Ceiling")
ELEMENTWISE (clamp, "Clamp")
ELEMENTWISE (convert, "Convert")
ELEMENTWISE (convert_like, "ConvertLike")
ELEMENTWISE (cos, "Cos")
ELEMENTWISE (cosh, "Cosh")
ELEMENTWISE (divide, "Divide")
ELEMENTWISE (elu, "Elu")
ELEMENTWISE (equal, "Equal")
ELEMENTWISE (erf, "Erf")
ELEMENTWISE (exp, "Exp")
ELEMENTWISE (fake_quantize, "FakeQuantize")
ELEMENTWISE (floor, "Floor")
ELEMENTWISE (floor_mod, "FloorMod")
ELEMENTWISE (gelu, "Gelu")
ELEMENTWISE (greater, "Greater")
ELEMENTWISE (greater_equal, "GreaterEqual")
ELEMENTWISE (hsigmoid, "HSigmoid")
ELEMENTWISE (hswish, "HSwish")
ELEMENTWISE (hard_sigmoid, "HardSigmoid")
ELEMENTWISE (identity, "Identity")
ELEMENTWISE (is_finite, "IsFinite")
ELEMENTWISE (is_inf, "IsInf")
ELEMENTWISE (is_nan, "IsNaN")
ELEMENTWISE (less, "Less")
ELEMENTWISE (less_equal, "LessEqual")
ELEMENTWISE (log, "Log")
ELEMENTWISE (logical_and, "LogicalAnd")
ELEMENTWISE (logical_not, "LogicalNot")
ELEMENTWISE (logical_or, "LogicalOr")
ELEMENTWISE (logical_xor, "LogicalXor")
ELEMENTWISE (maximum, "Maximum")
ELEMENTWISE (minimum, "Minimum")
ELEMENTWISE (mish, "Mish")
ELEMENTWISE (mod, "Mod")
ELEMENTWISE (multiply, "Multiply")
ELEMENTWISE (negative, "Negative")
ELEMENTWISE (not_equal, "NotEqual")
ELEMENTWISE (p_relu, "PReLU")
ELEMENTWISE (power, "Power")
ELEMENTWISE (relu, "ReLU")
ELEMENTWISE (round, "Round")
ELEMENTWISE (select, "Select")
ELEMENTWISE (selu, "Selu")
ELEMENTWISE (sigmoid, "Sigmoid")
ELEMENTWISE (sign, "Sign")
ELEMENTWISE (sin, "Sin")
ELEMENTWISE (sinh, "Sinh")
ELEMENTWISE (soft_plus, "SoftPlus")
ELEMENTWISE (soft_sign, "SoftSign")
ELEMENTWISE (sqrt, "Sqrt")
ELEMENTWISE (squared_difference, "SquaredDifference")
ELEMENTWISE (subtract, "Subtract")
ELEMENTWISE (swish, "Swish")
ELEMENTWISE (tan, "Tan")
ELEMENTWISE (tanh, "Tanh")
ELEMENTWISE (xor, "Xor")
/* clang-format on */
