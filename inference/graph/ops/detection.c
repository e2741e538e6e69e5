/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/detection.h"

gboolean
infer_attr_count (const InferAttributes *attributes, const char *name,
    gint64 smallest, gint64 *value, GError **error)
{
  if (!infer_attr_int (attributes, name, value, error))
    return FALSE;
  return (*value >= smallest && *value <= G_MAXINT32)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "attribute %s is %" G_GINT64_FORMAT, name, *value);
}
