/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/index.h"

#include <string.h>

gboolean
cpu_read_index (const CpuValue *indices, gsize i, gint64 length, gsize *index)
{
  gint64 value = cpu_integer_at (indices, i);

  if (value < 0)
    value += length;
  *index = (gsize) value;
  return value >= 0 && value < length;
}

gboolean
cpu_fail_index (const CpuValue *indices, gsize i, gint64 length, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_DATA,
      "index %" G_GINT64_FORMAT " is beyond an axis of %" G_GINT64_FORMAT,
      cpu_integer_at (indices, i), length);
}

/* Integers wrap around: @wide has no sign. */
#define COMBINE(type, wide)                                                    \
  static void combine_##type (                                                 \
      CpuCombine how, type *dst, const type *src, gsize n)                     \
  {                                                                            \
    for (gsize i = 0; i < n; i++)                                              \
      switch (how) {                                                           \
        case CPU_COMBINE_SUM:                                                  \
          dst[i] = (type) ((wide) dst[i] + (wide) src[i]);                     \
          break;                                                               \
        case CPU_COMBINE_SUB:                                                  \
          dst[i] = (type) ((wide) dst[i] - (wide) src[i]);                     \
          break;                                                               \
        case CPU_COMBINE_PROD:                                                 \
          dst[i] = (type) ((wide) dst[i] * (wide) src[i]);                     \
          break;                                                               \
        case CPU_COMBINE_MIN:                                                  \
          dst[i] = MIN (dst[i], src[i]);                                       \
          break;                                                               \
        default:                                                               \
          dst[i] = MAX (dst[i], src[i]);                                       \
          break;                                                               \
      }                                                                        \
  }

COMBINE (float, float)
COMBINE (double, double)
COMBINE (gint64, guint64)
COMBINE (guint64, guint64)
COMBINE (gint32, guint64)
COMBINE (guint32, guint64)
COMBINE (gint16, guint64)
COMBINE (guint16, guint64)
COMBINE (gint8, guint64)
COMBINE (guint8, guint64)

static void
combine_f16 (
    InferType type, CpuCombine how, gpointer dst, gconstpointer src, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    float a, b;

    infer_convert (&a, INFER_TYPE_F32, (guint16 *) dst + i, type, 1);
    infer_convert (&b, INFER_TYPE_F32, (const guint16 *) src + i, type, 1);
    combine_float (how, &a, &b, 1);
    infer_convert ((guint16 *) dst + i, type, &a, INFER_TYPE_F32, 1);
  }
}

void
cpu_combine (
    CpuCombine how, InferType type, gpointer dst, gconstpointer src, gsize n)
{
  if (how == CPU_COMBINE_SET) {
    memcpy (dst, src, n * infer_type_size (type));
    return;
  }
  switch (type) {
    case INFER_TYPE_F32:
      combine_float (how, dst, src, n);
      break;
    case INFER_TYPE_F64:
      combine_double (how, dst, src, n);
      break;
    case INFER_TYPE_F16:
    case INFER_TYPE_BF16:
      combine_f16 (type, how, dst, src, n);
      break;
    case INFER_TYPE_I64:
      combine_gint64 (how, dst, src, n);
      break;
    case INFER_TYPE_U64:
      combine_guint64 (how, dst, src, n);
      break;
    case INFER_TYPE_I32:
      combine_gint32 (how, dst, src, n);
      break;
    case INFER_TYPE_U32:
      combine_guint32 (how, dst, src, n);
      break;
    case INFER_TYPE_I16:
      combine_gint16 (how, dst, src, n);
      break;
    case INFER_TYPE_U16:
      combine_guint16 (how, dst, src, n);
      break;
    case INFER_TYPE_I8:
      combine_gint8 (how, dst, src, n);
      break;
    default:
      combine_guint8 (how, dst, src, n);
      break;
  }
}
