/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An Einsum of two operands becomes a MatMul.  Its operands are transposed so
 * that the labels of both operands and the result come first, and the summed
 * labels are inner dimensions. */

#include "inference/passes/pass.h"

#include "inference/graph/ops/einsum.h"

#include <string.h>

/* Labels by the operands that have them, and whether the result does. */
typedef enum
{
  BATCH,  /* both and the result */
  LEFT,   /* the first and the result */
  RIGHT,  /* the second and the result */
  SUMMED, /* both */
  N_KINDS,
} Kind;

typedef struct
{
  InferGraph *graph;
  const InferOperation *op;
  const InferEinsum *attrs;
  char labels[N_KINDS][INFER_MAX_RANK + 1];
  gint64 count[N_KINDS]; /* elements */
  gint64 dims[128];      /* of each label */
} Product;

static gboolean
is_once_each (const char *text)
{
  for (const char *c = text; *c; c++)
    if (*c == '.' || strchr (c + 1, *c) != NULL)
      return FALSE;
  return TRUE;
}

static gboolean
read_operand (Product *product, guint i)
{
  const InferPort *port = &product->op->inputs[i];
  const InferDesc *desc = &port->op->outputs[port->index].desc;
  const char *labels = product->attrs->inputs[i];

  if (desc->type != INFER_TYPE_F32 || !infer_shape_is_static (&desc->shape)
      || !is_once_each (labels) || strlen (labels) != (gsize) desc->shape.rank)
    return FALSE;
  for (int d = 0; d < desc->shape.rank; d++) {
    gint64 *dim = &product->dims[(guint) labels[d]];

    if (desc->shape.dims[d] < 1 || (*dim != 0 && *dim != desc->shape.dims[d]))
      return FALSE; /* empty, or broadcast */
    *dim = desc->shape.dims[d];
  }
  return TRUE;
}

static void
add_label (Product *product, Kind kind, char label)
{
  const gsize n = strlen (product->labels[kind]);

  product->labels[kind][n] = label;
  product->count[kind] *= product->dims[(guint) label];
}

/* FALSE: not a product, or a label is summed in one operand alone. */
static gboolean
sort_labels (Product *product)
{
  const char *a = product->attrs->inputs[0], *b = product->attrs->inputs[1];
  const char *out = product->attrs->output;

  for (const char *c = out; *c; c++)
    add_label (product,
        strchr (a, *c) == NULL   ? RIGHT
        : strchr (b, *c) == NULL ? LEFT
                                 : BATCH,
        *c);
  for (const char *c = a; *c; c++) {
    if (strchr (out, *c) != NULL)
      continue;
    if (strchr (b, *c) == NULL)
      return FALSE;
    add_label (product, SUMMED, *c);
  }
  for (const char *c = b; *c; c++)
    if (strchr (out, *c) == NULL && strchr (a, *c) == NULL)
      return FALSE;
  return product->labels[SUMMED][0] != '\0';
}

/* Concatenates the labels of three kinds. */
static char *
join (const Product *product, Kind first, Kind second, Kind third)
{
  return g_strconcat (product->labels[first], product->labels[second],
      product->labels[third], NULL);
}

static InferShape
shape_of (const Product *product, const char *labels)
{
  InferShape shape = { .rank = (int) strlen (labels) };

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = product->dims[(guint) labels[d]];
  return shape;
}

/* Adds @type (@from, @numbers) with output @shape; NULL on failure. */
static InferOperation *
add_operation (const Product *product, const char *type, const char *part,
    const InferPort *from, const InferShape *numbers, const InferShape *shape)
{
  const InferShape list = infer_shape_make (1, (gint64) numbers->rank);
  g_autofree char *name = g_strconcat (product->op->name, part, NULL);
  g_autofree char *list_name = g_strconcat (name, "/numbers", NULL);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_I64, &list, NULL);
  InferOperation *op, *constant;

  if (tensor == NULL || from->op == NULL)
    return NULL;
  memcpy (tensor->data, numbers->dims,
      (gsize) numbers->rank * sizeof *numbers->dims);
  constant = infer_operation_make_const (list_name, tensor, NULL);
  op = infer_operation_make (
      type, name, 2, 1, NULL, "special_zero", "false", NULL);
  infer_operation_connect (op, 0, *from);
  infer_operation_connect (op, 1, (InferPort){ constant, 0 });
  op->outputs[0].desc = (InferDesc){ INFER_TYPE_F32, *shape };
  infer_graph_add (product->graph, constant);
  infer_graph_add (product->graph, op);
  return op;
}

/* Transposes @from, whose dims are @labels, to the order of @wanted. */
static InferPort
transpose (const Product *product, const char *part, InferPort from,
    const char *labels, const char *wanted)
{
  const InferShape shape = shape_of (product, wanted);
  InferShape order = { .rank = shape.rank };

  if (strcmp (labels, wanted) == 0)
    return from;
  for (int d = 0; d < order.rank; d++)
    order.dims[d] = strchr (labels, wanted[d]) - labels;
  return (InferPort){
    add_operation (product, "Transpose", part, &from, &order, &shape), 0
  };
}

/* Operand @i as a batch of matrices of @rows by @columns. */
static InferPort
matrices (const Product *product, guint i, Kind rows, Kind columns)
{
  g_autofree char *wanted = join (product, BATCH, rows, columns);
  const char *transposed[] = { "/a", "/b" }, *shaped[] = { "/a3", "/b3" };
  const InferShape shape = infer_shape_make (
      3, product->count[BATCH], product->count[rows], product->count[columns]);
  InferPort port = transpose (product, transposed[i], product->op->inputs[i],
      product->attrs->inputs[i], wanted);

  return (InferPort){
    add_operation (product, "Reshape", shaped[i], &port, &shape, &shape), 0
  };
}

/* NULL: @op is not such a product. */
static InferOperation *
rewritten (InferGraph *graph, const InferOperation *op)
{
  Product product = {
    .graph = graph, .op = op, .attrs = op->attrs, .count = { 1, 1, 1, 1 }
  };
  g_autofree char *order = NULL, *wanted = NULL;
  g_autofree char *name = g_strconcat (op->name, "/product", NULL);
  InferPort a, b, port;

  if (product.attrs->n_inputs != 2 || !is_once_each (product.attrs->output)
      || !read_operand (&product, 0) || !read_operand (&product, 1)
      || !sort_labels (&product))
    return NULL;
  wanted = join (&product, BATCH, RIGHT, SUMMED);
  gboolean transposed = strcmp (wanted, product.attrs->inputs[1]) == 0;
  a = matrices (&product, 0, LEFT, SUMMED);
  b = transposed ? matrices (&product, 1, RIGHT, SUMMED)
                 : matrices (&product, 1, SUMMED, RIGHT);
  if (a.op == NULL || b.op == NULL)
    return NULL;
  InferOperation *one =
      infer_operation_make ("MatMul", name, 2, 1, NULL, "transpose_a", "false",
          "transpose_b", transposed ? "true" : "false", NULL);
  infer_operation_connect (one, 0, a);
  infer_operation_connect (one, 1, b);
  one->outputs[0].desc = (InferDesc){ INFER_TYPE_F32,
    infer_shape_make (
        3, product.count[BATCH], product.count[LEFT], product.count[RIGHT]) };
  infer_graph_add (graph, one);
  order = join (&product, BATCH, LEFT, RIGHT);
  InferShape shape = shape_of (&product, order);
  port = (InferPort){ one, 0 };
  port.op = add_operation (&product, "Reshape",
      strcmp (order, product.attrs->output) == 0 ? "" : "/sums", &port, &shape,
      &shape);
  return transpose (&product, "", port, order, product.attrs->output).op;
}

static gboolean
rewrite (InferGraph *graph, InferOperation *op)
{
  InferOperation *one =
      infer_op_is (op, &infer_op_einsum) ? rewritten (graph, op) : NULL;

  return one != NULL
         && infer_port_replace ((InferPort){ op, 0 }, (InferPort){ one, 0 });
}

const InferPass infer_pass_einsum = { "einsum", .rewrite = rewrite };
