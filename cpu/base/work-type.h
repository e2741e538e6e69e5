/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For reference code that computes in one type and converts the others: values
 * of the type itself are used where they are, others get a piece of scratch. */

#pragma once

#include "cpu/base/step.h"

/* Bytes of scratch that @value needs. */
static inline gsize
cpu_work_bytes (const CpuValue *value, InferType work)
{
  if (value == NULL || value->desc.type == work)
    return 0;
  return (value->n * infer_type_size (work) + 63) & ~(gsize) 63;
}

/* Memory for the elements of @value, taken from *@scratch if need be. */
static inline gpointer
cpu_work_memory (const CpuValue *value, InferType work, char **scratch)
{
  gsize bytes = cpu_work_bytes (value, work);
  gpointer memory = bytes == 0 ? value->data : *scratch;

  *scratch += bytes;
  return memory;
}

/* The elements of an input. */
static inline gpointer
cpu_work_input (const CpuValue *value, InferType work, char **scratch)
{
  gpointer memory = cpu_work_memory (value, work, scratch);

  if (memory != value->data)
    infer_convert (memory, work, value->data, value->desc.type, value->n);
  return memory;
}

/* @memory, from cpu_work_memory, into an output. */
static inline void
cpu_work_output (const CpuValue *value, InferType work, gconstpointer memory)
{
  if (memory != value->data)
    infer_convert (value->data, value->desc.type, memory, work, value->n);
}
