/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/error.h"

G_DEFINE_QUARK (infer - error - quark, infer_error)

gboolean
infer_fail (GError **error, InferErrorCode code, const char *format, ...)
{
  if (!error)
    return FALSE;
  va_list args;
  va_start (args, format);
  g_autoptr (GError) made =
      g_error_new_valist (INFER_ERROR, (int) code, format, args);
  va_end (args);
  g_propagate_error (error, g_steal_pointer (&made));
  return FALSE;
}
