/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading indices, and combining a pair of elements, for scatter and gather. */

#pragma once

#include "cpu/base/step.h"

/* Element @i of an integer value; negative ones count from the end of an axis
 * of
 * @length.  FALSE: beyond the axis. */
gboolean cpu_read_index (
    const CpuValue *indices, gsize i, gint64 length, gsize *index);

/* Fails with INFER_ERROR_INVALID_DATA, naming the index. */
gboolean cpu_fail_index (
    const CpuValue *indices, gsize i, gint64 length, GError **error);

typedef enum
{
  CPU_COMBINE_SET,
  CPU_COMBINE_SUM,
  CPU_COMBINE_SUB,
  CPU_COMBINE_PROD,
  CPU_COMBINE_MIN,
  CPU_COMBINE_MAX,
} CpuCombine;

/* dst[i] = dst[i] how src[i], for any numeric type of whole bytes. */
void cpu_combine (
    CpuCombine how, InferType type, gpointer dst, gconstpointer src, gsize n);
