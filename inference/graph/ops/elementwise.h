/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the element-wise operations. */

#pragma once

#include "inference/graph/op.h"

/* Operations of one operand. */
typedef struct
{
  double a; /* Elu: alpha; Clamp: min */
  double b; /* Clamp: max */
  int mode; /* InferGeluMode, InferRoundMode, or InferIsInf bits */
} InferUnary;

typedef enum
{
  INFER_GELU_ERF,
  INFER_GELU_TANH,
} InferGeluMode;

typedef enum
{
  INFER_ROUND_HALF_TO_EVEN,
  INFER_ROUND_HALF_AWAY_FROM_ZERO,
} InferRoundMode;

typedef enum
{
  INFER_IS_INF_NEGATIVE = 1 << 0,
  INFER_IS_INF_POSITIVE = 1 << 1,
} InferIsInf;

/* Operations of two operands, Select, FakeQuantize. */
typedef struct
{
  InferBroadcast rule;
  gint64 axis;         /* of PDPD; -1: aligned at the last dim */
  gboolean python_div; /* Divide: integers round toward minus infinity */
  gint64 levels;       /* FakeQuantize */
} InferBinary;

/* Reads auto_broadcast and axis. */
gboolean infer_parse_broadcast (
    InferBinary *attrs, const InferAttributes *attributes, GError **error);

/* FALSE for boolean, string and storage-only types. */
gboolean infer_require_numeric (
    const InferShapeContext *context, guint input, GError **error);

/* Convert, ConvertPromoteTypes */
typedef struct
{
  InferType type;
  gboolean promote_unsafe, pytorch_scalar_promotion;
} InferConvert;

/* Reductions, SoftMax, CumSum */
typedef struct
{
  gboolean keep_dims;
  gint64 axis;
  gboolean exclusive, reverse;
} InferReduce;
