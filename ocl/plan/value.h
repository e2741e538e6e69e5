/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of a plan: what they are, where they lie, who reads them. */

#pragma once

#include "inference/graph/op.h"
#include "ocl/device/scope.h"

typedef struct _OclValue OclValue;
typedef struct _OclStep OclStep;

typedef enum
{
  OCL_PLACE_ARENA,    /* at an offset in the stream's arena */
  OCL_PLACE_CONSTANT, /* in a buffer of the scope */
  OCL_PLACE_INPUT,    /* an input of the request */
  OCL_PLACE_RESULT,   /* an output of the request */
  OCL_PLACE_STATE,    /* a variable's value before the run */
  OCL_PLACE_NEXT,     /* a variable's value after the run */
} OclPlace;

/* A dense tensor: an output of an operation, or scratch memory of a step. */
struct _OclValue
{
  InferDesc desc; /* static shape */
  gsize n, bytes;
  InferTensor *host; /* the value, if known when planning; else NULL */

  /*< private >*/
  OclStep *producer;     /* NULL: known on the host, an input or a variable */
  GPtrArray *readers;    /* (element-type OclStep): one entry per operand */
  gboolean leaves;       /* a result, or the next value of a variable */
  OclConstant *constant; /* @host on the device, once a kernel reads it */
  OclValue *base;        /* lies in @base at @offset; NULL: a root */
  gsize offset;          /* bytes; of a root: in the arena */
  OclPlace place;        /* of a root */
  guint index;           /* of the input, output or variable of @place */
  guint first, last;     /* steps between which a root is live */
};

/* Memory that no launch uses has no place. */
static inline gboolean
ocl_value_is_live (const OclValue *value)
{
  return value->first != G_MAXUINT;
}

/* The root of @value, and the offset of @value in it. */
static inline OclValue *
ocl_value_root (OclValue *value, gsize *offset)
{
  *offset = 0;
  while (value->base != NULL) {
    *offset += value->offset;
    value = value->base;
  }
  return value;
}
