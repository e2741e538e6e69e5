/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/error.h"

/* G_DEFINE_QUARK is not thread-safe. */
GQuark
infer_error_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (
        &quark, g_quark_from_static_string ("infer-error-quark"));
  return (GQuark) quark;
}

gboolean
infer_fail (GError **error, InferErrorCode code, const char *format, ...)
{
  if (error == NULL)
    return FALSE;
  va_list args;
  va_start (args, format);
  g_autoptr (GError) made =
      g_error_new_valist (INFER_ERROR, (int) code, format, args);
  va_end (args);
  g_propagate_error (error, g_steal_pointer (&made));
  return FALSE;
}
