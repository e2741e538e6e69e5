/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The convolutions and matrix products of a model, and which of them one of
 * its steps computes. */

#pragma once

#include "infer/request.h"
#include "inference/graph/operation.h"

/* As many as oneDNN reads. */
#define BENCH_MOST_DIMS 12

typedef enum
{
  BENCH_CONVOLUTION,
  BENCH_INNER_PRODUCT, /* MatMul with a constant matrix */
  BENCH_MATMUL,
} BenchKind;

typedef enum
{
  BENCH_NO_ACT,
  BENCH_RELU,
  BENCH_CLAMP,
  BENCH_SIGMOID,
  BENCH_TANH,
  BENCH_HSWISH,
  BENCH_SWISH,
  BENCH_ELU,
  BENCH_GELU,
} BenchAct;

typedef struct
{
  BenchKind kind;
  /* Logical dimensions of the operands: those of a convolution's filters have
   * the groups in front, if there are several; an inner product is of [M, K]
   * and [N, K], a MatMul of […, M, K] and […, K, N]. */
  guint data_dims, weights_dims;
  gint64 data[BENCH_MOST_DIMS], weights[BENCH_MOST_DIMS], out[BENCH_MOST_DIMS];
  gint64 strides[BENCH_MOST_DIMS], dilations[BENCH_MOST_DIMS];
  gint64 before[BENCH_MOST_DIMS], after[BENCH_MOST_DIMS];
  gboolean transposed_a, transposed_b; /* MatMul: in memory */
  /* Operations that the step applies to the result. */
  gboolean bias, residual;
  BenchAct act;
  double products; /* multiplications */
} BenchProduct;

/* A step that computes at least one product. */
typedef struct
{
  const InferOperation *op; /* the step's own */
  GArray *products;         /* (element-type BenchProduct) */
} BenchStep;

/* The steps of @request's last run, in order.  @model: the request's, with the
 * shapes of that run.  Products whose operands are not floats, or whose step is
 * not known, are left out.  (transfer full) (element-type BenchStep) */
GArray *bench_find_steps (InferRequest *request, const InferModel *model);
