/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuses activations that are written out into one operation:
 *
 *     Swish   x * sigmoid (x)
 *     HSwish  x * clamp (x + 3, 0, 6) / 6, x * hard sigmoid (x)
 *     Gelu    x * (1 + erf (x / sqrt (2))) / 2, and the form with tanh
 *
 * in any order of factors. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/elementwise.h"

#include <math.h>
#include <string.h>

#define MAX_FACTORS 8

/* A product of constants and other factors. */
typedef struct
{
  double number;
  guint n;
  InferPort factors[MAX_FACTORS];
  const InferPort
      *whole; /* nullable: a factor, not expanded even if it is a product */
} Product;

/* Within the precision of f16. */
static gboolean
is_about (double a, double b)
{
  return fabs (a - b) <= 5e-4 * fabs (b);
}

static gboolean
is_numpy (const InferOperation *op)
{
  return ((const InferBinary *) op->attrs)->rule != INFER_BROADCAST_PDPD;
}

/* Multiplies @product by @port, expanding products up to @depth operations. */
static gboolean
add_factors (Product *product, const InferPort *port, guint depth)
{
  const InferOperation *op = port->op;
  double number;

  if (op == NULL)
    return FALSE;
  if (product->whole != NULL && infer_port_equal (port, product->whole))
    depth = 0;
  if (infer_port_stored_number (port, &number)) {
    product->number *= number;
    return TRUE;
  }
  if (depth > 0 && infer_op_is (op, &infer_op_multiply) && is_numpy (op))
    return add_factors (product, &op->inputs[0], depth - 1)
           && add_factors (product, &op->inputs[1], depth - 1);
  if (depth > 0 && infer_op_is (op, &infer_op_divide) && is_numpy (op)
      && infer_port_stored_number (&op->inputs[1], &number) && number != 0) {
    product->number /= number;
    return add_factors (product, &op->inputs[0], depth - 1);
  }
  if (product->n == MAX_FACTORS)
    return FALSE;
  product->factors[product->n++] = *port;
  return TRUE;
}

static gboolean
read_product (Product *product, const InferPort *port, const InferPort *whole)
{
  *product = (Product){ .number = 1, .whole = whole };
  return add_factors (product, port, 3);
}

/* If @port is @number + something: the latter, else NULL. */
static const InferPort *
plus (const InferPort *port, double number)
{
  double found;

  if (!infer_op_is (port->op, &infer_op_add) || !is_numpy (port->op))
    return NULL;
  for (guint side = 0; side < 2; side++)
    if (infer_port_stored_number (&port->op->inputs[side], &found)
        && is_about (found, number))
      return &port->op->inputs[1 - side];
  return NULL;
}

/* Whether @port is @number times @x. */
static gboolean
is_multiple (const InferPort *port, double number, const InferPort *x)
{
  Product product;

  return read_product (&product, port, x) && product.n == 1
         && is_about (product.number, number)
         && infer_port_equal (&product.factors[0], x);
}

/* 0.044715 x^3 */
static gboolean
is_cubic_term (const InferPort *port, const InferPort *x)
{
  Product product;
  double power;

  if (!read_product (&product, port, x) || !is_about (product.number, 0.044715))
    return FALSE;
  if (product.n == 1 && infer_op_is (product.factors[0].op, &infer_op_power))
    return infer_port_stored_number (&product.factors[0].op->inputs[1], &power)
           && power == 3
           && infer_port_equal (&product.factors[0].op->inputs[0], x);
  for (guint i = 0; i < product.n; i++)
    if (!infer_port_equal (&product.factors[i], x))
      return FALSE;
  return product.n == 3;
}

/* sqrt (2 / pi) (x + 0.044715 x^3) */
static gboolean
is_gelu_argument (const InferPort *port, const InferPort *x)
{
  Product product;

  if (!read_product (&product, port, NULL) || product.n != 1
      || !is_about (product.number, 0.7978845608))
    return FALSE;
  const InferOperation *sum = product.factors[0].op;
  if (!infer_op_is (sum, &infer_op_add) || !is_numpy (sum))
    return FALSE;
  for (guint side = 0; side < 2; side++)
    if (infer_port_equal (&sum->inputs[side], x)
        && is_cubic_term (&sum->inputs[1 - side], x))
      return TRUE;
  return FALSE;
}

typedef enum
{
  NONE,
  SWISH,
  HSWISH,
  GELU_ERF,
  GELU_TANH,
} Kind;

/* The activation that x times @factor times @number is. */
static Kind
kind_of (const InferPort *x, const InferPort *factor, double number)
{
  const InferOperation *op = factor->op;
  const InferUnary *attrs = op->attrs;
  const InferPort *inner;

  if (infer_op_is (op, &infer_op_sigmoid) && number == 1
      && infer_port_equal (&op->inputs[0], x))
    return SWISH;
  if (infer_op_is (op, &infer_op_hsigmoid) && number == 1
      && infer_port_equal (&op->inputs[0], x))
    return HSWISH;
  if (infer_op_is (op, &infer_op_clamp) && is_about (number, 1.0 / 6)
      && attrs->a == 0 && attrs->b == 6) {
    inner = plus (&op->inputs[0], 3);
    return inner != NULL && infer_port_equal (inner, x) ? HSWISH : NONE;
  }
  inner = plus (factor, 1);
  if (inner == NULL || !is_about (number, 0.5))
    return NONE;
  if (infer_op_is (inner->op, &infer_op_erf)
      && is_multiple (&inner->op->inputs[0], 0.7071067812, x))
    return GELU_ERF;
  if (infer_op_is (inner->op, &infer_op_tanh)
      && is_gelu_argument (&inner->op->inputs[0], x))
    return GELU_TANH;
  return NONE;
}

static InferOperation *
make (Kind kind, const char *name)
{
  switch (kind) {
    case SWISH:
      return infer_operation_make ("Swish", name, 1, 1, NULL, NULL);
    case HSWISH:
      return infer_operation_make ("HSwish", name, 1, 1, NULL, NULL);
    case GELU_ERF:
      return infer_operation_make (
          "Gelu", name, 1, 1, NULL, "approximation_mode", "ERF", NULL);
    case GELU_TANH:
      return infer_operation_make (
          "Gelu", name, 1, 1, NULL, "approximation_mode", "TANH", NULL);
    case NONE:
      break;
  }
  return NULL;
}

/* The activation of two factors at most @depth products apart. */
static Kind
find_kind (const InferPort *root, guint depth, InferPort *x)
{
  Product product = { .number = 1 };
  Kind kind = NONE;

  if (!add_factors (&product, root, depth) || product.n != 2)
    return NONE;
  for (guint side = 0; side < 2 && kind == NONE; side++) {
    *x = product.factors[side];
    kind = kind_of (x, &product.factors[1 - side], product.number);
  }
  return kind;
}

/* The operation that replaces @op, of input *@x; NULL: no match. */
static InferOperation *
find (const InferOperation *op, InferPort *x)
{
  const InferPort root = { (InferOperation *) (gsize) op, 0 };
  const InferDesc *in, *out = &op->outputs[0].desc;
  Kind kind = NONE;

  if ((!infer_op_is (op, &infer_op_multiply)
          && !infer_op_is (op, &infer_op_divide))
      || (out->type != INFER_TYPE_F32 && out->type != INFER_TYPE_F16))
    return NULL;
  /* x may itself be a product. */
  for (guint depth = 3; depth > 0 && kind == NONE; depth--)
    kind = find_kind (&root, depth, x);
  if (kind == NONE)
    return NULL;
  in = &x->op->outputs[x->index].desc;
  if (in->type != out->type || in->shape.rank < 0
      || !infer_shape_equal (&in->shape, &out->shape))
    return NULL;
  return make (kind, op->name);
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  InferPort x;
  InferOperation *one = find (op, &x);

  if (one == NULL)
    return FALSE;
  infer_operation_connect (one, 0, x);
  one->outputs[0].desc = op->outputs[0].desc;
  infer_graph_add (graph, one);
  return infer_port_replace ((InferPort){ op, 0 }, (InferPort){ one, 0 });
}

const InferPass infer_pass_activations = { "activations", .rewrite = rewrite };
