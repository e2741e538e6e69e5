/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A value of a plan, as operations see it. */

#pragma once

#include "cpu/kernels/kernels.h"
#include "inference/graph/op.h"

typedef struct _CpuValue CpuValue;
typedef struct _CpuUnpack CpuUnpack;

/* How the elements of a value lie in memory. */
typedef enum
{
  CPU_LAYOUT_PLAIN = 0, /* row-major in the order of the shape */
  CPU_LAYOUT_NSPC,      /* channels (dim 1) innermost: N, spatial…, C */
} CpuLayout;

/* Floats stored as f16: element times @back is the value; @largest is the
 * largest finite magnitude stored.  Set by the step that writes them.  Or
 * stored as bf16, without a scale. */
typedef struct
{
  gboolean bf16;
  float back, largest;
} CpuF16Scale;

/* How the elements of a value are represented in memory, besides their type. */
typedef struct
{
  CpuLayout layout;
  const CpuQuant *quant; /* not NULL: u8 elements that stand for floats */
  CpuF16Scale *f16;      /* not NULL: f32 stored as f16 or bf16 */
} CpuForm;

/* One output of one operation in a plan. */
struct _CpuValue
{
  InferDesc desc; /* whole when the step that reads it is prepared or run */
  CpuForm form;
  gpointer data;     /* dense, at least aligned to the element */
  gsize block;       /* elements from one matrix of the two last dims to the
                        next; 0: dense, as for all but `takes_blocks` */
  gsize n;           /* elements; 0 where not known */
  gsize bytes;       /* in memory */
  gboolean known;    /* desc is whole, and was while planning */
  gboolean constant; /* data is known when preparing and never changes */
  /* Set for a constant that the file stores in fewer bits; its data is NULL
   * until a step asks for it (unpack.h). */
  CpuUnpack *unpack;
};

/* Sets desc, known, n and bytes. */
void cpu_value_set_desc (CpuValue *value, const InferDesc *desc);
/* Sets data of an output and of all values that share its memory. */
void cpu_value_bind (CpuValue *value, gpointer data);

/* Element @i of integers of any type of whole bytes. */
static inline gint64
cpu_integer_at (const CpuValue *value, gsize i)
{
  gint64 number = 0;

  if (value->desc.type == INFER_TYPE_I64)
    return ((const gint64 *) value->data)[i];
  if (value->desc.type == INFER_TYPE_I32)
    return ((const gint32 *) value->data)[i];
  infer_convert (&number, INFER_TYPE_I64,
      (const guint8 *) value->data + i * infer_type_size (value->desc.type),
      value->desc.type, 1);
  return number;
}

/* One number for each dimension, from the order of a shape to that of memory in
 * CPU_LAYOUT_NSPC: entry 1 goes to the end. */
static inline void
cpu_channels_to_end (int rank, gint64 *values)
{
  gint64 channels = values[1];

  for (int d = 1; d < rank - 1; d++)
    values[d] = values[d + 1];
  values[rank - 1] = channels;
}
