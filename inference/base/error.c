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

/* Names in files are not to be trusted: whatever they hold, a message is one
 * line of UTF-8. */
static void
make_one_line (GError *error)
{
  if (!g_utf8_validate (error->message, -1, NULL)) {
    char *valid = g_utf8_make_valid (error->message, -1);
    g_free (error->message);
    error->message = valid;
  }
  for (char *c = error->message; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
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
  make_one_line (made);
  g_propagate_error (error, g_steal_pointer (&made));
  return FALSE;
}
