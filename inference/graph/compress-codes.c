/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/compress-codes.h"

#include <math.h>

#include "inference/base/tensor.h"
#include "inference/graph/ops/matmul.h"

/* Inputs of MatMul that share a scale, as NNCF divides them. */
#define GROUP 128
/* Normal numbers of f16: others would lose digits. */
#define LEAST_F16 6.2e-5f
#define LARGEST_F16 65504

/* How weights are divided into blocks that share a scale. */
typedef struct
{
  InferShape codes;  /* with an axis of groups if there are any */
  InferShape scales; /* 1 for each axis within a block */
  InferType type;    /* of codes */
} Layout;

/* --- what takes codes --- */

/* The axes of output channels as a mask; 0: @use takes no codes. */
static guint
channels_of (const InferUse *use, int rank)
{
  const InferOperation *op = use->op;

  if (use->input == 0)
    return infer_op_is (op, &infer_op_gather) && rank == 2 ? 1 : 0;
  if (use->input != 1)
    return 0;
  if (infer_op_is (op, &infer_op_convolution))
    return 1 << 0;
  if (infer_op_is (op, &infer_op_convolution_backprop_data))
    return 1 << 1;
  if (infer_op_is (op, &infer_op_group_convolution))
    return 1 << 0 | 1 << 1;
  if (infer_op_is (op, &infer_op_group_convolution_backprop_data))
    return 1 << 0 | 1 << 2;
  if (infer_op_is (op, &infer_op_matmul) && rank == 2)
    return ((const InferMatMul *) op->attrs)->transpose_b ? 1 << 0 : 1 << 1;
  return 0;
}

/* The axes that all readers agree on.  *@products: all are MatMuls. */
static guint
find_channels (const InferOperation *weights, gboolean *products)
{
  guint axes = 0;

  *products = TRUE;
  for (guint i = 0; i < weights->n_uses; i++) {
    const InferUse *use = &weights->uses[i];
    const guint other = channels_of (use, weights->value->shape.rank);

    if (other == 0 || (i > 0 && other != axes))
      return 0;
    axes = other;
    *products = *products && infer_op_is (use->op, &infer_op_matmul);
  }
  return axes;
}

/* FALSE: the weights stay. */
static gboolean
find_layout (const InferOperation *weights, gboolean int4, Layout *layout)
{
  const InferShape *shape = &weights->value->shape;
  gboolean products;
  const guint axes = find_channels (weights, &products);
  const gboolean four = int4 && products;
  guint kept = axes;

  *layout =
      (Layout){ .codes = *shape, .type = four ? INFER_TYPE_U4 : INFER_TYPE_U8 };
  if (axes == 0)
    return FALSE;
  const int inner = axes == 1 ? 1 : 0; /* of a MatMul: the inputs */
  if (four && shape->dims[inner] % GROUP == 0) {
    layout->codes =
        infer_shape_make (3, inner == 0 ? (gint64) 0 : shape->dims[0],
            (gint64) GROUP, inner == 0 ? shape->dims[1] : (gint64) GROUP);
    layout->codes.dims[inner] = shape->dims[inner] / GROUP;
    kept = inner == 0 ? 1 << 0 | 1 << 2 : 1 << 0 | 1 << 1;
  }
  layout->scales = layout->codes;
  for (int d = 0; d < layout->codes.rank; d++)
    if ((kept >> d & 1) == 0)
      layout->scales.dims[d] = 1;
  return TRUE;
}

/* --- values --- */

typedef struct
{
  float low, high;
} Range;

/* The number in row-major order of the block of element @i. */
static gsize
block_of (const Layout *layout, gsize i)
{
  gsize block = 0, step = 1;

  for (int d = layout->codes.rank; d-- > 0;) {
    const gsize dim = (gsize) layout->codes.dims[d];

    if (layout->scales.dims[d] > 1) {
      block += i % dim * step;
      step *= dim;
    }
    i /= dim;
  }
  return block;
}

/* FALSE: an infinity or a NaN. */
static gboolean
find_ranges (const Layout *layout, const float *values, gsize n, Range *ranges)
{
  for (gsize i = 0; i < n; i++) {
    Range *range = &ranges[block_of (layout, i)];

    if (!isfinite (values[i]))
      return FALSE;
    range->low = MIN (range->low, values[i]);
    range->high = MAX (range->high, values[i]);
  }
  return TRUE;
}

/* Without an overflow in the difference. */
static float
step_of (const Range *range, guint most)
{
  return range->high / (float) most - range->low / (float) most;
}

/* Whether f16 has all scales, and the values, as normal numbers. */
static gboolean
fit_f16 (const Range *ranges, gsize n, guint most)
{
  for (gsize b = 0; b < n; b++) {
    const float step = step_of (&ranges[b], most);

    if (step != 0 && !(step >= LEAST_F16 && step * (float) most < LARGEST_F16))
      return FALSE;
  }
  return TRUE;
}

/* Scales and zero points of the blocks, whose ranges contain 0. */
static void
choose_steps (const Range *ranges, gsize n, guint most, gboolean half,
    float *scales, guint8 *zeros)
{
  for (gsize b = 0; b < n; b++) {
    float step = step_of (&ranges[b], most);

    if (half)
      step = infer_f16_to_f32 (infer_f32_to_f16 (step));
    scales[b] = step > 0 ? step : 1;
    zeros[b] =
        (guint8) CLAMP (lrintf (-ranges[b].low / scales[b]), 0, (long) most);
  }
}

static void
quantise (const Layout *layout, const float *values, gsize n, guint most,
    const float *scales, const guint8 *zeros, guint8 *codes)
{
  for (gsize i = 0; i < n; i++) {
    const gsize b = block_of (layout, i);

    codes[i] = (guint8) CLAMP (
        lrintf (values[i] / scales[b]) + zeros[b], 0, (long) most);
  }
}

/* @values as a tensor of @type.  (transfer full) */
static InferTensor *
tensor_of (InferType type, const InferShape *shape, gconstpointer values,
    InferType from, GError **error)
{
  InferTensor *tensor = infer_tensor_new (type, shape, error);

  if (tensor != NULL)
    infer_convert (tensor->data, type, values, from, infer_shape_count (shape));
  return tensor;
}

/* --- operations --- */

InferOperation *
infer_compress_constant (InferGraph *graph, const InferOperation *weights,
    const char *part, InferTensor *value, GError **error)
{
  g_autoptr (InferTensor) owned = value;
  g_autofree char *name = g_strconcat (weights->name, "/", part, NULL);
  InferOperation *op =
      value != NULL ? infer_operation_make_const (name, value, error) : NULL;

  if (op != NULL)
    infer_graph_add (graph, op);
  return op;
}

InferOperation *
infer_compress_add (InferGraph *graph, const InferOperation *weights,
    const char *type, const char *attribute, const char *value,
    InferOperation *a, InferOperation *b, GError **error)
{
  g_autofree char *name = g_strconcat (weights->name, "/", type, NULL);
  InferOperation *op = a != NULL ? infer_operation_make (type, name,
                           b != NULL ? 2 : 1, 1, error, attribute, value, NULL)
                                 : NULL;

  if (op == NULL)
    return NULL;
  infer_operation_connect (op, 0, (InferPort){ a, 0 });
  if (b != NULL)
    infer_operation_connect (op, 1, (InferPort){ b, 0 });
  infer_graph_add (graph, op);
  return op;
}

/* Of the weights' type after the chain, codes with scale and zero point. */
typedef struct
{
  Layout layout;
  InferType type; /* of scales, and of what is computed with them */
  float *scales;
  guint8 *zeros, *codes;
} Codes;

static void
codes_clear (Codes *c)
{
  g_free (c->scales);
  g_free (c->zeros);
  g_free (c->codes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Codes, codes_clear)

/* The integers @values as numbers of the type that is computed with. */
static InferOperation *
add_integers (InferGraph *graph, const InferOperation *weights, const Codes *c,
    const char *part, const InferShape *shape, const guint8 *values,
    GError **error)
{
  return infer_compress_add (graph, weights, "Convert", "destination_type",
      infer_type_name (c->type),
      infer_compress_constant (graph, weights, part,
          tensor_of (c->layout.type, shape, values, INFER_TYPE_U8, error),
          error),
      NULL, error);
}

static InferOperation *
add_reshape (InferGraph *graph, const InferOperation *weights,
    InferOperation *grouped, GError **error)
{
  const InferShape *shape = &weights->value->shape;
  const InferShape vector = infer_shape_make (1, (gint64) shape->rank);
  InferOperation *dims = infer_compress_constant (graph, weights, "shape",
      tensor_of (INFER_TYPE_I64, &vector, shape->dims, INFER_TYPE_I64, error),
      error);

  return dims != NULL ? infer_compress_add (graph, weights, "Reshape",
             "special_zero", "false", grouped, dims, error)
                      : NULL;
}

/* (codes - zero points) × scales, of the shape and type of the weights. */
static InferOperation *
add_chain (InferGraph *graph, const InferOperation *weights, const Codes *c,
    GError **error)
{
  const Layout *l = &c->layout;
  InferOperation *zeros, *scales,
      *result =
          add_integers (graph, weights, c, "codes", &l->codes, c->codes, error);

  zeros = result != NULL ? add_integers (
              graph, weights, c, "zero_point", &l->scales, c->zeros, error)
                         : NULL;
  result = zeros != NULL ? infer_compress_add (graph, weights, "Subtract",
               "auto_broadcast", "numpy", result, zeros, error)
                         : NULL;
  scales =
      result != NULL ? infer_compress_constant (graph, weights, "scale",
          tensor_of (c->type, &l->scales, c->scales, INFER_TYPE_F32, error),
          error)
                     : NULL;
  result = scales != NULL ? infer_compress_add (graph, weights, "Multiply",
               "auto_broadcast", "numpy", result, scales, error)
                          : NULL;
  if (result != NULL && l->codes.rank != weights->value->shape.rank)
    result = add_reshape (graph, weights, result, error);
  return result == NULL || c->type == INFER_TYPE_F32
             ? result
             : infer_compress_add (graph, weights, "Convert",
                 "destination_type", "f32", result, NULL, error);
}

static gboolean
allocate (Codes *c, gsize n, gsize n_blocks, GError **error)
{
  c->codes = g_try_malloc (n);
  c->scales = g_try_new (float, n_blocks);
  c->zeros = g_try_malloc (n_blocks);
  return (c->codes != NULL && c->scales != NULL && c->zeros != NULL)
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "no memory for %" G_GSIZE_FORMAT " codes", n);
}

InferOperation *
infer_compress_codes (InferGraph *graph, const InferOperation *weights,
    gboolean int4, GError **error)
{
  g_auto (Codes) c = { 0 };

  if (!find_layout (weights, int4, &c.layout))
    return NULL;
  const float *values = weights->value->data;
  const gsize n = infer_shape_count (&weights->value->shape);
  const gsize n_blocks = infer_shape_count (&c.layout.scales);
  const guint most = c.layout.type == INFER_TYPE_U4 ? 15 : 255;
  g_autofree Range *ranges = g_try_new0 (Range, n_blocks);

  if (ranges == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " scales", n_blocks);
    return NULL;
  }
  if (!find_ranges (&c.layout, values, n, ranges)
      || !allocate (&c, n, n_blocks, error))
    return NULL;
  const gboolean half =
      c.layout.type == INFER_TYPE_U4 && fit_f16 (ranges, n_blocks, most);
  c.type = half ? INFER_TYPE_F16 : INFER_TYPE_F32;
  choose_steps (ranges, n_blocks, most, half, c.scales, c.zeros);
  quantise (&c.layout, values, n, most, c.scales, c.zeros, c.codes);
  return add_chain (graph, weights, &c, error);
}
